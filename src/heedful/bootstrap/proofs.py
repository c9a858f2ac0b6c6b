"""Proofs for the doors: their files, and a witness, which has no store."""

from __future__ import annotations

from pathlib import Path

from heedful.adapters.proof_files import read_proof_file, require_absent, write_proof_file
from heedful.adapters.system import SystemClock
from heedful.adapters.witness_folder import WitnessFolder
from heedful.service.erasure.signed import ReceiptCheck, check_receipt
from heedful.service.proving.cosign import Witnessed, cosign

__all__ = ["check_receipt_file", "read_proof_file", "require_absent", "witness", "write_proof_file"]


def check_receipt_file(file: Path, *, key: str | None = None, keys: Path | None = None) -> ReceiptCheck:
    """Whether the receipt in this file is what a store signed; see check_receipt.

    Raises:
        UnavailableError: `proof_file_unavailable`; and those of check_receipt.
    """
    return check_receipt(read_proof_file(file), key=key, keys=None if keys is None else read_proof_file(keys))


def witness(checkpoint: Path, state: Path, *, key: str | None = None) -> Witnessed:
    """What the witness whose folder is `state` says of the checkpoint in this file; see cosign.

    Raises:
        UnavailableError: `proof_file_unavailable`; and those of cosign.
    """
    return cosign(WitnessFolder(state), read_proof_file(checkpoint), SystemClock(), key=key)
