"""Witness: somebody else who signs a checkpoint only where it goes on from the last one that they signed.

What a witness signed of a store cannot be told otherwise to anybody else, so a store that shows two people two
histories is found by the first of them to come second.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from heedful.ledger.checkpoint import Checkpoint, Note, SignedNote, is_continued, is_note_signed
from heedful.ledger.succession import PublicKey, trusted_keys

Because = Literal["key-unknown", "signature", "older", "fork", "not-continued"]
SEEN_MAX = 10_000
"""Tenants that one witness keeps."""


class Seen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the witness last signed of a tenant: its notes, and the keys that the store had then."""

    notes: tuple[SignedNote, ...]
    keys: tuple[PublicKey, ...]


class Refused(msgspec.Struct, frozen=True):
    """Why a checkpoint is not co-signed.

    Attributes:
        chain: whose note it is; None: of the file as a whole.
        is_evidence: the two notes cannot both be of one history, and their signatures prove who said so.
    """

    because: Because
    text: str
    chain: str | None = None
    is_evidence: bool = False


def refusal_of(offered: Checkpoint, seen: Seen | None, first_key: str | None) -> Refused | None:
    """Why the checkpoint is not a continuation of what was seen; None: it is.

    `first_key`: the key that a store which was never seen must have signed with, or one that vouches for it; None:
    whichever it has is believed this once.
    """
    trusted = trusted_keys(_told(offered, seen), _known(offered, seen, first_key))
    for signed in offered.notes:
        if signed.note.key_id not in trusted:
            return Refused("key-unknown", f"key {signed.note.key_id} is none that this witness has come to know")
        if not is_note_signed(signed, trusted):
            return Refused("signature", "the signature does not hold", signed.note.chain)
    for old in () if seen is None else seen.notes:
        refused = _of_chain(old.note, offered.note(old.note.chain).note, offered)
        if refused is not None:
            return refused
    return None


def seen_with(offered: Checkpoint, seen: Seen | None, first_key: str | None) -> Seen:
    """What is remembered of a checkpoint that was co-signed: its keys are not signed, so of them those that follow.

    What was known stays known, whatever the file leaves out.
    """
    told = _told(offered, seen)
    trusted = trusted_keys(told, _known(offered, seen, first_key))
    keys = {each.key_id: each for each in reversed(told) if each.key_id in trusted}
    return Seen(offered.notes, tuple(sorted(keys.values(), key=lambda each: each.number)))


def _told(offered: Checkpoint, seen: Seen | None) -> tuple[PublicKey, ...]:
    return (*(() if seen is None else seen.keys), *offered.keys)


def _known(offered: Checkpoint, seen: Seen | None, first_key: str | None) -> set[str]:
    if seen is not None:
        return {each.key_id for each in seen.keys}
    if first_key is not None:
        return {first_key}
    return {each.key_id for each in offered.keys if each.number == 1}


def _of_chain(old: Note, new: Note, offered: Checkpoint) -> Refused | None:
    if old.tenant_id != new.tenant_id:
        return Refused("fork", "it is of another tenant", new.chain)
    if new.size < old.size:
        return Refused("older", f"it has {new.size} events, and {old.size} were signed already", new.chain)
    if new.size == old.size and new.root != old.root:
        text = f"at {new.size} events it has another root than the one that was signed"
        return Refused("fork", text, new.chain, is_evidence=True)
    if is_continued(old, new, offered.growth):
        return None
    told = next((each for each in offered.growth if (each.chain, each.old_size) == (old.chain, old.size)), None)
    if told is not None and told.old_root == old.root:
        text = f"its proof does not lead from the {old.size} events that were signed to its {new.size}"
    else:
        text = f"it does not prove that it goes on from the {old.size} events that were signed"
    return Refused("not-continued", text, new.chain, is_evidence=told is not None)
