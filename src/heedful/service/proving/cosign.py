"""Cosign: a witness looks at a checkpoint that is offered to it, and signs it or keeps what speaks against it."""

from __future__ import annotations

from typing import Literal

import msgspec

from heedful.kernel.errors import InvalidInputError
from heedful.kernel.signature import key_id_of, public_of, sign
from heedful.ledger.checkpoint import Checkpoint, Cosignature, Note, SignedNote, decode
from heedful.ledger.witness import Because, Refused, Seen, refusal_of, seen_with
from heedful.ports.system import Clock
from heedful.ports.witnessing import WitnessState

COSIGNATURES_MAX = 16
"""Of one note."""


class Witnessed(msgspec.Struct, frozen=True):
    """The witness's answer.

    Attributes:
        witness: the id of its key.
        checkpoint: the one that was offered, with the witness's signatures; None: it was refused.
        evidence: where it keeps what speaks against the store; None: nothing does.
    """

    outcome: Literal["cosigned", "refused"]
    witness: str
    checkpoint: Checkpoint | None = None
    because: Because | None = None
    text: str = ""
    evidence: str | None = None


def cosign(state: WitnessState, content: bytes, clock: Clock, *, key: str | None = None) -> Witnessed:
    """The checkpoint in a file's bytes, co-signed where it goes on from the last one of that tenant, else why not.

    `key`: the id of the key that a store must have which this witness sees for the first time; one that it knows is
    checked by that.

    Raises:
        InvalidInputError: `checkpoint_malformed`, `cosignatures_too_many`.
        UnsupportedError: `checkpoint_newer`.
        UnavailableError: `witness_unavailable`.
        ConflictError: `witness_full`.
    """
    offered = decode(content)
    if any(len(each.cosignatures) >= COSIGNATURES_MAX for each in offered.notes):
        raise InvalidInputError(
            "cosignatures_too_many",
            f"a note has {COSIGNATURES_MAX} witnesses already, and may have no more",
            next_step="offer the checkpoint as the store wrote it",
        )
    seed = state.seed()
    witness = key_id_of(public_of(seed))

    def change(seen: Seen | None) -> tuple[Seen | None, tuple[Refused | None, Seen | None]]:
        refused = refusal_of(offered, seen, key)
        return (None if refused else seen_with(offered, seen, key)), (refused, seen)

    # Durable before it is handed out: what was signed is never forgotten.
    refused, seen = state.exchange(offered.tenant_id, change)
    if refused is not None:
        evidence = _evidence(offered, seen, refused) if refused.is_evidence else None
        kept = None if evidence is None else state.keep_evidence(evidence)
        return Witnessed("refused", witness, None, refused.because, refused.text, kept)
    notes = tuple(_cosigned(each, seed, clock.now_us()) for each in offered.notes)
    return Witnessed("cosigned", witness, msgspec.structs.replace(offered, notes=notes))


def _cosigned(signed: SignedNote, seed: bytes, at_us: int) -> SignedNote:
    made = _cosignature(signed.note, seed, at_us)
    others = tuple(each for each in signed.cosignatures if each.key_id != made.key_id)
    return msgspec.structs.replace(signed, cosignatures=(*others, made))


def _cosignature(note: Note, seed: bytes, at_us: int) -> Cosignature:
    public = public_of(seed)
    unsigned = Cosignature(key_id_of(public), public.hex(), at_us, "")
    return msgspec.structs.replace(unsigned, signature=sign(seed, "cosignature", unsigned.body(note)).hex())


def _evidence(offered: Checkpoint, seen: Seen | None, refused: Refused) -> bytes:
    told = {
        "because": refused.because,
        "chain": refused.chain,
        "text": refused.text,
        "signed": seen,
        "offered": offered,
    }
    return msgspec.json.format(msgspec.json.encode(told), indent=1)
