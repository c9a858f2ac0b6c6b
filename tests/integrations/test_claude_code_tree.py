"""The tree of a session: dead branches, runs, order, copies, and messages that lie over several rows."""

from __future__ import annotations

import random

import pytest
from transcripts import SESSION, Imported, agent, answer, as_lines, call, read, read_lines, row, text, unaccounted, user

from heedful.integrations.importers.claude_code.plan import DERIVED_FROM_MAX

REWIND = [
    user("u1", None, 1, "start"),
    agent("a1", "u1", 2, text("ready")),
    user("u2", "a1", 3, "first attempt"),
    agent("a2", "u2", 4, text("first answer")),
    user("u3", "a1", 10, "second attempt"),
    agent("a3", "u3", 11, text("second answer")),
]


def flagged(result: Imported, flag: str) -> list[str]:
    return [item.content.decode() for item in result.items if flag in item.flags]


def test_a_rewind_leaves_a_dead_branch_and_the_rest_lives() -> None:
    """The newest turn decides; nothing is dropped."""
    result = read(*REWIND)
    assert flagged(result, "dead-branch") == ["first attempt", "first answer"]
    assert len(result.items) == 6


def test_a_session_without_a_rewind_has_no_dead_branch() -> None:
    """The control of the test above."""
    assert flagged(read(*REWIND[:4]), "dead-branch") == []


def test_a_rewind_before_a_compaction_stays_dead_after_it() -> None:
    """The way leads over the boundary by its logical parent."""
    boundary = row("system", "c1", None, 20, subtype="compact_boundary", logicalParentUuid="a3", content="Compacted")
    rows = [*REWIND, boundary, user("u4", "c1", 21, "Summary", isCompactSummary=True), user("u5", "u4", 22, "go on")]
    result = read(*rows)
    assert flagged(result, "dead-branch") == ["first attempt", "first answer"]
    (summary,) = result.of_kind("user.compact_summary")
    assert set(summary.derived_from_refs) == {f"claude-code:{SESSION}:{uuid}:0" for uuid in ("u1", "a1", "u3", "a3")}


def test_a_second_summary_is_made_from_the_first_and_what_followed() -> None:
    """Each compaction names its own stretch, so that an erasure reaches every summary."""
    rows = [
        user("u1", None, 1, "one"),
        user("s1", "u1", 2, "sum one", isCompactSummary=True),
        user("u2", "s1", 3, "two"),
        user("s2", "u2", 4, "sum two", isCompactSummary=True),
    ]
    first, second = read(*rows).of_kind("user.compact_summary")
    assert [ref.split(":")[2] for ref in first.derived_from_refs] == ["u1"]
    assert [ref.split(":")[2] for ref in second.derived_from_refs] == ["s1", "u2"]


def test_a_summary_of_very_many_turns_names_the_newest_and_says_that_it_is_cut() -> None:
    """A record has limits; a silent cut would look like the whole."""
    rows = [user(f"u{n}", f"u{n - 1}" if n else None, 1, "x") for n in range(DERIVED_FROM_MAX + 1)]
    (summary,) = read(*rows, user("s", rows[-1]["uuid"], 2, "sum", isCompactSummary=True)).of_kind(
        "user.compact_summary"
    )
    assert len(summary.derived_from_refs) == DERIVED_FROM_MAX
    assert summary.derived_from_refs[-1] == f"claude-code:{SESSION}:u{DERIVED_FROM_MAX}:0"
    assert summary.flags == ("compaction-summary", "derived-from-cut")


def test_answers_to_parallel_calls_are_not_a_dead_branch() -> None:
    """Each call's row bears its own answer, and the conversation goes on from only one of them."""
    rows = [
        user("u1", None, 1, "look"),
        agent("a1", "u1", 2, call("t1"), message_id="m1"),
        agent("a2", "a1", 3, call("t2"), message_id="m1"),
        user("r1", "a1", 4, [answer("t1", "one")]),
        row("attachment", "h1", "r1", 4, attachment={"type": "hook_success"}),
        user("r2", "a2", 5, [answer("t2", "two")]),
        agent("a3", "r1", 6, text("done")),
    ]
    assert flagged(read(*rows), "dead-branch") == []
    rows[-1] = agent("a3", "r2", 6, text("done"))
    assert flagged(read(*rows), "dead-branch") == []


def test_an_answer_on_a_dead_branch_is_dead() -> None:
    """The denial: the call itself was left behind."""
    rows = [*REWIND[:2], agent("x1", "a1", 3, call("t1")), user("x2", "x1", 4, [answer("t1", "old")]), *REWIND[4:]]
    assert "old" in flagged(read(*rows), "dead-branch")


def test_bookkeeping_that_ends_late_on_a_dead_branch_revives_nothing() -> None:
    """A hook's row is no turn, however new."""
    late = row("attachment", "h1", "a2", 59, attachment={"type": "hook_success", "stdout": "late"})
    result = read(*REWIND, late)
    assert [item.line_number for item in result.items if "dead-branch" in item.flags] == [3, 4, 7]


def test_trees_that_nothing_joins_with_the_newest_turn_are_detached_not_dead() -> None:
    """A cleared conversation, or a branch whose fork is missing: nobody can tell, so it says so."""
    cleared = [user("v1", None, 30, "new"), agent("w1", "v1", 31, text("yes"))]
    result = read(*REWIND[:2], *cleared)
    assert flagged(result, "detached") == ["start", "ready"]
    assert flagged(result, "dead-branch") == []
    missing_fork = read(*REWIND[:1], *REWIND[3:])
    assert "first answer" in flagged(missing_fork, "detached")


def test_parent_cycles_and_rows_that_are_their_own_parent_are_read() -> None:
    """Damaged links are no reason to lose a row."""
    rows = [user("u1", "u3", 1, "a"), user("u2", "u1", 2, "b"), user("u3", "u2", 3, "c"), user("u4", "u4", 4, "d")]
    result = read(*rows)
    assert sorted(item.content for item in result.items) == [b"a", b"b", b"c", b"d"]
    assert result.problems == []


def test_order_in_a_run_is_the_trees_whatever_the_order_of_the_file() -> None:
    """Shuffled lines give the same runs, sequences, flags and refs."""
    side = [
        user("s1", None, 3, "task", isSidechain=True, agentId="k1"),
        agent("s2", "s1", 3, text("ok"), isSidechain=True),
    ]
    rows = [*REWIND, *side]
    expected = {item.source_ref: (item.run_id, item.sequence, item.flags) for item in read(*rows).items}
    for seed in range(20):
        shuffled = random.Random(seed).sample(rows, len(rows))
        found = {item.source_ref: (item.run_id, item.sequence, item.flags) for item in read(*shuffled).items}
        assert found == expected


def test_a_row_never_comes_before_its_parent_even_with_a_wrong_clock() -> None:
    """The tree is stronger than the time."""
    items = read(user("u1", None, 30, "q"), agent("a1", "u1", 5, text("a")), user("u2", "a1", 6, "next")).items
    assert [item.sequence for item in items] == [0, 1, 2]


def test_sequences_of_a_run_are_whole_numbers_from_0_without_gaps() -> None:
    """Merged blocks leave no hole."""
    rows = [agent("a1", None, 1, text("x"), message_id="m"), agent("a2", "a1", 2, text("x"), call("t"), message_id="m")]
    assert [item.sequence for item in read(*rows).items] == [0, 1]


def test_a_sub_agent_has_a_run_of_its_own_and_is_never_dead() -> None:
    """By its agent's id where a row of it names one, else by its first row."""
    rows = [
        user("s1", None, 1, "task", isSidechain=True),
        agent("s2", "s1", 2, text("working"), isSidechain=True, agentId="k1"),
        user("z1", None, 3, "other", isSidechain=True),
        *REWIND,
    ]
    result = read(*rows)
    assert [item.run_id for item in result.items[:4]] == [
        f"{SESSION}/agent-k1",
        f"{SESSION}/agent-k1",
        f"{SESSION}/sidechain-z1",
        SESSION,
    ]
    assert [item.flags for item in result.items[:3]] == [("sidechain",)] * 3


def test_a_message_over_several_rows_gives_each_block_once_and_its_last_usage() -> None:
    """A partial row, a row for each block, a row that repeats them all."""
    rows = [
        agent("a1", None, 1, {"type": "thinking", "thinking": "Let"}, message_id="m", tokens=1),
        agent(
            "a2", "a1", 2, {"type": "thinking", "thinking": "Let me see", "signature": "s"}, message_id="m", tokens=1
        ),
        agent("a3", "a2", 3, text("I look"), message_id="m", tokens=2),
        agent("a4", "a3", 4, call("t1", "Read"), message_id="m", tokens=3),
        agent("a5", "a4", 5, text("I look"), call("t1", "Read", file_path="/a.py"), message_id="m", tokens=77),
    ]
    result = read(*rows)
    assert [item.content.decode() for item in result.items] == [
        "Let me see",
        "I look",
        '{"input":{"file_path":"/a.py"},"name":"Read"}',
    ]
    assert [dict(item.attributes).get("output_tokens") for item in result.items] == [None, None, 77]
    assert unaccounted(as_lines(rows), result) == []


def test_equal_blocks_of_one_row_and_of_two_messages_are_all_kept() -> None:
    """The control: only a repetition over rows of one message is one."""
    rows = [agent("a1", None, 1, text("ok"), text("ok")), agent("a2", "a1", 2, text("ok"))]
    assert len(read(*rows).items) == 3


UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"


def test_a_row_that_a_fork_copies_has_the_same_source_ref() -> None:
    """The fork rewrites the session's id; a real uuid is enough by itself."""
    first = read(user(UUID, None, 1, "hello")).items[0]
    copied = {
        **user(UUID, None, 1, "hello"),
        "sessionId": "fork",
        "forkedFrom": {"sessionId": SESSION, "messageUuid": UUID},
    }
    second = read(copied).items[0]
    assert second.source_ref == first.source_ref
    assert second.flags == ("copied",)
    assert second.content == first.content


def test_short_ids_of_two_sessions_are_two_rows() -> None:
    """`u1` is no uuid; a fork's copy of it still goes by the session that it came from."""
    there = {**user("u1", None, 1, "hello"), "sessionId": "other"}
    copied = {**there, "forkedFrom": {"sessionId": SESSION, "messageUuid": "u1"}}
    here = read(user("u1", None, 1, "hello")).items[0].source_ref
    assert read(there).items[0].source_ref != here
    assert read(copied).items[0].source_ref == here


def test_a_row_written_twice_is_one_item_and_says_so() -> None:
    """The same uuid with the same content; the repetition is a problem that names the first line."""
    rows = [user(UUID, None, 1, "hello")] * 3
    result = read(*rows)
    assert len(result.items) == 1
    assert result.codes() == ["row_repeated", "row_repeated"]
    assert "line 1" in result.problems[0].message


def test_two_rows_that_share_a_uuid_are_both_kept() -> None:
    """Other content under a used id is other evidence."""
    result = read(user(UUID, None, 1, "hello"), user(UUID, None, 2, "good bye"), user(UUID, None, 2, "good bye"))
    assert [item.content for item in result.items] == [b"hello", b"good bye"]
    assert len({item.source_ref for item in result.items}) == 2
    assert result.items[1].flags == ("uuid-reused",)
    assert result.codes() == ["row_repeated"]


def test_equal_rows_without_an_id_are_each_kept() -> None:
    """Switching to plan mode twice is two events."""
    result = read({"type": "mode", "mode": "plan"}, {"type": "mode", "mode": "plan"})
    assert result.kinds() == ["unknown:mode", "unknown:mode"]
    assert len({item.source_ref for item in result.items}) == 2


def test_importing_twice_gives_the_same_items() -> None:
    """And in the order of the file."""
    first, second = read(*REWIND), read(*REWIND)
    assert first == second
    assert [item.line_number for item in first.items] == [1, 2, 3, 4, 5, 6]


def test_a_session_that_has_grown_keeps_the_refs_and_sequences_that_it_had() -> None:
    """Resuming an import adds what is new and moves nothing."""
    lines = as_lines([*REWIND[:2], {"type": "mode", "mode": "plan"}, *REWIND[2:]])
    before = {item.source_ref: item.sequence for item in read_lines(lines[:4]).items}
    after = {item.source_ref: item.sequence for item in read_lines(lines).items}
    assert before.items() <= after.items()


@pytest.mark.parametrize("count", [20_000])
def test_a_long_chain_is_read_without_recursion(count: int) -> None:
    """The tree is walked, not climbed on the stack."""
    rows = [user(f"u{n}", f"u{n - 1}" if n else None, 1, "x") for n in range(count)]
    items = read(*rows).items
    assert [item.sequence for item in items] == list(range(count))
