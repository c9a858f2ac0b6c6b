"""Telling: an episode's turns in their order into one store; what is to be forgotten goes as it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from heedful.evaluation.governance.access import Access
from heedful.evaluation.governance.episodes import Episode, Turn
from heedful.evaluation.governance.matters import Matters, Piece, matters_of
from heedful.evaluation.governance.orders import Forgotten, Order, order_in, orders_of, rest_of
from heedful.evaluation.governance.superseded import Superseded
from heedful.kernel.errors import FaultError
from heedful.kernel.ids import RecordId
from heedful.observations.record import RecordType, SourceGrade
from heedful.service.erasure.forget import forget
from heedful.service.erasure.select import By, Selection
from heedful.service.keeping.remember import Remembered
from heedful.service.keeping.remember_many import remember_many
from heedful.service.session import Session

EXCHANGE_TURNS = 6
"""What is said in one scope within so many turns is one record: an answer with its question."""


@dataclass(slots=True)
class Kept:
    """A record, and the pieces of one scope that it holds; None: it waits to be told.

    Attributes:
        begun: the number of the turn that it begins with.
    """

    pieces: tuple[Piece, ...]
    begun: int
    record_id: RecordId | None = None

    @property
    def scope(self) -> tuple[str, ...]:
        """Where it is told."""
        return self.pieces[0].scope


@dataclass(slots=True)
class Told:
    """An episode as far as it is told.

    Attributes:
        forgets: False: nothing is forgotten, whoever asks for it, and nothing is replaced.
        grants: False: everybody is granted everything.
        refuses: False: who asks for what was forgotten is answered with what is left.
        erased: how many records went because somebody asked for it, or said that they hold no more.
    """

    session: Session
    episode: Episode
    matters: Matters
    access: Access
    forgets: bool = True
    grants: bool = True
    refuses: bool = True
    forgotten: dict[str, Forgotten] = field(default_factory=dict)
    superseded: dict[str, Superseded] = field(default_factory=dict)
    kept: list[Kept] = field(default_factory=list)
    waiting: list[tuple[str, Order]] = field(default_factory=list)
    erased: int = 0
    _heard: int = 0
    _replaced: bool = False
    _said: set[tuple[tuple[str, ...], str]] = field(default_factory=set)

    def hear(self, turn: Turn) -> None:
        """One turn: what it says is kept where its hearers look, what it asks to be forgotten is forgotten."""
        self._heard += 1
        self.access.hear(turn)
        subject = self._subject_of(turn)
        if self.forgets and self.access.may_order(turn.speaker, subject):
            self._obey(subject, orders_of(turn.text, self.matters.known_words))
        pieces = self.matters.pieces(turn)
        if self.forgets and self.matters.are_projects:
            self._replace(pieces)
        for piece in pieces:
            for left in self._left_of(piece):
                if (left.scope, " ".join(left.sentences)) not in self._said:
                    # What everybody says over and over is known once.
                    self._said.add((left.scope, " ".join(left.sentences)))
                    self._add(left)

    def _add(self, piece: Piece) -> None:
        last = next((each for each in reversed(self.kept) if each.scope == piece.scope), None)
        if last is not None and last.record_id is None and self._heard - last.begun < EXCHANGE_TURNS:
            last.pieces = (*last.pieces, piece)
        else:
            self.kept.append(Kept((piece,), self._heard))

    def flush(self) -> None:
        """Everything that waits is told.

        Raises:
            FaultError: `turn_not_kept`; what the store raises.
        """
        if self._replaced:
            self._replaced = False
            self._tell_again()
        waiting = [each for each in self.kept if each.record_id is None]
        for scope in dict.fromkeys(each.scope for each in waiting):
            some = [each for each in waiting if each.scope == scope]
            items = [self._item(each.pieces) for each in some]
            answers = remember_many(self.session, items, scope=scope, progress=lambda _done: None)
            for each, answer in zip(some, answers, strict=True):
                if not isinstance(answer, Remembered) or answer.outcome == "refused":
                    raise FaultError(
                        "turn_not_kept",
                        f"turn {each.pieces[0].turn.turn_id} of {self.episode.case_id} was not kept: {answer}",
                        next_step="mend the turn, or leave the episode out",
                        details={"case": self.episode.case_id, "turn": each.pieces[0].turn.turn_id},
                    )
                each.record_id = answer.record_id

    def _obey(self, subject: str, orders: Sequence[Order]) -> None:
        for order in orders:
            if order.later:
                self.waiting.append((subject, order))
                continue
            due = [each for owner, each in self.waiting if owner == subject] if order.done else []
            self.waiting = [each for each in self.waiting if not (order.done and each[0] == subject)]
            for each in (*due, order):
                self._forget(subject, each)

    def _forget(self, subject: str, order: Order) -> None:
        forgotten = self.forgotten.setdefault(subject, Forgotten())
        told = [
            sentence
            for each in self.kept
            for piece in each.pieces
            if piece.subject == subject
            for sentence in piece.sentences
        ]
        forgotten.add(order, told)
        self._tell_again()

    def _replace(self, pieces: Sequence[Piece]) -> None:
        heard = [
            self.superseded.setdefault(piece.subject, Superseded()).hear(sentence)
            for piece in pieces
            if self.access.may_order(piece.turn.speaker, piece.subject)
            for sentence in piece.sentences
        ]
        self._replaced = self._replaced or any(heard)

    def _tell_again(self) -> None:
        """What is left of every record is told instead of it, where that is not all of it."""
        left: list[Kept] = []
        gone: list[RecordId] = []
        for each in self.kept:
            rest = tuple(piece for whole in each.pieces for piece in self._left_of(whole))
            if rest == each.pieces:
                left.append(each)
                continue
            if each.record_id is not None:
                gone.append(each.record_id)
            left += [
                Kept(tuple(piece for piece in rest if piece.scope == scope), each.begun)
                for scope in dict.fromkeys(piece.scope for piece in rest)
            ]
        self.kept = left
        if gone:
            forget(self.session, Selection(By.RECORD, tuple(gone)))
            self.erased += len(gone)

    def _left_of(self, piece: Piece) -> tuple[Piece, ...]:
        """What is told of it: without what was forgotten, and what was replaced as history."""
        known = self._without_forgotten(piece)
        if known is None or known.is_history or piece.subject not in self.superseded:
            return () if known is None else (known,)
        now = [self.superseded[piece.subject].left_of(sentence) for sentence in known.sentences]
        if tuple(now) == known.sentences:
            return (known,)
        changed = tuple(old for old, left in zip(known.sentences, now, strict=True) if left != old)
        left = tuple(sentence for sentence in now if sentence is not None)
        history = replace(known, sentences=changed, is_history=True)
        return (replace(known, sentences=left), history) if left else (history,)

    def _without_forgotten(self, piece: Piece) -> Piece | None:
        """The piece without what was forgotten, or asks about it; None where nothing is left."""
        forgotten = self.forgotten.get(piece.subject)
        everywhere = list(self.forgotten.values()) if piece.subject not in self.matters.owners else []
        known = [forgotten] if forgotten is not None else everywhere
        if not known:
            return piece
        may_tell = self.access.may_order(piece.turn.speaker, piece.subject)
        left = tuple(
            rest
            for sentence in piece.sentences
            if (rest := self._known_of(sentence, known, may_tell=may_tell)) is not None
        )
        return replace(piece, sentences=left) if left else None

    def _known_of(self, sentence: str, known: Sequence[Forgotten], *, may_tell: bool) -> str | None:
        asks = sentence.endswith(("?", "？")) or not may_tell
        if asks and any(each.is_asked_for(sentence) for each in known):
            return None
        if not any(each.holds(sentence) for each in known):
            return sentence
        return None if asks or order_in(sentence, self.matters.known_words) is not None else rest_of(sentence, known)

    def _subject_of(self, turn: Turn) -> str:
        named = self.matters.named(turn.text)
        if turn.speaker in self.matters.owners:
            return turn.speaker
        own = self.matters.homes.get(turn.speaker, ()) if self.matters.are_projects else ()
        return (*named, *own, self.matters.main)[0]

    def _item(self, pieces: Sequence[Piece]) -> dict[str, object]:
        lines = []
        for piece in pieces:
            speaker = self.episode.people.get(piece.turn.speaker)
            lines.append(f"{speaker.name if speaker else piece.turn.speaker}: {' '.join(piece.sentences)}")
        item: dict[str, object] = {
            "content": "\n".join(lines),
            "record_type": RecordType.MESSAGE.value,
            "grade": SourceGrade.USER.value,
        }
        at = pieces[-1].turn.at
        if at is not None:
            item["occurred_at"] = at if at.endswith("Z") or "+" in at else f"{at}Z"
        return item


def told_from(
    session: Session, episode: Episode, *, forgets: bool = True, grants: bool = True, refuses: bool = True
) -> Told:
    """The episode before its first turn."""
    matters = matters_of(episode)
    return Told(session, episode, matters, Access(episode, matters), forgets=forgets, grants=grants, refuses=refuses)
