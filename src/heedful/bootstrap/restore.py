"""Restore: a store comes out of a backup into its place, with what was erased since erased again; or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from heedful.adapters.backup.locking import read_secret
from heedful.adapters.backup.reading import BackupReader, open_backup
from heedful.adapters.backup.staging import is_taken, put_in_place, staging_folder, taken
from heedful.adapters.proof_files import read_proof_file
from heedful.adapters.signing import FileSigning
from heedful.adapters.system import SystemClock
from heedful.bootstrap.app import App
from heedful.bootstrap.erasures import read_register, register_in, register_of_replaced
from heedful.bootstrap.opening import keys_folder
from heedful.bootstrap.restored import RestoreChoices, Restored, RestoredTenant
from heedful.bootstrap.settling import bring_in_bundles, bury, finish_folder, moved_to_database, opened
from heedful.bootstrap.unpacking import lay_down
from heedful.kernel.errors import ConflictError, InvalidInputError
from heedful.kernel.ids import TenantId
from heedful.kernel.times import format_time
from heedful.ledger.backup import TenantPart, malformed
from heedful.ledger.checkpoint import Checkpoint, decode, is_note_signed, keys_of
from heedful.ledger.erasure_register import Register
from heedful.service.auditing.restored import Standing, require_whole, standing_of
from heedful.service.erasure.consents_again import ConsentsAgain, withdraw_again
from heedful.service.erasure.replay import replay_erasures
from heedful.service.jobs.erase import ERASE, run_erase
from heedful.service.proving.checkpoint import pinned_checkpoint
from heedful.service.session import Session
from heedful.settings import STORE_FOLDER, Settings

__all__ = ["RestoreChoices", "Restored", "RestoredTenant", "read_secret", "restore"]


def restore(
    source: Path,
    to: Path,
    settings: Settings,
    choices: RestoreChoices,
    progress: Callable[[int], None] = lambda _bytes: None,
) -> Restored:
    """What was restored into the folder `to`, which serves only now; where anything fails nothing is there.

    `progress` is told bytes of the backup that were read.

    Raises:
        InvalidInputError: `backup_malformed`, `backup_secret_needed`, `backup_secret_wrong`, `backup_not_encrypted`;
            `restore_register_needed`; `checkpoint_malformed`, `checkpoint_unsigned`, `checkpoint_foreign`;
            `register_malformed`, `register_unsigned`, `register_foreign`.
        ConflictError: `restore_taken`, `restore_stale`, `restore_other`, `backup_foreign`, `register_older`,
            `key_taken`.
        UnavailableError: `backup_unavailable`, `backup_tenant_locked`, `restore_unavailable`, `keys_missing`.
        FaultError: `ledger_broken`.
    """
    if is_taken(to) and not choices.replace:
        raise taken()
    with open_backup(source, choices.secret) as reader:
        known = _known_keys(reader, settings)
        registers = _registers(reader, to, settings, choices, known)
        checkpoints = tuple(map(_checkpoint, choices.checkpoints))
        _require_of_this(reader, checkpoints)
        with staging_folder(to) as staging:
            erased = {each.tenant_id: each for register in registers for each in register.erased_tenants}
            unpacked = lay_down(reader, staging, settings, erased, progress, skip_locked=choices.skip_locked)
            with opened(unpacked, settings) as app:
                if reader.manifest.engine == "postgresql":
                    bring_in_bundles(app, unpacked, staging)
                made = _Made(app, reader, choices, checkpoints, registers)
                tenants = tuple(made.tenant(part) for part in unpacked.tenants)
                bury(app, unpacked)
            whole = staging if settings.database is None else moved_to_database(unpacked, staging, settings)
            finish_folder(whole, unpacked, settings)
            aside = put_in_place(whole, to, replace=choices.replace)
    return Restored(
        folder=str(to / STORE_FOLDER),
        store_id=reader.header.store_id,
        backup_id=reader.header.backup_id,
        made_at=format_time(reader.header.made_at_us),
        signed_by=reader.signed.key_id,
        is_known=bool(known),
        tenants=tenants,
        left_out=unpacked.left_out,
        register="given" if registers else "none",
        replaced=None if aside is None else str(aside),
        keys="here" if unpacked.has_keys else "missing",
    )


@dataclass(frozen=True, slots=True)
class _Made:
    app: App
    reader: BackupReader
    choices: RestoreChoices
    checkpoints: tuple[Checkpoint, ...]
    registers: tuple[Register, ...]

    def tenant(self, part: TenantPart) -> RestoredTenant:
        """The tenant is what the backup says, stands as it may beside the checkpoints, and has nothing erased in it."""
        session = self.app.session(tenant=part.name, adopts=False)
        require_whole(session, {"ledger": part.ledger, "access": part.access})
        own = _own_checkpoint(part)
        if any(each.standing not in ("same", "ahead") for each in standing_of(session, [own])):
            raise malformed("the chains of a tenant are not those that were signed when it was taken")
        given = [each for each in self.checkpoints if each.tenant_id == part.tenant_id]
        pinned = pinned_checkpoint(session)
        against = [*given, *([] if pinned is None else [pinned])]
        standing = standing_of(session, against)
        self._require_standing(part, standing, standing[: 2 * len(given)])
        erasures = sum(self._replay(session, part, each) for each in self.registers)
        if pinned is None:
            session.signing.pin(TenantId(part.tenant_id), part.checkpoint.encode())
        again = self._consents(session, part)
        return RestoredTenant(
            tenant_id=part.tenant_id,
            tenant=part.name,
            ledger=part.ledger,
            access=part.access,
            erasures=erasures,
            standing=standing,
            consents=again.withdrawn,
            consents_unmatched=again.unmatched,
        )

    def _consents(self, session: Session, part: TenantPart) -> ConsentsAgain:
        """By the newest register alone: what an older one has may have been given again."""
        for each in sorted(self.registers, key=lambda register: -register.made_at_us):
            known = each.tenant(part.tenant_id)
            if known is not None:
                return withdraw_again(session, known)
        return ConsentsAgain()

    def _require_standing(self, part: TenantPart, all_of: Sequence[Standing], given: Sequence[Standing]) -> None:
        for each in all_of:
            if each.standing == "other" and not self.choices.other_ok:
                raise ConflictError(
                    "restore_other",
                    f"the {each.chain} chain of tenant {part.name!r} in the backup is another history than a "
                    f"checkpoint's, from an event on among {each.position} and {each.to_position}",
                    next_step="restore the right backup; or --other-ok, where this history is the one that you want",
                    details={"tenant": part.name, "chain": each.chain, "position": each.position},
                )
        for each in given:
            if each.standing == "behind" and not self.choices.stale_ok:
                raise ConflictError(
                    "restore_stale",
                    f"the backup is older than the checkpoint: the {each.chain} chain of tenant {part.name!r} is "
                    f"{each.events} events behind",
                    next_step="restore a later backup; or --stale-ok, where there is none: what came after it is lost",
                    details={"tenant": part.name, "chain": each.chain, "events": each.events},
                )

    def _replay(self, session: Session, part: TenantPart, register: Register) -> int:
        known = register.tenant(part.tenant_id)
        if known is None:
            return 0
        done = replay_erasures(session, known)
        if done:
            run_erase(session, ERASE, always=True, progress=lambda _looked: None)
        return done


def _known_keys(reader: BackupReader, settings: Settings) -> tuple[str, ...]:
    """The ids of the store's signing keys that are here already; the backup was signed by one, or one that followed.

    Raises:
        ConflictError: `backup_foreign`.
        InvalidInputError: `backup_malformed`.
    """
    folder = keys_folder(reader.header.store_id, settings)
    known = tuple(each.key_id for each in FileSigning(folder, SystemClock()).public_keys())
    if not reader.signed.is_signed("backup", None):
        raise malformed("its signature does not hold")
    if known and not reader.signed.is_signed("backup", known):
        raise ConflictError(
            "backup_foreign",
            "the backup says that it is of this store, and another key signed it than any of the store's that are here",
            next_step="find out who made it; `heedful keys show` tells the store's keys",
            details={"key_id": reader.signed.key_id},
        )
    return known


def _registers(
    reader: BackupReader, to: Path, settings: Settings, choices: RestoreChoices, known: tuple[str, ...]
) -> tuple[Register, ...]:
    """Every register that tells what was erased since; one of the store that is to be replaced is among them.

    Raises:
        InvalidInputError: `restore_register_needed`, `register_foreign`.
        ConflictError: `register_older`.
    """
    # Where no key is here, the backup's own: who could write a register could have anything erased by it.
    signers = known or tuple(each.key_id for each in reader.signed.keys if each.number == 1)
    told = [read_register(path, signers) for path in choices.registers]
    if choices.since is not None:
        told.append(register_in(choices.since, settings))
    ids = {each.tenant_id for each in reader.manifest.tenants}
    if choices.replace and not choices.without_register and is_taken(to):
        replaced = register_of_replaced(to, settings, has_others=bool(told))
        told += [each for each in replaced if not told or ids & each.tenant_ids]
    for register in told:
        if not ids & register.tenant_ids:
            raise InvalidInputError(
                "register_foreign",
                "the register tells of none of the tenants in this backup",
                next_step="name the register of this store",
            )
        if register.made_at_us < reader.header.made_at_us and not choices.without_register:
            raise ConflictError(
                "register_older",
                "the register was made before the backup, and does not tell what was erased after it",
                next_step="make one now with `heedful erasures --out`, or say --without-register",
            )
    if not told and not choices.without_register:
        raise InvalidInputError(
            "restore_register_needed",
            "nobody says what was erased after the backup was taken, and all of it would come back",
            next_step="name a file that `heedful erasures --out` wrote with --register, a store that has the erasures "
            "with --since, or say --without-register",
            details={"field": "register"},
        )
    untold = ids.difference(*(each.tenant_ids for each in told))
    if untold and not choices.without_register:
        names = ", ".join(repr(each.name) for each in reader.manifest.tenants if each.tenant_id in untold)
        raise InvalidInputError(
            "restore_register_needed",
            f"no register tells what was erased of {names} after the backup was taken, and all of it would come back",
            next_step="name a register of the store that has them, too, or say --without-register for those",
            details={"field": "register"},
        )
    return tuple(told)


def _checkpoint(path: Path) -> Checkpoint:
    found = decode(read_proof_file(path))
    trusted = keys_of(found)
    if not all(is_note_signed(each, trusted) for each in found.notes):
        raise InvalidInputError(
            "checkpoint_unsigned",
            "the checkpoint's signature is not that of its keys: it was changed, or put together",
            next_step="use the file as `heedful checkpoint --out` wrote it",
        )
    return found


def _own_checkpoint(part: TenantPart) -> Checkpoint:
    found = decode(part.checkpoint.encode())
    if found.tenant_id != part.tenant_id or not all(is_note_signed(each, keys_of(found)) for each in found.notes):
        raise malformed("a tenant's checkpoint is not its own")
    return found


def _require_of_this(reader: BackupReader, checkpoints: Sequence[Checkpoint]) -> None:
    ids = {each.tenant_id for each in reader.manifest.tenants}
    for each in checkpoints:
        if each.tenant_id not in ids:
            raise InvalidInputError(
                "checkpoint_foreign",
                "the checkpoint is of a tenant that is not in this backup",
                next_step="name a checkpoint of one of its tenants, or the backup that has that tenant",
                details={"tenant_id": each.tenant_id},
            )
