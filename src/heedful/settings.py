"""Every setting, its default and its unit: one frozen class. Read once, in `Settings.from_environment`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from heedful.kernel.errors import InvalidInputError

VERSION = "0.1.0"
STORE_FOLDER = ".heedful"
ENVIRONMENT_PREFIX = "HEEDFUL_"
DEFAULT_TENANT = "default"

# The most that a number may be. Above it a setting is a mistake, and some would end in a wait or a thread without end.
SETTINGS_MAX: dict[str, int] = {
    "lock_wait_seconds": 3_600,
    "group_commit_jobs_max": 4_096,
    "inline_bytes_max": 16_777_216,
    "content_bytes_max": 268_435_456,
    "packet_tokens": 1_000_000,
    "access_window_seconds": 3_600,
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What may be set from outside; each is read from `HEEDFUL_<NAME>`. docs/settings.md describes every one.

    Attributes:
        store: the store's folder; None: looked for from the current folder upward.
        tenant: the tenant's name.
        principal: who asks; None: `person:<login>`.
        keys_dir: where keys are kept, outside the store; None: `~/.config/heedful/keys`.
        lock_wait_seconds: how long a write waits for the write lock.
        group_commit_jobs_max: writes that may share one commit.
        inline_bytes_max: content above this goes to the blob store.
        content_bytes_max: content above this is refused.
        packet_tokens: a packet's budget, in estimated tokens.
        access_window_seconds: reads' access entries are sealed in groups at least this often; a power cut loses at
            most this much of them.
    """

    store: str | None = None
    tenant: str = DEFAULT_TENANT
    principal: str | None = None
    keys_dir: str | None = None
    lock_wait_seconds: float = 30.0
    group_commit_jobs_max: int = 64
    inline_bytes_max: int = 65_536
    content_bytes_max: int = 16_777_216
    packet_tokens: int = 1_200
    access_window_seconds: float = 1.0

    def __post_init__(self) -> None:
        """Checked.

        Raises:
            InvalidInputError: `setting_malformed` where a number is not above 0, or above its limit in SETTINGS_MAX.
        """
        for name, limit in SETTINGS_MAX.items():
            # So that NaN, which is on no side of anything, is refused as well.
            if not 0 < getattr(self, name) <= limit:
                raise _malformed(name, f"must be above 0 and at most {limit}", limit)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """The settings that the environment names, the defaults for the rest.

        Raises:
            InvalidInputError: `setting_malformed` where a number is not one, or is outside of its range.
        """
        environment = os.environ if environment is None else environment
        given: dict[str, object] = {}
        for field in fields(cls):
            text = environment.get(ENVIRONMENT_PREFIX + field.name.upper())
            if text:
                given[field.name] = _parse(field.name, text, field.default)
        return cls(**given)  # type: ignore[arg-type]


def find_store(start: Path) -> Path | None:
    """The nearest `.heedful` folder from `start` upward, or None."""
    for folder in (start, *start.parents):
        if (folder / STORE_FOLDER / "store.json").is_file():
            return folder / STORE_FOLDER
    return None


def _parse(name: str, text: str, default: object) -> object:
    if not isinstance(default, int | float):
        return text
    try:
        return type(default)(text)
    except ValueError as error:
        raise _malformed(name, f"is not a number: {text[:40]!r}", SETTINGS_MAX[name]) from error


def _malformed(name: str, what: str, limit: int) -> InvalidInputError:
    return InvalidInputError(
        "setting_malformed",
        f"the setting {name} ({ENVIRONMENT_PREFIX}{name.upper()}) {what}",
        next_step=f"give a number above 0 and at most {limit}",
        details={"field": name, "limit": limit},
    )
