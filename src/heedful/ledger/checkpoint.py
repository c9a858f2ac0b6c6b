"""Checkpoint: what a store signs of its chains, and what is proved against it; docs/proofs.md describes the file.

One file has the signed notes of both chains and the keys they are checked by; with outlines it is to be pinned, with
`growth` it proves that an older one is its beginning, with `inclusion` that it has an event.
"""

from __future__ import annotations

import msgspec

from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.digest import SALT_BYTES, payload_digest
from heedful.kernel.errors import InvalidInputError, UnsupportedError
from heedful.kernel.ids import TenantId
from heedful.kernel.signature import is_signed
from heedful.ledger.bundle_lines import ChainName
from heedful.ledger.merkle import Frontier, is_consistent, is_included
from heedful.ledger.outline import LEVEL_MAX, Comparison, Outline
from heedful.ledger.seal import Envelope
from heedful.ledger.succession import PublicKey, trusted_keys

FORMAT = 1
FILE_BYTES_MAX = 33_554_432
"""Of a checkpoint or proof: the largest content in one, escaped, and some more."""
WHAT = "heedful checkpoint"


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is signed of a chain.

    Attributes:
        size: how many events it has; `root` is that tree's, `head` the last event's digest, in hex.
        at_us: UTC microseconds.
        key_id: of the key that signs it.
    """

    tenant_id: TenantId
    chain: ChainName
    size: int
    root: str
    head: str
    at_us: int
    key_id: str

    @property
    def body(self) -> bytes:
        """The canonical bytes that are signed."""
        return canonical_bytes({"what": WHAT, "format": FORMAT, **msgspec.structs.asdict(self)})


class Cosignature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A witness's word that the note is a continuation of all that it signed before."""

    key_id: str
    public_key: str
    at_us: int
    signature: str

    def body(self, note: Note) -> bytes:
        """The canonical bytes that the witness signs."""
        return canonical_bytes({"at_us": self.at_us, "note": note.body.decode()})


class SignedNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A note, the store's signature in hex, and those of witnesses."""

    note: Note
    signature: str
    cosignatures: tuple[Cosignature, ...] = ()


class OutlineOf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An outline in hex, of the chain's tree at the size of its note."""

    chain: ChainName
    level: int
    nodes: tuple[str, ...]
    tail: tuple[str, ...]


class Growth(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """That the tree of this older size and root is the beginning of the chain's note: a consistency proof, in hex."""

    chain: ChainName
    old_size: int
    old_root: str
    path: tuple[str, ...]


class Inclusion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """That the event of this envelope is in the chain, by the path in hex; with payload and salt where asked for."""

    chain: ChainName
    envelope: Envelope
    path: tuple[str, ...]
    payload: str | None = None
    salt: str | None = None


class Checkpoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """See the module."""

    what: str
    format: int
    notes: tuple[SignedNote, ...]
    keys: tuple[PublicKey, ...]
    outlines: tuple[OutlineOf, ...] = ()
    growth: tuple[Growth, ...] = ()
    inclusion: Inclusion | None = None

    @property
    def tenant_id(self) -> TenantId:
        """Whose chains it is about."""
        return self.notes[0].note.tenant_id

    def note(self, chain: ChainName) -> SignedNote:
        """The chain's signed note."""
        return next(each for each in self.notes if each.note.chain == chain)

    def outline(self, chain: ChainName) -> Outline | None:
        """The chain's outline, where it is there and is that of its note."""
        found = next((each for each in self.outlines if each.chain == chain), None)
        if found is None or not 0 <= found.level <= LEVEL_MAX:
            return None
        note = self.note(chain).note
        try:
            nodes, tail = _all_bytes(found.nodes), _all_bytes(found.tail)
            size = note.size - (len(nodes) << found.level)
            outline = Outline(found.level, nodes, Frontier(size, tail))
        except ValueError:
            return None
        return outline if outline.root.hex() == note.root else None


_decode = msgspec.json.Decoder(Checkpoint).decode


def encode(checkpoint: Checkpoint) -> bytes:
    """The file's bytes."""
    return msgspec.json.format(msgspec.json.encode(checkpoint), indent=1) + b"\n"


def decode(content: bytes) -> Checkpoint:
    """The checkpoint in these bytes, with a note of each chain, of one tenant. Its signatures are not looked at.

    Raises:
        InvalidInputError: `checkpoint_malformed`.
        UnsupportedError: `checkpoint_newer`.
    """
    try:
        begun = msgspec.json.decode(content, type=_Begun)
        if begun.what == WHAT and begun.format > FORMAT:
            raise UnsupportedError(
                "checkpoint_newer", "a newer release wrote this checkpoint", next_step="upgrade heedful"
            )
        found = _decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _malformed() from error
    chains = sorted(each.note.chain for each in found.notes)
    is_whole = chains == ["access", "ledger"] and len({each.note.tenant_id for each in found.notes}) == 1
    # Of two first keys one would be looked at, and the other sign.
    has_two_roots = len({each.number for each in found.keys}) < len(found.keys)
    if found.what != WHAT or found.format != FORMAT or not is_whole or has_two_roots:
        raise _malformed()
    return found


class _Begun(msgspec.Struct):
    what: str
    format: int


def outline_of(chain: ChainName, outline: Outline) -> OutlineOf:
    """The outline as it is in a file."""
    nodes, tail = (tuple(each.hex() for each in hashes) for hashes in (outline.nodes, outline.tail.peaks))
    return OutlineOf(chain, outline.level, nodes, tail)


def keys_of(checkpoint: Checkpoint) -> dict[str, bytes]:
    """The keys of the file that follow from its first, by their ids."""
    return trusted_keys(checkpoint.keys, [each.key_id for each in checkpoint.keys if each.number == 1])


def is_note_signed(signed: SignedNote, trusted: dict[str, bytes]) -> bool:
    """True where one of these keys signed the note."""
    public, signature = trusted.get(signed.note.key_id), _bytes_of(signed.signature)
    return public is not None and signature is not None and is_signed(public, "checkpoint", signed.note.body, signature)


def is_continued(old: Note, new: Note, growth: tuple[Growth, ...]) -> bool:
    """True where the newer note's chain begins with the older one's, as far as that was proved."""
    if (old.tenant_id, old.chain) != (new.tenant_id, new.chain):
        return False
    if old.size in (0, new.size):
        return old.root == (new.root if old.size else Frontier().root.hex())
    wanted = (old.chain, old.size, old.root)
    proof = next((each for each in growth if (each.chain, each.old_size, each.old_root) == wanted), None)
    old_root, root = _bytes_of(old.root), _bytes_of(new.root)
    path = None if proof is None else _path_of(proof.path)
    if path is None or old_root is None or root is None:
        return False
    return is_consistent(old.size, old_root, new.size, root, path)


def compared_with(checkpoint: Checkpoint, chain: ChainName) -> Comparison:
    """What the chain's leaves are held against; without an outline, by the root of all of them alone."""
    outline, note = checkpoint.outline(chain), checkpoint.note(chain).note
    if outline is not None:
        return outline.compared()
    return Comparison(max(note.size, 1), note.size, (_bytes_of(note.root) or b"",))


def is_proved(inclusion: Inclusion, note: Note) -> bool:
    """True where the event is in the note's chain, and has the payload that is told, where one is."""
    envelope, path, root = inclusion.envelope, _path_of(inclusion.path), _bytes_of(note.root)
    if (envelope.tenant_id, inclusion.chain) != (note.tenant_id, note.chain) or path is None or root is None:
        return False
    try:
        leaf = bytes.fromhex(envelope.digest)
    except ValueError:  # half of a surrogate pair has no canonical form
        return False
    if not is_included(leaf, envelope.position - 1, note.size, path, root):
        return False
    if inclusion.payload is None:
        return inclusion.salt is None
    salt = _bytes_of(inclusion.salt or "")
    return (
        salt is not None
        and len(salt) == SALT_BYTES
        and payload_digest(salt, inclusion.payload.encode()) == envelope.payload_digest
    )


def _path_of(path: tuple[str, ...]) -> tuple[bytes, ...] | None:
    try:
        return _all_bytes(path)
    except ValueError:
        return None


def _all_bytes(texts: tuple[str, ...]) -> tuple[bytes, ...]:
    return tuple(map(bytes.fromhex, texts))


def _bytes_of(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def _malformed() -> InvalidInputError:
    return InvalidInputError(
        "checkpoint_malformed",
        "this is no checkpoint or proof of Heedful, or it was cut or changed",
        next_step="name a file that `heedful checkpoint --out` or `heedful prove --out` wrote",
    )
