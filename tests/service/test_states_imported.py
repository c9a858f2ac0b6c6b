"""States of a transcript: calls and what they gave belong together, also within one batch, and importing again adds nothing."""

from __future__ import annotations

import json
from pathlib import Path

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
