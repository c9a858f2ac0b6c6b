"""Who is in a world: their policy, and a reference model of it, written apart from heedful.policy on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.bridges.registry import Registry

Rank = Literal["normal", "sensitive", "restricted"]
RANKS: tuple[Rank, ...] = ("normal", "sensitive", "restricted")


@dataclass(frozen=True, slots=True)
class Person:
    """A principal of every world's policy.

    Attributes:
        grants: as policy has them: elements, `dimension:*`, or `*`.
        reads: further elements that they read, as one of the element's readers.
        denied: kinds that they do not see, each with what is below it.
    """

    name: str
    roles: tuple[str, ...]
    clearance: Rank
    grants: tuple[str, ...]
    reads: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()

    @property
    def channel(self) -> Literal["person", "agent"]:
        """The door that they come through."""
        return "agent" if "agent" in self.roles else "person"

    def may_read(self, scope: Sequence[str]) -> bool:
        """True where every element is granted or theirs to read; the empty scope needs the grant of everything."""
        if not scope:
            return "*" in self.grants
        return all(self._has(element) or element in self.reads for element in scope)

    def may_write(self, scope: Sequence[str]) -> bool:
        """True where every element is granted or their own; readers only read."""
        own = f"user:{self.name.partition(':')[2]}"
        if not scope:
            return "*" in self.grants
        return all(self._has(each) or (each == own and self.channel == "person") for each in scope)

    def may_see(self, scope: Sequence[str], rank: str) -> bool:
        """True where they read the scope and are cleared for the classification."""
        return self.may_read(scope) and stricter(rank, self.clearance) == self.clearance

    def denies(self, kind: str | None) -> bool:
        """True for a kind that they do not see."""
        parts = [] if kind is None else kind.split(".")
        return any(".".join(parts[:count]) in self.denied for count in range(1, len(parts) + 1))

    def sees_kinds_of(self, denied: Sequence[str]) -> bool:
        """True where every kind is visible here that somebody sees who is denied these."""
        other = Person("person:other", (), "normal", (), denied=tuple(denied))
        return all(other.denies(each) for each in self.denied)

    def sees_all_of(self, other: Person, scope: Sequence[str]) -> bool:
        """True where whatever bears on the other's requests in this scope is visible here too."""
        applies = [element for element in scope if other.may_read([element])]
        wide = "*" in self.grants or "*" not in other.grants
        high = stricter(other.clearance, self.clearance) == self.clearance and self.sees_kinds_of(other.denied)
        return high and wide and self.may_read(applies or scope)

    def _has(self, element: str) -> bool:
        return any(grant in ("*", element, element.partition(":")[0] + ":*") for grant in self.grants)


def stricter(left: str, right: str) -> str:
    """The higher of two classifications."""
    return max(left, right, key=[str(each) for each in RANKS].index)


ANA = Person("person:ana", ("owner",), "restricted", ("*",))
ZOE = Person("person:zoe", ("reviewer",), "restricted", ("*",))
PEOPLE = (
    ANA,
    ZOE,
    Person("person:bob", ("reviewer",), "restricted", ("project:*", "environment:*"), ("user:bob",)),
    Person("person:cyd", ("reviewer",), "normal", ("project:payments", "environment:*"), ("user:cyd",)),
    Person("person:dan", (), "normal", ("project:payments",), ("team:sre", "user:dan")),
    Person("person:eve", ("reviewer",), "sensitive", ("project:payments", "team:sre", "environment:staging")),
    Person("person:fay", (), "normal", ("*",), ("user:fay",)),
    # Their names of scopes begin others' names: a comparison by prefix would open those.
    Person("person:gus", ("reviewer",), "restricted", ("project:pay", "team:sr"), ("user:gus",)),
    Person("person:李", ("operator",), "sensitive", ("project:付款", "project:payments"), ("user:李", "task:42")),
    Person("person:kim", ("operator",), "normal", ("project:payments", "environment:*"), ("user:kim", "task:42")),
    Person("agent:pip", ("agent",), "sensitive", ("project:payments",)),
    Person("agent:low", ("agent",), "normal", ("project:payments", "environment:staging")),
    # They see no claim of these kinds: some that come to mind, some that are only found, families and single ones.
    Person(
        "person:ned",
        ("reviewer",),
        "restricted",
        ("project:payments", "environment:*", "team:sre"),
        denied=("on-call", "incident.active", "release.freeze", "health"),
    ),
    Person("person:ola", ("reviewer", "operator"), "sensitive", ("*",), denied=("health", "rollback.plan", "capacity")),
    Person(
        "agent:tip",
        ("agent",),
        "normal",
        ("project:payments", "environment:staging"),
        denied=("health", "release", "on-call.contact"),
    ),
)
AUDITORS = (
    Person("person:pat", ("auditor", "reviewer"), "sensitive", ("project:payments", "environment:*", "user:*")),
    Person("person:una", ("auditor",), "restricted", ("project:*", "user:*"), denied=("rollback.plan", "health")),
)
"""They ask in worlds of disputes alone, and there for what counts nothing but what they see."""
# Not the two who see everything: nothing could be hidden from them.
REQUESTERS = PEOPLE[2:]

SCOPES: tuple[tuple[str, ...], ...] = (
    ("project:payments",),
    ("environment:staging", "project:payments"),
    ("environment:production", "project:payments"),
    ("environment:production", "project:payments", "task:42"),
    ("project:pay",),
    ("project:payments2",),
    ("project:付款",),
    ("team:sre",),
    ("team:sr",),
    ("project:payments", "team:sre"),
    ("project:payments", "user:dan"),
    ("user:ana",),
    ("user:cyd",),
    ("user:dan",),
    ("user:李",),
    ("task:42",),
    (),
)

_KINDS = """
kinds:
  health: {description: How somebody is., form: fact, cardinality: many, comparator: text, risk: low}
  health.diet: {description: What somebody eats., form: fact, cardinality: many, comparator: text, risk: low}
  healthy: {description: What is well., form: fact, cardinality: many, comparator: text, risk: low}
"""
_POLICY = """
policy:
  solo: false
  unreviewed: {unreviewed}
  principals:
{principals}
  scopes:
    "user:*": {{readers: [self]}}
    "team:sre": {{readers: ["person:dan"], allowed_forms: [fact, state, constraint, preference, workflow]}}
    "task:*": {{readers: ["role:operator"]}}
  auto_approve:
    enabled: {auto_approve}
    forms: [preference, fact, state]
    kind_risks: [low]
    classifications: [normal, sensitive]
    consent_explicit: true
  require_current_verification_for: [deploy.production]
  verification_max_age_seconds: 3600
  deny_on_evidence_label: [insufficient, stale, revoked]
"""


@cache
def registry_for(unreviewed: str, *, auto_approve: bool, more: str = "") -> Registry:
    """The bundled pack with the policy of all these people, and one document more where there is any."""
    lines = [
        f"    {person.name!r}: {{roles: [{', '.join(person.roles)}], clearance: {person.clearance}, "
        f"grants: [{', '.join(map(repr, person.grants))}], denied_kinds: [{', '.join(person.denied)}]}}"
        for person in (*PEOPLE, *AUDITORS)
    ]
    policy = _POLICY.format(
        unreviewed=unreviewed, principals="\n".join(lines), auto_approve="true" if auto_approve else "false"
    )
    documents = ("kinds.yaml", _KINDS), ("policy.yaml", policy), *((("more.yaml", more),) if more else ())
    return registry_of((*pack_documents("delivery"), *documents))
