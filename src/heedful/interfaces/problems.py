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
