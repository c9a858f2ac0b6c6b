"""The documentation names every event, error code, setting and command, and none that is not there."""

from __future__ import annotations

import dataclasses
import pkgutil
import re
from pathlib import Path

import docs_rules as rules
import pytest
import typer

from heedful.gate.rules import RULES
from heedful.ledger.registry import EVENT_TYPES
from heedful.settings import ENVIRONMENT_PREFIX, Settings

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SOURCES = sorted((ROOT / "src" / "heedful").rglob("*.py"))
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])


def page(name: str) -> str:
    """The text of a page in docs."""
    return (DOCS / name).read_text("utf-8")


def test_every_event_has_a_heading_that_names_its_fields() -> None:
    """docs/events.md: one heading an event type, with each field as a code word below it, and no other event."""
    sections = rules.sections(page("events.md"))
    assert rules.missing_and_stale({name for name in sections if "." in name}, {name for name, _ in EVENT_TYPES}) == (
        [],
        [],
    )
    missing = [
        f"{name}: {field.name}"
        for (name, _), event_class in EVENT_TYPES.items()
        for field in dataclasses.fields(event_class)
        if f"`{field.name}`" not in sections[name]
    ]
    assert missing == []


def test_every_error_code_is_listed_and_no_other() -> None:
    """docs/errors.md has a table row for each code that the sources raise."""
    sources = [path.read_text("utf-8") for path in SOURCES]
    classes = rules.error_classes(sources)
    raised = {code for source in sources for code in rules.error_codes(source, classes)}
    assert rules.missing_and_stale(set(rules.rows(page("errors.md"))), raised) == ([], [])


def test_every_rule_of_the_gate_is_listed_and_no_other() -> None:
    """docs/gate.md has a table row for each, below the heading Rules."""
    named = set(rules.rows(rules.sections(page("gate.md"))["Rules"]))
    assert rules.missing_and_stale(named, set(RULES)) == ([], [])


def test_every_setting_is_listed_with_its_variable_default_and_unit() -> None:
    """docs/settings.md: | `name` | `HEEDFUL_NAME` | `default` | unit | meaning |."""
    rows = rules.rows(page("settings.md"))
    fields = dataclasses.fields(Settings)
    assert rules.missing_and_stale(set(rows), {field.name for field in fields}) == ([], [])
    for field in fields:
        variable, default, unit, meaning = rows[field.name]
        assert variable == f"`{ENVIRONMENT_PREFIX}{field.name.upper()}`"
        assert default == ("none" if field.default is None else f"`{field.default}`"), field.name
        assert unit
        assert meaning


def test_every_command_has_a_heading_and_no_other() -> None:
    """docs/commands.md: a heading such as `heedful review approve` for each command that can be run."""
    from heedful.interfaces.cli.main import app  # noqa: PLC0415 - an import error is this test's alone

    named = {name for name in rules.sections(page("commands.md")) if name.startswith("heedful ")}
    needed = set(rules.command_names(typer.main.get_command(app), "heedful"))
    assert rules.missing_and_stale(named, needed) == ([], [])


def test_every_file_that_the_architecture_names_is_there() -> None:
    """Paths below src/heedful, with a star where they vary; names in angle brackets stand for any."""
    named = set(re.findall(r"`([a-z_*]+/[a-z_*/]+(?:\.py|/))`", (ROOT / "ARCHITECTURE.md").read_text("utf-8")))
    missing = [
        path for path in named if not any(next(top.glob(path), None) for top in (ROOT, ROOT / "src" / "heedful"))
    ]
    assert len(named) > 10
    assert sorted(missing) == []


def test_every_name_in_the_glossary_leads_to_code() -> None:
    """The third column: a module, or a name in one."""
    named = [
        name
        for row in page("glossary.md").splitlines()
        for name in re.findall(r"`([a-z]+\.[A-Za-z_.]+)`", row.rsplit("|", 2)[-2] if row.startswith("|") else "")
    ]
    assert len(named) > 20
    for name in named:
        pkgutil.resolve_name(f"heedful.{name}")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_to_a_file_leads_somewhere(path: Path) -> None:
    """A page moves, its links move with it."""
    assert rules.broken_links(path) == []


def test_control_an_undocumented_code_is_found() -> None:
    """In a subclass of a subclass, in a conditional, and qualified by its module."""
    source = (
        "class DiskError(errors.UnavailableError): ...\n"
        "class UnavailableError(HeedfulError): ...\n"
        "raise DiskError('disk_full', 'x')\n"
        "raise errors.UnavailableError('a_code' if late else 'b_code', 'x')\n"
        "raise ValueError('not_ours')\n"
    )
    classes = rules.error_classes([source])
    assert rules.error_codes(source, classes) == {"disk_full", "a_code", "b_code"}
    assert rules.missing_and_stale({"a_code", "gone"}, {"a_code", "disk_full"}) == (["disk_full"], ["gone"])


def test_control_a_code_that_is_not_written_out_is_refused() -> None:
    """A code in a variable would escape the documentation."""
    with pytest.raises(ValueError, match="not a literal"):
        rules.error_codes("raise HeedfulError(code, 'x')\n", {"HeedfulError"})


def test_control_commands_are_found_at_any_depth() -> None:
    """Groups are walked; a group by itself is no command."""
    review = typer.Typer()
    deep = typer.Typer()
    review.add_typer(deep, name="deep")
    review.command("show")(lambda: None)
    deep.command("x")(lambda: None)
    deep.command("y", hidden=True)(lambda: None)
    group = typer.main.get_command(review)
    assert list(rules.command_names(group, "heedful review")) == [
        "heedful review deep x",
        "heedful review deep y",
        "heedful review show",
    ]


def test_control_a_dead_link_is_found(tmp_path: Path) -> None:
    """A missing file is reported; web addresses, anchors, fenced text and files that are there are not."""
    path = tmp_path / "page.md"
    path.write_text(
        "[a](gone.md) [b](page.md#x) [c](https://example.org) [d](#x)\n```\n[e](no.md)\n```\n", encoding="utf-8"
    )
    assert rules.broken_links(path) == ["gone.md"]
