"""States of a transcript: calls and what they gave belong together, also within one batch, and importing again adds nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from worlds import World, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

SESSION = "5d0e4a3c-1b2f-4c6d-8e7f-90a1b2c3d4e5"
ROLLOUT = "deployment:shop/web"


def rows(*calls: tuple[str, str, bool]) -> str:
    """A session in which each command was run and gave that output."""
    found = []
    parent = None
    for number, (command, output, is_error) in enumerate(calls):
        for sort, content in (
            (
                "assistant",
                [{"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": command}}],
            ),
            (
                "user",
                [{"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": output, "is_error": is_error}],
            ),
        ):
            uuid = f"{SESSION}-{number}-{sort}"
            row = {
                "type": sort,
                "uuid": uuid,
                "parentUuid": parent,
                "timestamp": f"2026-11-28T08:{50 + number}:{0 if sort == 'assistant' else 5:02d}.000Z",
                "sessionId": SESSION,
                "isSidechain": False,
                "message": {"role": sort, "content": content},
            }
            found.append(json.dumps(row))
            parent = uuid
    return "\n".join(found) + "\n"


def test_a_transcript_tells_states_and_what_changed_them(house: World, tmp_path: Path) -> None:
    """One command's output after another's; the roll-back explains itself."""
    file = tmp_path / "session.jsonl"
    status = "kubectl rollout status deployment/web -n shop"
    file.write_text(
        rows(
            (status, 'deployment "web" successfully rolled out', False),
            ("kubectl logs web-1 -n shop", 'error: deployment "web" exceeded its progress deadline', False),
            (status, 'error: deployment "web" exceeded its progress deadline', True),
            ("kubectl rollout undo deployment/web -n shop", "deployment.apps/web rolled back", False),
        ),
        "utf-8",
    )
    report = house.ana.import_trace(file)
    assert [(claim.kind, claim.status) for claim in report.claims] == [("state.workload", "evidence-verified")] * 3
    (found,) = house.ana.state(ROLLOUT, history=True).states
    assert [(step.value, step.unexplained) for step in found.history] == [
        ("rolled-out", False),
        ("failed", True),
        ("rolled-back", False),
    ]
    assert [step.status for step in found.history] == ["superseded", "superseded", "evidence-verified"]
    again = house.ana.import_trace(file)
    assert (again.admitted, again.claims) == (0, ())
    assert house.ana.verify(views=True).holds


POD = json.dumps({"kind": "Pod", "metadata": {"name": "web", "namespace": "shop"}, "status": {"phase": "Running"}})
LOOK = "kubectl get pod web -n shop -o json"
EXEC_HEAD = "Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 9\n"


def codex(name: str, given: object, output: str) -> list[Any]:
    """A Codex rollout in which one tool was called and gave that."""
    call = {"type": "function_call", "name": name, "arguments": json.dumps(given), "call_id": "c1"}
    result = {"type": "function_call_output", "call_id": "c1", "output": output}
    return [
        {"timestamp": "2026-11-28T08:00:00Z", "type": "session_meta", "payload": {"id": "s1", "cwd": "/x"}},
        {"timestamp": "2026-11-28T08:00:01Z", "type": "response_item", "payload": call},
        {"timestamp": "2026-11-28T08:00:02Z", "type": "response_item", "payload": result},
    ]


def shell(output: str) -> list[Any]:
    """The same, of the tool whose output stands in an object."""
    framed = json.dumps({"output": output, "metadata": {"exit_code": 0, "duration_seconds": 0.1}})
    return codex("shell", {"command": ["bash", "-lc", LOOK]}, framed)


def mini(output: str) -> list[Any]:
    """A trajectory of mini-SWE-agent: one document."""
    messages = [
        {"role": "system", "content": "You are an assistant."},
        {"role": "user", "content": "Please solve this issue: x"},
        {"role": "assistant", "content": f"THOUGHT: I look.\n```bash\n{LOOK}\n```"},
        {"role": "user", "content": output},
    ]
    return [{"info": {"mini_version": "1.13.4"}, "messages": messages, "trajectory_format": "mini-swe-agent-1"}]


def events(result: object) -> list[Any]:
    """Plain events: a call, and what it gave."""
    call = {"tool": "Bash", "call_id": "c1", "input": {"command": LOOK}}
    return [
        {"id": "e1", "run_id": "r1", "sequence": 1, "kind": "tool-call", "payload": call},
        {"id": "e2", "run_id": "r1", "sequence": 2, "kind": "tool-result", "payload": result},
    ]


PROMPT = "root@box:/app#"
TYPED = f"{PROMPT} {LOOK}\n{POD}\n{PROMPT}"
OTHER = {"keystrokes": "uptime\n", "duration": 0.1}


def terminus(screen: str, *typed: dict[str, Any]) -> list[Any]:
    """ATIF of Terminus 2: what was typed into a terminal in one step, and the one observation of it."""
    calls = [
        {"tool_call_id": f"call_1_{number}", "function_name": "bash_command", "arguments": given}
        for number, given in enumerate(typed or ({"keystrokes": f"{LOOK}\n", "duration": 0.1},), 1)
    ]
    seen = {"results": [{"content": screen}]}
    step = {"step_id": 1, "source": "agent", "message": "I look.", "tool_calls": calls, "observation": seen}
    return [{"schema_version": "ATIF-v1.5", "session_id": "s1", "agent": {"name": "terminus-2"}, "steps": [step]}]


def unnamed(*rows: tuple[str, object], places: bool = True) -> list[Any]:
    """Plain events without a call's id, one after another."""
    return [
        {"id": f"e{at}", "run_id": "r1", "kind": kind, "payload": payload} | ({"sequence": at} if places else {})
        for at, (kind, payload) in enumerate(rows)
    ]


CALLED = "tool-call", {"tool": "Bash", "input": {"command": LOOK}}
UPTIME = "tool-call", {"tool": "Bash", "input": {"command": "uptime"}}
GAVE = "tool-result", {"output": POD}

FRAMED = {
    "terminus": terminus(f"New Terminal Output:\n\n{TYPED}\n\n\n"),
    "events without ids": unnamed(CALLED, GAVE),
    "events without ids and places": unnamed(CALLED, GAVE, places=False),
    "events without ids, JSON": unnamed(CALLED, ("tool-result", {"output": json.loads(POD)})),
    "events without ids, framed": unnamed(CALLED, ("tool-result", {"tool": "Bash", "is_error": False, "output": POD})),
    "events without ids, one after another": unnamed(UPTIME, ("tool-result", {"output": "up"}), CALLED, GAVE),
    "codex shell": shell(POD),
    "codex exec": codex("exec_command", {"cmd": LOOK}, f"{EXEC_HEAD}Output:\n{POD}"),
    "codex exit code": codex("shell", {"command": LOOK}, f"Exit code: 0\nWall time: 1 seconds\nOutput:\n{POD}"),
    "mini": mini(f"<returncode>0</returncode>\n<output>\n{POD}\n</output>"),
    "event, text": events({"call_id": "c1", "is_error": False, "output": POD}),
    "event, JSON": events({"call_id": "c1", "output": json.loads(POD)}),
    "event, unframed": [*events(None)[:1], {**events(json.loads(POD))[1], "attributes": {"call_id": "c1"}}],
}
NOT_FRAMED = {
    "a screen that was there before": terminus(f"Current Terminal Screen:\n{TYPED}"),
    "a command that still runs": terminus(f"New Terminal Output:\n{PROMPT} {LOOK}\n{POD}\n"),
    "a screen of two commands": terminus(f"New Terminal Output:\n{PROMPT} uptime\n{TYPED}"),
    "a screen of another command": terminus(f"New Terminal Output:\n{TYPED}", OTHER),
    "keys that are no whole line": terminus(f"New Terminal Output:\n{TYPED}", {"keystrokes": LOOK}),
    "two calls in a step": terminus(f"New Terminal Output:\n{TYPED}", {"keystrokes": f"{LOOK}\n"}, OTHER),
    "two calls without ids": unnamed(UPTIME, CALLED, GAVE),
    "two calls without ids and places": unnamed(CALLED, UPTIME, GAVE, places=False),
    "a second result": unnamed(CALLED, ("tool-result", {"output": "x"}), GAVE),
    "something between": unnamed(CALLED, ("observation", "it rained"), GAVE),
    "a result before its call": list(reversed(unnamed(GAVE, CALLED))),
    "more beside the output": events({"call_id": "c1", "output": POD, "note": "edited"}),
    "lines left out": codex("exec_command", {"cmd": LOOK}, f"{EXEC_HEAD}Total output lines: 900\nOutput:\n{POD}"),
    "text after the frame": mini(f"<returncode>0</returncode>\n<output>\n{POD}\n</output>\n<warning>cut</warning>"),
    "a frame that the output prints": shell(f"<returncode>0</returncode>\n<output>\n{POD}\n</output>"),
    "words before the head": codex("exec_command", {"cmd": LOOK}, f"see:\n{EXEC_HEAD}Output:\n{POD}"),
}


@pytest.mark.parametrize("name", [*FRAMED, *NOT_FRAMED])
def test_a_state_is_read_within_the_frame_that_a_program_puts_around_an_output(
    name: str, house: World, tmp_path: Path
) -> None:
    """Of every program that frames it; never of a part of the frame, nor of a second one that stands in the output."""
    file = tmp_path / "trace.json"
    file.write_text("\n".join(json.dumps(row) for row in {**FRAMED, **NOT_FRAMED}[name]), "utf-8")
    report = house.ana.import_trace(file)
    told = ["pod:shop/web: state is not-ready"] if name in FRAMED else []
    assert [claim.statement for claim in report.claims] == told
    assert house.ana.verify(views=True).holds
