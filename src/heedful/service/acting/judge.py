"""Judge: a proposed tool call -> a verdict from current claims, policy and registry, recorded before the answer."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from heedful.gate.action import ActionRequest
from heedful.gate.judge import judge as judge_matter
from heedful.gate.permit import (
    Permit,
    circumstances_digest,
    circumstances_of,
    deserves_permit,
    signing_key,
    token_of,
)
from heedful.gate.requirements import Matter
from heedful.gate.verdict import IssuedPermit, Verdict
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.ids import PermitId, VerdictId
from heedful.kernel.scope import require_plain_name
from heedful.kernel.times import US_A_SECOND, format_time
from heedful.ledger.events import VerdictJudged
from heedful.ledger.permit_events import PermitIssued
from heedful.ports.store import Writing
from heedful.service.acting.approve_action import BASIS
from heedful.service.acting.matter import digest_of, features_of, matter_of
from heedful.service.recalling.answers import packet_event
from heedful.service.requests import TOOL_CHARACTERS_MAX, classify_for
from heedful.service.session import Session
from heedful.service.sight import not_found

PERMIT = "permit"
"""The field of a verdict that is handed out and never kept."""


def judge(session: Session, action: ActionRequest, *, packet_id: str | None = None) -> Verdict:
    """The verdict, durable. Nothing that the caller computed is an input; a packet only supplies citations.

    An execute that may go ahead has a permit: only here, and in the ledger nothing of which it could be made.

    Raises:
        NotFoundError: `item_not_found` for a packet that is not this principal's.
        InvalidInputError: `scope_empty`, `arguments_malformed`, `name_malformed` for the tool's name.
        BusyError, UnavailableError: the store, or the tenant's key where a permit is to be signed; then there is no
            verdict, and nothing may be done on it.
    """
    citations = () if packet_id is None else _citations(session, packet_id)
    require_plain_name(action.tool, field="tool", characters_max=TOOL_CHARACTERS_MAX)
    digest = digest_of(action)
    verdict_id = VerdictId(session.new_id())
    # The call's text is read before the store is locked: a long one would keep every other writer waiting.
    classified = classify_for(session, features_of(action), action.scope)

    def work(writing: Writing) -> Verdict:
        matter, basis = matter_of(
            session,
            writing,
            action,
            classified,
            verdict_id=verdict_id,
            citations=citations,
            now_us=session.clock.now_us(),
        )
        verdict = judge_matter(matter)
        kept = {name: value for name, value in msgspec.to_builtins(verdict).items() if name != PERMIT}
        event = VerdictJudged(
            verdict_id=verdict_id,
            principal=action.principal,
            action_digest=digest,
            impact=verdict.impact,
            decision=verdict.decision,
            scope=action.scope,
            registry_revision=verdict.registry_revision,
            verdict_json=canonical_bytes(kept | {BASIS: basis}).decode(),
        )
        session.append(writing, [event])
        return _with_permit(session, writing, matter, verdict)

    return session.store.write(work)


def _with_permit(session: Session, writing: Writing, matter: Matter, verdict: Verdict) -> Verdict:
    """The verdict with its permit, which is in the ledger then; the same verdict where it deserves none."""
    if matter.action.principal != session.principal or not deserves_permit(matter, verdict):
        return verdict
    tenant_id = session.store.tenant.tenant_id
    circumstances = circumstances_of(matter, verdict)
    permit = Permit(
        permit_id=PermitId(session.new_id()),
        tenant_id=tenant_id,
        verdict_id=verdict.verdict_id,
        principal=matter.action.principal,
        action_digest=verdict.action_digest,
        registry_revision=verdict.registry_revision,
        ledger_position=verdict.ledger_position,
        circumstances_digest=circumstances_digest(circumstances),
        issued_at_us=matter.judged_at_us,
        expires_at_us=matter.judged_at_us + session.permit_seconds * US_A_SECOND,
    )
    token = token_of(permit, signing_key(session.keys.tenant_key(tenant_id)))
    issued = PermitIssued(
        permit_id=permit.permit_id,
        verdict_id=permit.verdict_id,
        principal=permit.principal,
        action_digest=permit.action_digest,
        registry_revision=permit.registry_revision,
        judged_at_position=permit.ledger_position,
        circumstances=circumstances,
        expires_at_us=permit.expires_at_us,
    )
    session.append(writing, [issued])
    return replace(verdict, permit=IssuedPermit(permit.permit_id, token, format_time(permit.expires_at_us)))


def _citations(session: Session, packet_id: str) -> tuple[str, ...]:
    """`PACKET#KEY` of each item, in order."""
    session.access.flush()
    with session.store.read() as reading:
        event = packet_event(reading, packet_id)
    if event is None or event.principal != session.principal:
        raise not_found(packet_id)
    items = msgspec.json.decode(event.packet_json)["items"]
    return tuple(f"{packet_id}#{item['cite']}" for item in items)
