"""Merge: two subjects that somebody said are one, or are not; and which subjects are one by all that was said. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from heedful.kernel.ids import MergeId, PrincipalId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.ledger.merge_events import SubjectsKeptApart, SubjectsMerged, SubjectsUnmerged


class MergeStanding(StrEnum):
    """Where a merge stands: the two are one; were, and are two again; or were said to be two from the first."""

    JOINED = "joined"
    UNDONE = "undone"
    APART = "apart"


@dataclass(frozen=True, slots=True)
class Merge:
    """What somebody said of two subjects.

    Attributes:
        position: of the ledger event that told of it.
        subject, other: the two; which is which says nothing.
        scope, classification: its label: for whoever sees this it holds, and changes nothing for anybody else.
        merged_at_us: UTC microseconds.
        undone_by, undone_at_us, undone_reason: who undid it, when and why; None: nobody.
    """

    merge_id: MergeId
    position: int
    subject: str
    other: str
    scope: Scope
    classification: Classification
    standing: MergeStanding
    merged_by: PrincipalId
    merged_at_us: int
    reason: str
    undone_by: PrincipalId | None = None
    undone_at_us: int | None = None
    undone_reason: str | None = None

    @property
    def pair(self) -> frozenset[str]:
        """The two subjects."""
        return frozenset((self.subject, self.other))


def said(event: SubjectsMerged | SubjectsKeptApart, *, position: int, recorded_at_us: int) -> Merge:
    """What the event says of the two."""
    is_merge = isinstance(event, SubjectsMerged)
    return Merge(
        merge_id=event.merge_id,
        position=position,
        subject=event.subject,
        other=event.other,
        scope=event.scope,
        classification=event.classification,
        standing=MergeStanding.JOINED if is_merge else MergeStanding.APART,
        merged_by=event.actor,
        merged_at_us=recorded_at_us,
        reason=event.reason,
    )


def undone(merge: Merge, event: SubjectsUnmerged, *, recorded_at_us: int) -> Merge:
    """The same, undone."""
    return replace(
        merge,
        standing=MergeStanding.UNDONE,
        undone_by=event.actor,
        undone_at_us=recorded_at_us,
        undone_reason=event.reason,
    )


@dataclass(frozen=True, slots=True)
class Joins:
    """Which subjects are one.

    Attributes:
        groups: subject -> all that are one with it, itself among them, in order of bytes; what is one with nothing else
            is not there.
    """

    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def all_of(self, subject: str) -> tuple[str, ...]:
        """The subject and all that are one with it, in order of bytes."""
        return self.groups.get(subject, (subject,))

    def others(self, subject: str) -> tuple[str, ...]:
        """All that are one with the subject, without it."""
        return tuple(each for each in self.groups.get(subject, ()) if each != subject)

    def first(self, subject: str) -> str:
        """The one of them that all of them are compared by."""
        return self.all_of(subject)[0]

    def are_one(self, left: str, right: str) -> bool:
        """True where the two are the same subject, or one by what was said."""
        return left == right or right in self.groups.get(left, ())


NO_JOINS = Joins()


def joins_of(merges: Iterable[Merge]) -> Joins:
    """Which subjects are one by these, over any number of steps: a is b, b is c, so a is c."""
    groups: dict[str, set[str]] = {}
    for merge in merges:
        if merge.standing is not MergeStanding.JOINED:
            continue
        whole = groups.get(merge.subject, {merge.subject}) | groups.get(merge.other, {merge.other})
        groups |= dict.fromkeys(whole, whole)
    ordered = {frozenset(group): tuple(sorted(group, key=str.encode)) for group in map(frozenset, groups.values())}
    return Joins({each: ordered[frozenset(group)] for each, group in groups.items()}) if groups else NO_JOINS
