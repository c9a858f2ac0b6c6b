"""The store contract: what claims came from, as the port gives it and as the documented views say it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from heedful.kernel.ids import ClaimId, RecordId, RunId
from heedful.kernel.ladder import Classification, Tier
from heedful.observations.record import OWN_REFERENCE, RecordType, SourceGrade
from heedful.ports.store import StoredRecord, Writing
from heedful.testing.builders import NOON_US, build_claim, build_id, build_stored, scope_of
from heedful.testing.factory import StoreFactory, one_tenant
from heedful.testing.store_contract.beliefs import put_all

_CALLS = {
    r'{"name": "Bash", "input": {"command": "a\u0000b"}}': "Bash",
    r'{"name": "Bash", "input": "\ud83d, \ude00 and \\u0000 \ud83d\ude00"}': "Bash",
    r'{"tool": "\ud83d\ude00\\ud83d", "name": null}': "\U0001f600\\ud83d",
    r'{"name": "Ba\u0000sh"}': "unknown",
    r'{"name": "Ba\ud83dsh", "tool": "Read"}': "Read",
    '{"name": "Bash", "input": ' + "[" * 30_000 + "]" * 30_000 + "}": "unknown",
    '{"name": {"a": 1}}': "unknown",
    '{"name": ""}': "unknown",
    '{"name": "Bash"': "unknown",
    '["Bash"]': "unknown",
    "a\x00b\x01": "unknown",
}
"""What agents sent as a call -> the name of the tool."""
_ODD = "家 \u202e\U0001f600 'x' \x00"


def _record(number: int, **fields: Any) -> StoredRecord:
    return replace(build_stored(number, run_id=RunId(f"run-{number}"), **fields), recorded_at_us=NOON_US + number)


def _id(number: int) -> RecordId:
    return _record(number).record.record_id


class TestClaimSources:
    """claim_sources."""

    def test_each_sort_of_source_is_told(self, stores: StoreFactory) -> None:
        """By the record's type, then its grade; the claim's own tier at write, and when it was written."""
        told: dict[int, tuple[str, str, dict[str, Any]]] = {
            1: ("user", "run-1", {"grade": SourceGrade.USER}),
            2: ("user", "run-2", {"grade": SourceGrade.OPERATOR, "content": _ODD}),
            3: ("inference", "run-3", {"grade": SourceGrade.AGENT}),
            4: ("inference", "run-4", {"grade": SourceGrade.SUMMARY}),
            5: (
                "doc:wiki:12",
                _id(5),
                {"grade": SourceGrade.DOCUMENT, "source_ref": "wiki:12" + OWN_REFERENCE + "ana"},
            ),
            6: (
                "doc:https://x.y/z",
                _id(6),
                {"type": RecordType.DOCUMENT, "grade": SourceGrade.TOOL, "attributes": (("url", "https://x.y/z"),)},
            ),
            7: (
                "tool:Bash",
                "call-7",
                {"grade": SourceGrade.TOOL, "attributes": (("call_id", "call-7"), ("tool", "Bash"))},
            ),
            8: ("tool:unknown", _id(8), {"type": RecordType.TOOL_RESULT, "grade": SourceGrade.TOOL}),
        }
        claim = build_claim(1, evidence=tuple(map(_id, told)), tier=Tier.OPERATOR, tier_at_write=Tier.CORROBORATED)
        claim = replace(claim, known_from_us=NOON_US + 4)

        def work(writing: Writing) -> None:
            put_all(writing.put_record, [_record(number, **fields) for number, (_, _, fields) in told.items()])
            writing.put_claim(claim)

        with one_tenant(stores) as tenant_store:
            tenant_store.write(work)
            with tenant_store.read() as reading:
                found = {each.record_id: each for each in reading.claim_sources([claim.claim_id])}
        assert {_id(number): told[number][:2] for number in told} == {
            record_id: (each.source_type, each.source_id) for record_id, each in found.items()
        }
        assert {each.tier_at_write for each in found.values()} == {Tier.CORROBORATED.value}
        assert [found[_id(number)].wrote_at_us - NOON_US for number in (1, 4, 5, 8)] == [4, 4, 5, 8]

    def test_the_tool_of_an_output_is_found_by_its_call(self, stores: StoreFactory) -> None:
        """Made from the call, or of its run under its name; not of another run, nor of a stricter classification."""
        run: dict[str, Any] = {"run_id": RunId("one")}
        call: dict[str, Any] = {"type": RecordType.TOOL_CALL, "grade": SourceGrade.AGENT}
        output: dict[str, Any] = {"type": RecordType.TOOL_RESULT, "grade": SourceGrade.TOOL}
        named = (("tool_use_id", "t1"),)
        records = [
            build_stored(1, content='{"name": "Bash", "input": {}}', attributes=named, **call, **run),
            build_stored(2, attributes=named, **output, **run),
            build_stored(3, attributes=named, **output, run_id=RunId("two")),
            build_stored(4, derived_from=(_id(1),), **output),
            build_stored(5, attributes=(("tool", "Read"),), classification=Classification.RESTRICTED, **call),
            build_stored(6, derived_from=(_id(5),), **output),
        ]
        claims = [build_claim(number, evidence=(_id(number),)) for number in range(1, 7)]

        def work(writing: Writing) -> None:
            put_all(writing.put_record, records)
            put_all(writing.put_claim, claims)

        with one_tenant(stores) as tenant_store:
            tenant_store.write(work)
            with tenant_store.read() as reading:
                found = reading.claim_sources([claim.claim_id for claim in claims])
        by_claim = {claim.claim_id: set[tuple[str, str]]() for claim in claims}
        for each in found:
            by_claim[each.claim_id].add((each.source_type, each.source_id))
        assert list(by_claim.values()) == [
            {("tool:Bash", "t1")},
            {("tool:Bash", "t1")},
            {("tool:unknown", "t1")},
            {("tool:Bash", "t1")},
            {("tool:Read", _id(5))},
            {("tool:unknown", _id(6)), ("tool:Read", _id(5))},
        ]
        assert found == tuple(sorted(found))

    def test_a_call_may_say_whatever_it_likes(self, stores: StoreFactory) -> None:
        """What a database takes for no text, or can't read, costs the name alone, and never the other rows."""
        call: dict[str, Any] = {"type": RecordType.TOOL_CALL, "grade": SourceGrade.AGENT}
        records = [build_stored(number, content=content, **call) for number, content in enumerate(_CALLS, start=1)]
        claims = [build_claim(number, evidence=(_id(number),)) for number in range(1, len(records) + 1)]

        def work(writing: Writing) -> None:
            put_all(writing.put_record, records)
            put_all(writing.put_claim, claims)

        with one_tenant(stores) as tenant_store:
            tenant_store.write(work)
            with tenant_store.read() as reading:
                found = reading.claim_sources([claim.claim_id for claim in claims])
        named = {each.record_id: each.source_type for each in found}
        assert [named[each.record.record_id] for each in records] == [f"tool:{name}" for name in _CALLS.values()]

    def test_a_summary_is_followed_to_what_it_was_made_from(self, stores: StoreFactory) -> None:
        """Over several steps; what is not there ends it, and what is made in a circle too."""
        tool: dict[str, Any] = {"grade": SourceGrade.TOOL, "attributes": (("tool", "Bash"),)}
        records = [
            _record(1, derived_from=(RecordId(build_id(9, "gone")), _id(3)), **tool),
            _record(2, grade=SourceGrade.SUMMARY, derived_from=(_id(1),)),
            _record(3, grade=SourceGrade.AGENT, derived_from=(_id(2),)),
        ]
        claims = [build_claim(1, evidence=(_id(3),)), build_claim(2, evidence=(_id(3),), scope=scope_of("user:bo"))]

        def work(writing: Writing) -> None:
            put_all(writing.put_record, records)
            put_all(writing.put_claim, claims)

        with one_tenant(stores) as tenant_store:
            tenant_store.write(work)
            with tenant_store.read() as reading:
                found = reading.claim_sources([claims[0].claim_id, ClaimId("\ud800"), ClaimId("x")])
                assert reading.claim_sources([]) == ()
        assert {each.claim_id for each in found} == {claims[0].claim_id}
        assert {(each.source_type, each.record_id) for each in found} == {
            ("tool:Bash", _id(1)),
            ("inference", _id(2)),
            ("inference", _id(3)),
        }
