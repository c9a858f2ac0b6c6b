"""Fit: which items and which advice go into the budget, counted in bytes of the prompt rendering."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, NamedTuple

from heedful.evidence.packet import Packet, PacketItem
from heedful.evidence.render import SECTIONS, advice_line, frame, item_block
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.tokens import estimate_tokens

STATES_FIRST = 6
FOUND_FIRST = 1
APPROVED_FIRST = 2
"""Of the approved, so many are whole before the rest is there at all. Where all is approved it is as crowded."""
_BYTES_A_TOKEN = 4
_HEADING_BYTES = {role: len(heading.encode()) + 1 for role, heading in SECTIONS}
BLOCK_BYTES_MIN = 40
"""What stands in every whole block besides its text: brackets, fences, the words before its labels."""
_BUT_CITE: Any = attrgetter(*[each.name for each in fields(PacketItem)][1:])


class Draft(NamedTuple):
    """An item before its place, made once there may be room for it.

    Attributes:
        bytes_min: its whole block has no fewer.
        whole: makes the item; its key is the one that it has if nothing is left out.
        short: makes the item in few words, where a bridge brought it; else None.
        is_reviewed: a person has approved it.
        is_found: retrieval found it, and no bridge or rank brought it.
    """

    item_id: str
    bytes_min: int
    whole: Callable[[], PacketItem]
    short: Callable[[], PacketItem] | None
    is_reviewed: bool = False
    is_found: bool = False

    @property
    def is_state(self) -> bool:
        """True for a decision state, which a bridge brought."""
        return self.short is not None


class _Block(NamedTuple):
    """An item, and the bytes of its block without its key."""

    item: PacketItem
    bytes: int


class _Sized:
    """A draft with its sizes, so that no block is rendered twice."""

    __slots__ = ("_scope", "_short", "_whole", "draft")

    def __init__(self, draft: Draft, scope: tuple[str, ...]) -> None:
        self.draft = draft
        self._scope = scope
        self._whole: _Block | None = None
        self._short: _Block | None = None

    def whole(self) -> _Block:
        """The whole of it."""
        if self._whole is None:
            self._whole = self._block(self.draft.whole())
        return self._whole

    def short(self) -> _Block:
        """It in few words, where a bridge brought it."""
        if self._short is None:
            assert self.draft.short is not None
            self._short = self._block(self.draft.short())
        return self._short

    def _block(self, item: PacketItem) -> _Block:
        return _Block(item, _bytes(item_block(item, self._scope)) - len(item.cite))


class _Filled(NamedTuple):
    """What went in: the packet's fields, and the bytes of its prompt rendering."""

    items: tuple[PacketItem, ...]
    left_out: tuple[str, ...]
    advice: tuple[str, ...]
    bytes: int


@dataclass(slots=True)
class _Room:
    """What is left of the budget, and what went in."""

    ceiling_bytes: int
    used_bytes: int
    key_bytes: int
    opened: set[str] = field(default_factory=set)
    chosen: dict[int, PacketItem] = field(default_factory=dict)
    costs: dict[int, int] = field(default_factory=dict)

    def is_too_full(self, bytes_min: int) -> bool:
        """True where there is surely no room for a new item whose block has no fewer bytes."""
        return self.used_bytes + self.key_bytes + bytes_min > self.ceiling_bytes

    def has_room_for(self, blocks: Sequence[_Block]) -> bool:
        """True where all of these may go in as they are."""
        headings = {block.item.role for block in blocks} - self.opened
        new_bytes = sum([block.bytes + self.key_bytes for block in blocks])
        return self.used_bytes + new_bytes + sum([_HEADING_BYTES[role] for role in headings]) <= self.ceiling_bytes

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
        cost = _said_bytes(sentence)
        if self.used_bytes + cost > self.ceiling_bytes:
            return False
        self.used_bytes += cost
        return True


def fitted(empty: Packet, drafts: Sequence[Draft], advice: Sequence[str]) -> Packet:
    """The packet with as much as fits, and its tokens: exactly those of its prompt rendering.

    First decision states, all short (after STATES_FIRST of them the best that was found, which may be what was asked
    for, and APPROVED_FIRST of those that are approved, whole), then whole where there is room (many short ones beat
    one long one), then advice, then the rest in order; what does not fit is passed over. Keys in packet order.

    Raises:
        InvalidInputError: `budget_too_small` where not even an empty packet fits.
    """
    sized = [_Sized(draft, empty.scope) for draft in drafts]
    frame_bytes = _bytes(frame(empty))
    everything = _everything(empty, frame_bytes, sized, advice)
    if everything is not None:
        items, left_out, said, size = everything
    else:
        # Something is missing, so a first sentence says so; room is kept for the highest counts that it could name.
        most = _most_left_out(drafts, advice)
        items, left_out, said, size = _filled(empty, frame_bytes, sized, advice, most)
        are_states = {draft.item_id for draft in drafts if draft.is_state}
        states = sum(item_id in are_states for item_id in left_out)
        first = _left_out_advice(len(left_out), states, len(advice) - len(said))
        said = (first, *said)
        size += _said_bytes(first) - _said_bytes(most)
    tokens = -(-size // _BYTES_A_TOKEN)
    return replace(empty, items=items, left_out=left_out, advice=said, tokens=tokens)


def _everything(empty: Packet, frame_bytes: int, sized: Sequence[_Sized], advice: Sequence[str]) -> _Filled | None:
    """All items whole and all advice, where the budget has room for them."""
    ceiling = _BYTES_A_TOKEN * empty.budget_tokens
    size = frame_bytes + sum(map(_said_bytes, advice))
    if size + sum([each.draft.bytes_min for each in sized]) > ceiling:
        return None
    items: list[PacketItem] = []
    opened: set[str] = set()
    for at, each in enumerate(sized):
        item, block_bytes = each.whole()
        key = str(at + 1)
        size += block_bytes + len(key) + (0 if item.role in opened else _HEADING_BYTES[item.role])
        if size > ceiling:
            return None
        opened.add(item.role)
        items.append(_keyed(item, key))
    return _Filled(tuple(items), (), tuple(advice), size)


def _filled(empty: Packet, frame_bytes: int, sized: Sequence[_Sized], advice: Sequence[str], first: str) -> _Filled:
    """What goes in beside a frame of so many bytes and the sentence `first`, which is not in the advice handed back."""
    # estimate_tokens is ceil(bytes / 4), so four bytes for each token of the budget are within it. A key is counted
    # as wide as the last one could be, since keys are given at the end.
    drafts = [each.draft for each in sized]
    used_bytes = frame_bytes + _said_bytes(first)
    room = _Room(_BYTES_A_TOKEN * empty.budget_tokens, used_bytes, len(str(len(drafts))))
    if room.used_bytes > room.ceiling_bytes:
        needed = estimate_tokens(frame(replace(empty, advice=(_most_left_out(drafts, advice),))))
        raise InvalidInputError(
            "budget_too_small",
            f"budget_tokens is {empty.budget_tokens}; a packet with nothing in it takes up to {needed}",
            next_step=f"give {needed} or more",
            details={"field": "budget_tokens", "limit": needed},
        )
    _take_states(room, sized)
    said = tuple(sentence for sentence in advice if room.say(sentence))
    for index, each in enumerate(sized):
        if not each.draft.is_state and index not in room.chosen and not room.is_too_full(each.draft.bytes_min):
            room.take(index, each.whole())
    items = tuple(_keyed(room.chosen[index], str(at + 1)) for at, index in enumerate(sorted(room.chosen)))
    left_out = tuple(draft.item_id for index, draft in enumerate(drafts) if index not in room.chosen)
    # Keys are as wide as they are now.
    return _Filled(items, left_out, said, room.used_bytes + sum(len(each.cite) - room.key_bytes for each in items))


def _take_states(room: _Room, sized: Sequence[_Sized]) -> None:
    """Decision states go in, and the best that was found; see fitted."""
    states = [(index, each) for index, each in enumerate(sized) if each.draft.is_state]
    found = [(index, each) for index, each in enumerate(sized) if each.draft.is_found]
    wanted = [*states, *found[:FOUND_FIRST]]
    least = sum([each.draft.bytes_min for _, each in wanted])
    if not room.is_too_full(least) and room.has_room_for([each.whole() for _, each in wanted]):
        for index, each in wanted:
            room.take(index, each.whole())
        return
    for index, each in states[:STATES_FIRST]:
        room.take(index, each.short())
    for index, each in found[:FOUND_FIRST]:
        room.take(index, each.whole())
    approved = [(index, each) for index, each in states[:STATES_FIRST] if each.draft.is_reviewed]
    for index, each in approved[:APPROVED_FIRST]:
        room.take(index, each.whole())
    for index, each in states[STATES_FIRST:]:
        room.take(index, each.short())
    for index, each in states:
        if index in room.chosen:
            room.take(index, each.whole())


def _keyed(item: PacketItem, key: str) -> PacketItem:
    return item if item.cite == key else PacketItem(key, *_BUT_CITE(item))


def _left_out_advice(items: int, states: int, sentences: int) -> str:
    counts = (
        ("items", items),
        ("of them decision states", states),
        ("sentences of advice", sentences),
    )
    return f"Left out for the budget: {', '.join(f'{name} {count}' for name, count in counts if count)}."


def _most_left_out(drafts: Sequence[Draft], advice: Sequence[str]) -> str:
    return _left_out_advice(len(drafts), sum(draft.is_state for draft in drafts), len(advice))


def _said_bytes(sentence: str) -> int:
    return _bytes(advice_line(sentence))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
