"""`ledger export | import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heedful.bootstrap import default_principal
from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.cli.progress import counting
from heedful.kernel.ids import PrincipalId
from heedful.ledger.seal import Head
from heedful.observations.record import Channel
from heedful.service.auditing import export_ledger as exporting
from heedful.service.auditing.import_ledger import import_ledger

_group = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Move a tenant to another store, on the same database or another: its ledger in one file, and back.",
)
SHORT_CHARACTERS = 12


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.add_typer(_group, name="ledger")


@_group.command("export")
def export(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The file to make; packed where its name ends in .gz.")],
    as_json: JsonOption = False,
) -> None:
    """Write the tenant's ledger, access chain and contents in one file, while others go on writing.

    The file holds everything that was ever remembered, and is readable by you alone; the tenant's key is not in it.
    Example: heedful ledger export memory.jsonl.gz
    """
    with door_of(context).session() as (app, session):
        target = app.bundle_target(file)
        with counting("exporting", exporting.total(session), shown=not as_json) as advance:
            exported = exporting.export_ledger(session, target, advance)
    if as_json:
        write_json(exported)
        return
    say(f"Exported tenant {exported.tenant} to {exported.file} ({exported.size_bytes} bytes)", style="green")
    _say_heads(exported.ledger, exported.access, exported.blobs)
    if exported.key_place is not None:
        say(f"  the key is not in it, and the import needs it: {exported.key_place}")
    say(f"  registry {exported.registry_revision[:SHORT_CHARACTERS]}: its files are not in it; copy .heedful/registry")


@_group.command("import")
def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file that `heedful ledger export` wrote.")],
    name: Annotated[
        str | None, typer.Option("--name", help="What to call the tenant here; as it was called where none is given.")
    ] = None,
    key_file: Annotated[
        Path | None, typer.Option("--key-file", help="The tenant's key; the export said where it lies.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Bring a tenant from another store: the same events, the same heads, the same answers.

    Everything is checked before anything is written; an import that was interrupted goes on when it is run again.
    Example: heedful ledger import memory.jsonl.gz --key-file keys/0199c6a4.key
    Example: heedful ledger import memory.jsonl --name payments
    """
    door = door_of(context)
    principal = default_principal() if door.settings.principal is None else PrincipalId(door.settings.principal)
    with door.app() as app:
        source = app.bundle_source(file)
        key = None if key_file is None else app.key_file(key_file)
        with counting(f"importing {source.name}", 2 * source.size_bytes(), shown=not as_json) as advance:
            imported = import_ledger(
                app.arrival(principal, Channel.PERSON), source, name=name, key=key, progress=advance
            )
    if as_json:
        write_json(imported)
        return
    say(f"Imported tenant {imported.tenant} ({imported.tenant_id})", style="green")
    _say_heads(imported.ledger, imported.access, imported.blobs)
    if imported.resumed_from is not None:
        say(f"  it went on after event {imported.resumed_from}, where an earlier import was interrupted")
    if imported.registry == "different":
        exported_under = imported.registry_revision[:SHORT_CHARACTERS]
        say(f"  the registry here is not the one it was exported under ({exported_under}): what comes to mind, and who")
        say("  may see it, can differ; copy the .heedful/registry that it came from for the same answers")
    if imported.tenant != door.settings.tenant:
        say(f"  next: `heedful --tenant {imported.tenant} status`")


def _say_heads(ledger: Head, access: Head, blobs: int) -> None:
    say(f"  ledger: {ledger.position} events, head {ledger.digest}")
    say(f"  access chain: {access.position} events, head {access.digest}")
    say(f"  contents from the blob store: {blobs}")
