"""`init` and `status`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from heedful.bootstrap import default_principal, init_store, open_store
from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.output import say, table, write_json
from heedful.kernel.errors import ConflictError, NotFoundError
from heedful.kernel.ids import PrincipalId
from heedful.kernel.times import format_time
from heedful.service.auditing.status import status as read_status
from heedful.service.maintain import JobStatus
from heedful.settings import STORE_FOLDER


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("init")(init)
    app.command("status")(status)


def init(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Argument(help="Where to make it; it must exist.", exists=True, file_okay=False)
    ] = Path(),
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", "-s", help="Default scope of commands here; project:<folder> where none is given."),
    ] = None,
    pack: Annotated[
        list[str] | None, typer.Option("--pack", help="Registry pack to use; `delivery` where none is given.")
    ] = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="Also where a tenant of this name was erased: another one, with another key.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a store in FOLDER, or add a tenant to the one that is there.

    With --database the store's content goes there; where the database has a store already, FOLDER joins it.
    Example: heedful init . --scope project:payments
    Example: heedful --tenant acme init .
    """
    settings = door_of(context).settings
    try:
        here = folder.resolve()
    except FileNotFoundError as error:
        raise NotFoundError(
            "store_not_found", "the current folder is not there any more", next_step="change into one that is"
        ) from error
    elements = tuple(scope) if scope else (f"project:{here.name or 'root'}",)
    try:
        app = init_store(folder, settings, scope=elements, packs=tuple(pack or ("delivery",)), anew=anew)
        made = "joined" if app.is_joined else "store"
    except ConflictError as error:
        if error.code != "store_exists" or settings.tenant == "default":
            raise
        app = open_store(replace(settings, store=str(folder.resolve() / STORE_FOLDER)))
        app.add_tenant(settings.tenant, PrincipalId(settings.principal or default_principal()), anew=anew)
        made = "tenant"
    with app:
        path = str((folder / STORE_FOLDER).resolve())
        answer = {
            "made": made,
            "store": path,
            "engine": app.engine,
            "tenant": settings.tenant,
            "scope": list(app.default_scope),
            "principal": settings.principal or default_principal(),
            "registry_revision": app.registry.revision,
        }
    if as_json:
        write_json(answer)
        return
    say(f"Joined the database's store from {path}" if made == "joined" else f"Made a {made} in {path}", style="green")
    say(f"  tenant {answer['tenant']}, default scope {', '.join(app.default_scope)}, owner {answer['principal']}")
    say("  next: `heedful remember ...`, `heedful import TRANSCRIPT`, or edit .heedful/registry/policy.yaml")


def status(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show what the store holds and which registry is in force.

    Example: heedful status --json
    """
    with door_of(context).session() as (app, session):
        found = read_status(session)
        if as_json:
            write_json({"status": found, "default_scope": list(app.default_scope), "engine": app.engine})
            return
        say(f"tenant {found.tenant} (made {format_time(found.created_at_us)}), you are {session.principal}")
        say(f"default scope {', '.join(app.default_scope) or '(none)'}; engine {app.engine}")
        if found.ledger_position is not None:
            say(f"ledger at {found.ledger_position}, access chain at {found.access_position}")
        say(f"registry {found.registry_revision[:12]}: {found.registry}")
        if found.counts:
            table("", ("what", "count"), [(name, str(count)) for name, count in found.counts.items()])
        if found.layers:
            table("", ("layer", "count"), [(name, str(count)) for name, count in found.layers.items()])
        for job in found.jobs:
            say(f"job {job.job}: {_standing(job)}")
        for setting in found.modes:
            say(f"mode of {setting.target_type} {setting.target_id}: {setting.mode}")


def _standing(job: JobStatus) -> str:
    if job.held_by is not None:
        return f"{job.held_by} runs it, until {job.held_until} at least"
    last = "never ran" if job.last_finished_at is None else f"last ran to its end at {job.last_finished_at}"
    stopped = ", a run was stopped and waits to go on" if job.is_unfinished else ""
    return f"{last}{stopped}, due {job.due_at or 'now'}"
