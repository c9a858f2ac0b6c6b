"""An old value, the new one and the change between them are three things; what is out of date is said to be."""

from __future__ import annotations

from households import ADDRESS, COMMUTE, HOME, HOME_ADDRESS, claim_of, home_fixture, says  # noqa: F401
from worlds import World

from heedful.evidence.packet import Packet, PacketItem
from heedful.evidence.render import render_json, render_prompt, render_text

COMMUTING = "It takes me 40 minutes to work."
WHERE = "Where do I live?"
HOW_LONG = "How many minutes does it take me to work?"


def moved(home: World) -> tuple[str, str]:
    """The ids of the old address and of the new one."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    done = home.ana.correct(old, "Berlin", since="2026-11-01", reason="I moved")
    assert done.correction_id is not None
    return old, done.correction_id


def item_of(packet: Packet, item_id: str) -> PacketItem:
    """The packet's item of that id."""
    return next(item for item in packet.items if item.item_id == item_id)


def test_the_new_value_comes_with_the_change_from_the_old_one(home: World) -> None:
    """In JSON, in a prompt and for a person: old, new, since when, by which record."""
    old, new = moved(home)
    packet = home.ana.recall(WHERE, scope=HOME)
    item = item_of(packet, new)
    change = item.change
    assert change is not None
    record_id = claim_of(home.ana, new).evidence[0]
    assert (item.currency, change.how, change.old_value, change.new_value) == (
        "current",
        "changed",
        "Shanghai",
        "Berlin",
    )
    assert (change.at, change.record_id, change.old_claim_id) == ("2026-11-01T00:00:00Z", record_id, old)
    line = "changed: home.address of user:ana was Shanghai and is Berlin from 2026-11-01T00:00:00Z, by record"
    assert line in render_prompt(packet)
    assert line in "\n".join(render_text(packet))
    told = next(each for each in render_json(packet)["items"] if each["item_id"] == new)
    assert told["change"]["old_value"] == "Shanghai"


def test_the_record_of_the_old_value_is_marked_as_history(home: World) -> None:
    """Words that were true once are found by words; they are never told as what holds."""
    old, _ = moved(home)
    packet = home.ana.recall(WHERE, scope=HOME)
    record = item_of(packet, claim_of(home.ana, old).evidence[0])
    assert (record.currency, "historical" in record.flags) == ("historical", True)


def test_a_value_that_never_was_so_is_told_as_corrected(home: World) -> None:
    """There was no change in the world."""
    old = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    done = home.ana.correct(old, "Suzhou", reason="I mistyped it")
    change = item_of(home.ana.recall(WHERE, scope=HOME), done.correction_id or "").change
    assert change is not None
    assert (change.how, change.old_value, change.new_value) == ("corrected", "Shanghai", "Suzhou")


def test_what_held_at_an_earlier_instant_is_told_as_history(home: World) -> None:
    """And today's value is not there."""
    old, new = moved(home)
    packet = home.ana.recall(WHERE, scope=HOME, as_of="2026-05-01")
    assert item_of(packet, old).currency == "historical"
    assert new not in [item.item_id for item in packet.items]


def test_asked_what_rested_on_the_old_value_the_packet_says_that_it_is_out_of_date(home: World) -> None:
    """Absence is answered: what it rested on, and that nothing tells what holds; its words are never told as current."""
    address = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    commute = says(home.ana, COMMUTING, COMMUTE, 40, rests_on=[address])
    before = home.ana.recall(HOW_LONG, scope=HOME)
    assert (before.sufficiency.value, item_of(before, commute).currency) == ("sufficient", "current")

    home.ana.correct(address, "Berlin", since="2026-11-01", reason="I moved")
    packet = home.ana.recall(HOW_LONG, scope=HOME)
    item = item_of(packet, commute)
    assert (packet.sufficiency.value, item.currency, item.role) == ("stale", "changing", "data")
    assert item.change is not None
    assert (item.change.how, item.change.property, item.change.old_value, item.change.new_value) == (
        "ground",
        "home.address",
        "Shanghai",
        "Berlin",
    )
    assert any("what was known is out of date" in sentence for sentence in packet.advice)
    assert claim_of(home.ana, commute).evidence[0] not in [each.item_id for each in packet.items]
    prompt = render_prompt(packet)
    assert "out of date: it rests on home.address of user:ana" in prompt
    assert "valid until changed" not in prompt


def test_who_does_not_see_what_it_rests_on_is_told_that_it_ended_and_no_more(home: World) -> None:
    """Policy denies Cat addresses since; neither the id nor the value is in what she is handed."""
    address = says(home.ana, HOME_ADDRESS, ADDRESS, "Shanghai", since="2026-01-01")
    commute = says(home.ana, COMMUTING, COMMUTE, 40, rests_on=[address])
    home.use(
        home.policy.replace("denied_kinds: [home.address, home.commute, home.parking]", "denied_kinds: [home.address]")
    )
    done = home.ana.correct(address, "Berlin", since="2026-11-01", reason="I moved")
    packet = home.memory("person:cat").recall(HOW_LONG, scope=HOME)
    told = item_of(packet, commute)
    assert told.change is not None
    assert (told.currency, told.change.how, told.change.property, told.change.old_value) == (
        "changing",
        "ground",
        "",
        None,
    )
    shown = repr(render_json(packet)) + repr(home.memory("person:cat").why(commute))
    for hidden in (address, done.correction_id or "", "Shanghai", "Berlin"):
        assert hidden not in shown


def test_a_recall_asks_one_statement_more_where_something_can_have_changed(home: World) -> None:
    """And none where no such claim was found."""
    home.ana.remember("I drink tea.", scope=HOME)
    assert statements_of(home, "tea") == 0
    moved(home)
    assert statements_of(home, WHERE) == 1


def statements_of(home: World, question: str) -> int:
    """How many times a recall looks for what is beside its claims."""
    from heedful.adapters.storage.sqlite.claims import ClaimReading  # noqa: PLC0415

    looked: list[object] = []
    real = ClaimReading.claims_beside

    def counted(self: ClaimReading, *given: object, **more: object) -> object:
        looked.append(given)
        return real(self, *given, **more)  # type: ignore[arg-type]

    ClaimReading.claims_beside = counted  # type: ignore[assignment,method-assign]
    try:
        home.ana.recall(question, scope=HOME)
    finally:
        ClaimReading.claims_beside = real  # type: ignore[method-assign]
    return len(looked)
