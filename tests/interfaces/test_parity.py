"""Parity: what the command line can do, Memory can, with the same words; what it can't is listed with a reason."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from heedful import Memory
from heedful.interfaces.cli.main import app
from heedful.service.keeping.statements import RememberFields

METHODS = {
    "init": "init",
    "status": "status",
    "remember": "remember",
    "import": "import_trace",
    "recall": "recall",
    "state": "state",
    "scopes": "scopes",
    "review list": "review_queue",
    "review show": "show",
    "review approve": "approve",
    "review reject": "reject",
    "review answer": "answer",
    "conflicts": "conflicts",
    "promote": "promote",
    "merge": "merge",
    "unmerge": "unmerge",
    "merges": "merges",
    "correct": "correct",
    "confirm": "confirm",
    "retract": "retract",
    "pin": "pin",
    "unpin": "unpin",
    "diagnose": "diagnose",
    "forget": "forget",
    "receipt": "receipt",
    "drill": "drill",
    "consent withdraw": "withdraw_consent",
    "consent give": "give_consent",
    "consent list": "consents",
    "backup": "backup",
    "backups": "backups",
    "restore": "restore",
    "erasures": "erasures",
    "hold place": "hold",
    "hold release": "release_hold",
    "hold list": "holds",
    "judge": "judge",
    "permit redeem": "redeem",
    "outcome": "report_outcome",
    "why": "why",
    "causes": "causes",
    "gotcha mine": "mine_gotchas",
    "verify": "verify",
    "checkpoint": "checkpoint",
    "prove": "prove",
    "keys show": "signing_keys",
    "keys rotate": "rotate_key",
    "reindex": "reindex",
    "review mark": "mark",
    "registry mode": "set_mode",
    "registry disable": "disable_bridge",
    "registry enable": "enable_bridge",
    "registry coverage": "coverage",
    "registry approve": "approve_bridge",
    "registry pending": "pending_bridges",
    "registry propose": "propose_bridge",
    "registry rollback": "roll_back_registry",
    "workflow list": "workflow_list",
    "workflow show": "workflow_show",
    "workflow next": "workflow_next",
    "workflow mine": "workflow_mine",
    "provenance": "provenance",
    "scorecard": "scorecard",
    "maintain": "maintain",
    "archive": "archive",
    "unarchive": "unarchive",
    "task add": "task_add",
    "task done": "task_done",
    "task show": "task_show",
    "task end": "task_end",
    "ledger export": "export_ledger",
    "ledger import": "import_ledger",
}
ABSENT = {
    "witness": "a witness is somebody else, who has no store to ask a Memory of",
    "verifier": "the script is for whoever has no heedful",
    "eval paired": "it measures on stores of its own, which are thrown away, and asks no Memory",
    "eval governance": "it measures on stores of its own, which are thrown away, and asks no Memory",
    "eval trajectories": "it measures on stores of its own, which are thrown away, and asks no Memory",
    "rebuild": "it is for a store that answers nobody meanwhile, so there is no Memory to call it on",
    "registry check": "the registry is files in git; what checks them runs where they are edited and in CI",
    "registry show": "the files are there to be read",
    "registry diff": "git shows what changes; this compares with what a store has used, for whoever reviews it",
    "tour": "a demonstration for people",
}
NOT_ON_THE_COMMAND_LINE = {
    "open": "every command opens the store itself",
    "close": "every command closes it",
    "acting_as": "`--as` names the principal of each command",
    "prompt": "`recall --prompt` prints it",
    "cite": "it takes an answer and a packet that a program holds",
    "default_scope": "`status` shows it",
    "remember_many": "`remember --batch` gives it the lines of a file",
    "maintain_report": "`maintain --report` shows it",
    "archived": "`review list --archived` lists it",
    "receipts": "`receipt` without an id lists them",
    "why_not": "`why ID --request` asks it",
    "verify_receipt": "`verify --receipt` checks one",
}
OTHER_NAMES = {
    "as_json": None,  # how an answer is written, not what is asked
    "prompt": None,  # Memory.prompt
    "batch": None,  # Memory.remember_many
    "confirm": {"forget": None},  # a Memory erases its own tenant, which is named to it
    "receipt": {"verify": None},  # Memory.verify_receipt, with `key` and `keys`
    "key": {"verify": None},
    "keys": {"verify": None},
    "text": {"remember": "content"},
    "attribute": "attributes",
    "record_type": {"recall": "record_types"},
    "budget": "budget_tokens",
    "packet": "packet_id",
    "erasure": "erasure_id",
    "hold": "hold_id",
    "pack": "packs",
    "new_mode": "mode",
    "report": None,  # Memory.maintain_report
    "metrics": None,  # Scorecard.metrics
    "archived": None,  # Memory.archived
    "watch": None,  # a loop that a program writes for itself
    "interval": None,
    "rounds": None,
}


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command that is no group, by its words."""
    subcommands = getattr(command, "commands", None)
    if subcommands is None:
        yield " ".join(path), command
        return
    for name, each in subcommands.items():
        yield from commands(each, (*path, name))


COMMANDS = dict(commands(typer.main.get_command(app)))


def test_every_command_is_a_method_or_absent_with_a_reason() -> None:
    """And no entry of either list is about a command that is gone."""
    assert set(COMMANDS) == set(METHODS) | set(ABSENT)
    assert all(ABSENT.values())


def test_every_method_is_a_command_or_has_a_reason() -> None:
    """The other way round."""
    public = {name for name in dir(Memory) if not name.startswith("_")}

    assert public == set(METHODS.values()) | set(NOT_ON_THE_COMMAND_LINE)


@pytest.mark.parametrize("words", METHODS)
def test_every_option_is_an_argument_of_the_same_name(words: str) -> None:
    """But for those that are renamed here."""
    known = set(inspect.signature(getattr(Memory, METHODS[words])).parameters)
    if "fields" in known:
        known |= RememberFields.__optional_keys__
    missing = []
    for parameter in COMMANDS[words].params:
        if words == "why" and parameter.name != "item_id":
            continue  # Memory.why_not
        name: object = OTHER_NAMES.get(parameter.name or "", parameter.name)
        if isinstance(name, dict):
            name = name.get(words, parameter.name)
        if name is not None and name != "help" and name not in known:
            missing.append(name)

    assert missing == []
