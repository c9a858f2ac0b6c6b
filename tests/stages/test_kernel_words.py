"""Ids, intervals, ladders, labels, digests, token counts and errors."""

from __future__ import annotations

import hashlib
import hmac
import uuid
from itertools import pairwise, product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from heedful.kernel import digest, errors
from heedful.kernel.ids import uuid7
from heedful.kernel.intervals import Interval
from heedful.kernel.label import Label
from heedful.kernel.ladder import Classification, Consent, Decision, Impact, Mode, highest, lower
from heedful.kernel.scope import Scope
from heedful.kernel.tokens import estimate_tokens

MILLISECONDS = st.integers(0, 2**48 - 1)
TEN_BYTES = st.binary(min_size=10, max_size=10)
ENDS = st.none() | st.integers(-20, 20)
INTERVALS = st.builds(Interval, ENDS, ENDS)
INSTANTS = range(-25, 26)


@given(MILLISECONDS, TEN_BYTES)
def test_an_id_is_a_uuid_of_version_7_that_holds_its_time(unix_ms: int, random_bytes: bytes) -> None:
    """RFC 9562: version and variant bits, the time in the first 48, lower-case text, 74 bits left to chance."""
    text = uuid7(unix_ms, random_bytes)
    parsed = uuid.UUID(text)
    assert str(parsed) == text
    assert (parsed.version, parsed.variant) == (7, uuid.RFC_4122)
    assert parsed.int >> 80 == unix_ms
    chance = int.from_bytes(random_bytes, "big")
    assert (parsed.int ^ chance) & (0xFFF << 64 | (1 << 62) - 1) == 0


@given(MILLISECONDS, MILLISECONDS, TEN_BYTES, TEN_BYTES)
def test_a_later_id_sorts_after_an_earlier_one(first: int, second: int, left: bytes, right: bytes) -> None:
    """Text order is time order between milliseconds, whatever the random part."""
    assume(first != second)
    assert (uuid7(first, left) < uuid7(second, right)) == (first < second)


@given(INTERVALS, INTERVALS)
def test_overlap_means_a_shared_instant(left: Interval, right: Interval) -> None:
    """Half-open ends, open sides, and intervals without an instant, all checked against a walk over instants."""
    shared = any(left.contains(at_us) and right.contains(at_us) for at_us in INSTANTS)
    assert left.overlaps(right) == right.overlaps(left) == shared


@given(INTERVALS)
def test_an_empty_interval_contains_and_overlaps_nothing(interval: Interval) -> None:
    """`[5, 5)` and `[7, 3)` hold no instant; not even their own."""
    assert interval.is_empty == (not any(map(interval.contains, INSTANTS)))
    assert interval.overlaps(Interval(None, None)) == (not interval.is_empty)


def test_the_start_is_in_an_interval_and_the_end_is_not() -> None:
    """Neighbours that meet do not overlap."""
    interval = Interval(10, 20)
    assert [interval.contains(at_us) for at_us in (9, 10, 19, 20)] == [False, True, True, False]
    assert not interval.overlaps(Interval(20, 30))


@pytest.mark.parametrize(
    "members",
    [
        [Decision.ALLOW, Decision.NOTICE, Decision.ASK, Decision.REVIEW, Decision.DENY],
        [Mode.OFF, Mode.SHADOW, Mode.ADVISE, Mode.ENFORCE],
        [Classification.NORMAL, Classification.SENSITIVE, Classification.RESTRICTED],
        [Impact.READ, Impact.PROPOSE, Impact.EXECUTE],
    ],
    ids=["decision", "mode", "classification", "impact"],
)
def test_a_ladder_is_ordered_by_place_and_not_by_its_text(members: list[Decision]) -> None:
    """Every comparison agrees with the design's order: `deny` stands above `notice` though `d` comes before `n`."""
    assert members == list(type(members[0]))
    for left, right in product(members, members):
        places = members.index(left), members.index(right)
        assert (left < right) == (places[0] < places[1])
        assert (left <= right) == (places[0] <= places[1])
        assert (left > right) == (places[0] > places[1])
        assert (left >= right) == left.at_least(right) == (places[0] >= places[1])
    assert max(reversed(members)) is members[-1]


def test_the_strictest_decision_holds_and_none_allows() -> None:
    """Decisions are joined by the highest, modes by the lower."""
    assert highest([]) is Decision.ALLOW
    assert highest([Decision.NOTICE, Decision.DENY, Decision.ASK]) is Decision.DENY
    for left, right in product(Mode, Mode):
        assert lower(left, right) is min(left, right) is lower(right, left)


SCOPES = (Scope(()), Scope(("team:sre",)), Scope(("project:p", "team:sre")))
LABELS = st.builds(
    Label, st.sampled_from(SCOPES), st.just("k"), st.sampled_from(Classification), st.sampled_from(Consent)
)


@given(LABELS, LABELS, LABELS)
def test_dominance_is_an_order_and_a_denial_stands_outside(one: Label, two: Label, three: Label) -> None:
    """Reflexive and transitive without denials; no label dominates a denied one, nor does that dominate any."""
    assert one.dominates(one) == (one.consent is not Consent.DENIED)
    assert not (one.dominates(two) and two.dominates(three)) or one.dominates(three)
    if Consent.DENIED in (one.consent, two.consent):
        assert not one.dominates(two)


def test_a_narrower_scope_and_a_higher_classification_dominate() -> None:
    """And neither a wider scope nor a lower classification does."""
    for wide, narrow in pairwise(SCOPES):
        outer = Label(wide, "k", Classification.SENSITIVE, Consent.IMPLICIT)
        inner = Label(narrow, "k", Classification.SENSITIVE, Consent.EXPLICIT)
        assert inner.dominates(outer)
        assert not outer.dominates(inner)
    low = Label(SCOPES[0], "k", Classification.NORMAL, Consent.IMPLICIT)
    high = Label(SCOPES[0], "k", Classification.RESTRICTED, Consent.IMPLICIT)
    assert high.dominates(low)
    assert not low.dominates(high)


@given(st.binary(), st.binary(min_size=32, max_size=32))
def test_digests_are_what_the_standards_say(content: bytes, salt: bytes) -> None:
    """SHA-256, the RFC 9162 leaf hash, HMAC-SHA-256; all as lower-case hex."""
    assert digest.sha256_hex(content) == hashlib.sha256(content).hexdigest()
    assert digest.leaf_digest(content) == hashlib.sha256(b"\x00" + content).hexdigest()
    assert digest.payload_digest(salt, content) == hmac.new(salt, content, hashlib.sha256).hexdigest()
    assert digest.keyed_name(salt, content) == hmac.new(salt, content, hashlib.sha256).hexdigest()


@given(st.text())
def test_a_token_count_is_a_quarter_of_the_bytes_rounded_up(text: str) -> None:
    """Also where the text holds half of a surrogate pair."""
    size = len(text.encode("utf-8", "surrogatepass"))
    assert estimate_tokens(text) * 4 - 3 <= size <= estimate_tokens(text) * 4 or size == 0 == estimate_tokens(text)


def test_every_failure_has_one_shape_and_a_category_of_its_own() -> None:
    """Eight categories, no two alike; the text of an error is its safe message."""
    classes = errors.HeedfulError.__subclasses__()
    assert len({error_class.category for error_class in classes}) == len(classes) == 8
    error = errors.BusyError("store_busy", "busy", next_step="wait", details={"seconds": 3})
    assert str(error) == "busy"
    assert error.to_dict() == {
        "error": {
            "category": "busy",
            "code": "store_busy",
            "message": "busy",
            "next_step": "wait",
            "details": {"seconds": 3},
        }
    }
