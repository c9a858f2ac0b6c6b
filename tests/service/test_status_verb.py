"""Status: what a store holds, for those who may know how much there is."""

from __future__ import annotations

from worlds import FREEZE, World, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here


def test_layers_are_counted_for_auditors_alone(house: World) -> None:
    """The session that was last heard of is context; what ended is in no layer; a count would tell of hidden things."""
    ana = house.ana
    for number in range(3):
        ana.remember(f"build {number} is green", record_type="observation", run_id="r1" if number else "r0")
    assert ana.status().layers == {"context": 2, "working": 0, "episodic": 1, "semantic": 0, "procedural": 0}

    rejected = ana.remember("frozen", kind=FREEZE).claims[0].claim_id
    ana.reject(rejected)
    ana.remember("frozen", kind=FREEZE)
    ana.remember("Totals are rounded per line.", kind="note")
    ana.remember("Totals are rounded per line.", kind="note", scope=["project:payments", "task:42"])

    expected = {"context": 0, "working": 1, "episodic": 7, "semantic": 1, "procedural": 1}
    assert house.memory("person:aud").status().layers == expected
    assert house.dan.status().layers == {}
