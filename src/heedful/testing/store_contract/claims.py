"""Claims: whole, filtered before anything is counted, in ledger order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heedful.claims.claim import Claim, ClaimStatus, Form, Visibility
from heedful.kernel.ids import ClaimId, KindId, PrincipalId, RecordId
from heedful.kernel.ladder import Classification, Tier
from heedful.ledger.events import JsonScalar
from heedful.ports.store import Over, Reading, Visible, Writing
from heedful.testing.builders import build_claim, build_id, scope_of, visible_to
from heedful.testing.factory import StoreFactory, one_tenant

ANA = scope_of("user:ana")
ANY_TEXT = st.text(st.characters(codec="utf-8"), max_size=80)
ANY_SCALAR = ANY_TEXT | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)


class TestClaims:
    """ViewReader.claim, claims, claims_on and claims_due; Writing.put_claim."""

    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(value=ANY_SCALAR, statement=ANY_TEXT, start=st.none() | st.integers(-(2**60), 2**60))
    def test_any_claim_round_trips(
        self, stores: StoreFactory, value: JsonScalar, statement: str, start: int | None
    ) -> None:
        """Every field is equal and of the same type."""
        claim = build_claim(1, value=value, statement=statement, valid_from_us=start, approvals=(PrincipalId("a"),))
        with _with_claims(stores, claim) as reading:
            assert repr(reading.claim(claim.claim_id)) == repr(claim)

    def test_a_claim_that_is_not_there_is_none(self, stores: StoreFactory) -> None:
        """Also for a text that no store could hold."""
        with _with_claims(stores, build_claim(1)) as reading:
            assert reading.claim(ClaimId(build_id(2, "claim"))) is None
            assert reading.claim(ClaimId("\ud800")) is None

    def test_several_claims_come_in_the_order_of_their_ids(self, stores: StoreFactory) -> None:
        """Whatever their positions; each as often as it is asked for; absent ones are left out."""
        first, second, third = (build_claim(number) for number in (1, 2, 3))
        ids = [each.claim_id for each in (third, first, second, first)]
        with _with_claims(stores, first, second, third) as reading:
            assert reading.claims_by_ids(ids) == (third, first, second, first)
            assert reading.claims_by_ids([ClaimId("\ud800"), ClaimId(build_id(9, "claim")), ids[1]]) == (first,)
            assert reading.claims_by_ids([]) == ()

    def test_a_claim_put_again_is_replaced(self, stores: StoreFactory) -> None:
        """The new status and evidence hold; the old evidence leads to it no more."""
        old, new = RecordId(build_id(1, "record")), RecordId(build_id(2, "record"))
        after = build_claim(1, status=ClaimStatus.QUARANTINED, evidence=(new,))
        with _with_claims(stores, build_claim(1, evidence=(old,)), after) as reading:
            assert reading.claim(after.claim_id) == after
            assert reading.claims_on(old) == ()
            assert reading.claims_on(new) == (after,)
            assert _found(reading) == []

    def test_claims_come_in_ledger_order_and_the_filter_before_the_limit(self, stores: StoreFactory) -> None:
        """By position, whatever the order in which they were put and the scope that they are in."""
        ben = scope_of("user:ben")
        claims = [build_claim(n, scope=(ANA, ben, scope_of("user:cy"))[n % 3]) for n in (5, 3, 9, 1, 4, 8, 2, 7, 6)]
        with _with_claims(stores, *claims) as reading:
            assert _found(reading, visible_to(ANA, ben)) == [1, 3, 4, 6, 7, 9]
            assert _found(reading, visible_to(ANA, ben), limit=2) == [1, 3]
            assert _found(reading, visible_to(ANA, ben), limit=0) == []

    def test_claims_of_other_scopes_and_above_the_clearance_are_not_seen(self, stores: StoreFactory) -> None:
        """Whole scopes and ranks alone; no scope sees nothing."""
        claims = [
            build_claim(1, scope=scope_of()),
            build_claim(2, scope=scope_of("user:ana2")),
            build_claim(3, classification=Classification.SENSITIVE),
            build_claim(4),
        ]
        with _with_claims(stores, *claims) as reading:
            assert _found(reading, visible_to(ANA, clearance=Classification.NORMAL)) == [4]
            assert _found(reading, visible_to(ANA, clearance=Classification.SENSITIVE)) == [3, 4]
            assert _found(reading, visible_to(scope_of())) == [1]
            assert _found(reading, visible_to()) == []

    @pytest.mark.parametrize(
        ("kinds", "expected"),
        [
            (None, [1, 2, 3, 4, 5, 6, 7]),
            ((), []),
            (("diet",), [1, 2, 3]),
            (("diet.allergy",), [2, 3]),
            (("diet.allergy", "diet"), [1, 2, 3]),
            (("diet_allergy",), [7]),
            (("Diet",), [6]),
            (("die",), []),
            (("diet.",), []),
            (("d%",), []),
            (("\ud800",), []),
        ],
    )
    def test_a_kind_covers_its_dotted_descendants_alone(
        self, stores: StoreFactory, kinds: Sequence[str] | None, expected: list[int]
    ) -> None:
        """Not what merely begins alike; LIKE characters are ordinary."""
        names = ["diet", "diet.allergy", "diet.allergy.nut", "dietary", "diet-x", "Diet", "diet_allergy"]
        with _with_claims(stores, *(build_claim(n, kind=name) for n, name in enumerate(names, 1))) as reading:
            assert _found(reading, kinds=kinds) == expected

    def test_claims_by_status_visibility_and_tier(self, stores: StoreFactory) -> None:
        """Each filter alone; no status is no claim."""
        claims = [
            build_claim(1),
            build_claim(2, status=ClaimStatus.PROPOSED),
            build_claim(3, visibility=Visibility.QUERY),
            build_claim(4, tier=Tier.OPERATOR),
        ]
        with _with_claims(stores, *claims) as reading:
            assert _found(reading, statuses=[ClaimStatus.PROPOSED]) == [2]
            assert _found(reading, statuses=[ClaimStatus.PROPOSED, ClaimStatus.ACTIVE]) == [1, 2, 3, 4]
            assert _found(reading, statuses=[]) == []
            assert _found(reading, visibility=Visibility.QUERY) == [3]
            assert _found(reading, visibility=Visibility.PRE_QUERY) == [1, 4]
            assert _found(reading, tier_min=Tier.CORROBORATED) == [4]

    def test_validity_is_half_open(self, stores: StoreFactory) -> None:
        """A claim holds at its start and no more at its end; None is open."""
        spans = [(None, None), (10, None), (None, 20), (10, 20), (20, 30)]
        claims = [build_claim(n, valid_from_us=a, valid_to_us=b) for n, (a, b) in enumerate(spans, 1)]
        with _with_claims(stores, *claims) as reading:
            assert _found(reading, valid_at_us=9) == [1, 3]
            assert _found(reading, valid_at_us=10) == [1, 2, 3, 4]
            assert _found(reading, valid_at_us=20) == [1, 2, 5]
            assert _found(reading, valid_at_us=None) == [1, 2, 3, 4, 5]

    def test_a_plan_is_there_before_its_time_and_not_after(self, stores: StoreFactory) -> None:
        """A state of the same time is there in it alone."""
        claims = [
            build_claim(n, form=form, valid_from_us=10, valid_to_us=20) for n, form in ((1, Form.PLAN), (2, Form.STATE))
        ]
        with _with_claims(stores, *claims) as reading:
            assert _found(reading, valid_at_us=9) == [1]
            assert _found(reading, valid_at_us=10) == [1, 2]
            assert _found(reading, valid_at_us=20) == []

    def test_claims_on_a_record_are_all_that_rest_on_it(self, stores: StoreFactory) -> None:
        """Whatever their status and scope, in ledger order."""
        one, two = RecordId("r-1"), RecordId("R-1")
        claims = [
            build_claim(3, evidence=(one, two)),
            build_claim(1, evidence=(one, one), scope=scope_of("user:ben"), status=ClaimStatus.REVOKED),
            build_claim(2, evidence=(two,)),
        ]
        with _with_claims(stores, *claims) as reading:
            assert reading.claims_on(one) == (claims[1], claims[0])
            assert reading.claims_on(two) == (claims[2], claims[0])
            assert reading.claims_on(RecordId("r-")) == ()
            assert reading.claims_on_any([two, RecordId("\ud800"), one]) == (claims[1], claims[2], claims[0])
            kinds = {each: frozenset(claim.kind for claim in reading.claims_on(each)) for each in (one, two)}
            assert reading.kinds_on([two, RecordId("r-"), one, RecordId("\ud800")]) == kinds
            assert (reading.claims_on_any([]), reading.kinds_on([])) == ((), {})
            assert reading.claims_on(RecordId("\ud800")) == ()

    def test_claims_about_a_subject_are_the_newest_first(self, stores: StoreFactory) -> None:
        """Of that very subject, whatever their status; filtered before the limit."""
        claims = [
            build_claim(1, subject="pod:web", property="phase", status=ClaimStatus.SUPERSEDED),
            build_claim(2, subject="pod:web", property="ready"),
            build_claim(3, subject="pod:Web", property="phase"),
            build_claim(4, subject="pod:web", property="phase", status=ClaimStatus.REVOKED),
            build_claim(5, subject="pod:web", property="phase", classification=Classification.RESTRICTED),
            build_claim(6, subject="pod:web", property="phase", scope=scope_of("user:ben")),
        ]
        seen = Visible((scope_of("user:ana"),), Classification.NORMAL)
        with _with_claims(stores, *claims) as reading:
            about = partial(reading.claims_about, seen)
            assert [each.position for each in about("pod:web", limit=9)] == [4, 2, 1]
            assert [each.position for each in about("pod:web", limit=1)] == [4]
            assert about("pod:we", limit=9) == ()
            assert about("pod:\ud800", limit=9) == ()
            denied = Visible(seen.scopes, seen.clearance, ("diet.allergy",))
            assert reading.claims_about(denied, "pod:web", limit=9) == ()

    def test_claims_about_a_subject_are_paged_by_position(self, stores: StoreFactory) -> None:
        """Below a position, which is not included; pages give each once."""
        claims = [build_claim(n, subject="pod:web") for n in range(1, 8)]
        with _with_claims(stores, *claims) as reading:
            pages, before = [], None
            while page := reading.claims_about(visible_to(ANA), "pod:web", limit=3, before=before):
                pages.append([each.position for each in page])
                before = page[-1].position
            assert pages == [[7, 6, 5], [4, 3, 2], [1]]
            assert reading.claims_about(visible_to(ANA), "pod:web", limit=3, before=0) == ()

    def test_the_newest_first_are_the_last_ones_of_ledger_order(self, stores: StoreFactory) -> None:
        """The same claims from the other end, filtered before the limit as well."""
        ben, both = scope_of("user:ben"), (ClaimStatus.ACTIVE, ClaimStatus.EXPIRED)
        claims = [
            build_claim(n, scope=(ANA, ben, scope_of("user:cy"))[n % 3], status=both[n % 2])
            for n in (5, 3, 9, 1, 4, 8, 2, 7, 6)
        ]
        with _with_claims(stores, *claims) as reading:
            found = partial(_found, reading, visible_to(ANA, ben), statuses=both)
            assert found() == [1, 3, 4, 6, 7, 9]
            assert found(newest_first=True) == [9, 7, 6, 4, 3, 1]
            assert found(newest_first=True, limit=2) == [9, 7]
            assert found(limit=2) == [1, 3]

    def test_what_is_over_is_left_out_of_its_kinds_alone(self, stores: StoreFactory) -> None:
        """At the end too; not of kinds below or beside, not without an end; before the limit."""
        claims = [
            build_claim(1, kind=KindId("state.pod"), valid_to_us=10),
            build_claim(2, kind=KindId("state.pod"), valid_to_us=11),
            build_claim(3, kind=KindId("state.pod")),
            build_claim(4, kind=KindId("state.pod.sub"), valid_to_us=5),
            build_claim(5, kind=KindId("state"), valid_to_us=5),
            build_claim(6, kind=KindId("state.job"), valid_to_us=5),
        ]
        with _with_claims(stores, *claims) as reading:
            found = partial(_found, reading)
            assert found(unless_over=Over(("state.pod",), 10)) == [2, 3, 4, 5, 6]
            assert found(unless_over=Over(("state.job", "state.pod"), 11), limit=2) == [3, 4]
            assert found(unless_over=Over((), 11)) == found() == [1, 2, 3, 4, 5, 6]

    def test_due_claims_are_active_ones_whose_time_has_ended(self, stores: StoreFactory) -> None:
        """At their very end too; an open one never."""
        claims = [
            build_claim(4, valid_to_us=10),
            build_claim(1, valid_to_us=20),
            build_claim(2, valid_to_us=21),
            build_claim(3),
            build_claim(5, valid_to_us=5, status=ClaimStatus.EXPIRED),
        ]
        with _with_claims(stores, *claims) as reading:
            assert reading.claims_due(20, limit=9) == (claims[1], claims[0])
            assert reading.claims_due(20, limit=1) == (claims[1],)
            assert reading.claims_due(9, limit=9) == ()


@contextmanager
def _with_claims(stores: StoreFactory, *claims: Claim) -> Iterator[Reading]:
    with one_tenant(stores) as tenant_store:
        for claim in claims:
            tenant_store.write(partial(_put, claim))
        with tenant_store.read() as reading:
            yield reading


def _put(claim: Claim, writing: Writing) -> None:
    writing.put_claim(claim)


def _found(
    reading: Reading,
    visible: Visible | None = None,
    *,
    statuses: Sequence[ClaimStatus] = (ClaimStatus.ACTIVE,),
    kinds: Sequence[str] | None = None,
    visibility: Visibility | None = None,
    tier_min: Tier = Tier.UNVERIFIED,
    valid_at_us: int | None = None,
    limit: int = 100,
    newest_first: bool = False,
    unless_over: Over | None = None,
) -> list[int]:
    found = reading.claims(
        visible or visible_to(ANA),
        statuses=statuses,
        kinds=kinds,
        visibility=visibility,
        tier_min=tier_min,
        valid_at_us=valid_at_us,
        limit=limit,
        newest_first=newest_first,
        unless_over=unless_over,
    )
    return [claim.position for claim in found]
