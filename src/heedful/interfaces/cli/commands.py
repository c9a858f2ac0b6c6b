"""Which file has which command, and what `heedful --help` says of it: a command's file is imported when it is called.

Most of a short command's time is imports, and a call needs one command.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("store", "Make a store in FOLDER, or add a tenant to the one that is there."),
    "status": ("store", "Show what the store holds and which registry is in force."),
    "remember": ("remember", "Keep a record; with --kind, also propose a claim that rests on it."),
    "import": (
        "memory",
        "Import an agent's transcript: every row becomes evidence, is merged, or is named as a problem.",
    ),
    "recall": ("memory", "Show what must be in mind for a request: decision states first, then what retrieval finds."),
    "state": (
        "state",
        "What something is now, or was: value, how surely, since when, by what evidence, and what changed it.",
    ),
    "scopes": ("state", "List the scopes in which there is a record that you may see."),
    "correct": (
        "override",
        "Say what is right instead: your words are kept, and the old claim ends at once, or for that stretch of time.",
    ),
    "confirm": ("override", "Say that a claim about you, or about whom you speak for, is so."),
    "retract": ("override", "Take a claim back, as if it never held; what rests on it is looked at again."),
    "pin": ("override", "Keep a claim as it is: no collection archives it, and no conflict wears it down."),
    "unpin": ("override", "Let a claim be weighed and collected like any other again."),
    "diagnose": (
        "override",
        "Tell in which layer an old value arose that an answer states as current: stored, retrieved or used.",
    ),
    "forget": (
        "forget",
        "Erase what is selected, with all that was made of it; the answer is a receipt, which holds no content.",
    ),
    "drill": (
        "drill",
        "Try out on this very store that what is forgotten or revoked is gone, with canaries; the report is signed.",
    ),
    "receipt": (
        "forget",
        "Show how far an erasure came, or every erasure, of erased tenants too; with --out, as a signed file.",
    ),
    "backup": ("backup", "Write every tenant of the store in one file, while others go on writing."),
    "backups": ("backup", "List this store's backups in a folder, and until when each is kept."),
    "restore": (
        "backup",
        "Bring a store back from a backup; what was erased since is erased again before it answers anybody.",
    ),
    "erasures": (
        "backup",
        (
            "Write what was erased in the store, by ids alone and signed: "
            "a restore from an older backup erases it again."
        ),
    ),
    "conflicts": (
        "conflicts",
        "List claims that contradict each other, the rule that decided, and what waits for a person.",
    ),
    "promote": ("conflicts", "Give a claim an operator's or the system's authority, or take it back."),
    "merge": ("merging", "Say that two subjects are one: what is known of one is found for the other."),
    "unmerge": ("merging", "Take a merge back: its subjects are two again, as if they never had been one."),
    "merges": ("merging", "List which subjects were said to be one, or two; by whom and why."),
    "judge": (
        "gate",
        "Judge a tool call before it is made: exit 0 to execute, 1 where a person must look, or it is denied.",
    ),
    "outcome": ("gate", "Report what came of an action that was judged; it becomes a record."),
    "why": (
        "audit",
        "Explain why something is known or was answered; with a request, why a claim does not come to mind for it.",
    ),
    "verify": ("audit", "Check the hash chains; exit 1 and name the first broken event where one does not hold."),
    "provenance": (
        "auditing",
        "Tell what claims came from: people's words, tools' outputs, documents, or somebody's inference.",
    ),
    "scorecard": ("auditing", "Tell how far the memory can be relied on: recall, phantoms, conflicts, evictions."),
    "checkpoint": (
        "proving",
        "Check what came since the last checkpoint, sign both chains as they are, and keep that beside the keys.",
    ),
    "prove": (
        "proving",
        "Prove that an event is in its chain, to somebody who has a checkpoint or the store's key and nothing else.",
    ),
    "witness": (
        "proving",
        (
            "Co-sign a checkpoint that goes on from the last one signed here; "
            "else refuse it, and keep what speaks against it."
        ),
    ),
    "verifier": (
        "proving",
        "Print the script that checks checkpoints, proofs and exports with Python alone; it needs nothing of Heedful.",
    ),
    "causes": (
        "causes",
        "What led to a record and what it led to, by links that are written down; guesses are called hypotheses.",
    ),
    "rebuild": ("maintain", "Make everything but the ledger anew from the ledger; one that was stopped goes on."),
    "reindex": (
        "maintain",
        (
            "Make the vectors that are missing under the configured embedder, "
            "then answer by them; others answer till then."
        ),
    ),
    "maintain": ("upkeep", "Do the background work that is due, one worker at a time; what was stopped goes on."),
    "archive": ("upkeep", "Put a claim aside: it stays in the ledger and comes to mind no more."),
    "unarchive": ("upkeep", "Take a claim out of the archive: it stands where it stood."),
    "tour": ("tour", "Walk the whole path: a recorded run becomes evidence, a decision state, a packet, a verdict."),
    "review": ("review", "Decide what may be believed: a person's part."),
    "permit": ("gate", "Use the permit that `judge` gave for an execute: the part of whoever runs the tool."),
    "keys": ("proving", "The keys that the store signs checkpoints and receipts with."),
    "consent": ("consent", "Use nothing of somebody's any more, until they say otherwise."),
    "hold": ("forget", "Keep what must be kept, whoever would have it erased."),
    "gotcha": (
        "gotcha",
        "Failures that come again in one environment: proposed, and retired when the same thing works.",
    ),
    "registry": (
        "registry",
        "Look after action classes, kinds, bridges and policy: YAML in .heedful/registry, reviewed in git.",
    ),
    "workflow": ("workflow", "Read reviewed workflows: which is for a request, and which step a run is at."),
    "task": (
        "task",
        "The working state of a task: in mind within it alone; dropped, kept or promoted by rule at its end.",
    ),
    "ledger": (
        "ledger",
        "Move a tenant to another store, on the same database or another: its ledger in one file, and back.",
    ),
    "eval": (
        "eval",
        "Measure what comes to mind: cases through Heedful and through simpler memories, in a store thrown away.",
    ),
}
"""A command's or group's name: its file in this folder, and the first sentence of its help."""


class Commands(TyperGroup):
    """The group of all commands, each of them loaded when it is looked at."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = cast("Any", _Loaded())

    def list_commands(self, ctx: Any) -> list[str]:
        """Every name, in the order of the help."""
        del ctx
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of commands, from the table above: nothing is imported for it."""
        listed = {name: TyperCommand(name, help=sentence) for name, (_, sentence) in COMMANDS.items()}
        TyperGroup(commands=cast("Any", listed)).format_commands(ctx, formatter)


class _Loaded(Mapping[str, Any]):
    def __getitem__(self, name: str) -> Any:
        return commands_of(COMMANDS[name][0])[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


@cache
def commands_of(file: str) -> Mapping[str, Any]:
    """The commands and groups that a file of this folder registers, by name."""
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
    import_module(f"heedful.interfaces.cli.{file}").register(app)
    _keep_examples_apart(app)
    return typer.main.get_group(app).commands


def _keep_examples_apart(group: typer.Typer) -> None:
    """Help gives each example a line of its own; by itself it would run them together with the text before them."""
    for command in group.registered_commands:
        lines = (inspect.getdoc(command.callback) or "").splitlines()
        examples = [line for line in lines if line.startswith("Example:")]
        text = "\n".join(line for line in lines if line not in examples).rstrip()
        command.help = "\n".join([text, "", "\b", *examples])
    for subgroup in group.registered_groups:
        if subgroup.typer_instance is not None:
            _keep_examples_apart(subgroup.typer_instance)
