"""Files of checkpoints, proofs and public keys: read whole within a limit, written whole and never over another."""

from __future__ import annotations

import os
from pathlib import Path

from heedful.adapters.file_names import create_whole
from heedful.kernel.errors import ConflictError, InvalidInputError, UnavailableError
from heedful.ledger.checkpoint import FILE_BYTES_MAX

_READABLE_BY_ALL = 0o644


def read_proof_file(path: Path) -> bytes:
    """What is in the file.

    Raises:
        UnavailableError: `proof_file_unavailable`.
        InvalidInputError: `proof_file_too_large`.
    """
    try:
        if not path.is_file():  # a pipe would be waited for without end
            raise FileNotFoundError(path)
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise _unavailable("can't be read") from error
    if len(content) > FILE_BYTES_MAX:
        raise InvalidInputError(
            "proof_file_too_large",
            f"the file has more than {FILE_BYTES_MAX} bytes, and no checkpoint or proof has",
            next_step="name a file that `heedful checkpoint --out` or `heedful prove --out` wrote",
        )
    return content


def write_proof_file(path: Path, content: bytes) -> None:
    """The file is there with this content, whole and durable; it is for others, so everybody may read it.

    Raises:
        ConflictError: `proof_file_exists`.
        UnavailableError: `proof_file_unavailable`.
    """
    try:
        made = create_whole(path, content)
        if made:
            os.chmod(path, _READABLE_BY_ALL)  # noqa: PTH101 - of this very name, which was made just now
    except OSError as error:
        raise _unavailable("can't be written") from error
    if not made:
        raise _exists()


def require_absent(path: Path) -> None:
    """Nothing is there yet: for what takes long before it is written.

    Raises:
        ConflictError: `proof_file_exists`.
    """
    if os.path.lexists(path):
        raise _exists()


def _exists() -> ConflictError:
    return ConflictError(
        "proof_file_exists",
        "the file is there already, and what was signed and kept is never written over",
        next_step="name another file, or move that one away",
    )


def _unavailable(what: str) -> UnavailableError:
    return UnavailableError(
        "proof_file_unavailable",
        f"the file of the checkpoint or proof {what}",
        next_step="look at its name, its folder and who may use them",
    )
