"""Sizes, names, docstrings, exceptions, dependencies and records of decisions are as CONTRIBUTING.md says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import tidy_rules as rules

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "heedful").rglob("*.py"))
TESTS = sorted(path for folder in ("tests", "bench") for path in (ROOT / folder).rglob("*.py"))
SQLITE = ROOT / "src" / "heedful" / "adapters" / "storage" / "sqlite"
# Some traces are SQLite databases of others: this one file opens them, to read alone.
FOREIGN_DATABASES = ROOT / "src" / "heedful" / "integrations" / "importers" / "databases.py"

Rule = Callable[[str], list[str]]


def complaints(rule: Rule, paths: list[Path]) -> list[str]:
    """What the rule says of each file, with the file's name."""
    return [
        f"{path.relative_to(ROOT)}: {complaint}"
        for path in paths
        for complaint in rule(path.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize(
    "rule",
    [rules.too_long_module, rules.too_long_functions, rules.swallowed_exceptions],
    ids=lambda rule: rule.__name__,
)
def test_every_file_keeps_the_rule(rule: Rule) -> None:
    """Sources, tests and benchmarks alike: short modules, short functions, no swallowed exception."""
    assert complaints(rule, SOURCES + TESTS) == []


@pytest.mark.parametrize("rule", [rules.undocumented, rules.unfinished], ids=lambda rule: rule.__name__)
def test_every_source_file_keeps_the_rule(rule: Rule) -> None:
    """What is shipped is documented and finished."""
    assert complaints(rule, SOURCES) == []


def test_no_name_has_a_banned_word() -> None:
    """A name says what the thing is; the banned words fit everything."""
    found = [(path.name, name) for path in SOURCES for name in rules.banned_names(path.stem, path.read_text("utf-8"))]
    assert found == []


def test_the_sqlite_drivers_are_imported_in_one_folder() -> None:
    """No other folder may assume SQLite."""
    others = [path for path in SOURCES if SQLITE not in path.parents and path != FOREIGN_DATABASES]
    assert complaints(rules.driver_imports, others) == []


def test_the_core_has_few_direct_dependencies() -> None:
    """Doors and engines are extras."""
    assert rules.too_many_dependencies((ROOT / "pyproject.toml").read_text("utf-8")) == []


def test_the_changelog_has_an_unreleased_section() -> None:
    """Every change tells a user what changed for them."""
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(r"^## \[?Unreleased\]?$", changelog, re.MULTILINE)


def test_every_decision_record_is_whole_and_numbered() -> None:
    """docs/adr/NNNN-verb-object.md, numbers without gaps, each with its five sections."""
    paths = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert [path.name[:5] for path in paths] == [f"{number:04d}-" for number in range(1, len(paths) + 1)]
    assert {
        path.name: missing for path in paths if (missing := rules.missing_adr_sections(path.read_text("utf-8")))
    } == {}


LONG_FUNCTION = "def work() -> None:\n" + "    pass\n" * 60
BAD_SAMPLES: list[tuple[Rule, str, str]] = [
    (rules.too_long_module, "x = 1\n" * 301, "x = 1\n" * 300),
    (rules.too_long_functions, LONG_FUNCTION, LONG_FUNCTION.replace("    pass\n", "", 1)),
    (rules.too_long_functions, "async " + LONG_FUNCTION, "async def work() -> None: ...\n"),
    (rules.swallowed_exceptions, "try: f()\nexcept Exception: pass\n", "try: f()\nexcept Exception: raise\n"),
    (rules.swallowed_exceptions, "try: f()\nexcept: x = 1\n", "try: f()\nexcept KeyError: pass\n"),
    (
        rules.swallowed_exceptions,
        "try: f()\nexcept (KeyError, Exception) as e: log(e)\n",
        "try: f()\nexcept Exception as e: raise FaultError('x') from e\n",
    ),
    (
        rules.swallowed_exceptions,
        "with contextlib.suppress(Exception): f()\n",
        "with contextlib.suppress(OSError): f()\n",
    ),
    (rules.undocumented, "x = 1\n", '"""Doc."""\n'),
    (rules.undocumented, '"""Doc."""\ndef f(): ...\n', '"""Doc."""\ndef _f(): ...\n'),
    (
        rules.undocumented,
        '"""Doc."""\nclass A:\n    """Doc."""\n    def f(self): ...\n',
        '"""Doc."""\nclass A:\n    """Doc."""\n    def __len__(self): ...\n',
    ),
    (rules.driver_imports, "import apsw\n", "import json\n"),
    (rules.driver_imports, "from apsw.ext import x\n", "from .apsw import x\n"),
    (rules.unfinished, "# TODO: later\n", "# to do is a verb\n"),
    (rules.unfinished, "raise NotImplementedError\n", "return NotImplemented\n"),
    (
        rules.too_many_dependencies,
        f"[project]\ndependencies = {['x'] * 13}\n",
        f"[project]\ndependencies = {['x'] * 12}\n",
    ),
    (
        rules.missing_adr_sections,
        "## Status\n## Context\n## Decision\n## Consequences\n",
        "## Status\n## Context\n## Decision\n## Consequences\n## Rejected alternatives\n",
    ),
]


@pytest.mark.parametrize(("rule", "bad", "good"), BAD_SAMPLES)
def test_control_each_rule_fails_on_a_bad_sample(rule: Rule, bad: str, good: str) -> None:
    """A guard that cannot fail guards nothing; its near twin passes."""
    assert rule(bad) != []
    assert rule(good) == []


@pytest.mark.parametrize(
    ("stem", "source"),
    [
        ("common", ""),
        ("store_util", ""),
        ("x", "class MemoryManager: ..."),
        ("x", "class HTTPHandler: ..."),
        ("x", "def load_data(): ..."),
        ("x", "class A:\n    async def getInfo(self): ..."),
    ],
)
def test_control_a_banned_word_is_found_in_any_case(stem: str, source: str) -> None:
    """Snake and camel case, modules, classes, functions and methods."""
    assert rules.banned_names(stem, source) != []


@pytest.mark.parametrize("name", ["metadata", "dataclass_fields", "informed", "Commonly", "utilised"])
def test_control_a_longer_word_is_no_banned_word(name: str) -> None:
    """Whole words only."""
    assert rules.banned_names(name, "") == []
