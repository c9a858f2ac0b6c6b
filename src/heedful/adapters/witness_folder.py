"""A witness's key, memory and evidence in a folder; see ports.witnessing."""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from heedful.adapters.file_names import create_whole, file_name, make_folder, replace_whole
from heedful.kernel.digest import sha256_hex
from heedful.kernel.errors import ConflictError, UnavailableError
from heedful.kernel.signature import SEED_BYTES
from heedful.ledger.witness import SEEN_MAX, Seen

T = TypeVar("T")


class WitnessFolder:
    """See WitnessState. `witness.key`, `seen/<tenant>.json`, `evidence/<digest>.json`."""

    def __init__(self, folder: Path) -> None:
        """The witness in `folder`, which is made when it is first needed."""
        self._folder = folder

    def seed(self) -> bytes:
        """See WitnessState.seed."""
        path = self._folder / "witness.key"
        try:
            make_folder(self._folder)
            create_whole(path, secrets.token_bytes(SEED_BYTES))
            seed = path.read_bytes()
        except OSError as error:
            raise _unavailable("can't be read or written") from error
        if len(seed) != SEED_BYTES:
            raise _unavailable(f"has a key that is not {SEED_BYTES} bytes long")
        return seed

    def exchange(self, tenant_id: str, change: Callable[[Seen | None], tuple[Seen | None, T]]) -> T:
        """See WitnessState.exchange."""
        path = self._folder / "seen" / f"{file_name(tenant_id)}.json"
        try:
            make_folder(self._folder)
            make_folder(path.parent)
            with self._locked():
                seen = msgspec.json.decode(path.read_bytes(), type=Seen) if path.exists() else None
                after, told = change(seen)
                if after is not None:
                    if seen is None and sum(1 for _ in path.parent.iterdir()) >= SEEN_MAX:
                        raise _full()
                    replace_whole(path, msgspec.json.format(msgspec.json.encode(after), indent=1))
        except (OSError, msgspec.DecodeError) as error:
            raise _unavailable("can't be read or written") from error
        return told

    def keep_evidence(self, content: bytes) -> str:
        """See WitnessState.keep_evidence."""
        path = self._folder / "evidence" / f"{sha256_hex(content)}.json"
        try:
            make_folder(self._folder)
            make_folder(path.parent)
            create_whole(path, content)
        except OSError as error:
            raise _unavailable("can't be written") from error
        return str(path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        descriptor = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def _full() -> ConflictError:
    return ConflictError(
        "witness_full",
        f"this witness keeps {SEEN_MAX} tenants, and may keep no more",
        next_step="begin another witness, in another folder",
    )


def _unavailable(what: str) -> UnavailableError:
    return UnavailableError(
        "witness_unavailable",
        f"the witness's folder {what}",
        next_step="look at its name and who may use it; where it was damaged, restore it and never begin it anew",
    )
