"""The `heedful` command."""

from __future__ import annotations

import inspect
import io
import sys
from typing import Annotated

import typer

from heedful.interfaces.cli import audit, gate, memory, registry, review, store, tour
from heedful.interfaces.cli.door import Door, settings_with
from heedful.interfaces.cli.output import show_error
from heedful.interfaces.problems import EXIT_CODES
from heedful.kernel.errors import HeedfulError
from heedful.settings import VERSION, Settings

app = typer.Typer(
    name="heedful",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    help="Memory for AI agents that is heeded.\n\nStart with `heedful tour`, or `heedful init` in your project.",
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"heedful {VERSION}")
        raise typer.Exit


@app.callback()
def main_callback(
    context: typer.Context,
    store_path: Annotated[
        str | None, typer.Option("--store", help="The store's folder; else the nearest one upward from here.")
    ] = None,
    tenant: Annotated[str | None, typer.Option("--tenant", help="The tenant's name.")] = None,
    principal: Annotated[
        str | None, typer.Option("--as", help="Who asks, such as person:ana or agent:planner.")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """What every command shares."""
    del version
    settings = settings_with(Settings.from_environment(), store=store_path, tenant=tenant, principal=principal)
    context.obj = Door(settings)


store.register(app)
memory.register(app)
review.register(app)
gate.register(app)
audit.register(app)
registry.register(app)
tour.register(app)


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


_keep_examples_apart(app)


def main() -> None:
    """The entry point: every failure of ours becomes a sentence and its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a character gets its escape: no answer is lost for that.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except HeedfulError as error:
        show_error(error, as_json="--json" in sys.argv)
        sys.exit(EXIT_CODES[error.category])
