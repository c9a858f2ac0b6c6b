"""Any damage to a transcript: never a fault, every line accounted for, nothing promoted."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transcripts import agent, answer, as_lines, call, read_lines, row, text, unaccounted, user

import heedful
from heedful.observations.record import SourceGrade

SAMPLE = tuple((Path(heedful.__file__).parent / "samples" / "release_run.jsonl").read_bytes().splitlines())
VALID = SAMPLE + as_lines(
    [
        agent("p1", None, 50, text("par"), message_id="mp"),
        agent("p2", "p1", 51, text("partial"), message_id="mp"),
        user("p3", "p2", 52, "x <system-reminder>y</system-reminder> z"),
        user(
            "p4", "p3", 53, [answer("t9", [text("a"), {"type": "image", "source": {"type": "base64", "data": "AAAA"}}])]
        ),
        row(
            "attachment",
            "p5",
            "p4",
            54,
            attachment={"type": "queued_command", "commandMode": "prompt", "prompt": "and"},
        ),
        agent("p6", "p5", 55, call("t8", "Read", file_path="/x"), isSidechain=True),
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ["uuid", "parentUuid", "sessionId", "timestamp", "message", "type", "isSidechain", "agentId", "toolUseResult"]
MORE_FIELDS = ["leafUuid", "logicalParentUuid", "forkedFrom", "attachment", "origin", "content", "summary", "cwd"]
INNER = ["content", "id", "role", "usage", "model"]


@st.composite
def damaged(draw: st.DrawFn) -> tuple[bytes, ...]:
    """Lines of a valid transcript: some dropped, repeated, cut, replaced, with fields replaced, and shuffled."""
    lines = draw(st.lists(st.sampled_from(VALID), min_size=1, max_size=25))
    found = [draw(one_damaged(line)) for line in lines]
    return tuple(draw(st.permutations(found)))


@st.composite
def one_damaged(draw: st.DrawFn, line: bytes) -> bytes:
    sort = draw(st.sampled_from(["whole", "whole", "cut", "bytes", "json", "field", "inner", "block"]))
    if sort == "cut":
        return line[: draw(st.integers(0, len(line)))].replace(b"\n", b"")
    if sort == "bytes":
        return draw(st.binary(max_size=60)).replace(b"\n", b"")
    if sort == "json":
        return json.dumps(draw(JSON)).encode()
    if sort == "whole":
        return line
    parsed = json.loads(line)
    value = draw(JSON | st.sampled_from([json.loads(other).get("uuid") for other in VALID]))
    message = parsed.get("message")
    if sort == "inner" and isinstance(message, dict):
        message[draw(st.sampled_from(INNER))] = value
    elif sort == "block" and isinstance(message, dict) and isinstance(message["content"], list):
        block = message["content"][0]
        block[draw(st.sampled_from(sorted(block)))] = value
    else:
        parsed[draw(st.sampled_from(FIELDS + MORE_FIELDS))] = value
    return json.dumps(parsed).encode()


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(damaged())
def test_damage_never_raises_and_every_line_is_accounted_for(lines: tuple[bytes, ...]) -> None:
    """By an item, a problem, or an item of the same API message; refs and places are unique."""
    result = read_lines(lines)
    assert unaccounted(lines, result) == []
    assert not [ref for ref, count in Counter(item.source_ref for item in result.items).items() if count > 1]
    assert not [at for at, count in Counter((i.run_id, i.sequence) for i in result.items).items() if count > 1]
    assert not {SourceGrade.SYSTEM, SourceGrade.OPERATOR} & {item.grade for item in result.items}
    assert read_lines(lines) == result


@settings(max_examples=60, deadline=None)
@given(st.permutations(VALID))
def test_order_of_the_file_changes_no_place_of_a_row_with_an_id(lines: list[bytes]) -> None:
    """Runs, flags and the order inside each run are the tree's."""
    assert _order(tuple(lines)) == _order(VALID)


def _order(lines: tuple[bytes, ...]) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """By run, refs in sequence; rows without an id and texts that grew over rows depend on the file's order."""
    runs: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for item in sorted(read_lines(lines).items, key=lambda item: item.sequence):
        if ":row:" not in item.source_ref and ":p1:" not in item.source_ref:
            runs.setdefault(item.run_id, []).append((item.source_ref, item.flags))
    return runs


@settings(max_examples=200, deadline=None)
@given(st.text(), st.text())
def test_a_persons_words_arrive_whole_around_a_reminder(before: str, after: str) -> None:
    """Whatever the text, the spans together are the text."""
    whole = f"{before}<system-reminder>x</system-reminder>{after}"
    result = read_lines(as_lines([user("u1", None, 1, whole)]))
    assert b"".join(item.content for item in result.items).decode() == whole
