"""Fit: which items and which advice go into the budget, counted in bytes of the prompt rendering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from heedful.evidence.packet import Packet, PacketItem
from heedful.evidence.render import SECTIONS, advice_line, frame, item_block
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.tokens import estimate_tokens

_BYTES_A_TOKEN = 4
_HEADING_BYTES = {role: len(heading.encode()) + 1 for role, heading in SECTIONS}


@dataclass(frozen=True, slots=True)
class Draft:
    """An item before its place: whole, cut short where it asks for more than notice (else whole too).

    Its key is the one that it has if nothing is left out.
    """

    whole: PacketItem
    short: PacketItem
    asks: bool


@dataclass(frozen=True, slots=True)
class _Block:
    """An item, and the bytes of its block without its key."""

    item: PacketItem
    bytes: int


@dataclass(frozen=True, slots=True)
class _Sized:
    """A draft with its sizes, so that no block is rendered twice."""

    draft: Draft
    short: _Block
    whole: _Block


@dataclass(slots=True)
class _Room:
    """What is left of the budget, and what went in."""

    ceiling_bytes: int
    used_bytes: int
    key_bytes: int
    opened: set[str] = field(default_factory=set)
    chosen: dict[int, PacketItem] = field(default_factory=dict)
    costs: dict[int, int] = field(default_factory=dict)

    def take(self, index: int, block: _Block) -> None:
        """The item is in, in place of one with the same index, where there is room; else nothing changes."""
        item, cost = block.item, block.bytes + self.key_bytes
        extra = cost - self.costs.get(index, 0) + (0 if item.role in self.opened else _HEADING_BYTES[item.role])
        if self.used_bytes + extra <= self.ceiling_bytes:
            self.used_bytes += extra
            self.costs[index] = cost
            self.opened.add(item.role)
            self.chosen[index] = item

    def say(self, sentence: str) -> bool:
        """True where there was room for the sentence."""
        cost = _bytes(advice_line(sentence))
        if self.used_bytes + cost > self.ceiling_bytes:
            return False
        self.used_bytes += cost
        return True


def fitted(empty: Packet, drafts: Sequence[Draft], advice: Sequence[str]) -> Packet:
    """The packet with as much as fits, and its tokens: exactly those of its prompt rendering.

    First decision states that ask for more than notice, all short and then whole where there is room (many short ones
    beat one long one), then advice, then the rest in order; what does not fit is passed over. Keys in packet order.

    Raises:
        InvalidInputError: `budget_too_small` where not even an empty packet fits.
    """
    sized = [_sized(draft) for draft in drafts]
    packet, item_bytes = _filled(empty, sized, advice, ())
    if packet.left_out or len(packet.advice) < len(advice):
        # Something is missing, so a first sentence says so; room is kept for the highest counts that it could name.
        packet, item_bytes = _filled(empty, sized, advice, (_most_left_out(drafts, advice),))
        asking = {draft.whole.item_id for draft in drafts if draft.asks}
        states = sum(item_id in asking for item_id in packet.left_out)
        sentences = 1 + len(advice) - len(packet.advice)
        first = _left_out_advice(len(packet.left_out), states, sentences)
        packet = replace(packet, advice=(first, *packet.advice[1:]))
    return replace(packet, tokens=-(-(_bytes(frame(packet)) + item_bytes) // _BYTES_A_TOKEN))


def _filled(
    empty: Packet, sized: Sequence[_Sized], advice: Sequence[str], first: tuple[str, ...]
) -> tuple[Packet, int]:
    """The packet, and how many bytes everything below its frame takes."""
    # estimate_tokens is ceil(bytes / 4), so four bytes for each token of the budget are within it. A key is counted
    # as wide as the last one could be, since keys are given at the end.
    drafts = [each.draft for each in sized]
    frame_bytes = _bytes(frame(replace(empty, advice=first)))
    room = _Room(_BYTES_A_TOKEN * empty.budget_tokens, frame_bytes, len(str(len(drafts))))
    if room.used_bytes > room.ceiling_bytes:
        needed = estimate_tokens(frame(replace(empty, advice=(_most_left_out(drafts, advice),))))
        raise InvalidInputError(
            "budget_too_small",
            f"budget_tokens is {empty.budget_tokens}; a packet with nothing in it takes up to {needed}",
            next_step=f"give {needed} or more",
            details={"field": "budget_tokens", "limit": needed},
        )
    asking = [(index, each) for index, each in enumerate(sized) if each.draft.asks]
    for index, each in asking:
        room.take(index, each.short)
    for index, each in asking:
        if index in room.chosen and each.whole is not each.short:
            room.take(index, each.whole)
    said = tuple(sentence for sentence in advice if room.say(sentence))
    for index, each in enumerate(sized):
        if not each.draft.asks:
            room.take(index, each.whole)
    items = tuple(_keyed(room.chosen[index], str(at + 1)) for at, index in enumerate(sorted(room.chosen)))
    left_out = tuple(draft.whole.item_id for index, draft in enumerate(drafts) if index not in room.chosen)
    item_bytes = sum(room.costs.values()) + sum(_HEADING_BYTES[role] for role in room.opened)
    item_bytes += sum(len(item.cite) - room.key_bytes for item in items)
    return replace(empty, items=items, left_out=left_out, advice=(*first, *said)), item_bytes


def _sized(draft: Draft) -> _Sized:
    whole = _block(draft.whole)
    return _Sized(draft, whole if draft.short is draft.whole else _block(draft.short), whole)


def _block(item: PacketItem) -> _Block:
    return _Block(item, _bytes(item_block(item)) - len(item.cite))


def _keyed(item: PacketItem, key: str) -> PacketItem:
    return item if item.cite == key else replace(item, cite=key)


def _left_out_advice(items: int, states: int, sentences: int) -> str:
    counts = (
        ("items", items),
        ("of them decision states that ask for more than notice", states),
        ("sentences of advice", sentences),
    )
    return f"Left out for the budget: {', '.join(f'{name} {count}' for name, count in counts if count)}."


def _most_left_out(drafts: Sequence[Draft], advice: Sequence[str]) -> str:
    return _left_out_advice(len(drafts), sum(draft.asks for draft in drafts), len(advice))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
