"""The store contract: the claims beside others, by which what held before and what holds now are told apart."""

from __future__ import annotations

from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ids import ClaimId
from heedful.kernel.ladder import Classification
from heedful.ports.store import Visible, Writing
from heedful.testing.builders import build_claim, build_tenant, scope_of
from heedful.testing.factory import StoreFactory, add_tenant, one_tenant, opened

HOME = scope_of("user:ana")
WORK = scope_of("user:ana", "project:p")
ALL = Visible((HOME, WORK), Classification.RESTRICTED)
ODD = "家 \u202e\U0001f600 'x' --"


def put(writing: Writing, claims: tuple[Claim, ...]) -> None:
    """Each of them is there."""
    for each in claims:
        writing.put_claim(each)


class TestClaimsBeside:
    """claims_beside."""

    def test_the_claims_of_the_same_place_subject_and_property_are_found(self, stores: StoreFactory) -> None:
        """Whatever their status, those asked for among them, each once, the newest first; and no others."""
        home = {"scope": HOME, "subject": "user:ana", "property": ODD}
        same = (
            build_claim(1, **home, status=ClaimStatus.SUPERSEDED),
            build_claim(2, **home, status=ClaimStatus.QUARANTINED),
            build_claim(3, **home),
        )
        others = (
            build_claim(4, **home | {"scope": WORK}),
            build_claim(5, **home, classification=Classification.RESTRICTED),
            build_claim(6, **home | {"subject": "user:Ana"}),
            build_claim(7, **home | {"property": "x"}),
        )
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: put(writing, (*same, *others)))
            with tenant_store.read() as reading:

                def beside(*numbers: int, visible: Visible = ALL, limit: int = 9) -> list[int]:
                    asked = [build_claim(number).claim_id for number in numbers]
                    return [each.position for each in reading.claims_beside(visible, asked, limit=limit)]

                assert beside(3) == [3, 2, 1]
                assert beside(1, 3, 2) == [3, 2, 1]
                assert beside(1, limit=2) == [3, 2]
                assert beside(3, 7) == [7, 3, 2, 1]
                assert (beside(), beside(9)) == ([], [])
                assert reading.claims_beside(ALL, [ClaimId("\ud800")], limit=9) == ()

    def test_what_one_may_not_see_is_not_among_them(self, stores: StoreFactory) -> None:
        """By scope, classification and kind; other tenants have none."""
        home = {"scope": HOME, "subject": "user:ana", "property": "p", "kind": "a.b"}
        claims = (build_claim(1, **home), build_claim(2, **home | {"kind": "c"}))
        high = (build_claim(3, **home | {"property": "q"}, classification=Classification.RESTRICTED),)
        with opened(stores) as store:
            ana, ben = (add_tenant(store, build_tenant(number)) for number in (1, 2))
            ana.write(lambda writing: put(writing, (*claims, *high)))
            with ana.read() as reading:

                def beside(number: int, visible: Visible) -> list[int]:
                    asked = [build_claim(number).claim_id]
                    return [each.position for each in reading.claims_beside(visible, asked, limit=9)]

                assert beside(1, Visible((WORK,), Classification.RESTRICTED)) == []
                assert beside(1, Visible((HOME,), Classification.NORMAL, ("a",))) == [2]
                assert beside(3, Visible((HOME,), Classification.SENSITIVE)) == []
                assert beside(3, Visible((HOME,), Classification.RESTRICTED)) == [3]
            with ben.read() as reading:
                assert reading.claims_beside(ALL, [claims[0].claim_id], limit=9) == ()
