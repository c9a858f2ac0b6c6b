"""Public reports of filters, odd text, blank input, search syntax and numbers that JSON does not have."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from report_cases import load_cases, needs_cases
from report_steps import Answer, Steps, command_line
from report_store import ReportStore

from heedful.evidence.render import render_json
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.errors import FaultError, HeedfulError, InvalidInputError

pytestmark = needs_cases
ANA = ["user:ana"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReportStore]:
    with ReportStore(tmp_path) as store:
        yield store


def run(store: ReportStore, case_id: str) -> list[Answer]:
    return Steps(store).run(load_cases()[case_id])


def strict(text: str | bytes) -> Any:
    """The JSON value; NaN and infinities are refused, as a strict parser does."""

    def refuse(constant: str) -> object:
        raise ValueError(constant)

    return json.loads(text, parse_constant=refuse)


def test_b013_numbers_compare_as_numbers(store: ReportStore) -> None:
    """Equality and membership by number, whole or not; a text or a truth value is no number. Ranges wait."""
    *_, ranged = run(store, "B013")
    assert ranged.awaits == "AttributeFilter(range)"
    memory = store.memory()
    memory.remember("n4", scope=ANA, attributes={"score": "10"})
    memory.remember("n5", scope=ANA, attributes={"score": True})

    def found(*values: Any) -> list[str]:
        return [each.record.content or "" for each in store.records_of("user:ana", score=list(values))]

    assert found(10) == ["n2"]
    assert found(10.0) == ["n2"]
    assert found(10, 100) == ["n2", "n3"]
    assert found("10") == ["n4"]
    assert found(1) == []
    assert found(True) == ["n5"]


@pytest.mark.parametrize("wanted", [{"$gte": 10}, None, [None], [[1]], [{"a": 1}], b"10", math.nan, math.inf, {}])
def test_b013_a_filter_that_is_not_understood_is_refused(store: ReportStore, wanted: Any) -> None:
    """An operator, or anything that is no attribute's value, is an error; it never just finds nothing."""
    memory = store.memory()
    memory.remember("n2", scope=ANA, attributes={"score": 10})
    with pytest.raises(InvalidInputError):
        memory.recall("n2", scope=ANA, attributes={"score": wanted})


def test_b015_a_filter_is_applied_before_the_best_are_taken(store: ReportStore) -> None:
    """One row of twenty-one has the type that was asked for, and it is found."""
    *_, search = run(store, "B015")
    assert search.texts == ("verify the skill, working copy",)
    unknown = store.memory().recall("verify the skill", scope=ANA, attributes={"typ": "working"})
    assert unknown.items == ()
    with pytest.raises(InvalidInputError):
        store.memory().recall("verify the skill", scope=ANA, attributes={"no such name!": "working"})
    with pytest.raises(TypeError):
        store.memory().recall("verify the skill", scope=ANA, memory_type="working")  # type: ignore[call-arg]


def test_b052_half_a_surrogate_pair_bricks_nothing(store: ReportStore) -> None:
    """The line is imported with the half as its escape; a warning names line 1; what is read back is UTF-8 and JSON."""
    imported, exported, got = run(store, "B052")
    assert imported.report is not None
    assert [(each.line_number, each.code) for each in imported.report.problems] == [(1, "surrogate_escaped")]
    assert imported.report.admitted == 2
    assert len([strict(line) for line in exported.texts]) > 3
    assert got.texts == ("ls /x/\\ud83d…",)
    packet = store.memory().recall("ls", scope=ANA)
    assert [item.text for item in packet.items] == ["ls /x/\\ud83d…"]
    assert strict(canonical_bytes(render_json(packet)).decode("utf-8"))["items"][0]["text"] == "ls /x/\\ud83d…"
    assert store.memory().verify(views=True).holds


@pytest.mark.parametrize("cluster", ["😀", "👩‍👩‍👧‍👦", "🇩🇪", "e\u0301", "각"])
def test_b052_no_cut_of_ours_splits_a_character(store: ReportStore, cluster: str) -> None:
    """An excerpt of a long text of clusters holds whole ones, however the limit falls."""
    store.memory().remember(f"start,{cluster * 900}", scope=ANA)
    (item,) = store.memory().recall("start", scope=ANA).items
    assert item.text.removeprefix("start,").replace(cluster, "") == ""


@pytest.mark.parametrize("text", ["\ud83d", "half \ud83d of it", "\udc00\ud800"])
def test_b052_half_a_pair_is_refused_by_name_at_our_own_doors(store: ReportStore, text: str) -> None:
    """Python and command line refuse it in content and in names; a question with one finds nothing and harms nothing."""
    memory = store.memory()
    for arguments in (
        {},
        {"source_ref": text},
        {"run_id": text},
        {"attributes": {"a": text}},
        {"subjects": [("a", text)]},
    ):
        content = "whole" if arguments else text
        with pytest.raises(InvalidInputError) as refused:
            memory.remember(content, scope=ANA, **arguments)
        assert refused.value.code == "text_lone_surrogate"
    assert command_line(store, "remember", text, "--scope=user:ana", "--json") == "text_lone_surrogate"
    assert store.records_of("user:ana") == ()
    memory.remember("half of it is here", scope=ANA)
    memory.recall(text, scope=ANA)
    with pytest.raises(InvalidInputError):
        memory.judge("Bash", {"command": text}, scope=ANA)
    with pytest.raises(HeedfulError):
        memory.reject(store.records_of("user:ana")[0].record.record_id, reason=text)
    assert memory.verify(views=True).holds


def test_b053_nul_is_content_and_poisons_no_batch(store: ReportStore) -> None:
    """The rule is: NUL is kept. All three items are stored as they came, tab and newline too, and are found."""
    batch, listed, search = run(store, "B053")
    assert batch.outcomes == ("ok", "ok", "ok")
    assert listed.texts == ("good one", "o\x00er cloud credits", "good two")
    assert set(search.texts) == {"good one", "good two"}
    memory = store.memory()
    assert [item.text for item in memory.recall("cloud", scope=ANA).items] == ["o\x00er cloud credits"]
    memory.remember("tab\there\nand there", scope=ANA)
    assert store.texts("t1/ana")[-1] == "tab\there\nand there"
    assert memory.verify(views=True).holds


def test_b055_parts_of_chinese_japanese_and_korean_sentences_are_found(store: ReportStore) -> None:
    """One hit each, two-character words and ASCII glued to Chinese included."""
    answers = run(store, "B055")
    assert [answer.texts for answer in answers[4:]] == [
        ("今天讨论了部署方案",),
        ("重跑gen-itgc后50条悬空引用清零",),
        ("오늘 끝말잇기 게임을 했다",),
        ("今日はしりとりをした",),
    ]


def test_b059_blank_content_is_refused_at_every_door(store: ReportStore) -> None:
    """One code at Python, batch, command line and import; nothing blank is kept, and what came beside it is."""
    written, listed = run(store, "B059")
    assert written.awaits == "heedful.interfaces.http"
    count = len(written.step["texts"])
    refused = ["content_blank"] * count
    assert list(written.outcomes) == [*refused, *refused, "ok", *refused, *refused, "ok"]
    assert listed.texts == ("whole in the batch", "whole in the import")


def test_b063_nan_and_infinity_stop_at_the_door(store: ReportStore) -> None:
    """In attributes, numbers of a record and arguments of a tool: refused by name, nothing is kept, answers are strict JSON."""
    answers = run(store, "B063")
    assert [answer.awaits for answer in answers] == [
        "heedful.interfaces.http", "Memory.remember(vector)", "Memory.remember(vector)", None, None,
    ]  # fmt: skip
    assert [strict(line) for line in answers[-1].texts]
    memory = store.memory()
    for number in (math.nan, math.inf, -math.inf):
        for arguments in ({"attributes": {"score": number}}, {"confidence": number}, {"expected_utility": number}):
            with pytest.raises(InvalidInputError) as refused:
                memory.remember("x", scope=ANA, **arguments)
            assert refused.value.code == "number_not_finite"
            json.dumps(refused.value.to_dict(), allow_nan=False)
        with pytest.raises(InvalidInputError):
            memory.judge("Bash", {"command": "ls", "timeout": number}, scope=ANA)
    assert store.records_of("user:ana") == ()
    memory.remember("zero vector", scope=ANA)
    packet = memory.recall("zero vector", scope=ANA)
    assert all(item.score is None or math.isfinite(item.score) for item in packet.items)
    assert len(strict(canonical_bytes(render_json(packet)))["items"]) == 1


@pytest.mark.parametrize("args", ['{"a":NaN}', '{"a":-Infinity}', '{"a":1e999}', "NaN", '{"a":1,"a":2}'])
@pytest.mark.parametrize("verb", ["judge", "recall"])
def test_b063_the_command_line_reads_json_strictly(store: ReportStore, verb: str, args: str) -> None:
    """No NaN, no infinity by way of a large exponent, no key twice, of which each reader would take another."""
    code = command_line(store, verb, "Bash", "--args", args, "--scope=user:ana", "--json")
    assert code == "json_malformed"
    assert store.memory().status().counts["verdicts"] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        {"sequence": 1.5}, {"sequence": True}, {"retain_days": 2.0}, {"retain_days": True}, {"confidence": True},
        {"expected_utility": True}, {"confidence": "1"}, {"attributes": {"a": None}}, {"attributes": {"a": [1]}},
        {"attributes": {"a": {"b": 1}}}, {"attributes": {"a": b"1"}},
    ],
    ids=str,
)  # fmt: skip
def test_b063_a_value_of_another_type_is_refused_and_never_bricks_the_store(
    store: ReportStore, arguments: dict[str, Any]
) -> None:
    """What could not be read back is not written: the error is ours, and the store goes on working."""
    memory = store.memory()
    with pytest.raises(InvalidInputError):
        memory.remember("odd one", scope=ANA, **arguments)
    memory.remember("odd neighbour", scope=ANA)
    assert [item.text for item in memory.recall("odd", scope=ANA).items] == ["odd neighbour"]
    assert memory.verify(views=True).holds


def test_b073_full_text_that_fails_is_reported(store: ReportStore) -> None:
    """A search without its index is an error, or says that it is degraded; it never looks like nothing found."""
    store.memory().remember("oceanblue-116 is the key colour", scope=ANA)
    assert len(store.memory().recall("oceanblue-116", scope=ANA).items) == 1
    _, search = run(store, "B073")
    assert isinstance(search.error, FaultError) or (search.packet is not None and search.packet.degraded)
    assert search.texts == ()


SYNTAX = ['"', '"open', "'", "*", "word*", "NEAR", "NEAR(a b, 2)", "C++", "C#", "(", "((()", ")", "a AND", "OR", "NOT",
          "x:y", "content:word", "-", "--", "-word", "^word", "{a b}", "[", "\\", "%", "_", "?!.…", "\x00", "", "   ",
          "'; DROP TABLE records; --", "a" * 300, "“”", "+", "word + word", "\u202e", "😀", "NULL"]  # fmt: skip


@pytest.mark.parametrize("query", SYNTAX)
def test_b073_nothing_in_a_query_is_syntax(store: ReportStore, query: str) -> None:
    """Any text is a question: no error, and nothing but what has one of its words."""
    memory = store.memory()
    memory.remember("apples are in the cellar", scope=ANA)
    assert memory.recall(query, scope=ANA).items == ()
    assert [item.text for item in memory.recall(f"{query} cellar", scope=ANA).items] == ["apples are in the cellar"]


@pytest.mark.parametrize("word", ["C++", "C#", "NEAR", "AND", "f(x)", "a:b", "foo_bar", "v1.2.3", "node-gyp", "@scope/pkg", "50%", "#1234", "/etc/hosts", "ж", "مرحبا", "नमस्ते", "ภาษา", "😀"])  # fmt: skip
def test_b073_words_with_signs_are_found(store: ReportStore, word: str) -> None:
    """What a person would type to find the text that holds it."""
    memory = store.memory()
    memory.remember(f"we spoke of {word} yesterday", scope=ANA)
    memory.remember("something else entirely", scope=ANA)
    assert [item.text for item in memory.recall(word, scope=ANA).items] == [f"we spoke of {word} yesterday"]


@pytest.mark.parametrize("name", [" ", "   ", "\u3000", "\u200b", "a\nb", "a\x00b", "\x7f"])
@pytest.mark.parametrize("field", ["source_ref", "run_id"])
def test_b010_a_name_that_nobody_can_see_or_type_is_refused(store: ReportStore, field: str, name: str) -> None:
    """Blank names and control characters: two different ones look alike, and would be told apart by nobody."""
    with pytest.raises(InvalidInputError) as refused:
        store.memory().remember("a note", scope=ANA, **{field: name})  # type: ignore[arg-type]
    assert refused.value.code == "name_malformed"
