"""Experience: gotchas and premises, which are provisional until a second independent observation or a person. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from heedful.claims.claim import Claim, Form
from heedful.claims.projections.causality import call_ids
from heedful.kernel.ids import ClaimId, RecordId
from heedful.kernel.ladder import Tier
from heedful.kernel.scope import Scope
from heedful.observations.record import Record, SourceGrade
from heedful.observations.witness import is_witness

EXPERIENCE_FORMS = frozenset({Form.GOTCHA, Form.PREMISE})
GOTCHA_DAYS = 14
"""How long one lives where neither it nor its kind says so (seed 003's example: two weeks)."""
INDEPENDENT_MIN = 2
"""Independent observations that establish one (seed 003)."""
RETIRED = "the old experience no longer holds"
"""How the reason begins with which one ends that a later success has refuted."""
SEEN_AGAIN = "seen again"
"""How the reason begins with which one ends that gives way to the same, with more evidence."""
RETRY_OF = "retry_of"
"""The attribute by which a record names the one that it repeats; it is no new observation."""


def is_vouched(claim: Claim) -> bool:
    """True where it is active on a person's approval, or on an operator's word."""
    return claim.is_reviewed and (claim.approvals != () or claim.tier >= Tier.OPERATOR)


def is_provisional(claim: Claim, established: Collection[ClaimId]) -> bool:
    """True for a gotcha or premise neither vouched for nor among the `established`: it may steer, never block."""
    return claim.form in EXPERIENCE_FORMS and not is_vouched(claim) and claim.claim_id not in established


def is_tested(form: str, scope: Scope, valid_from_us: int | None) -> bool:
    """False for a premise that does not say where and since when it was tested."""
    return form != Form.PREMISE or (not scope.is_empty and valid_from_us is not None)


def origins_named(record: Record) -> tuple[RecordId, ...]:
    """The records that this one was made from or repeats, as it names them."""
    retried = (RecordId(value) for name, value in record.attributes if name == RETRY_OF and isinstance(value, str))
    return (*record.derived_from, *retried)


def groups_of(records: Sequence[Record], lineage: Mapping[RecordId, Record]) -> tuple[tuple[Record, ...], ...]:
    """The records that may count as observations, those together that are no two independent ones; in order.

    Together are: one run (without one: one document, else one principal), what shares an origin over any number of
    derivations, summaries and retries, one tool call, and equal content of one instant, which is a copy. Left out:
    what an agent or a summary says, what came through an agent's door, and what is made from a record that is not in
    `lineage`, which might be any.
    """
    groups: list[tuple[set[tuple[str, str]], list[Record]]] = []
    for record in records:
        keys = _keys(record, lineage)
        if keys is None:
            continue
        joined = [group for group in groups if group[0] & keys]
        merged = (set(keys).union(*(group[0] for group in joined)), [each for group in joined for each in group[1]])
        groups = [group for group in groups if group not in joined]
        groups.append((merged[0], [*merged[1], record]))
    return tuple(tuple(members) for _, members in groups)


def observations(records: Sequence[Record], lineage: Mapping[RecordId, Record]) -> int:
    """How many independent observations these records are."""
    return len(groups_of(records, lineage))


def _keys(record: Record, lineage: Mapping[RecordId, Record]) -> frozenset[tuple[str, str]] | None:
    if not is_witness(record):
        return None
    origins = {record.record_id}
    waiting = list(origins_named(record))
    while waiting:
        origin = waiting.pop()
        if origin not in lineage:
            return None
        if origin not in origins:
            origins.add(origin)
            waiting += origins_named(lineage[origin])
    return frozenset(
        {
            _source(record),
            ("copy", f"{record.occurred.at_us}/{record.content}"),
            *(("call", each) for each in call_ids(record)),
            *(("origin", str(each)) for each in origins),
            *(_source(lineage[each]) for each in origins if each in lineage and lineage[each].run_id is not None),
        }
    )


def _source(record: Record) -> tuple[str, str]:
    if record.run_id is not None:
        return "run", record.run_id
    if record.grade is SourceGrade.DOCUMENT and record.source_ref is not None:
        return "document", record.source_ref
    return "principal", record.principal
