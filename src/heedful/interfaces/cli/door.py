"""Door: what every command shares: which store, which tenant, who asks, and how to answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from heedful.bootstrap import App, make_room, open_store
from heedful.kernel.errors import InvalidInputError
from heedful.observations.names import shown
from heedful.service.session import Session
from heedful.settings import Settings


@dataclass(slots=True)
class Door:
    """The settings of one call."""

    settings: Settings

    @contextmanager
    def app(self) -> Iterator[App]:
        """The store, open for the length of one command."""
        app = open_store(self.settings)
        try:
            yield app
        finally:
            app.close()

    @contextmanager
    def session(self, *, erases: bool = False) -> Iterator[tuple[App, Session]]:
        """The store and a person's session at it; one that `erases` can also be opened where the disk is full."""
        if erases:
            make_room(self.settings)
        with self.app() as app:
            yield app, app.session()


def door_of(context: typer.Context) -> Door:
    """The door that the main callback made."""
    door = context.obj
    assert isinstance(door, Door)
    return door


def settings_with(
    settings: Settings, *, store: str | None, database: str | None, tenant: str | None, principal: str | None
) -> Settings:
    """The settings, with what the command line names in place of the environment's."""
    return replace(
        settings,
        store=store or settings.store,
        # An empty name is a mistake to be refused, and never the one of the environment.
        database=settings.database if database is None else database,
        tenant=settings.tenant if tenant is None else tenant,
        principal=settings.principal if principal is None else principal,
    )


def scope_or_default(app: App, scope: list[str] | None) -> tuple[str, ...]:
    """The scope elements given, or the store's default ones."""
    return tuple(scope) if scope else app.default_scope


def pairs(texts: list[str] | None, *, field: str) -> dict[str, str]:
    """`name=value` texts as a dictionary.

    Raises:
        InvalidInputError: `pair_malformed`.
    """
    parsed: dict[str, str] = {}
    for text in texts or []:
        name, separator, value = text.partition("=")
        if not separator or not name or name in parsed:
            raise InvalidInputError(
                "pair_malformed",
                f"{field} {shown(text, 60)!r} is not of the form name=value, each name once",
                next_step=f"write it like --{field} severity=3",
                details={"field": field},
            )
        parsed[name] = value
    return parsed


AsOfOption = Annotated[str | None, typer.Option("--as-of", help="When it held: 2026-11-29T14:05:00Z.")]
KnownAtOption = Annotated[str | None, typer.Option("--known-at", help="As far as was known then; slower.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]
ScopeOption = Annotated[
    list[str] | None,
    typer.Option("--scope", "-s", help="dimension:value, as often as needed; the store's default where none is given."),
]
RunOption = Annotated[
    str | None, typer.Option("--run", help="The run that this is part of; a workflow's steps are looked for in it.")
]
ClaimArgument = Annotated[str, typer.Argument(metavar="CLAIM", help="The id of a claim.")]
ReasonOption = Annotated[str, typer.Option("--reason", "-r", help="Why; it goes into the ledger.")]
