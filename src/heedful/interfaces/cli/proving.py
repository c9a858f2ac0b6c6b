"""`checkpoint`, `prove`, `keys`, `witness`, `verifier`: what others can check without the store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heedful.bootstrap.proofs import read_proof_file, write_proof_file
from heedful.bootstrap.proofs import witness as ask_witness
from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.problems import EXIT_NO
from heedful.kernel.times import format_time
from heedful.ledger.checkpoint import Checkpoint, encode
from heedful.ledger.succession import PublicKey
from heedful.service.proving import keys as service
from heedful.service.proving.checkpoint import make_checkpoint
from heedful.service.proving.prove import prove as prove_item

SHORT_CHARACTERS = 16
OutOption = Annotated[Path | None, typer.Option("--out", help="The file to make; one that is there is never touched.")]
SinceOption = Annotated[
    Path | None, typer.Option("--since", help="Also prove that this older checkpoint is its beginning.")
]
_keys = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="The keys that the store signs checkpoints and receipts with."
)


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("checkpoint")(checkpoint)
    app.command("prove")(prove)
    app.command("witness")(witness)
    app.command("verifier")(verifier)
    app.add_typer(_keys, name="keys")


def checkpoint(
    context: typer.Context,
    out: OutOption = None,
    since: SinceOption = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="After restoring a backup on purpose: forget what was signed last.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check what came since the last checkpoint, sign both chains as they are, and keep that beside the keys.

    Keep the file somewhere else: whoever can write the store and its keys cannot change what it says.
    Example: heedful checkpoint --out /mnt/elsewhere/memory.checkpoint.json
    """
    older = None if since is None else read_proof_file(since)
    with door_of(context).session() as (_, session):
        made = make_checkpoint(session, since=older, anew=anew)
    _answer(made, out, as_json=as_json)


def prove(
    context: typer.Context,
    item_id: Annotated[
        str, typer.Argument(metavar="ID", help="Of a record, claim, packet, verdict or event; or an event's digest.")
    ],
    content: Annotated[
        bool, typer.Option("--content", help="With what the event says, for whoever is to know that.")
    ] = False,
    since: SinceOption = None,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Prove that an event is in its chain, to somebody who has a checkpoint or the store's key and nothing else.

    Example: heedful prove 01981f6e-... --since pinned.json --out proof.json
    """
    older = None if since is None else read_proof_file(since)
    with door_of(context).session() as (_, session):
        made = prove_item(session, item_id, content=content, since=older)
    _answer(made, out, as_json=as_json)


def witness(
    checkpoint: Annotated[Path, typer.Argument(metavar="FILE", help="The checkpoint that is offered.")],
    state: Annotated[Path, typer.Option("--state", help="The witness's own folder: its key, and what it signed.")],
    key: Annotated[
        str | None, typer.Option("--key", help="The id of the key that a store seen for the first time must have.")
    ] = None,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Co-sign a checkpoint that goes on from the last one signed here; else refuse it, and keep what speaks against it.

    For somebody else than who has the store, on a machine of their own; exit 1 where it is refused.
    Example: heedful witness new.json --state witness --out cosigned.json
    """
    found = ask_witness(checkpoint, state, key=key)
    if found.checkpoint is not None and out is not None:
        write_proof_file(out, encode(found.checkpoint))
    if as_json:
        write_json(found)
    elif found.checkpoint is not None:
        say(f"co-signed by {found.witness}", style="green")
    else:
        say(f"REFUSED: {found.because}: {found.text}", style="bold red")
        if found.evidence is not None:
            say(f"  what was signed and what was offered is kept in {found.evidence}")
    if found.checkpoint is None:
        raise typer.Exit(EXIT_NO)


def verifier(out: OutOption = None) -> None:
    """Print the script that checks checkpoints, proofs and exports with Python alone; it needs nothing of Heedful.

    Example: heedful verifier --out verify.py
    """
    source = _script()
    if out is not None:
        write_proof_file(out, source.encode())
        return
    typer.echo(source, nl=False)


@_keys.command("show")
def show(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show every public key of the store, each vouched for by the one before it.

    Example: heedful keys show --json
    """
    with door_of(context).session() as (_, session):
        found = service.public_keys(session)
    if as_json:
        write_json({"keys": found})
    else:
        _say_keys(found)


@_keys.command("rotate")
def rotate(context: typer.Context, as_json: JsonOption = False) -> None:
    """Make the next key, which the one before vouches for; that one's private half is gone then.

    Example: heedful keys rotate
    """
    with door_of(context).session() as (_, session):
        made = service.rotate_key(session)
    if as_json:
        write_json(made)
    else:
        _say_keys((made,))


def _answer(made: Checkpoint, out: Path | None, *, as_json: bool) -> None:
    if out is not None:
        write_proof_file(out, encode(made))
    if as_json:
        write_json(made)
        return
    for signed in made.notes:
        note = signed.note
        say(f"{note.chain}: {note.size} events, root {note.root[:SHORT_CHARACTERS]}, at {format_time(note.at_us)}")
    if made.inclusion is not None:
        envelope = made.inclusion.envelope
        say(f"event {envelope.position} of the {made.inclusion.chain} chain is in it: {envelope.type}", style="green")
    for growth in made.growth:
        say(f"{growth.chain}: goes on from {growth.old_size} events, root {growth.old_root[:SHORT_CHARACTERS]}")
    say(f"  signed with key {made.notes[0].note.key_id}")
    if out is not None:
        say(f"  in {out}; it proves nothing against whoever can change that file")


def _say_keys(keys: tuple[PublicKey, ...]) -> None:
    for key in keys:
        say(f"key {key.number}: {key.key_id}", style="bold")
        say(f"  made at {format_time(key.made_at_us)}, public key {key.public_key}")


def _script() -> str:
    """The verifier with the part that it imports in the place of the import."""
    # Read and not imported: it is for a Python without heedful, and costs every command its own imports.
    source, part = (
        Path(__file__).with_name(f"standalone_{name}.py").read_text("utf-8") for name in ("verifier", "signatures")
    )
    source = source.replace("from heedful.interfaces.cli.standalone_signatures import is_signed\n\n", "")
    begins, ends = "Point = ", "class Broken("
    return source.replace(ends, f"{part[part.index(begins) :]}\n\n{ends}", 1)
