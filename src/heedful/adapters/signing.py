"""Signing keys in a folder beside the tenants' keys, or in memory; see ports.signing.

`signing/1.json`, `2.json`, ...: a public key each, with its private half for as long as it is the newest. What was
pinned of a tenant is `pins/<tenant>.json`.
"""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass
from pathlib import Path

import msgspec

from heedful.adapters.file_names import create_whole, file_name, make_folder, replace_whole, sync_folder, wipe_file
from heedful.kernel.errors import ConflictError, UnavailableError
from heedful.kernel.ids import TenantId
from heedful.kernel.signature import SEED_BYTES, Purpose, sign
from heedful.ledger.succession import KEYS_MAX, PublicKey, Signature, first_key, next_key
from heedful.ports.system import Clock


@dataclass(frozen=True, slots=True)
class _Kept:
    """A key as its file has it; `private_key` is hex, None once the next one took its place.

    `public` None: of a first key that nothing was signed with yet, which follows from the rest.
    """

    private_key: str | None
    made_at_us: int
    public: PublicKey | None = None

    @property
    def told(self) -> PublicKey:
        """The public half."""
        if self.public is not None:
            return self.public
        if self.private_key is None:
            raise _unavailable("has neither half of a key")
        return first_key(bytes.fromhex(self.private_key), made_at_us=self.made_at_us)


class FileSigning:
    """See Signing. Processes that race agree on one first key; of several that rotate one does."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        """The keys in `folder`, which is made when the first key is."""
        self._folder = folder / "signing"
        self._pins = folder / "pins"
        self._clock = clock

    def prepare(self) -> None:
        """See Signing.prepare."""
        if not self._path(1).exists():
            self._first()

    def sign(self, purpose: Purpose, body: bytes) -> Signature:
        """See Signing.sign."""
        newest, seed = self._newest()
        return Signature(newest.key_id, sign(seed, purpose, body).hex())

    def public_keys(self) -> tuple[PublicKey, ...]:
        """See Signing.public_keys."""
        return tuple(kept.told for kept in self._kept())

    def rotate(self) -> PublicKey:
        """See Signing.rotate."""
        previous, previous_seed = self._newest()
        _refuse_too_many(previous)
        seed = secrets.token_bytes(SEED_BYTES)
        made = next_key(seed, previous, previous_seed, made_at_us=self._clock.now_us())
        try:
            if not create_whole(self._path(made.number), _encoded(_Kept(seed.hex(), made.made_at_us, made))):
                raise _rotated()
            self._retire(previous)
        except OSError as error:
            raise _unavailable("can't be written") from error
        return made

    def pinned(self, tenant_id: TenantId) -> bytes | None:
        """See Signing.pinned."""
        try:
            return self._pin(tenant_id).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unavailable("can't be read") from error

    def pin(self, tenant_id: TenantId, content: bytes) -> None:
        """See Signing.pin."""
        try:
            _make(self._pins)
            replace_whole(self._pin(tenant_id), content)
        except OSError as error:
            raise _unavailable("can't be written") from error

    def unpin(self, tenant_id: TenantId) -> None:
        """See Signing.unpin."""
        try:
            wipe_file(self._pin(tenant_id))
            if self._pins.is_dir():
                sync_folder(self._pins)
        except OSError as error:
            raise _unavailable("can't be written") from error

    def _pin(self, tenant_id: TenantId) -> Path:
        return self._pins / f"{file_name(tenant_id)}.json"

    def _path(self, number: int) -> Path:
        return self._folder / f"{number}.json"

    def _newest(self) -> tuple[PublicKey, bytes]:
        kept = self._kept() or self._first()
        newest = kept[-1]
        if newest.private_key is None:
            raise _unavailable("has no private key any more, and the next key is not there")
        try:
            for older in kept[:-1]:
                # Whoever rotated was stopped between the new key and the end of this one.
                if older.private_key is not None:
                    self._retire(older.told)
        except OSError as error:
            raise _unavailable("can't be written") from error
        return newest.told, bytes.fromhex(newest.private_key)

    def _retire(self, key: PublicKey) -> None:
        """The key signs nothing more: its private half is gone."""
        replace_whole(self._path(key.number), _encoded(_Kept(None, key.made_at_us, key)))

    def _first(self) -> tuple[_Kept, ...]:
        kept = _Kept(secrets.token_bytes(SEED_BYTES).hex(), self._clock.now_us())
        try:
            _make(self._folder)
            create_whole(self._path(1), _encoded(kept))
        except OSError as error:
            raise _unavailable("can't be written") from error
        return self._kept()

    def _kept(self) -> tuple[_Kept, ...]:
        found: list[_Kept] = []
        try:
            while len(found) < KEYS_MAX and (path := self._path(len(found) + 1)).exists():
                found.append(msgspec.json.decode(path.read_bytes(), type=_Kept))
        except (OSError, msgspec.DecodeError) as error:
            raise _unavailable("can't be read") from error
        return tuple(found)


class MemorySigning:
    """Keys and pins that end with the process."""

    def __init__(self, clock: Clock) -> None:
        """No key yet."""
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: list[PublicKey] = []
        self._seed = b""
        self._pins: dict[TenantId, bytes] = {}

    def prepare(self) -> None:
        """See Signing.prepare."""
        with self._lock:
            self._begin()

    def sign(self, purpose: Purpose, body: bytes) -> Signature:
        """See Signing.sign."""
        with self._lock:
            self._begin()
            return Signature(self._keys[-1].key_id, sign(self._seed, purpose, body).hex())

    def public_keys(self) -> tuple[PublicKey, ...]:
        """See Signing.public_keys."""
        return tuple(self._keys)

    def rotate(self) -> PublicKey:
        """See Signing.rotate."""
        with self._lock:
            self._begin()
            _refuse_too_many(self._keys[-1])
            seed = secrets.token_bytes(SEED_BYTES)
            self._keys.append(next_key(seed, self._keys[-1], self._seed, made_at_us=self._clock.now_us()))
            self._seed = seed
            return self._keys[-1]

    def pinned(self, tenant_id: TenantId) -> bytes | None:
        """See Signing.pinned."""
        return self._pins.get(tenant_id)

    def pin(self, tenant_id: TenantId, content: bytes) -> None:
        """See Signing.pin."""
        self._pins[tenant_id] = content

    def unpin(self, tenant_id: TenantId) -> None:
        """See Signing.unpin."""
        self._pins.pop(tenant_id, None)

    def _begin(self) -> None:
        if not self._keys:
            self._seed = secrets.token_bytes(SEED_BYTES)
            self._keys.append(first_key(self._seed, made_at_us=self._clock.now_us()))


def _make(folder: Path) -> None:
    make_folder(folder.parent.parent)
    make_folder(folder.parent)
    make_folder(folder)


def _encoded(kept: _Kept) -> bytes:
    return msgspec.json.format(msgspec.json.encode(kept), indent=1)


def _refuse_too_many(newest: PublicKey) -> None:
    """Nothing, where there may be one more; else its signatures could not be checked, nor anything be signed."""
    if newest.number >= KEYS_MAX:
        raise ConflictError(
            "signing_keys_full",
            f"the store has {KEYS_MAX} signing keys, and whoever checks a signature reads no more of them",
            next_step="go on signing with the newest; `heedful keys show` lists them",
            details={"limit": KEYS_MAX},
        )


def _rotated() -> ConflictError:
    return ConflictError(
        "key_rotated",
        "another one made the next signing key at this very moment",
        next_step="`heedful keys` shows it; rotate again only if that one is not wanted",
    )


def _unavailable(what: str) -> UnavailableError:
    return UnavailableError(
        "keys_unavailable",
        f"the store's file of its signing key {what}",
        next_step="check the folder that keys_dir names, or restore it from its backup",
    )
