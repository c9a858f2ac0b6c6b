"""Redeem: an executor uses the permit of a verdict, once; all that the verdict rested on is looked at anew."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from heedful.bridges.request import Classified
from heedful.gate.action import ActionRequest
from heedful.gate.judge import judge as judge_matter
from heedful.gate.permit import (
    NEXT_STEPS,
    Permit,
    PermitRefused,
    Redeemed,
    RefusalReason,
    changes_between,
    circumstances_digest,
    circumstances_of,
    deserves_permit,
    mismatch,
    read_token,
    signing_key,
)
from heedful.kernel.ids import VerdictId
from heedful.kernel.times import format_time
from heedful.ledger.permit_events import PermitRedeemed, RedemptionRefused
from heedful.ports.store import Reading, Writing
from heedful.service.acting.matter import digest_of, features_of, matter_of
from heedful.service.erasure.there import verdict_there
from heedful.service.requests import classify_for
from heedful.service.session import Session
from heedful.service.sight import told_position

UNKNOWN_PERMIT = "now: this store knows no such permit"
"""What has changed where a permit was issued after the backup from which the store was restored."""


def redeem(session: Session, token: str, action: ActionRequest) -> Redeemed | PermitRefused:
    """That the action may be carried out now, once; or why not. Either is durable in the ledger before this returns.

    `action` is what is about to be carried out; what was said of it (`text`) is taken from the verdict, so that no
    class of it is left out. In one transaction the action is judged anew at this instant, the permit is looked up, and
    it is used: of several that redeem it at once, one does. What others write meanwhile changes nothing, unless the
    verdict rests on it.

    Raises:
        InvalidInputError: `arguments_malformed`.
        BusyError, UnavailableError: the store, or the tenant's key; then nothing is redeemed, and nothing may be done.
    """
    digest_of(action)
    tenant_id = session.store.tenant.tenant_id
    permit = read_token(token, signing_key(session.keys.tenant_key(tenant_id)))
    if permit is None or permit.tenant_id != tenant_id:
        return session.store.write(lambda writing: _refused(session, writing, None, action, "signature"))
    plain = mismatch(permit, action, at_us=session.clock.now_us())
    if plain is not None:
        return session.store.write(lambda writing: _refused(session, writing, permit, action, plain))
    with session.store.read() as reading:
        judged = replace(action, text=_text_of(reading, permit.verdict_id))
    # As in `judge`: before the store is locked.
    classified = classify_for(session, features_of(judged), judged.scope)
    return session.store.write(lambda writing: _redeem(session, writing, permit, judged, classified))


def _redeem(
    session: Session, writing: Writing, permit: Permit, action: ActionRequest, classified: Classified
) -> Redeemed | PermitRefused:
    now_us = session.clock.now_us()
    reason = mismatch(permit, action, at_us=now_us)
    # With a verdict that shows what was erased its permit goes.
    stored = writing.permit(permit.permit_id) if verdict_there(writing, permit.verdict_id) is not None else None
    if reason is None and stored is not None and stored.redeemed_position is not None:
        reason = "redeemed"
    if reason is not None:
        return _refused(session, writing, permit, action, reason)
    if stored is None:
        return _refused(session, writing, permit, action, "circumstances-changed", changes=(UNKNOWN_PERMIT,))
    matter, _ = matter_of(
        session, writing, action, classified, verdict_id=permit.verdict_id, citations=(), now_us=now_us
    )
    verdict = judge_matter(matter)
    lines = circumstances_of(matter, verdict)
    if not deserves_permit(matter, verdict) or circumstances_digest(lines) != permit.circumstances_digest:
        changes = changes_between(msgspec.json.decode(stored.circumstances_json), lines)
        return _refused(session, writing, permit, action, "circumstances-changed", changes=changes)
    used = PermitRedeemed(permit.permit_id, permit.verdict_id, session.principal, permit.action_digest)
    position = session.append(writing, [used])[-1].position
    return Redeemed(permit.permit_id, permit.verdict_id, format_time(now_us), told_position(session, position))


def _refused(
    session: Session,
    writing: Writing,
    permit: Permit | None,
    action: ActionRequest,
    reason: RefusalReason,
    *,
    changes: tuple[str, ...] = (),
) -> PermitRefused:
    permit_id, verdict_id = (None, None) if permit is None else (permit.permit_id, permit.verdict_id)
    event = RedemptionRefused(permit_id, verdict_id, session.principal, action.digest, reason, changes)
    position = session.append(writing, [event])[-1].position
    return PermitRefused(reason, permit_id, verdict_id, changes, NEXT_STEPS[reason], told_position(session, position))


def _text_of(reading: Reading, verdict_id: VerdictId) -> str:
    """What the agent said of the action when it was judged, without its secrets."""
    stored = verdict_there(reading, verdict_id)
    return "" if stored is None else str(msgspec.json.decode(stored.verdict_json)["text"])
