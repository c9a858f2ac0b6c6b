"""One table: error category -> what each door makes of it."""

from __future__ import annotations

from heedful.kernel.errors import Category

EXIT_CODES: dict[Category, int] = {
    "invalid_input": 2,
    "forbidden": 3,
    "not_found": 4,
    "conflict": 5,
    "unsupported": 6,
    "busy": 7,
    "unavailable": 8,
    "fault": 9,
}
"""Exit codes of the command line. 0: done. 1: done, and the answer is no (a verdict of review or deny, a broken chain,
problems in the registry), so that a script can branch on it."""

EXIT_NO = 1
EXIT_OUTPUT_LOST = 74
"""The answer could not be written (sysexits' EX_IOERR); what was asked for is done, or was not, as without output."""
EXIT_INTERRUPTED = 130
EXIT_PIPE_CLOSED = 141
"""What a shell makes of SIGINT and SIGPIPE: 128 and the signal's number."""
