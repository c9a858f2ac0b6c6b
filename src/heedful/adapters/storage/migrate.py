"""Migrations: numbered SQL files, never edited after a release; each engine applies what is missing."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from heedful.kernel.errors import FaultError, UnsupportedError

_FILE = re.compile(r"(\d{3})_([a-z0-9_]+)\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema; `checksum` is the hex SHA-256 of its file."""

    number: int
    slug: str
    sql: str
    checksum: str


@lru_cache(maxsize=8)
def load_migrations(package: str, folder: str) -> tuple[Migration, ...]:
    """The migrations that ship in that folder of `package`, in order of number, which is 1, 2, 3, ...

    Raises:
        ValueError: a number is missing or stands twice.
    """
    found = []
    for entry in (resources.files(package) / folder).iterdir():
        match = _FILE.fullmatch(entry.name)
        if match:
            content = entry.read_bytes()
            checksum = hashlib.sha256(content).hexdigest()
            found.append(Migration(int(match[1]), match[2], content.decode(), checksum))
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"the migrations in {folder} are not numbered 1, 2, 3, ...")
    return tuple(found)


def missing(available: Sequence[Migration], applied: Mapping[int, str]) -> tuple[Migration, ...]:
    """The migrations to apply, in order, where `applied` maps the numbers that are there to their checksums.

    Raises:
        UnsupportedError: `schema_newer` where the database has a number that this release does not know.
        FaultError: `migration_changed` where an applied migration is not the one that ships.
    """
    newest = len(available)
    if any(number > newest for number in applied):
        raise UnsupportedError(
            "schema_newer",
            f"a newer release wrote this store: its schema is at {max(applied)}, this release knows {newest}",
            next_step="upgrade heedful",
            details={"schema": max(applied), "known": newest},
        )
    for migration in available:
        if applied.get(migration.number, migration.checksum) != migration.checksum:
            raise FaultError(
                "migration_changed",
                f"schema step {migration.number} of this store is not the one that ships with this release",
                next_step="open it with the release that wrote it",
                details={"schema": migration.number},
            )
    return tuple(migration for migration in available if migration.number not in applied)
