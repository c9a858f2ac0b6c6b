"""Proving: the methods of Memory by which others can check its chains without it."""

from __future__ import annotations

from pathlib import Path

from heedful.bootstrap.proofs import read_proof_file, write_proof_file
from heedful.interfaces.python.auditing import Auditing
from heedful.ledger.checkpoint import Checkpoint, encode
from heedful.ledger.succession import PublicKey
from heedful.service.proving import keys
from heedful.service.proving.checkpoint import make_checkpoint
from heedful.service.proving.prove import prove


class Proving(Auditing):
    """See Memory, which is made of this and more."""

    def checkpoint(
        self, out: str | Path | None = None, *, since: str | Path | None = None, anew: bool = False
    ) -> Checkpoint:
        """The signed checkpoint of both chains, in the file `out` as well, which is for somewhere else than the store.

        `since`: a file with an older checkpoint, whose chains are proved to be the beginnings of these. `anew`: after a
        backup was restored on purpose, the one that was made last is not held against the chains.

        Raises:
            FaultError: `ledger_broken`, `checkpoint_forked`.
            InvalidInputError: `checkpoint_malformed`, `checkpoint_unsigned`, `checkpoint_foreign`.
            ConflictError: `proof_file_exists`.
        """
        made = make_checkpoint(self._session, since=_content(since), anew=anew)
        return _written(made, out)

    def prove(
        self,
        item_id: str,
        *,
        since: str | Path | None = None,
        content: bool = False,
        out: str | Path | None = None,
    ) -> Checkpoint:
        """A checkpoint of now, and the proof that the event of a record, claim, packet, verdict or event id is in it.

        An event's digest, as receipts of erasures tell it, stands for the event too. `content`: with what the event
        says, for whoever is to know that. `since`: as for `checkpoint`.

        Raises:
            NotFoundError: `item_not_found`.
            FaultError, InvalidInputError, ConflictError: those of `checkpoint`; `proof_failed`.
        """
        return _written(prove(self._session, item_id, content=content, since=_content(since)), out)

    def signing_keys(self) -> tuple[PublicKey, ...]:
        """Every public key that this store ever signed with, the newest last."""
        return keys.public_keys(self._session)

    def rotate_key(self) -> PublicKey:
        """The key that signs from now on; the one before it vouched for it, and is gone. For owners.

        Raises:
            ConflictError: `key_rotated`.
        """
        return keys.rotate_key(self._session)


def _content(file: str | Path | None) -> bytes | None:
    return None if file is None else read_proof_file(Path(file))


def _written(made: Checkpoint, out: str | Path | None) -> Checkpoint:
    if out is not None:
        write_proof_file(Path(out), encode(made))
    return made
