"""When claims are weighed: as they are kept, in batches, as they are approved; with what authority; and refolded."""

from __future__ import annotations

from typing import Any

from believers import (  # noqa: F401  # pytest finds the fixtures here
    ANA_IS,
    CITY,
    PAYMENTS,
    PETS,
    TEAM,
    active,
    claim,
    conflicts,
    dan_fixture,
    eve_fixture,
    home_fixture,
    own_fixture,
    rulings,
    says,
)
from worlds import World

from heedful.service.keeping.remember_many import RememberItem
from heedful.service.project import refold


def test_an_operators_note_made_from_a_page_has_the_authority_of_the_page(home: World) -> None:
    """A claim's authority is at most the least of what it came from; the twin, from nothing, has the operator's."""
    own = home.memory("person:own")
    page = own.remember("The page says Beijing.", scope=PAYMENTS, grade="document").record_id
    derived = says(own, "Beijing", grade="operator", derived_from=[page])
    stated = says(own, "Beijing", grade="operator", subject="service:other")

    assert claim(home, derived).tier == 1
    assert claim(home, stated).tier == 3


def test_a_batch_is_weighed_as_one_after_another(home: World) -> None:
    """Also what came just before in the same batch; and several statements of one message."""
    dan = home.memory("person:dan")
    item: RememberItem = {"kind": CITY, "scope": PAYMENTS, "subject": TEAM, "consent": "explicit"}
    dan.remember_many(
        [
            {"content": f"it is {city}", "value": city, "since": since, **item}
            for city, since in (("Shanghai", "2026-01-01"), ("Beijing", "2026-02-01"), ("Canton", "2026-03-01"))
        ]
    )
    assert active(home) == ["Canton"]

    dan.remember(
        "remember: home.city: here subject=service:x value=Lima since=2026-01-01\n"
        "remember: home.city: there subject=service:x value=Oslo since=2026-02-01",
        scope=PAYMENTS,
        consent="explicit",
    )
    assert active(home, "service:x") == ["Oslo"]


def test_what_a_reviewer_approves_is_weighed_then(home: World, dan: Any) -> None:
    """Until then it contradicts nobody; out of quarantine it is weighed again."""
    held = dan("Shanghai", since="2026-01-01")
    kept = home.memory("person:dan").remember(
        "it is Beijing", kind=CITY, value="Beijing", scope=PAYMENTS, subject=TEAM, since="2026-02-01"
    )
    proposed = kept.claims[0].claim_id
    assert rulings(home) == []

    home.bob.approve(proposed)
    assert claim(home, held).status == "superseded"
    assert active(home) == ["Beijing"]

    home.bob.reject(kept.record_id)
    dan("Canton", since="2026-03-01")
    home.bob.approve(kept.record_id)
    home.bob.approve(proposed)
    assert active(home) == ["Canton"]
    assert rulings(home)[-1][0] == "late-arrival"


def test_refolding_gives_the_same_bytes(home: World, dan: Any, eve: Any, own: Any) -> None:
    """Every change is an event."""
    dan("Shanghai")
    eve("Beijing")
    eve("shanghai")
    dan("Lima", since="2026-01-01", until="2026-02-01")
    own("Oslo")
    own("Bern")
    before = home.views()

    session = home.app.session(principal="person:ana")
    session.store.write(lambda writing: refold(writing, session.text_of, progress=lambda _position: None))

    assert home.views() == before


def test_a_correction_of_a_stretch_that_is_over_is_weighed_like_any_other(home: World) -> None:
    """It asks over a pinned claim of that time; the twin, over none, is history at once."""
    told = {"subject": "user:ana", "scope": ANA_IS, "since": "2025-01-01"}
    pinned = says(home.memory("person:dan"), "Rome", **told)
    home.ana.confirm(pinned, reason="I did live there")
    own = says(home.ana, "Beijing", **told)
    alone = says(home.ana, "Beijing", **told | {"property_name": "second home"})
    home.ana.pin(pinned, reason="keep it")

    stretch = {"since": "2025-02-01", "until": "2025-03-01", "reason": "a month away"}
    asked = home.ana.correct(own, "Suzhou", **stretch).correction_id
    past = home.ana.correct(alone, "Suzhou", **stretch).correction_id

    assert asked is not None
    assert past is not None
    assert (claim(home, asked).status, claim(home, past).status) == ("policy-reviewed", "superseded")
    assert rulings(home)[-1] == ("pinned", "ask", None)


def test_a_question_about_a_claim_stays_while_a_correction_leaves_something_of_it(home: World) -> None:
    """The twin, corrected wholly, has ended, and nobody has to answer."""
    told = {"subject": "user:ana", "scope": ANA_IS, "since": "2025-01-01"}
    stays = says(home.ana, "Beijing", **told)
    ends = says(home.ana, "Beijing", **told | {"property_name": "second home"})
    for each in (stays, ends):
        home.ana.pin(each, reason="keep it")
    says(home.memory("person:dan"), "Rome", **told)
    says(home.memory("person:dan"), "Rome", **told | {"property_name": "second home"})

    home.ana.correct(stays, "Suzhou", until="2025-03-01", reason="away at first")
    home.ana.correct(ends, "Suzhou", reason="never there")

    assert rulings(home)[:2] == [("pinned", "ask", None), ("pinned", "ask", "b_wins")]
