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
    tenant: str = "default"
    principal: str | None = None
    keys_dir: str | None = None
    lock_wait_seconds: float = 30.0
    group_commit_jobs_max: int = 64
    inline_bytes_max: int = 65_536
    content_bytes_max: int = 16_777_216
    packet_tokens: int = 1_200
    access_window_seconds: float = 1.0

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """The settings that the environment names, the defaults for the rest.

        Raises:
            InvalidInputError: `setting_malformed` where a number is not one.
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
        number = type(default)(text)
    except ValueError as error:
        raise InvalidInputError(
            "setting_malformed",
            f"{ENVIRONMENT_PREFIX}{name.upper()} is not a number: {text[:40]!r}",
            next_step="give a number above 0",
            details={"field": name},
        ) from error
    if not number > 0:
        raise InvalidInputError(
            "setting_malformed",
            f"{ENVIRONMENT_PREFIX}{name.upper()} must be above 0",
            next_step="give a number above 0",
            details={"field": name},
        )
    return number
