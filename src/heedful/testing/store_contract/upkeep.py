"""The store contract: what background work reads."""

from __future__ import annotations

from heedful.claims.claim import ClaimStatus
from heedful.kernel.ids import ClaimId, KindId
from heedful.kernel.ladder import Classification
from heedful.observations.record import RecordStatus
from heedful.testing.builders import build_claim, build_stored, scope_of
from heedful.testing.factory import StoreFactory, one_tenant
from heedful.testing.store_contract.beliefs import put_all

_ACTIVE = (ClaimStatus.ACTIVE,)


class TestUpkeep:
    """claims_after, scopes_holding."""

    def test_scopes_are_those_that_hold_a_record_that_is_seen(self, stores: StoreFactory) -> None:
        """Admitted, no higher than asked, and without a claim of a denied kind; in order of their keys."""
        seen, higher, pending, denied = (scope_of(f"user:{name}") for name in ("\u00e9va", "eve", "dan", "ben"))
        records = [
            build_stored(1, scope=seen),
            build_stored(2, scope=higher, classification=Classification.SENSITIVE),
            build_stored(3, scope=pending, status=RecordStatus.PENDING),
            build_stored(4, scope=denied),
            build_stored(5, scope=seen),
        ]
        claim = build_claim(1, kind=KindId("health.diet"), scope=denied, evidence=(records[3].record.record_id,))
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: put_all(writing.put_record, records))
            tenant_store.write(lambda writing: writing.put_claim(claim))
            with tenant_store.read() as reading:
                assert reading.scopes_holding(Classification.NORMAL, ()) == (denied, seen)
                assert reading.scopes_holding(Classification.RESTRICTED, ()) == (denied, higher, seen)
                assert reading.scopes_holding(Classification.NORMAL, ("health",)) == (seen,)
                assert reading.scopes_holding(Classification.NORMAL, ("healt", "\ud800")) == (denied, seen)

    def test_claims_come_page_by_page_in_order_of_their_ids(self, stores: StoreFactory) -> None:
        """Of every scope, whatever their ledger order; an id that is not there will do as well."""
        claims = [
            build_claim(number, position=9 - number, scope=scope_of(f"user:u{number}"), status=ClaimStatus.ACTIVE)
            for number in range(1, 6)
        ]
        ids = sorted(claim.claim_id for claim in claims)
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: put_all(writing.put_claim, claims))
            with tenant_store.read() as reading:
                first = reading.claims_after(None, statuses=_ACTIVE, limit=2)
                assert [claim.claim_id for claim in first] == ids[:2]
                assert first[0] in claims
                rest = reading.claims_after(first[-1].claim_id, statuses=_ACTIVE, limit=9)
                assert [claim.claim_id for claim in rest] == ids[2:]
                between = ClaimId(f"{ids[1]}\x7f")
                assert reading.claims_after(between, statuses=_ACTIVE, limit=9) == rest
                assert reading.claims_after(rest[-1].claim_id, statuses=_ACTIVE, limit=9) == ()

    def test_claims_of_other_statuses_are_passed_over(self, stores: StoreFactory) -> None:
        """Before the limit cuts; no status is none."""
        statuses = (ClaimStatus.EXPIRED, ClaimStatus.REVOKED, ClaimStatus.ACTIVE, ClaimStatus.SUPERSEDED)
        claims = [build_claim(number, status=status) for number, status in enumerate(statuses, 1)]
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: put_all(writing.put_claim, claims))
            with tenant_store.read() as reading:
                asked = (ClaimStatus.ACTIVE, ClaimStatus.SUPERSEDED)
                assert reading.claims_after(None, statuses=asked, limit=1) == (claims[2],)
                assert reading.claims_after(None, statuses=asked, limit=9) == (claims[2], claims[3])
                assert reading.claims_after(None, statuses=(), limit=9) == ()
                assert reading.claims_after(ClaimId("\ud800"), statuses=asked, limit=9) == ()
