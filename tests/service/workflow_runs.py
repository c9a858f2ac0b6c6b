"""Runs that are, or are not, what a workflow is proposed from; each case with why it is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workflows import PRODUCTION, STAGING, call, verify
from worlds import World


def run(house: World, name: str, tag: str = "1.0", *, last: bool = True, **more: Any) -> list[str]:
    """The records of a run that goes well: tests, push, look, roll, look; in staging where nothing else is said."""
    scope = more.get("scope", STAGING)
    found = [
        verify(house, name, verifies="web.tests", scope=scope),
        call(house, name, "Look", {"at": tag}, scope=scope),
        call(house, name, "Ship", {"image": f"web:{tag}"}, **more),
        verify(house, name, scope=scope),
        call(house, name, "Roll", {"manifest": "web.yaml", "tag": tag}, **more),
    ]
    if last:
        found.append(verify(house, name, scope=scope))
    return found


def tried_again(house: World) -> None:
    """One run, whose steps are in it twice, is one run."""
    run(house, "run-1")
    run(house, "run-1")


def said_to_be_tried_again(house: World) -> None:
    """A run that says whose retry it is."""
    run(house, "run-1", "1.0")
    house.clock.go(seconds=7_200)
    run(house, "run-2", "1.1")
    verify(house, "run-2", attributes={"verifies": "web", "passed": True, "retry_of": "run-1"})


def derived(house: World) -> None:
    """A run whose records were made from another's."""
    first = run(house, "run-1", "1.0")
    house.clock.go(seconds=7_200)
    run(house, "run-2", "1.1", derived_from=[first[2]])


def failing(house: World, spoil: Callable[[World], object]) -> None:
    """One run that went well, and one that is spoilt."""
    run(house, "run-1", "1.0")
    run(house, "run-2", "1.1")
    spoil(house)


def error_of(house: World) -> None:
    """The tool refused."""
    attributes: dict[str, str | bool] = {"tool_use_id": "run-2-Roll", "is_error": True}
    capture = house.memory("person:ana", channel="capture")
    capture.remember("no", record_type="tool_result", run_id="run-2", scope=STAGING, attributes=attributes)


def rolled_back(house: World) -> None:
    """The outcome of one of its calls, as it was reported, says so."""
    verdict = house.agent.judge("Look", {}, scope=STAGING, run="run-2")
    house.agent.report_outcome(verdict.verdict_id, status="rolled-back")


CASES: dict[str, tuple[Callable[[World], object], str]] = {
    "nothing": (lambda house: None, ""),
    "one run only": (lambda house: run(house, "run-1"), "only one such run"),
    "its steps twice in one run": (tried_again, "only one such run"),
    "the same arguments within an hour": (
        lambda house: [run(house, name) for name in ("run-1", "run-2")],
        "the same run again",
    ),
    "a retry that says so": (said_to_be_tried_again, "the same run again"),
    "a derivation": (derived, "the same run again"),
    "not verified at the end": (
        lambda house: [run(house, "run-1", "1.0"), run(house, "run-2", "1.1", last=False)],
        "not verified",
    ),
    "a verification that failed": (
        lambda house: failing(house, lambda house: verify(house, "run-2", passed=False)),
        "a verification that did not pass",
    ),
    "a call that failed": (lambda house: failing(house, error_of), "failed"),
    "rolled back": (lambda house: failing(house, rolled_back), "failed or rolled back"),
    "a call that no pattern knows": (
        lambda house: failing(house, lambda house: call(house, "run-2", "Teleport", {})),
        "a call that no tool pattern knows",
    ),
    "another order": (
        lambda house: [
            run(house, "run-1", "1.0"),
            call(house, "run-2", "Roll", {"manifest": "web.yaml", "tag": "1.1"}),
            call(house, "run-2", "Ship", {"image": "web:1.1"}),
            verify(house, "run-2"),
        ],
        "only one such run",
    ),
    "another environment": (
        lambda house: [run(house, "run-1", "1.0"), run(house, "run-2", "1.1", scope=PRODUCTION)],
        "only one such run",
    ),
    "another cluster": (
        lambda house: [
            run(house, "run-1", "1.0", subjects=[("cluster", "eu-1")]),
            run(house, "run-2", "1.1", subjects=[("cluster", "us-1")]),
        ],
        "only one such run",
    ),
    "several environments in a run": (
        lambda house: failing(house, lambda house: call(house, "run-2", "Ship", {"image": "web:9"}, scope=["project:payments"])),
        "several environments, or none",
    ),
    "nothing is changed": (lambda house: call(house, "run-1", "Look", {}), "changes nothing"),
}  # fmt: skip
