"""The `heedful` command."""

from __future__ import annotations

import errno
import inspect
import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, TextIO, cast

import typer
from typer.exceptions import TyperException

from heedful.interfaces.cli import (
    audit,
    auditing,
    causes,
    conflicts,
    gate,
    gotcha,
    ledger,
    maintain,
    memory,
    merging,
    override,
    proving,
    registry,
    remember,
    review,
    state,
    store,
    task,
    tour,
    upkeep,
    workflow,
)
from heedful.interfaces.cli import eval as evaluation
from heedful.interfaces.cli.door import Door, settings_with
from heedful.interfaces.cli.output import plain, show_error
from heedful.interfaces.problems import EXIT_CODES, EXIT_INTERRUPTED, EXIT_OUTPUT_LOST, EXIT_PIPE_CLOSED
from heedful.kernel.errors import HeedfulError
from heedful.settings import VERSION, Settings

_OUTPUT_ERRORS = frozenset({errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT})

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
    database: Annotated[
        str | None,
        typer.Option(
            "--database", help="The store's database: postgresql://...; better in HEEDFUL_DATABASE, which `ps` hides."
        ),
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
    settings = settings_with(
        Settings.from_environment(), store=store_path, database=database, tenant=tenant, principal=principal
    )
    context.obj = Door(settings)


store.register(app)
remember.register(app)
memory.register(app)
state.register(app)
review.register(app)
override.register(app)
conflicts.register(app)
merging.register(app)
gate.register(app)
audit.register(app)
auditing.register(app)
proving.register(app)
causes.register(app)
maintain.register(app)
upkeep.register(app)
gotcha.register(app)
registry.register(app)
workflow.register(app)
task.register(app)
ledger.register(app)
evaluation.register(app)
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
    sys.exit(_with_output(_run))


def _with_output(run: Callable[[], int]) -> int:
    """The exit code of `run`, or that of an answer which could not be written; nothing is tried again at exit."""
    try:
        code = run()
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        if error.filename is not None or error.errno not in _OUTPUT_ERRORS:
            raise
        _discard(sys.stdout)
        return EXIT_PIPE_CLOSED if error.errno == errno.EPIPE else EXIT_OUTPUT_LOST
    return code


def _show(show: Callable[[], None]) -> None:
    """The error is shown where that can be done; its exit code says it all the same."""
    try:
        show()
        sys.stdout.flush()
    except OSError:
        for stream in (sys.stdout, sys.stderr):
            _discard(stream)


def _discard(stream: TextIO) -> None:
    """What waits in the stream goes nowhere, so that the interpreter does not fail on it at exit."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _run() -> int:
    """The exit code of the command that the arguments name."""
    try:
        code = app(standalone_mode=False)
    except HeedfulError as error:
        _show(partial(show_error, error, as_json="--json" in sys.argv))
        return EXIT_CODES[error.category]
    except SystemExit as end:
        # Typer makes a closed pipe an exit of 1, which here is the answer no.
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        raise
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except TyperException as error:
        shown = io.StringIO()
        cast("Any", error).show(file=shown)
        _show(lambda: typer.echo(plain(shown.getvalue()), err=True, nl=False))
        return error.exit_code
    return code if isinstance(code, int) else 0
