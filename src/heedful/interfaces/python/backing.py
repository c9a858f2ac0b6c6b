"""Backing up: the methods of Memory for backups of the whole store, and for coming back from one.

What they need is imported when one is called: few programs do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from heedful.interfaces.python.forgetting import Forgetting
from heedful.settings import Settings

if TYPE_CHECKING:
    from heedful.bootstrap.backup import BackedUp, ShelvedBackup
    from heedful.bootstrap.erasures import Registered
    from heedful.bootstrap.restore import Restored


class BackingUp(Forgetting):
    """See Memory, which is made of this and more."""

    def backup(
        self,
        destination: str | Path,
        *,
        passphrase_file: str | Path | None = None,
        key_file: str | Path | None = None,
        with_keys: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> BackedUp:
        """What is in the file that was made: every tenant of the store, while others go on writing.

        `destination`: the file, or a folder that is there. `passphrase_file`, `key_file`: what it is encrypted under,
        if at all; `with_keys`: with the store's keys, in an encrypted one alone. `progress` is told bytes copied.

        Raises:
            ForbiddenError: `principal_may_not`: it is for an owner or auditor who may see everything, and no agent's.
            InvalidInputError: `backup_keys_in_clear`, `backup_secret_unfit`.
            ConflictError: `backup_exists`.
            BusyError: `backup_disturbed`, `store_busy`.
            FaultError: `ledger_broken`, `checkpoint_forked`, `blob_changed`.
            UnavailableError: `backup_unavailable`, `backup_secret_unavailable`, or the store's.
        """
        from heedful.bootstrap.backup import back_up, read_secret  # noqa: PLC0415

        return back_up(
            self._app,
            self._session,
            Path(destination),
            secret=read_secret(_path(passphrase_file), _path(key_file)),
            with_keys=with_keys,
            progress=progress or (lambda _bytes: None),
        )

    def backups(self, folder: str | Path, *, prune: bool = False) -> tuple[ShelvedBackup, ...]:
        """This store's backups in the folder, the oldest first; with `prune` those past `backup_keep_days` are deleted.

        Raises:
            ForbiddenError: `principal_may_not`.
            UnavailableError: `backup_unavailable`.
        """
        from heedful.bootstrap.backup import backups  # noqa: PLC0415

        return backups(self._app, self._session, Path(folder), prune=prune)

    def erasures(self, out: str | Path | None = None) -> Registered:
        """What was erased in the store, by ids alone and signed, in the file `out`, for a restore to erase it again.

        Raises:
            ForbiddenError: `principal_may_not`.
            ConflictError: `proof_file_exists`.
            UnavailableError: `proof_file_unavailable`.
        """
        from heedful.bootstrap.erasures import erasures  # noqa: PLC0415

        return erasures(self._app, self._session, _path(out))

    @staticmethod
    def restore(
        source: str | Path,
        *,
        to: str | Path,
        passphrase_file: str | Path | None = None,
        key_file: str | Path | None = None,
        checkpoint: Sequence[str | Path] = (),
        register: Sequence[str | Path] = (),
        since: str | Path | None = None,
        without_register: bool = False,
        replace: bool = False,
        stale_ok: bool = False,
        other_ok: bool = False,
        skip_locked: bool = False,
        settings: Settings | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Restored:
        """What came out of the backup into the folder `to`, to be opened there; where anything fails nothing is there.

        `register`: files that `erasures` wrote, `since`: a store that has the erasures; what they tell is erased before
        anybody is served. `checkpoint`: files that were pinned elsewhere. docs/backup.md tells the rest.

        Raises:
            InvalidInputError: `backup_malformed`, `backup_secret_needed`, `backup_secret_wrong`,
                `backup_not_encrypted`, `restore_register_needed`, `register_foreign`, `checkpoint_foreign`.
            ConflictError: `restore_taken`, `restore_stale`, `restore_other`, `backup_foreign`, `register_older`.
            UnavailableError: `backup_unavailable`, `backup_tenant_locked`, `restore_unavailable`, `keys_missing`.
            FaultError: `ledger_broken`.
        """
        from heedful.bootstrap.restore import RestoreChoices, read_secret, restore  # noqa: PLC0415

        choices = RestoreChoices(
            secret=read_secret(_path(passphrase_file), _path(key_file)),
            checkpoints=tuple(map(Path, checkpoint)),
            registers=tuple(map(Path, register)),
            since=_path(since),
            without_register=without_register,
            replace=replace,
            stale_ok=stale_ok,
            other_ok=other_ok,
            skip_locked=skip_locked,
        )
        told = progress or (lambda _bytes: None)
        return restore(Path(source), Path(to), settings or Settings.from_environment(), choices, told)


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else Path(given)
