"""The `heedful` command."""

from __future__ import annotations

import errno
import gc
import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, TextIO, cast

import typer
from typer.exceptions import TyperException

from heedful.interfaces.cli.commands import Commands
from heedful.interfaces.cli.output import plain, show_error
from heedful.interfaces.problems import EXIT_CODES, EXIT_INTERRUPTED, EXIT_OUTPUT_LOST, EXIT_PIPE_CLOSED
from heedful.kernel.errors import HeedfulError

_OUTPUT_ERRORS = frozenset({errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT})
_NEW_OBJECTS_MAX = 100_000
"""So many objects may be made before the collector looks for garbage among them."""

app = typer.Typer(
    name="heedful",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    help="Memory for AI agents that is heeded.\n\nStart with `heedful tour`, or `heedful init` in your project.",
)


def _version(value: bool) -> None:
    if value:
        from heedful.settings import VERSION  # noqa: PLC0415 - `heedful --help` needs none of it

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
    from heedful.interfaces.cli.door import Door, settings_with  # noqa: PLC0415 - `heedful --help` needs none of it
    from heedful.settings import Settings  # noqa: PLC0415

    del version
    settings = settings_with(
        Settings.from_environment(), store=store_path, database=database, tenant=tenant, principal=principal
    )
    context.obj = Door(settings)


def main() -> None:
    """The entry point: every failure of ours becomes a sentence and its exit code."""
    # A call makes many objects that live to its end, above all while modules are loaded; looking through them every
    # 700 new ones for what is garbage took a tenth to a quarter of a short command.
    gc.set_threshold(_NEW_OBJECTS_MAX)
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
