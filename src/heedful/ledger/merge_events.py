"""What people say of subjects: that two are one, that they are two again after all, or that they never were one."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.kernel.ids import MergeId, PrincipalId
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope


@dataclass(frozen=True, slots=True)
class SubjectsMerged:
    """Somebody who may approve said that two subjects are one, for all who see this label. No claim changes by it."""

    merge_id: MergeId
    subject: str
    other: str
    scope: Scope
    classification: Classification
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class SubjectsUnmerged:
    """A merge was undone: the two are two again, as they were before."""

    merge_id: MergeId
    actor: PrincipalId
    reason: str


@dataclass(frozen=True, slots=True)
class SubjectsKeptApart:
    """Somebody who may approve said that two subjects are two, so that nobody is asked again."""

    merge_id: MergeId
    subject: str
    other: str
    scope: Scope
    classification: Classification
    actor: PrincipalId
    reason: str


MergeEvent = SubjectsMerged | SubjectsUnmerged | SubjectsKeptApart
