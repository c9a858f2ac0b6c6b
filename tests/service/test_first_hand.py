"""What people say of themselves is of one property: the same said twice, otherwise, or denied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from worlds import World, house_fixture  # noqa: F401  # pytest finds the fixture here

from heedful import Memory
from heedful.claims.claim import Claim
from heedful.kernel.ids import ClaimId
from heedful.service.keeping.remember import Remembered

ANA = ("user:ana",)


def _say(memory: Memory, text: str, **more: Any) -> Remembered:
    return memory.remember(text, **{"scope": ANA, **more})


def _claims(house: World, kept: Remembered) -> list[Claim]:
    with house.app.session(principal="person:ana", adopts=False).store.read() as reading:
        found = [reading.claim(ClaimId(note.claim_id)) for note in (*kept.claims, *kept.ended)]
    return [claim for claim in found if claim is not None]


def test_a_sentence_of_oneself_has_a_property_and_a_value(house: World) -> None:
    """In a line to be remembered, of a person's scope; a time in it is no part of the value."""
    (likes,) = _claims(house, _say(house.ana, "remember: I like Vim"))
    (home,) = _claims(house, _say(house.ana, "记住：我从三月起住在上海"))
    assert (likes.kind, likes.subject, likes.property, likes.value, likes.form) == (
        "said.attitude", "user:ana", "attitude: vim", "likes", "preference",
    )  # fmt: skip
    assert (home.property, home.value, home.valid_from_us is not None) == ("home", "上海", True)


def test_control_what_is_no_such_sentence_stays_a_note(house: World) -> None:
    """In a project nobody is "I"; and what says more is left whole."""
    for line, scope in (("remember: I like Vim", ["project:payments"]), ("remember: I like Vim, but not here", ANA)):
        (note,) = _claims(house, _say(house.ana, line, scope=scope))
        assert (note.kind, note.value) == ("note", True)


def test_a_plain_sentence_changes_only_what_is_held(house: World) -> None:
    """Nothing is kept of it where nothing was; what nobody approved ends, and stands again with the words withdrawn."""
    assert _say(house.ana, "I like Vim.").claims == ()
    (likes,) = _claims(house, _say(house.ana, "remember: I like Vim"))
    over = _say(house.ana, "I no longer like Vim.")
    denial, ended = _claims(house, over)
    assert (denial.value, denial.status) == ("no longer likes", "evidence-verified")
    assert (ended.claim_id, ended.status) == (likes.claim_id, "superseded")
    assert house.ana.reject(over.record_id).standing_again == (likes.claim_id,)
    assert [each.status for each in _claims(house, over)] == ["quarantined", "evidence-verified"]
    assert house.ana.verify(views=True).holds


@pytest.mark.parametrize(
    ("before", "after"),
    [("I like Vim", "I no longer like Vim"), ("I live in Turin", "I live in Milan"), ("我住在上海", "我住在北京")],
)
def test_a_plain_sentence_that_is_approved_is_weighed(tmp_path: Path, before: str, after: str) -> None:
    """A read of then finds what held then, and nothing of what was said later; `conflicts` has both and the rule."""
    with Memory.init(tmp_path, scope=ANA, principal="person:ana") as ana:
        for text, day in ((f"remember: {before}", "2026-11-01"), (after, "2026-11-20")):
            ana.approve(_say(ana, text, occurred_at=f"{day}T09:00:00Z").claims[0].claim_id)
        held = [
            [item.text for item in ana.recall(f"{before} {after}", as_of=day).items if item.item == "claim"]
            for day in ("2026-11-10", "2026-11-21")
        ]
        (conflict,) = ana.conflicts().conflicts
    assert held == [[before], [after]]
    assert (conflict.because, conflict.resolution) == ("later-word", "b_wins")


def test_a_denial_of_what_is_not_held_is_no_claim(house: World) -> None:
    """Who lives in Milan and says that they no longer live in Turin still lives in Milan."""
    _say(house.ana, "remember: I live in Milan")
    assert _say(house.ana, "remember: I no longer live in Turin").claims == ()
    assert _say(house.ana, "我不再喜欢咖啡").claims == ()
    over = _say(house.ana, "remember: I no longer live in Milan")
    assert [note.status for note in over.ended] == ["superseded"]


def test_the_words_of_another_speaker_end_nothing(house: World) -> None:
    """Two people of one scope: what Bob says of it is his word, not an end of Ana's."""
    scope = ["user:ana"]
    house.use(house.policy.replace('grants: ["project:*", "environment:*"]', 'grants: ["*"]'))
    _say(house.ana, "remember: I like Vim", scope=scope)
    assert _say(house.bob, "I no longer like Vim", scope=scope).ended == ()
    assert len(_say(house.ana, "I no longer like Vim", scope=scope).ended) == 1


def test_what_somebody_approved_waits_for_somebody_again(house: World) -> None:
    """A plain sentence asks to replace it; until then it stands."""
    (likes,) = _claims(house, _say(house.ana, "remember: I like Vim", consent="explicit"))
    assert likes.status == "active"
    over = _say(house.ana, "I no longer like Vim")
    assert ([note.status for note in over.claims], over.ended) == (["evidence-verified"], ())
    house.use(house.policy.replace("solo: false", "solo: true"))
    house.ana.approve(over.claims[0].claim_id)
    assert [each.status for each in _claims(house, over)] == ["active"]
    with house.app.session(principal="person:ana", adopts=False).store.read() as reading:
        before = reading.claim(ClaimId(likes.claim_id))
    assert before is not None
    assert before.status == "superseded"
    assert house.ana.verify(views=True).holds


def test_a_fact_about_somebody_else_touches_only_them(house: World) -> None:
    """Where a sister lives is no news of where Ana does."""
    (home,) = _claims(house, _say(house.ana, "remember: I live in Milan"))
    for text in (
        "My sister moved to Berlin.",
        "My sister lives in Berlin.",
        "remember: My sister lives in Berlin",
        "我妹妹住在柏林",
    ):
        assert _say(house.ana, text).ended == ()
    with house.app.session(principal="person:ana", adopts=False).store.read() as reading:
        still = reading.claim(ClaimId(home.claim_id))
    assert still == home


def test_words_that_one_may_not_see_end_nothing_that_one_sees(house: World) -> None:
    """Ana's words carry something that Dan is denied, so they are hidden from him, and so is what they would end."""
    policy = house.policy.replace(
        '"person:dan": {roles: [], clearance: normal, grants: ["project:payments"]}',
        '"person:dan": {roles: [], clearance: normal, grants: ["user:*"], denied_kinds: [release.freeze]}',
    )
    house.use(policy)
    _say(house.ana, "remember: I like Vim")
    both = "remember: I no longer like Vim\nremember: release.freeze: Nothing ships."
    assert _say(house.ana, both).ended == ()
    assert len(_say(house.ana, "remember: I no longer like Vim").ended) == 1
