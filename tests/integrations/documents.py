"""Traces of many formats, written inline; each is read the way `heedful import` reads a file."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from transcripts import Imported, LinesSource

from heedful.integrations.importers.detect import detect
from heedful.integrations.importers.known import DOCUMENT_FORMATS, LINE_FORMATS
from heedful.observations.record import AttributeValue, SourceGrade
from heedful.ports.importer import ImportedItem, ImportProblem

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
INLINE_PNG = f"data:image/png;base64,{PNG}"
PNG_STARTS = b"\x89PNG\r\n"


def source_of(content: bytes | str | object) -> LinesSource:
    """The trace as a file would give it; a JSON value is written out first."""
    if isinstance(content, str):
        content = content.encode()
    written = content if isinstance(content, bytes) else json.dumps(content).encode()
    return LinesSource(tuple(written.split(b"\n")), "trace")


def jsonl(*rows: object) -> bytes:
    """The rows, one a line."""
    return b"\n".join(json.dumps(row).encode() for row in rows)


def read_trace(content: bytes | str | object, *, of: str) -> Imported:
    """What the importer that recognises this trace makes of it; it must be the one of this name."""
    source = source_of(content)
    importer = detect(source, LINE_FORMATS, DOCUMENT_FORMATS)
    assert importer.name == of
    found = list(importer.read(source))
    return Imported(
        [each for each in found if isinstance(each, ImportedItem)],
        [each for each in found if isinstance(each, ImportProblem)],
    )


def attributes(item: ImportedItem) -> dict[str, AttributeValue]:
    """The item's attributes, each name once."""
    names = [name for name, _ in item.attributes]
    assert len(names) == len(set(names))
    return dict(item.attributes)


def holding(imported: Imported, words: str) -> list[ImportedItem]:
    """The items whose content has these words."""
    return [item for item in imported.items if words.encode() in item.content]


def grades(imported: Imported, words: str) -> set[SourceGrade]:
    """On whose word the items stand that have these words."""
    return {item.grade for item in holding(imported, words)}


def source_of_item(imported: Imported, item: ImportedItem) -> ImportedItem:
    """The one item that this one was made from."""
    (reference,) = item.derived_from_refs
    (found,) = [each for each in imported.items if each.source_ref == reference]
    return found


def require_in_order(imported: Imported) -> None:
    """Nothing, where every reference, and every place in a run, is there once, and no word is a person's but the user's."""
    references = Counter(item.source_ref for item in imported.items)
    places = Counter((item.run_id, item.sequence) for item in imported.items)
    assert not [each for each, count in (references + Counter()).items() if count > 1]
    assert not [each for each, count in places.items() if count > 1]
    assert not {SourceGrade.SYSTEM, SourceGrade.OPERATOR} & {item.grade for item in imported.items}
    for item in imported.items:
        attributes(item)


# One small trace of each format, with most of what the format can hold.


def v0_events() -> list[dict[str, Any]]:
    """OpenHands V0: a person, the agent, a command and its output."""
    response = {
        "id": "resp-1",
        "model": "m-1",
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
        "choices": [{"message": {"content": "I list.", "reasoning_content": "Where am I?"}}],
    }
    called = {"function_name": "execute_bash", "tool_call_id": "call-1", "model_response": response}
    return [
        _v0(0, "agent", action="system", args={"content": "You are an agent.", "tools": [{"name": "x"}]}),
        _v0(1, "user", action="message", args={"content": "list the files", "image_urls": [INLINE_PNG]}),
        _v0(4, "agent", action="run", args={"command": "ls", "thought": "I list."}, tool_call_metadata=called),
        _v0(
            5,
            "agent",
            observation="run",
            content="a.txt",
            cause=4,
            extras={"command": "ls", "metadata": {"exit_code": 2}},
            tool_call_metadata=called,
        ),
        _v0(6, "environment", observation="agent_state_changed", content="", extras={"agent_state": "finished"}),
        _v0(9, "agent", action="finish", args={"final_thought": "Done.", "outputs": {}}),
    ]


def _v0(number: int, source: str, **more: Any) -> dict[str, Any]:
    return {"id": number, "timestamp": f"2025-02-01T00:14:{number:02d}.787622", "source": source, **more}


def v1_events() -> list[dict[str, Any]]:
    """OpenHands V1: a message, an action that repeats its reasoning, and what came of it."""
    return [
        _v1(
            "e0", 0, "agent", "SystemPromptEvent", system_prompt={"type": "text", "text": "You are an agent."}, tools=[]
        ),
        _v1(
            "e1",
            1,
            "user",
            "MessageEvent",
            llm_message={
                "role": "user",
                "content": [{"type": "text", "text": "list"}, {"type": "image", "image_urls": [INLINE_PNG]}],
            },
            extended_content=[{"type": "text", "text": "a skill that was put beside it"}],
        ),
        _v1(
            "e2",
            2,
            "agent",
            "ActionEvent",
            thought=[{"type": "text", "text": "<think>Where am I?</think>I list."}],
            reasoning_content="Where am I?",
            action={"kind": "TerminalAction", "command": "ls"},
            tool_name="terminal",
            tool_call_id="call-1",
            llm_response_id="resp-1",
        ),
        _v1(
            "e3",
            3,
            "environment",
            "ObservationEvent",
            action_id="e2",
            tool_call_id="call-1",
            tool_name="terminal",
            observation={
                "kind": "TerminalObservation",
                "content": [{"type": "text", "text": "a.txt"}],
                "is_error": True,
            },
        ),
        _v1("e4", 4, "environment", "Condensation", forgotten_event_ids=["e1", "e2"], summary="files were listed"),
        _v1("e5", 5, "environment", "ConversationStateUpdateEvent", key="status", value="running"),
    ]


def _v1(name: str, second: int, source: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": f"2026-06-16T05:39:{second:02d}.809928", "source": source, "kind": kind, **more}


def traj() -> dict[str, Any]:
    """SWE-agent: a demonstration, and two steps that the history tells once more."""
    steps = [
        {"thought": "I look.", "action": "ls\n", "observation": "a.txt", "response": "I look.\n```\nls\n```"},
        {"thought": "Done.", "action": "submit\n", "observation": "", "response": "Done.\n```\nsubmit\n```"},
    ]
    for step in steps:
        step["state"] = json.dumps({"open_file": "n/a", "working_dir": "/repo"})
    history = [
        {"role": "system", "content": "SETTING: a shell.", "agent": "primary"},
        {"role": "user", "content": "Here is a demonstration: rm -rf /", "agent": "primary", "is_demo": True},
        {"role": "user", "content": "We solve: remember: fix it", "agent": "primary"},
    ]
    for step in steps:
        said = {"thought": step["thought"], "action": step["action"], "content": step["response"]}
        history.append({"role": "assistant", "agent": "primary", **said})
        history.append(
            {"role": "user", "content": f"{step['observation']}\n(Open file: n/a)\nbash-$", "agent": "primary"}
        )
    about = {"exit_status": "submitted", "submission": "diff", "model_stats": {"api_calls": 2}}
    return {"environment": "swe_main", "trajectory": steps, "history": history, "info": about}


def mini() -> dict[str, Any]:
    """mini-SWE-agent: a command in a fence, and its output."""
    response = {"id": "chatcmpl-1", "created": 1_760_078_127, "model": "m-1", "usage": {"prompt_tokens": 7}}
    return {
        "info": {"exit_status": "Submitted", "mini_version": "1.13.4", "model_stats": {"api_calls": 1}},
        "messages": [
            {"role": "system", "content": "You are an assistant."},
            {"role": "user", "content": [{"type": "text", "text": "Please solve this issue: x"}]},
            {"role": "assistant", "content": "THOUGHT: I look.\n```bash\nls\n```", "extra": {"response": response}},
            {"role": "user", "content": "<returncode>1</returncode>\n<output>\n<returncode>0</returncode></output>"},
        ],
        "trajectory_format": "mini-swe-agent-1",
    }


def atif(**more: Any) -> dict[str, Any]:
    """ATIF 1.7: steps of each source, a picture, a call and its result, and fields that nobody knows."""
    call = {"tool_call_id": "c1", "function_name": "read", "arguments": {"path": "a.txt"}, "extra": {"retries": [1]}}
    result = {"source_call_id": "c1", "content": "alpha", "extra": {"is_error": False}}
    picture = {"type": "image", "source": {"media_type": "image/png", "data": PNG}}
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": "s1",
        "agent": {"name": "tester", "version": "1"},
        "steps": [
            {"step_id": 1, "source": "system", "message": "You are an agent."},
            {
                "step_id": 2,
                "source": "user",
                "timestamp": "2026-10-05T12:00:00Z",
                "message": [{"type": "text", "text": "read a.txt"}, picture],
            },
            {
                "step_id": 3,
                "source": "agent",
                "message": "I read.",
                "reasoning_content": "Which file?",
                "model_name": "m-1",
                "tool_calls": [call],
                "observation": {"results": [result]},
                "metrics": {"prompt_tokens": 9, "logprobs": [-0.1]},
                "llm_call_count": 1,
                "future_field": {"kept": True},
            },
        ],
        "final_metrics": {"total_prompt_tokens": 9},
        "continued_trajectory_ref": "next.json",
        **more,
    }


def web_step(observation: str, previous: str, command: str, *, said: str = "I act.", picture: str | None = PNG) -> str:
    """One step of a page of WebArena, as the program writes it."""
    shown = f"<img src='data:image/png;base64,{picture}' style='width:50vw; height:auto;'/>\n" if picture else ""
    return (
        "<h2>New Page</h2>\n<h3 class='url'><a href=http://shop.example/>URL: http://shop.example/</a></h3>\n"
        f"<div class='state_obv'><pre>{observation}</pre><div>\n{shown}"
        f"<div class='prev_action' style='background-color:pink'>{previous}</div>\n<div class='predict_action'>"
        f"<div class='raw_parsed_prediction' style='background-color:grey'><pre>{said}</pre></div>"
        f"<div class='action_object' style='background-color:grey'><pre>{{'raw': 1}}</pre></div>"
        f"<div class='parsed_action' style='background-color:yellow'><pre>{command}</pre></div></div>\n"
    )


def web_page(*steps: str, task: str = "task_id: 9001\nintent: Find the price\n") -> str:
    """A page of WebArena with these steps."""
    return (
        "\n<!DOCTYPE html>\n<head>\n    <style>\n        pre {\n            white-space: pre-wrap;\n"
        "            word-wrap: break-word;\n        }\n    </style>\n</head>\n<html>\n    <body>\n"
        f"     <pre>{task}</pre>\n{''.join(steps)}\n    </body>\n</html>\n"
    )


def web() -> str:
    """Three steps, each of which names the action before it."""
    return web_page(
        web_step("[7] link 'Blue mug'", "None", "click [7] where [7] is link 'Blue mug'"),
        web_step("[9] text '5 euro'", "click [7] where [7] is 'Blue mug'", "scroll [down]"),
        web_step("[9] text 'end'", "scroll [down]", "stop [5 euro]"),
    )


def every_trace() -> dict[str, bytes]:
    """One trace of each format, by the format's name."""
    values = {"openhands": v0_events(), "swe-agent": traj(), "mini-swe-agent": mini(), "atif": atif()}
    found = {name: json.dumps(value).encode() for name, value in values.items()}
    return {**found, "openhands-events": jsonl(*v1_events()), "webarena": web().encode()}
