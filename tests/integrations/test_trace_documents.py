"""Every format: told from the others, never fatal, whatever becomes of a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from documents import every_trace, read_trace, require_in_order, source_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transcripts import Imported

from heedful.integrations.importers.detect import FileTraceSource, detect
from heedful.integrations.importers.document import DocumentImporter
from heedful.integrations.importers.known import DOCUMENT_FORMATS, LINE_FORMATS
from heedful.observations.record import SourceGrade
from heedful.ports.importer import ImportedItem, ImportProblem

TRACES = every_trace()
IMPORTERS = {each.name: each for each in (*LINE_FORMATS, *(DocumentImporter(found) for found in DOCUMENT_FORMATS))}
CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "traces"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
QUICKLY = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def read_with(name: str, content: bytes) -> Imported:
    """What this importer makes of the content, recognised or not."""
    found = list(IMPORTERS[name].read(source_of(content)))
    items = [each for each in found if isinstance(each, ImportedItem)]
    return Imported(items, [each for each in found if isinstance(each, ImportProblem)])


@pytest.mark.parametrize("name", sorted(TRACES))
def test_a_trace_is_recognised_by_one_importer_and_reads_alike_twice(name: str) -> None:
    """Whatever the order in which formats are tried."""
    source = source_of(TRACES[name])
    recognising = [found for found, each in IMPORTERS.items() if each.recognises(tuple(source.lines()))]
    assert recognising == [name]
    once = read_trace(TRACES[name], of=name)
    assert once == read_trace(TRACES[name], of=name)
    assert once.problems == []
    require_in_order(once)


@QUICKLY
@given(st.sampled_from(sorted(TRACES)), st.data())
def test_a_trace_that_is_cut_never_raises(name: str, data: st.DataObject) -> None:
    """At any byte."""
    content = TRACES[name]
    found = read_with(name, content[: data.draw(st.integers(0, len(content)))])
    require_in_order(found)


@QUICKLY
@given(st.sampled_from(sorted(TRACES)), st.data())
def test_bytes_that_changed_never_raise(name: str, data: st.DataObject) -> None:
    """Anything, anywhere; a person's words do not become more."""
    content = TRACES[name]
    at = data.draw(st.integers(0, len(content)))
    found = read_with(
        name, content[:at] + data.draw(st.binary(max_size=12)) + content[at + data.draw(st.integers(0, 9)) :]
    )
    require_in_order(found)


@settings(QUICKLY, max_examples=400)
@given(st.sampled_from(sorted(set(TRACES) - {"webarena"})), st.data())
def test_values_that_changed_never_raise_and_lose_no_row(name: str, data: st.DataObject) -> None:
    """A value of another type in the place of any; the rest of the trace is read."""
    lines = TRACES[name].split(b"\n")
    line = data.draw(st.integers(0, len(lines) - 1))
    document: Any = json.loads(lines[line])
    for _ in range(data.draw(st.integers(1, 3))):
        document = _changed(document, data)
    lines[line] = json.dumps(document).encode()
    content = b"\n".join(lines)
    found = read_with(name, content)
    require_in_order(found)
    assert found == read_with(name, content)
    for each in IMPORTERS.values():
        each.recognises(tuple(lines))


def _changed(value: Any, data: st.DataObject) -> Any:
    """The value with something in it replaced, repeated or left out."""
    if not isinstance(value, dict | list) or not value or data.draw(st.integers(0, 5)) == 0:
        return data.draw(JSON)
    place = data.draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
    if data.draw(st.integers(0, 7)) == 0:
        if isinstance(value, dict):
            return {name: each for name, each in value.items() if name != place}
        return [*value, value[place]]
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place] = _changed(value[place], data)
    return copy


@settings(QUICKLY, max_examples=100)
@given(JSON)
def test_any_json_is_recognised_or_not_but_never_raises(value: object) -> None:
    """Recognisers see every file that anybody hands in."""
    for each in DOCUMENT_FORMATS:
        if each.recognises(value):
            list(each.items(value, "x"))


@pytest.mark.skipif(not CASES.is_dir(), reason="needs ../shared/cases")
@pytest.mark.parametrize(
    ("file", "name", "counts"),
    [
        ("openhands_v0_basic_interactions.json", "openhands", {"user": 3, "agent": 4}),
        ("openhands_v1_events.jsonl", "openhands-events", {"agent": 5, "tool": 8}),
        ("sweagent_test-repo-i1.traj", "swe-agent", {"summary": 1, "agent": 10, "document": 2, "tool": 6}),
        ("sweagent_function_calling_simple.traj", "swe-agent", {"agent": 10, "document": 2, "tool": 5}),
        ("miniswe_raw_trajectory.json", "mini-swe-agent", {"agent": 6, "document": 2, "tool": 4}),
        ("atif_v15_terminus2_timeout.json", "atif", {"user": 1, "agent": 6, "tool": 7}),
        ("atif_v15_terminus2_continued.json", "atif", {"summary": 4, "agent": 4, "tool": 5}),
        ("atif_v15_openhands.json", "atif", {"user": 1, "agent": 4, "document": 3, "tool": 2}),
        ("webarena_render_synthetic.html", "webarena", {"agent": 2, "document": 1, "tool": 2}),
    ],
)
def test_a_public_trace_is_read_without_a_problem(file: str, name: str, counts: dict[str, int]) -> None:
    """Counted by hand, by whose word each item stands on."""
    source = FileTraceSource(CASES / file)
    importer = detect(source, LINE_FORMATS, DOCUMENT_FORMATS)
    assert importer.name == name
    found = list(importer.read(source))
    items = [each for each in found if isinstance(each, ImportedItem)]
    assert len(items) == len(found)
    require_in_order(Imported(items, []))
    assert {grade: sum(item.grade == grade for item in items) for grade in counts} == counts
    assert sum(counts.values()) == len(items)
    assert SourceGrade.SYSTEM not in {item.grade for item in items}


@pytest.mark.skipif(not CASES.is_dir(), reason="needs ../shared/cases")
def test_the_observation_without_its_action_is_the_one_that_the_readme_names() -> None:
    """And no other."""
    source = FileTraceSource(CASES / "openhands_v1_events.jsonl")
    items = [each for each in IMPORTERS["openhands-events"].read(source) if isinstance(each, ImportedItem)]
    missing = [dict(item.attributes)["call_id"] for item in items if "call-missing" in item.flags]
    assert missing == ["chatcmpl-tool-9051d3d10f914188"]
