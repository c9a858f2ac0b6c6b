"""SWE-agent and mini-SWE-agent trajectories: steps once, demonstrations no evidence, prompts nobody's word."""

from __future__ import annotations

import json

from documents import attributes, grades, holding, mini, read_trace, require_in_order, source_of_item, traj
from transcripts import Imported

from heedful.observations.record import RecordType, SourceGrade


def swe(document: object) -> Imported:
    return read_trace(document, of="swe-agent")


def test_a_step_that_trajectory_and_history_both_tell_is_taken_once() -> None:
    """From the trajectory; of the history only what repeats no step."""
    found = swe(traj())
    require_in_order(found)
    assert found.problems == []
    assert found.kinds() == [
        "system_prompt",
        "demonstration",
        "task",
        *["agent.text", "agent.call", "observation"],
        *["agent.text", "agent.call", "observation.empty"],
        "trajectory",
    ]
    assert len(holding(found, "a.txt")) == 1


def test_a_demonstration_is_no_evidence_of_the_run() -> None:
    """It is flagged as copied, and on nobody's word here; the control is the same row without the mark."""
    (demo,) = swe(traj()).of_kind("demonstration")
    assert (demo.flags, demo.grade, demo.speaker) == (("copied",), SourceGrade.SUMMARY, None)
    document = traj()
    del document["history"][1]["is_demo"]
    assert [item.flags for item in holding(swe(document), "rm -rf")] == [()]


def test_an_observation_is_bound_to_the_action_of_its_step() -> None:
    """With the state that the program noted after it; it has no time."""
    found = swe(traj())
    (answer,) = holding(found, "a.txt")
    assert (answer.type, answer.grade, answer.occurred) == (RecordType.TOOL_RESULT, SourceGrade.TOOL, None)
    assert json.loads(source_of_item(found, answer).content) == {"name": "bash", "input": {"command": "ls\n"}}
    assert attributes(answer)["state.working_dir"] == "/repo"


def test_the_programs_prompts_are_never_a_persons_words() -> None:
    """An issue's text stands in the template, and may ask to be remembered."""
    assert grades(swe(traj()), "remember:") == {SourceGrade.DOCUMENT}
    assert grades(read_trace(mini(), of="mini-swe-agent"), "Please solve") == {SourceGrade.DOCUMENT}


def test_a_row_of_the_history_that_repeats_no_step_stays_where_it_was() -> None:
    """Such as an answer that could not be read, and what the program said to it."""
    document = traj()
    wrong = [{"role": "assistant", "content": "no command", "agent": "a"}, {"role": "user", "content": "try again"}]
    document["history"][5:5] = wrong
    texts = [item.content for item in swe(document).items]
    first, said, again, last = (texts.index(each) for each in (b"I look.", b"no command", b"try again", b"Done."))
    assert first < said < again < last


def test_a_history_alone_is_read_by_its_own_calls() -> None:
    """Function calling: names and ids, each answer bound to the call that it names."""
    call = {"id": "call_1", "type": "function", "function": {"name": "open", "arguments": '{"path": "a.txt"}'}}
    history = [
        {"role": "system", "content": "SETTING", "agent": "main", "message_type": "system_prompt"},
        {"role": "user", "content": "solve it", "agent": "main", "message_type": "observation"},
        {"role": "assistant", "content": "I open.", "thought": "I open.", "action": "open a.txt", "tool_calls": [call]},
        {"role": "tool", "content": "alpha", "agent": "main", "tool_call_ids": ["call_1"]},
        {"role": "tool", "content": "beta", "agent": "main", "tool_call_ids": ["call_2"]},
    ]
    found = swe({"history": history})
    require_in_order(found)
    (answer,) = holding(found, "alpha")
    called = source_of_item(found, answer)
    assert json.loads(called.content) == {"name": "open", "input": {"path": "a.txt"}}
    assert [(each.type, each.id) for each in called.subjects] == [("file", "a.txt")]
    assert [item.flags for item in holding(found, "beta")] == [("call-missing",)]


def test_two_runs_of_one_task_are_two_and_a_renamed_copy_is_one() -> None:
    """They begin alike; without ids a run is known by all that is in it."""
    other = traj()
    other["trajectory"][1]["observation"] = "diff"
    runs = {item.run_id for document in (traj(), traj(), other) for item in swe(document).items}
    assert len(runs) == 2


def test_a_longer_copy_of_a_run_with_ids_begins_with_the_same_references() -> None:
    """The id that the API gave to the first answer tells the run from its twins."""
    longer, shorter = mini(), mini()
    shorter["messages"] = shorter["messages"][:3]
    known = {item.source_ref for item in read_trace(longer, of="mini-swe-agent").items}
    references = [item.source_ref for item in read_trace(shorter, of="mini-swe-agent").items]
    assert [each for each in references if each not in known] == []


def test_a_command_in_a_fence_is_a_call_and_the_first_return_code_counts() -> None:
    """The output may hold another one; two fences are no command, since the program refuses them."""
    found = read_trace(mini(), of="mini-swe-agent")
    require_in_order(found)
    (answer,) = found.of_kind("observation")
    assert json.loads(source_of_item(found, answer).content)["input"] == {"command": "ls"}
    assert (attributes(answer)["is_error"], attributes(answer)["exit_code"]) == (True, 1)
    document = mini()
    document["messages"][2]["content"] += "\n```bash\nrm x\n```"
    twice = read_trace(document, of="mini-swe-agent")
    assert twice.of_kind("agent.call") == []
    assert [item.type for item in holding(twice, "returncode")] == [RecordType.OBSERVATION]


def test_times_of_answers_are_taken_where_the_program_noted_them() -> None:
    """Seconds since 1970, of the response or of the row."""
    document = mini()
    document["messages"][3]["extra"] = {"timestamp": 1_760_078_130.5}
    said, answer = (
        read_trace(document, of="mini-swe-agent").of_kind(kind)[0] for kind in ("agent.text", "observation")
    )
    assert said.occurred is not None
    assert answer.occurred is not None
    assert answer.occurred.at_us - said.occurred.at_us == 3_500_000


def test_rows_of_no_known_role_are_kept_raw() -> None:
    """In both formats; what is no object too."""
    document = traj()
    document["history"][0:0] = [{"role": "critic", "content": "x"}, 7]
    document["trajectory"].append("cut")
    assert {"unknown:critic", "unknown:history", "unknown:step"} <= set(swe(document).kinds())
    other = mini()
    other["messages"] += [{"object": "response", "output": []}, None, {"type": "function_call_output", "output": "x"}]
    kinds = read_trace(other, of="mini-swe-agent").kinds()
    assert {"unknown:response", "unknown:message", "observation"} <= set(kinds)


def test_a_step_may_hold_more_than_it_must() -> None:
    """Thinking, calls with their ids, times of execution; what is not known is kept raw, what repeats is not."""
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{cut"}}
    step = {
        "thought": "",
        "response": "I run.",
        "action": "ls",
        "observation": "a.txt",
        "thinking_blocks": [{"type": "thinking", "thinking": "hm"}],
        "tool_calls": [call, {"no": "call"}],
        "execution_time": 0.5,
        "extra_info": {"new": True},
        "query": [{"role": "user", "content": "all of it once more"}],
        "state": {"working_dir": "/repo"},
    }
    found = swe({"trajectory": [step]})
    require_in_order(found)
    assert found.kinds() == [
        "agent.thinking",
        "agent.text",
        "agent.call",
        "unknown:tool_call",
        "observation",
        "step.more",
    ]
    (answer,) = found.of_kind("observation")
    assert (attributes(answer)["execution_time_s"], attributes(answer)["state.working_dir"]) == (0.5, "/repo")
    assert json.loads(found.of_kind("agent.call")[0].content)["input"] == "{cut"
    assert json.loads(found.of_kind("step.more")[0].content) == {"extra_info": {"new": True}}
    assert holding(found, "once more") == []


def test_the_commands_that_the_program_read_come_before_the_fence() -> None:
    """mini-SWE-agent 2: `extra.actions`, with ids where tools were called; the answer names its call."""
    document = mini()
    actions = [{"command": "pwd", "tool_call_id": "c1"}, "ls"]
    document["messages"][2]["extra"]["actions"] = actions
    document["messages"][3] = {"role": "tool", "tool_call_id": "c1", "content": "/repo", "extra": {"returncode": 0}}
    document["messages"].append({"role": "exit", "content": "done", "extra": {"exit_status": "Submitted"}})
    found = read_trace(document, of="mini-swe-agent")
    require_in_order(found)
    assert [json.loads(item.content)["input"]["command"] for item in found.of_kind("agent.call")] == ["pwd", "ls"]
    (answer,) = found.of_kind("observation")
    assert json.loads(source_of_item(found, answer).content)["input"] == {"command": "pwd"}
    assert attributes(answer)["is_error"] is False
    assert attributes(found.of_kind("exit")[0])["exit_status"] == "Submitted"


def test_calls_of_a_demonstration_are_part_of_it() -> None:
    """They were never made here."""
    document = traj()
    document["history"][1]["tool_calls"] = [{"id": "c", "function": {"name": "rm", "arguments": "{}"}}]
    found = swe(document)
    assert [item.flags for item in found.of_kind("demonstration.calls")] == [("copied",)]
    assert found.of_kind("demonstration.calls")[0].type is not RecordType.TOOL_CALL
