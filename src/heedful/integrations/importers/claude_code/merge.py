"""One API message over several rows: each of its blocks once, and the usage of its last row."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.integrations.importers.claude_code.facts import MessageKey, RowFacts, Usage, digest
from heedful.integrations.importers.claude_code.part import Part
from heedful.kernel.frozen import quickly_made

_GROWING = frozenset({"assistant.text", "assistant.thinking"})

Place = tuple[int, str]


@quickly_made
@dataclass(frozen=True, slots=True)
class _Block:
    place: Place
    kind: str
    size: int
    digest: bytes
    call_id: str | None
    at_us: int


class MessageMerge:
    """The blocks of every API message so far, by digest.

    Attributes:
        superseded: parts that another row of the same message holds, as (line, index); they become no item.
    """

    def __init__(self) -> None:
        """No message yet."""
        self.superseded: set[Place] = set()
        self._blocks: dict[MessageKey, list[_Block]] = {}
        self._usage: dict[MessageKey, tuple[tuple[int, int], Usage]] = {}

    def add(self, facts: RowFacts, parts: tuple[Part, ...]) -> None:
        """Nothing; takes in one row of a message.

        A block that an earlier row had is superseded by that one; an earlier text that this row's continues, or an
        earlier call of the same id that this row's fills in, is superseded by this row's.
        """
        assert facts.message is not None
        earlier = self._blocks.setdefault(facts.message, [])
        unmatched = list(earlier)
        added: list[_Block] = []
        for part in parts:
            at = (facts.line, part.index)
            block = _Block(at, part.kind, len(part.content), digest(part.content), part.call_id, facts.carried_us)
            match = next((old for old in unmatched if _same_block(old, block, part.content)), None)
            if match is not None:
                unmatched.remove(match)
            if match is not None and match.digest == block.digest:
                self.superseded.add(at)
                continue
            if match is not None:
                self.superseded.add(match.place)
                earlier.remove(match)
            added.append(block)
        earlier.extend(added)
        when = (facts.carried_us, facts.line)
        if facts.usage and when >= self._usage.get(facts.message, ((facts.carried_us, 0), ()))[0]:
            self._usage[facts.message] = (when, facts.usage)

    def usage_by_place(self) -> dict[Place, Usage]:
        """Each message's usage, at the last of its parts that are kept: so a sum over items counts it once."""
        found: dict[Place, Usage] = {}
        for message, (_, usage) in self._usage.items():
            blocks = self._blocks[message]
            if blocks:
                last = max(reversed(blocks), key=lambda block: (block.at_us, block.place[0]))
                found[last.place] = usage
        return found


def _same_block(old: _Block, new: _Block, content: bytes) -> bool:
    if old.kind != new.kind:
        return False
    if old.call_id is not None and old.call_id == new.call_id:
        return True
    if old.digest == new.digest and old.call_id == new.call_id:
        return True
    grown = new.kind in _GROWING and old.size < new.size
    return grown and digest(content[: old.size]) == old.digest
