"""In which layer an old value became what an answer states: each layer beside an answer that is right."""

from __future__ import annotations

from households import ADDRESS, COMMUTE, HOME, HOME_ADDRESS, home_fixture, says  # noqa: F401
from worlds import World, code_of

WHERE = "Where do I live?"
WRONG = "You live in Shanghai. Shall I book a table there?"


def test_an_answer_that_does_not_heed_a_right_packet_used_it_wrongly(home: World) -> None:
    """With the sentence, the value that holds, and the records of both; `cite` reports the sentence."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    new = home.ana.correct(old, "Berlin", since="2026-11-01", reason="I moved")
    packet = home.ana.recall(WHERE, scope=HOME)
    (ghost,) = home.ana.diagnose(packet.packet_id, answer=WRONG, scope=HOME).ghosts

    assert (ghost.layer, ghost.stated, ghost.current) == ("used", "Shanghai", "Berlin")
    assert (ghost.claim_id, ghost.other_id, ghost.sentence) == (old, new.correction_id, "You live in Shanghai.")
    (stale,) = home.ana.cite(WRONG, packet).stale
    assert (stale.value, stale.current, stale.sentence) == ("Shanghai", "Berlin", "You live in Shanghai.")


def test_answers_that_are_right_have_no_ghost(home: World) -> None:
    """The value that holds; the old one as history; both in one sentence."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    home.ana.correct(old, "Berlin", since="2026-11-01", reason="I moved")
    packet = home.ana.recall(WHERE, scope=HOME)
    for answer in ("You live in Berlin.", "You used to live in Shanghai.", "From Shanghai you went to Berlin."):
        assert home.ana.diagnose(packet.packet_id, answer=answer, scope=HOME).ghosts == ()
        assert home.ana.cite(answer, packet).is_clean


def test_a_packet_of_before_the_change_served_the_old_value(home: World) -> None:
    """Retrieved: the store knows better by now, and the packet names the old value as current."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    packet = home.ana.recall(WHERE, scope=HOME)
    home.ana.correct(old, "Berlin", since="2026-11-01", reason="I moved")
    (ghost,) = home.ana.diagnose(packet.packet_id, answer=WRONG, scope=HOME).ghosts
    assert (ghost.layer, ghost.current) == ("retrieved", "Berlin")


def test_a_store_that_holds_the_old_value_while_a_later_word_waits_is_where_it_arose(home: World) -> None:
    """Stored: or where the caller says what really holds; without either there is no ghost."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    assert home.ana.diagnose(WHERE, answer=WRONG, scope=HOME).ghosts == ()
    (ghost,) = home.ana.diagnose(WHERE, answer=WRONG, current="Berlin", scope=HOME).ghosts
    assert (ghost.layer, ghost.current, ghost.other_id) == ("stored", "Berlin", None)

    waits = home.ana.remember("I live in Berlin.", kind=ADDRESS, value="Berlin", subject="user:ana", scope=HOME)
    (ghost,) = home.ana.diagnose(WHERE, answer=WRONG, scope=HOME).ghosts
    assert (ghost.layer, ghost.claim_id, ghost.other_id) == ("stored", old, waits.claims[0].claim_id)


def test_what_is_out_of_date_and_is_stated_all_the_same_was_used_wrongly(home: World) -> None:
    """Nothing tells what holds."""
    address = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    says(home.ana, "It takes me 40 minutes to work.", COMMUTE, 40, rests_on=[address])
    home.ana.correct(address, "Berlin", since="2026-11-01", reason="I moved")
    packet = home.ana.recall("How many minutes does it take me to work?", scope=HOME)
    (ghost,) = home.ana.diagnose(packet.packet_id, answer="40 minutes.", scope=HOME).ghosts
    assert (ghost.layer, ghost.stated, ghost.current) == ("used", "40", None)


def test_a_packet_of_somebody_else_is_not_there(home: World) -> None:
    """But for an auditor."""
    says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    packet = home.memory("person:eve").recall(WHERE, scope=HOME)
    assert code_of(lambda: home.bob.diagnose(packet.packet_id, answer=WRONG, scope=HOME)) == "item_not_found"
    nowhere = "01981f6e-0000-7000-8000-000000000000"
    assert code_of(lambda: home.bob.diagnose(nowhere, answer=WRONG, scope=HOME)) == "item_not_found"
    assert home.ana.diagnose(packet.packet_id, answer=WRONG, scope=HOME).packet_id == packet.packet_id
