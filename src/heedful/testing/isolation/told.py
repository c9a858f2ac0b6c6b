"""Told: an answer as all of its bytes, and listings page by page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from heedful.claims.claim import ClaimStatus
from heedful.evidence.packet import Packet, packet_bytes
from heedful.evidence.render import render_json, render_prompt, render_text
from heedful.kernel.ladder import Tier
from heedful.observations.record import RecordStatus
from heedful.ports.store import Reading
from heedful.service.session import Session
from heedful.service.sight import visible_everywhere

PAGES_MAX = 3


def pages(session: Session, reading: Reading, limit: int, kinds: Sequence[str] | None) -> list[object]:
    """What the listings give page by page, by id: a position is the store's own, and no door tells one."""
    visible = visible_everywhere(session, reading)
    pages: list[object] = []
    for record_status in (RecordStatus.ADMITTED, RecordStatus.PENDING):
        before: int | None = None
        for _ in range(PAGES_MAX):
            page = reading.records(
                visible, status=record_status, run_id=None, attributes=(), before=before, limit=limit
            )
            pages.append([each.record.record_id for each in page])
            if not page:
                break
            before = page[-1].position
    claims = reading.claims(
        visible,
        statuses=tuple(ClaimStatus),
        kinds=kinds,
        visibility=None,
        tier_min=Tier.UNVERIFIED,
        valid_at_us=None,
        limit=limit,
    )
    return [*pages, [claim.claim_id for claim in claims], reading.visible_position(visible)]


def told(answer: object) -> bytes:
    """Every byte of an answer; of a packet, of each of its renderings."""
    if not isinstance(answer, Packet):
        return repr(answer).encode("utf-8", "surrogatepass")
    shape: dict[str, Any] = render_json(answer)
    return b"\n".join(
        (
            packet_bytes(answer),
            json.dumps(shape).encode(),
            render_prompt(answer).encode(),
            *map(str.encode, render_text(answer)),
        )
    )
