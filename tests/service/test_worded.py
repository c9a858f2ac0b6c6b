"""When a statement holds is read in its words: rules end, plans are plans until their time is past, events are past."""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

import pytest
from shutters import HearsShutters
from worlds import TWO_PEOPLE, World, world

from heedful.bridges.routed import NOTHING_TOLD, Told
from heedful.claims.claim import Claim
from heedful.kernel.ids import ClaimId
from heedful.kernel.times import format_time

ANA = ("user:ana",)


@pytest.fixture(name="shared", scope="module")
def shared_fixture() -> Iterator[World]:
    """One store for sentences of people who have nothing to do with each other."""
    with world() as made:
        yield made


def _kept(house: World, text: str, *, who: str = "ana", **more: object) -> Claim:
    scope = (f"user:{who}",)
    note = house.ana.remember(text, scope=scope, consent="explicit", **more).claims[0]  # type: ignore[arg-type]
    with house.app.session(principal="person:ana", adopts=False).store.read() as reading:
        claim = reading.claim(ClaimId(note.claim_id))
    assert claim is not None
    return claim


def _time(at_us: int | None) -> str | None:
    return None if at_us is None else format_time(at_us)


def _held(claim: Claim) -> tuple[str, str | None, str | None]:
    return claim.form.value, _time(claim.valid_from_us), _time(claim.valid_to_us)


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("remember: Next week I'm in Beijing", ("plan", "2026-11-30T00:00:00Z", "2026-12-07T00:00:00Z")),
        ("记住：下周在北京", ("plan", "2026-11-30T00:00:00Z", "2026-12-07T00:00:00Z")),
        ("remember: I live in Shanghai since March", ("fact", "2026-03-01T00:00:00Z", None)),
        ("记住：从三月起住在上海", ("fact", "2026-03-01T00:00:00Z", None)),
        ("remember: I am in Berlin until 2026-12-04", ("fact", None, "2026-12-05T00:00:00Z")),
        ("remember: I went to Paris last week", ("event", "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z")),
        (
            "remember: release.freeze: No deploys next week. form=constraint",
            ("constraint", "2026-11-30T00:00:00Z", "2026-12-07T00:00:00Z"),
        ),
        (
            "remember: Next week I'm in Beijing since=2026-01-01",
            ("fact", "2026-01-01T00:00:00Z", None),
        ),
        ("remember: I live in Shanghai", ("fact", None, None)),
        ("remember: I moved to Oslo last year", ("fact", None, None)),
        ("remember: Maybe next week I'm in Beijing", ("fact", None, None)),
    ],
)
def test_a_line_to_be_remembered_holds_when_its_words_say(
    shared: World, line: str, held: tuple[str, str | None, str | None]
) -> None:
    """But where it says so itself, where the words are doubtful, or what was has lasted since."""
    assert _held(_kept(shared, line, who=f"u{crc32(line.encode())}")) == held


def test_words_are_read_by_the_offset_of_the_record_or_the_zone_of_the_store() -> None:
    """Half past eleven in the evening in London is the next morning in Shanghai."""
    with world(zone="Asia/Shanghai") as house:
        line = "remember: Tomorrow I fly"
        away = _kept(house, line, occurred_at="2026-12-01T23:30:00+01:00")
        home = _kept(house, line, occurred_at="2026-12-01T22:30:00Z")
    assert _held(away)[1:] == ("2026-12-01T23:00:00Z", "2026-12-02T23:00:00Z")
    assert _held(home)[1:] == ("2026-12-02T16:00:00Z", "2026-12-03T16:00:00Z")


def test_a_plan_stands_beside_what_is_so_and_never_becomes_it() -> None:
    """It is found before and in its time, as a plan with its dates; after it, not at all."""
    with world(policy=TWO_PEOPLE.replace("[preference, fact]", "[preference, fact, plan]")) as house:
        lives = _kept(house, "remember: I live in Shanghai")
        plan = _kept(house, "remember: Next week I'm in Beijing")
        assert (lives.status, plan.status) == ("active", "active")
        planned = (True, "2026-11-30T00:00:00Z", "2026-12-07T00:00:00Z")
        both = {lives.claim_id: (False, None, None), plan.claim_id: planned}
        found = [_found(house, as_of) for as_of in ("2026-11-29", "2026-12-02", "2026-12-07")]
        assert found == [both, both, {lives.claim_id: (False, None, None)}]
        assert house.ana.verify(views=True).holds


def _found(house: World, as_of: str) -> dict[str, tuple[bool, str | None, str | None]]:
    items = house.ana.recall("Am I in Shanghai or Beijing?", scope=ANA, as_of=as_of).items
    return {
        item.item_id: ("plan" in item.flags, item.valid_from, item.valid_to) for item in items if item.item == "claim"
    }


class HearsTrips(HearsShutters):
    """Whoever speaks of a contact tells who is on call; of a warehouse, that it is out of disk; of a key, that it leaked."""

    def tell(self, text: str) -> Told:
        """By one word each."""
        for word, kind in (
            ("contact", "on-call.contact"),
            ("warehouse", "capacity.limit"),
            ("key", "credential.exposed"),
        ):
            if word in text:
                return Told(((kind, 0.9),), 0.95, 0.0, "fake")
        return NOTHING_TOLD


@pytest.mark.parametrize(
    ("text", "form", "until"),
    [
        ("Next week the contact is going to a trip.", "plan", "2026-12-07T00:00:00Z"),
        ("The warehouse is full until 2026-12-04.", "state", "2026-12-05T00:00:00Z"),
        ("Next week the warehouse gets a painting.", "state", None),
        ("The key leaked until 2026-12-04.", "state", None),
    ],
)
def test_what_is_told_unasked_takes_less_from_words(shared: World, text: str, form: str, until: str | None) -> None:
    """A stay and an end are its; a time beside a state is not, and what is of high risk never ends by a word."""
    shared.app.router = HearsTrips()
    claim = _kept(shared, text, who=f"told{len(text)}")
    days = shared.app.registry.vocabulary.kinds[claim.kind].expires_after_days
    assert days is not None
    lives = format_time(claim.known_from_us // 1_000_000 * 1_000_000 + days * 86_400_000_000)
    assert (claim.form, (_time(claim.valid_to_us) or "")[:10]) == (form, (until or lives)[:10])
