"""`backup`, `backups`, `restore`, `erasures`: the whole store in one file, and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace as changed
from pathlib import Path
from typing import Annotated

import typer

from heedful.bootstrap import backup as taking
from heedful.bootstrap import erasures as registering
from heedful.bootstrap import restore as restoring
from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.cli.progress import counting

PassphraseOption = Annotated[
    Path | None, typer.Option("--passphrase-file", help="A file with the passphrase that it is encrypted under.")
]
KeyFileOption = Annotated[
    Path | None, typer.Option("--key-file", help="A file with the 32 random bytes that it is encrypted under.")
]


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("backup")(backup)
    app.command("backups")(backups)
    app.command("restore")(restore)
    app.command("erasures")(erasures)


def backup(
    context: typer.Context,
    destination: Annotated[Path, typer.Argument(help="The file to make, or a folder that is there.")],
    passphrase_file: PassphraseOption = None,
    key_file: KeyFileOption = None,
    with_keys: Annotated[
        bool, typer.Option("--with-keys", help="With the store's keys; in an encrypted backup alone.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write every tenant of the store in one file, while others go on writing.

    Example: heedful backup /mnt/backups
    Example: heedful backup memory.backup --passphrase-file ~/passphrase --with-keys
    """
    secret = taking.read_secret(passphrase_file, key_file)
    with (
        door_of(context).session() as (app, session),
        counting("copying", taking.total_bytes(app), shown=not as_json) as advance,
    ):
        made = taking.back_up(app, session, destination, secret=secret, with_keys=with_keys, progress=advance)
    if as_json:
        write_json(made)
        return
    say(f"Backed up {len(made.tenants)} tenants to {made.file} ({made.size_bytes} bytes)", style="green")
    for each in made.tenants:
        say(f"  {each.tenant}: {each.ledger.position} events, head {each.ledger.digest}")
    say(f"  to be gone by {made.expires_at}; `heedful backups FOLDER --prune` deletes those that are past it")
    if made.secret is None:
        say("  it is not encrypted")
    elif not made.with_keys:
        say(f"  nobody opens it without the folder of keys: {made.keys_place}", style="yellow")


def backups(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(help="The folder to look in.")],
    prune: Annotated[bool, typer.Option("--prune", help="Delete those that are past their time.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List this store's backups in a folder, and until when each is kept.

    Example: heedful backups /mnt/backups --prune
    """
    with door_of(context).session() as (app, session):
        found = taking.backups(app, session, folder, prune=prune)
    if as_json:
        write_json({"backups": found})
        return
    for each in found:
        state = "deleted" if each.is_deleted else "PAST ITS TIME" if each.is_expired else f"until {each.expires_at}"
        say(
            f"{each.made_at}  {state}  {each.size_bytes} bytes  {each.file}",
            style="yellow" if each.is_expired else None,
        )
    left = sum(not each.is_deleted for each in found)
    say(f"{left} backups" if left else "no backup of this store is there", style=None if left else "yellow")


def restore(
    context: typer.Context,
    source: Annotated[Path, typer.Argument(help="A file that `heedful backup` wrote.")],
    to: Annotated[
        Path, typer.Option("--to", help="The folder in which the store is to be; made where it is not there.")
    ],
    passphrase_file: PassphraseOption = None,
    key_file: KeyFileOption = None,
    checkpoint: Annotated[
        list[Path] | None,
        typer.Option("--checkpoint", help="One that was pinned elsewhere; may be given several times."),
    ] = None,
    register: Annotated[
        list[Path] | None, typer.Option("--register", help="What was erased since: a file of `heedful erasures --out`.")
    ] = None,
    since: Annotated[Path | None, typer.Option("--since", help="A store that knows what was erased since.")] = None,
    without_register: Annotated[
        bool, typer.Option("--without-register", help="What was erased since the backup comes back.")
    ] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Put aside the store that is there.")] = False,
    stale_ok: Annotated[
        bool, typer.Option("--stale-ok", help="Although a checkpoint is newer: what came after the backup is lost.")
    ] = False,
    other_ok: Annotated[
        bool, typer.Option("--other-ok", help="Although a checkpoint tells of another history.")
    ] = False,
    skip_locked: Annotated[
        bool, typer.Option("--skip-locked", help="Leave out tenants whose key was destroyed.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Bring a store back from a backup; what was erased since is erased again before it answers anybody.

    Example: heedful restore memory.backup --to . --register erasures.json --checkpoint pinned.json
    """
    choices = restoring.RestoreChoices(
        secret=restoring.read_secret(passphrase_file, key_file),
        checkpoints=tuple(checkpoint or ()),
        registers=tuple(register or ()),
        since=since,
        without_register=without_register,
        replace=replace,
        stale_ok=stale_ok,
        other_ok=other_ok,
        skip_locked=skip_locked,
    )
    settings = changed(door_of(context).settings, store=None)
    size_bytes = source.stat().st_size if source.is_file() else 0
    with counting(f"restoring {source.name}", size_bytes, shown=not as_json) as advance:
        done = restoring.restore(source, to, settings, choices, advance)
    if as_json:
        write_json(done)
        return
    _say_restored(done)


def erasures(
    context: typer.Context,
    out: Annotated[
        Path | None, typer.Option("--out", help="The file to make; one that is there is never touched.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write what was erased in the store, by ids alone and signed: a restore from an older backup erases it again.

    Example: heedful erasures --out /mnt/elsewhere/erasures.json
    """
    with door_of(context).session() as (app, session):
        found = registering.erasures(app, session, out)
    if as_json:
        write_json(found)
        return
    say(f"{found.erasures} erasures of {found.tenants} tenants, and {found.erased_tenants} tenants erased as a whole")
    if found.file is not None:
        say(f"  in {found.file}; it tells of nothing that is erased after {found.made_at}")


def _say_restored(done: restoring.Restored) -> None:
    say(f"Restored {len(done.tenants)} tenants to {done.folder}, as of {done.made_at}", style="green")
    for tenant in done.tenants:
        say(f"  {tenant.tenant}: {tenant.ledger.position} events, head {tenant.ledger.digest}")
        if tenant.erasures:
            say(f"    {tenant.erasures} erasures done again")
        if tenant.consents:
            say(f"    {tenant.consents} consents withdrawn again")
    for name in done.left_out:
        say(f"  {name}: left out", style="yellow")
    for sentence in _warnings(done):
        say(f"  {sentence}", style="yellow")


def _warnings(done: restoring.Restored) -> Iterator[str]:
    """What whoever restored it has to know, or to do."""
    apart = [(t, each) for t in done.tenants for each in t.standing if each.standing in {"behind", "other"}]
    for tenant, each in apart:
        told = f"{each.events} events behind" if each.standing == "behind" else "another history than"
        yield f"the {each.chain} chain of {tenant.tenant} is {told} a checkpoint"
    if apart:
        yield "next: `heedful checkpoint --anew` for each tenant, where this is the history from now on"
    for tenant in done.tenants:
        if tenant.consents_unmatched:
            yield (
                f"{tenant.consents_unmatched} consents of {tenant.tenant} were withdrawn since by whom the backup does "
                "not tell of: withdraw them again"
            )
    if done.register == "none":
        yield "nobody said what was erased since: all of it is back"
    if done.replaced is not None:
        yield f"what was there lies in {done.replaced}, with all that was erased since; delete it when you can"
    if done.keys == "missing":
        yield "its keys are not here: it can be read, and nothing more kept"
    if not done.is_known:
        yield f"none of the store's keys was here to check it by; it is signed by {done.signed_by}"
