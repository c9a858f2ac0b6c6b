"""Faults of conflicts, provenance and grounds: worlds of disputes show them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from planted import Fault, at

from heedful.kernel.ids import ClaimId
from heedful.service.auditing import provenance
from heedful.service.belief import conflicts
from heedful.service.erasure import erase
from heedful.service.keeping import grounds


def _any_claim(_sound: Any) -> object:
    return lambda _session, reading, claim_id: reading.claim(ClaimId(claim_id))


def _any_claims(_sound: Any) -> object:
    def claims(_session: Any, reading: Any, claim_ids: Any) -> Any:
        return tuple(each for claim_id in claim_ids if (each := reading.claim(claim_id)) is not None)

    return claims


def _all_at_hand(_sound: Any) -> object:
    return lambda _session, _reading, items: tuple(items)


def _with_its_scope(sound: Any) -> object:
    def closure_of(reading: Any, seeds: Any, **limits: Any) -> Any:
        scopes = [each.record.scope for each in seeds.records]
        return sound(
            reading, replace(seeds, records=(*seeds.records, *reading.records_in(scopes, after=0, limit=9))), **limits
        )

    return closure_of


DISPUTE_FAULTS = (
    Fault("conflicts-of-all", "what is said in a hidden claim", at((conflicts, "seen_claims_of", _any_claims))),
    Fault(
        "provenance-of-all",
        "what hidden claims came from",
        at((provenance, "seen_of", _all_at_hand), (provenance, "seen_records", _all_at_hand)),
    ),
    Fault("erased-with-its-scope", "that something hidden was erased", at((erase, "closure_of", _with_its_scope))),
    Fault("ground-by-any-id", "that an id is there", at((grounds, "seen_claim", _any_claim))),
)
