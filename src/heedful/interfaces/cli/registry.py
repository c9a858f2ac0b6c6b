"""`registry check | show | diff | mode`; bridges.py has the rest of `registry`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from heedful.bootstrap import registry_problems
from heedful.bridges.registry import Registry
from heedful.interfaces.cli import bridges
from heedful.interfaces.cli.door import JsonOption, ReasonOption, door_of
from heedful.interfaces.cli.output import say, table, write_json
from heedful.interfaces.problems import EXIT_NO
from heedful.kernel.errors import InvalidInputError, NotFoundError
from heedful.service.governing.modes import set_mode
from heedful.service.governing.registry_changes import registry_changes

_group = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Look after action classes, kinds, bridges and policy: YAML in .heedful/registry, reviewed in git.",
)
SECTIONS = ("action-classes", "kinds", "bridges", "projectors", "workflows", "entities", "tools", "policy")
DEFAULT = "default"
SHORT_CHARACTERS = 12


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    bridges.register(_group)
    app.add_typer(_group, name="registry")


@_group.command("check")
def check(
    context: typer.Context,
    folder: Annotated[
        Path | None, typer.Argument(help="A registry folder; the store's own where none is given.", exists=True)
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Report every problem of the registry at once, with file and line; exit 1 where there is one.

    Example: heedful registry check
    Example: heedful registry check my-registry/
    """
    problems = registry_problems(door_of(context).settings, folder)
    if as_json:
        write_json({"problems": problems})
    else:
        for problem in problems:
            say(f"{problem.file}:{problem.line}: {problem.path}: {problem.message} [{problem.code}]", style="red")
            if problem.next_step:
                say(f"    next: {problem.next_step}")
        counted = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        say(counted if problems else "no problem", style="red" if problems else "green")
        if folder is not None and not (folder / "packs.yaml").exists():
            say("The folder has no packs.yaml: it was checked without any pack. A store's registry/ names its own.")
    if problems:
        raise typer.Exit(EXIT_NO)


@_group.command("show")
def show(
    context: typer.Context,
    section: Annotated[str, typer.Argument(help=f"One of: {', '.join(SECTIONS)}.")] = "bridges",
    entry: Annotated[str | None, typer.Argument(help="One entry by its id, whole.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what the registry holds.

    Example: heedful registry show kinds
    Example: heedful registry show bridges freeze-before-deploy --json
    """
    with door_of(context).app() as app:
        entries = section_of(app.registry, section)
    if entry is not None:
        if entry not in entries:
            raise NotFoundError(
                "registry_entry_not_found",
                f"{section} has no entry {entry[:80]!r}",
                next_step=f"`heedful registry show {section}` lists them",
                details={"entry": entry[:80]},
            )
        entries = {entry: entries[entry]}
    if as_json:
        write_json({"section": section, "entries": entries})
        return
    if entry is not None:
        for name, value in msgspec.to_builtins(entries[entry]).items():
            say(f"{name}: {value}")
        return
    table(section, ("id", "says"), [(name, _sentence(value)) for name, value in entries.items()])


@_group.command("diff")
def diff(
    context: typer.Context,
    revision: Annotated[
        str | None, typer.Argument(help="The older revision, or its beginning; the last other one by default.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what the registry's files change against a revision that this store has used.

    Example: heedful registry diff
    """
    with door_of(context).app() as app:
        found = registry_changes(app.session(adopts=False), revision)
    if as_json:
        write_json(found)
        return
    if found.older is None:
        say("This store has used no other revision.")
        return
    say(f"from {found.older[:SHORT_CHARACTERS]} to {found.newer[:SHORT_CHARACTERS]}:")
    bridges.say_changes(found.changes)


@_group.command("mode")
def mode(
    context: typer.Context,
    target: Annotated[str, typer.Argument(help="A bridge, an action class, or pre-router (the kill switch).")],
    new_mode: Annotated[
        str, typer.Argument(metavar="MODE", help="off, shadow, advise, enforce; `default` takes a setting back.")
    ],
    reason: ReasonOption = "set from the command line",
    as_json: JsonOption = False,
) -> None:
    """Set the mode of a bridge or an action class, at once for every process; it goes into the ledger.

    Example: heedful registry mode deploy.production enforce --reason "two quiet weeks in advise"
    Example: heedful registry mode pre-router off --reason "it blocks the release"
    """
    with door_of(context).session() as (_, session):
        setting = set_mode(session, target, None if new_mode == DEFAULT else new_mode, reason)
    if as_json:
        write_json({"target": target, "setting": setting})
        return
    say(f"{target} is at its default again" if setting is None else f"{target} is in {setting.mode} now", style="green")


def section_of(registry: Registry, section: str) -> dict[str, object]:
    """The entries of a section by id.

    Raises:
        InvalidInputError: `registry_section_unknown`.
    """
    vocabulary, policy = registry.vocabulary, registry.policy
    sections: dict[str, dict[str, object]] = {
        "action-classes": {each.id: each for each in vocabulary.action_classes.values()},
        "kinds": {each.id: each for each in vocabulary.kinds.values()},
        "bridges": {each.id: each for each in registry.bridges.values()},
        "projectors": {each.id: each for each in registry.projectors.values()},
        "workflows": {each.id: each for each in registry.workflows.values()},
        "entities": {each.id: each for each in vocabulary.entities.values()},
        "tools": {f"{index}": each for index, each in enumerate(policy.tools, start=1)},
        "policy": {"policy": policy},
    }
    if section not in sections:
        raise InvalidInputError(
            "registry_section_unknown",
            f"the registry has no section {section[:40]!r}",
            next_step=f"it is one of: {', '.join(SECTIONS)}",
            details={"field": "section"},
        )
    return sections[section]


def _sentence(entry: object) -> str:
    for name in ("description", "reason", "command", "tool", "source"):
        said = getattr(entry, name, None)
        if said:
            return str(said)
    return str(msgspec.to_builtins(entry))
