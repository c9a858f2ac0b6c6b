"""Denied kinds: neither their claims are seen, nor the records under them, nor what else rests on those."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pytest

from heedful.claims.claim import Claim, ClaimStatus
from heedful.kernel.ids import KindId, RecordId
from heedful.kernel.ladder import Tier
from heedful.observations.record import RecordStatus
from heedful.ports.store import Reading, SearchResult, Visible, Writing
from heedful.testing.builders import ANYTHING, build_claim, build_id, build_search_row, build_stored
from heedful.testing.factory import StoreFactory, one_tenant
from heedful.testing.store_contract.vector_steps import ANA, ANA_SEES, EAST, MODEL, WEST, nearest, put_vectors

# More than any adapter tries before it looks up what passes.
MANY_HIDDEN = 150
CLAIM_AT = 1_000
"""The claim that rests on record `n` has the position CLAIM_AT + `n`."""
KINDS = ("health", "health.diet.nuts", "healthy", "health-x", "Health", "health_x", "healt", "money", "note")
UNDER_HEALTH = (1, 2)
REST = (3, 4, 5, 6, 7, 8, 9)
HOSTILE = (
    "", "%", "_", "heal%", "health.", "health.%", ".", "*", "'", '"', "' OR 1=1 --", "health') OR (1=1", "\x00",
    "health\x00", "\ud800", "健康", "🩺", "x" * 5_000,
)  # fmt: skip


class TestDeniedKinds:
    """Visible.denied_kinds, in every listing, search and count."""

    def test_claims_of_a_denied_kind_and_its_descendants_are_not_seen(self, stores: StoreFactory) -> None:
        """Not what merely begins alike, nor another case; without the denial all are there."""
        with _with_kinds(stores) as reading:
            assert _claims(reading, _denied()) == [*UNDER_HEALTH, *REST]
            assert _claims(reading, _denied("health")) == [*REST]
            assert _claims(reading, _denied("health.diet")) == [1, *REST]
            assert _claims(reading, _denied("health", "money")) == [each for each in REST if each != 8]

    def test_records_under_a_claim_of_a_denied_kind_are_not_seen(self, stores: StoreFactory) -> None:
        """The raw sentence tells what the claim may not. A record without claims has no kind."""
        with _with_kinds(stores, unclaimed=(10,)) as reading:
            assert _records(reading, _denied()) == [10, *reversed(REST), *reversed(UNDER_HEALTH)]
            assert _records(reading, _denied("health")) == [10, *reversed(REST)]
            assert _records(reading, _denied(*KINDS)) == [10]

    @pytest.mark.parametrize("status", list(ClaimStatus))
    def test_a_claim_hides_its_record_whatever_its_status(self, stores: StoreFactory, status: ClaimStatus) -> None:
        """One that was rejected or has ended was said all the same."""
        claims = [_claim(1, "health", status=status), _claim(2, "money", status=status)]
        with _with(stores, claims) as reading:
            assert _records(reading, _denied("health")) == [2]
            assert _found(reading, _denied("health")) == [CLAIM_AT + 2, 2]

    def test_another_claim_on_a_hidden_record_is_hidden_with_it(self, stores: StoreFactory) -> None:
        """It rests on what may not be seen; a claim on a record beside it is seen."""
        claims = [_claim(1, "health"), replace(_claim(2, "money"), evidence=(_record_id(3), _record_id(1)))]
        with _with(stores, claims, unclaimed=(2, 3)) as reading:
            assert _claims(reading, _denied("health")) == []
            assert _found(reading, _denied("health")) == [3, 2]
            assert _nearest(reading, _denied("health")) == [3, 2]
            assert _claims(reading, _denied("money")) == []
            assert _records(reading, _denied("money")) == [2]
            assert _claims(reading, _denied("note")) == [1, 2]

    def test_every_number_of_a_search_is_of_visible_rows_alone(self, stores: StoreFactory) -> None:
        """Hits, counts, how usual a word is and the visible position: byte for byte as if the rest were not there."""
        kept = [_claim(number, "money") for number in range(1, 6)]
        hidden = [_claim(number, "health.diet") for number in range(6, 6 + MANY_HIDDEN)]
        visible = _denied("health")
        answers = []
        for claims in (kept, [*kept, *hidden]):
            with _with(stores, claims) as reading:
                answers.append(
                    (
                        _search(reading, visible, limit=3),
                        _search(reading, visible),
                        reading.visible_position(visible),
                        _nearest(reading, visible, limit=4),
                        _claims(reading, visible, limit=2),
                        _records(reading, visible, limit=2),
                    )
                )
        assert answers[0] == answers[1]
        assert answers[0][1].visible_count == answers[0][2] == 10

    def test_what_is_hidden_is_counted_where_it_is_not_denied(self, stores: StoreFactory) -> None:
        """The control of the test above."""
        claims = [*(_claim(number, "money") for number in (1, 2)), _claim(3, "health")]
        with _with(stores, claims) as reading:
            assert _search(reading, ANA_SEES).visible_count == reading.visible_position(ANA_SEES) == 6
            assert _search(reading, _denied("health")).visible_count == 4
            assert _search(reading, _denied("health")).term_counts == {"bees": 4}

    def test_one_visible_row_is_near_behind_many_denied_ones(self, stores: StoreFactory) -> None:
        """The filter comes before the limit."""
        claims = [_claim(number, "health") for number in range(2, 2 + MANY_HIDDEN)]
        with _with(stores, claims, unclaimed=(1,), far=(1,)) as reading:
            assert _nearest(reading, _denied("health"), limit=3) == [1]
            assert 1 not in _nearest(reading, ANA_SEES, limit=3)

    def test_hostile_names_deny_nothing_but_themselves(self, stores: StoreFactory) -> None:
        """Any text may be denied; no text is syntax, and one that no store could hold is of no claim."""
        with _with_kinds(stores) as reading:
            for name in HOSTILE:
                assert _claims(reading, _denied(name)) == [*UNDER_HEALTH, *REST], name
            assert _records(reading, _denied(*HOSTILE)) == [*reversed(REST), *reversed(UNDER_HEALTH)]
            assert len(_found(reading, _denied(*HOSTILE))) == 2 * len(KINDS)
            assert _claims(reading, _denied(*HOSTILE, "health")) == [*REST]

    def test_a_claim_with_a_hostile_kind_is_denied_by_its_name(self, stores: StoreFactory) -> None:
        """Whole names, whatever is in them."""
        names = [name for name in HOSTILE if name != "\ud800"]
        claims = [_claim(number, name) for number, name in enumerate(names, 1)]
        with _with(stores, claims) as reading:
            for number, name in enumerate(names, 1):
                below = {other for other, each in enumerate(names, 1) if each.startswith(f"{name}.")}
                expected = [other for other in range(1, len(names) + 1) if other != number and other not in below]
                assert _claims(reading, _denied(name)) == expected, name

    def test_a_claim_that_comes_later_hides_its_record_at_once(self, stores: StoreFactory) -> None:
        """Within the transaction that puts it, and after."""
        visible = _denied("health")
        with one_tenant(stores) as tenant_store:
            tenant_store.write(lambda writing: _put(writing, [], [1], ()))
            with tenant_store.read() as reading:
                assert _found(reading, visible) == [1]
                assert reading.visible_position(visible) == 1

            def later(writing: Writing) -> list[object]:
                before = _search(writing, visible).visible_count, writing.visible_position(visible)
                writing.put_claim(_claim(1, "health"))
                after = _search(writing, visible).visible_count, writing.visible_position(visible)
                return [before, after, _records(writing, visible), _nearest(writing, visible)]

            assert tenant_store.write(later) == [(1, 1), (0, 0), [], []]
            with tenant_store.read() as reading:
                assert _found(reading, visible) == []
                assert reading.visible_position(visible) == 0


def _denied(*kinds: str) -> Visible:
    return Visible((ANA,), ANA_SEES.clearance, kinds)


def _record_id(number: int) -> RecordId:
    return RecordId(build_id(number, "record"))


def _claim(number: int, kind: str, *, status: ClaimStatus = ClaimStatus.ACTIVE) -> Claim:
    return replace(build_claim(number, kind=KindId(kind), status=status), evidence=(_record_id(number),))


@contextmanager
def _with_kinds(stores: StoreFactory, unclaimed: Sequence[int] = ()) -> Iterator[Reading]:
    claims = [_claim(number, kind) for number, kind in enumerate(KINDS, 1)]
    with _with(stores, claims, unclaimed=unclaimed) as reading:
        yield reading


@contextmanager
def _with(
    stores: StoreFactory, claims: Sequence[Claim], *, unclaimed: Sequence[int] = (), far: Sequence[int] = ()
) -> Iterator[Reading]:
    """Each claim with the record that it rests on, and some records without one; every row has a vector."""
    with one_tenant(stores) as tenant_store:
        tenant_store.write(lambda writing: _put(writing, claims, unclaimed, far))
        with tenant_store.read() as reading:
            yield reading


def _put(writing: Writing, claims: Sequence[Claim], unclaimed: Sequence[int], far: Sequence[int]) -> None:
    numbers = dict.fromkeys([*unclaimed, *(claim.position for claim in claims)])
    for number in numbers:
        writing.put_record(build_stored(number))
        writing.put_search_row(build_search_row(number), ())
    for claim in claims:
        position = CLAIM_AT + claim.position
        writing.put_claim(claim)
        row = build_search_row(position, item="claim", item_id=claim.claim_id, record_type="")
        writing.put_search_row(row, ())
    vectors = {number: WEST if number in far else EAST for number in numbers}
    vectors |= {CLAIM_AT + claim.position: EAST for claim in claims}
    put_vectors(writing, vectors)


def _claims(reading: Reading, visible: Visible, *, limit: int = 1_000) -> list[int]:
    found = reading.claims(
        visible,
        statuses=tuple(ClaimStatus),
        kinds=None,
        visibility=None,
        tier_min=Tier.UNVERIFIED,
        valid_at_us=None,
        limit=limit,
    )
    return [claim.position for claim in found]


def _records(reading: Reading, visible: Visible, *, limit: int = 1_000) -> list[int]:
    found = reading.records(visible, status=RecordStatus.ADMITTED, run_id=None, attributes=(), before=None, limit=limit)
    return [stored.position for stored in found]


def _search(reading: Reading, visible: Visible, *, limit: int = 1_000) -> SearchResult:
    return reading.search(visible, ["bees"], ANYTHING, limit=limit)


def _found(reading: Reading, visible: Visible) -> list[int]:
    return [hit.position for hit in _search(reading, visible).hits]


def _nearest(reading: Reading, visible: Visible, *, limit: int = 1_000) -> list[int]:
    return [hit.position for hit in nearest(reading, EAST, model=MODEL, visible=visible, limit=limit)]
