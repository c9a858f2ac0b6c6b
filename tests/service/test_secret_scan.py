"""Secrets: planted in every text that a verb takes, found in no byte of the store and in no error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from worlds import DEPLOY, FREEZE, World, transcript, world

from heedful.kernel.errors import HeedfulError

CORES = ("ghp_{}Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1JkLmNb", "AKIAQZ7PLM3XK9W{}")
Ways = dict[str, Callable[[str], object]]


def _remembering(house: World) -> Ways:
    ana, pip = house.ana, house.agent
    return {
        "content": lambda s: ana.remember(f"it is {s}"),
        "bytes": lambda s: ana.remember(b"\xff " + s.encode() + b" \xff"),
        "agent": lambda s: pip.remember(f"it is {s}"),
        "attribute": lambda s: ana.remember("x", attributes={"note": s}),
        "attribute name": lambda s: ana.remember("x", attributes={s: "x"}),
        "source_ref": lambda s: ana.remember("x", source_ref=s),
        "denied source_ref": lambda s: ana.remember("x", source_ref=s, consent="denied"),
        "run_id": lambda s: ana.remember("x", run_id=s),
        "speaker": lambda s: ana.remember("x", speaker=s),
        "media_type": lambda s: ana.remember("x", media_type=f"text/{s}"),
        "media_type form": lambda s: ana.remember("x", media_type=s),
        "subject type": lambda s: ana.remember("x", subjects=[(s, "x")]),
        "subject id": lambda s: ana.remember("x", subjects=[("user", s)]),
        "derived_from": lambda s: ana.remember("x", derived_from=[s]),
        "scope": lambda s: ana.remember("x", scope=[f"project:{s}"]),
        "scope form": lambda s: ana.remember("x", scope=[f"{s}:{s}"]),
        "agent's scope": lambda s: pip.remember("x", scope=[f"project:{s}"]),
        "record_type": lambda s: ana.remember("x", record_type=s),
        "grade": lambda s: ana.remember("x", grade=s),
        "classification": lambda s: ana.remember("x", classification=s),
        "consent": lambda s: ana.remember("x", consent=s),
        "statement": lambda s: ana.remember(f"it is {s}", kind=FREEZE),
        "kind": lambda s: ana.remember("x", kind=s),
        "form": lambda s: ana.remember("x", kind=FREEZE, form=s),
        "subject": lambda s: ana.remember("x", kind=FREEZE, subject=s),
        "property": lambda s: ana.remember("x", kind=FREEZE, property_name=s),
        "value": lambda s: ana.remember("x", kind=FREEZE, value=s),
        "applies_to": lambda s: ana.remember("x", kind=FREEZE, applies_to=[s]),
        "not_for": lambda s: ana.remember("x", kind=FREEZE, not_for=[s]),
        "line": lambda s: ana.remember(f"remember: {FREEZE}: no {s} value={s} subject={s}"),
        "line's kind": lambda s: ana.remember(f"remember: k.{s.lower()}: x applies_to={s}"),
    }


def _asking(house: World) -> Ways:
    ana, sue = house.ana, house.cyd
    return {
        "question": lambda s: ana.recall(f"what of {s}", impact="execute"),
        "recall scope": lambda s: ana.recall("x", scope=[f"project:{s}"], impact="execute"),
        "recall tool": lambda s: ana.recall("x", tool=s, impact="execute"),
        "recall args": lambda s: ana.recall("x", tool="Bash", args={"command": f"curl {s}"}, impact="execute"),
        "recall class": lambda s: ana.recall("x", action_class=s, impact="execute"),
        "recall metadata": lambda s: ana.recall("x", metadata={"action_class": s, "note": s}, impact="execute"),
        "recall filter": lambda s: ana.recall("x", attributes={"note": s}, impact="execute"),
        "recall type": lambda s: ana.recall("x", record_types=[s]),
        "task_class": lambda s: ana.recall("x", task_class=s),
        "judge tool": lambda s: ana.judge(s, {}),
        "judge args": lambda s: ana.judge("Bash", {"command": f"curl -H {s}", "token": s}),
        "judge text": lambda s: ana.judge("Bash", DEPLOY, text=s),
        "judge scope": lambda s: ana.judge("Bash", DEPLOY, scope=[f"project:{s}"]),
        "not granted": lambda s: sue.remember("x", scope=[f"team:{s}"]),
        "packet_id": lambda s: ana.judge("Bash", DEPLOY, packet_id=s),
        "why": ana.why,
        "show": ana.show,
        "cite": lambda s: ana.cite(s, ana.recall("x")),
    }


def _deciding(house: World, folder: Path) -> Ways:
    ana = house.ana
    verdict = ana.judge("Bash", DEPLOY).verdict_id
    return {
        "approve": ana.approve,
        "reject": ana.reject,
        "approve reason": lambda s: house.bob.approve(house.freeze_proposed(), reason=s),
        "reject reason": lambda s: ana.reject(house.freeze_proposed(), reason=s),
        "verdict reason": lambda s: house.bob.approve(verdict, reason=s),
        "mode target": lambda s: ana.set_mode(s, "shadow", reason="r"),
        "mode": lambda s: ana.set_mode("pre-router", s, reason="r"),
        "mode reason": lambda s: ana.set_mode("pre-router", "enforce", reason=s),
        "outcome": lambda s: ana.report_outcome(verdict, status="failed", text=s),
        "outcome status": lambda s: ana.report_outcome(verdict, status=s),
        "outcome verdict": lambda s: ana.report_outcome(s, status="failed"),
        "principal": lambda s: house.memory(f"agent:{s}", channel="agent").remember("x"),
        "tenant": lambda s: house.memory("person:ana", tenant=s),
        "new tenant": lambda s: house.app.add_tenant(s, ana._session.principal),
        "acting_as": lambda s: ana.acting_as(f"agent:{s}"),
        "trace's words": lambda s: ana.import_trace(transcript(folder / "t.jsonl", s, f"remember: k.{s}: x")),
        "trace's name": lambda s: ana.import_trace(transcript(folder / f"{s}.jsonl", "x", session=f"s-{len(s)}")),
        "trace's session": lambda s: ana.import_trace(transcript(folder / "t.jsonl", "x", session=s)),
    }


@pytest.mark.parametrize("core", CORES)
def test_no_text_of_any_verb_brings_a_secret_to_disk_or_into_an_error(tmp_path: Path, core: str) -> None:
    """Each way has a secret of its own: it is cut or refused before anything is written, and no error repeats it."""
    store, traces = tmp_path / "store", tmp_path / "traces"
    store.mkdir()
    traces.mkdir()
    planted: dict[str, str] = {}
    echoed: list[str] = []
    with world(store) as house:
        ways = {**_remembering(house), **_asking(house), **_deciding(house, traces)}
        for number, (way, tell) in enumerate(ways.items()):
            planted[way] = secret = core.format(f"{number:04d}" if core.startswith("g") else f"{number:05d}")
            try:
                answer = repr(tell(secret))
            except HeedfulError as error:
                answer = f"{error.message} {error.next_step} {error.details}"
            if secret in answer and way not in ANSWERS_WITH_WHAT_THEY_WERE_GIVEN:
                echoed.append(way)
        house.ana.remember("MARK")
    written = b"".join(path.read_bytes() for path in store.rglob("*") if path.is_file())
    names = " ".join(str(path) for path in store.rglob("*"))

    assert b"MARK" in written, "the control: what is no secret was written"
    assert [way for way, secret in planted.items() if secret.encode() in written or secret in names] == []
    assert echoed == []


KEY = "/LYGCFzQ4JX1ofR4WssUeqDs/v9FTeLZCxfjGI{:02d}"
KEY_FORMS = (
    "aws_secret_access_key = {}",
    "AWS_SECRET_ACCESS_KEY={}",
    'export AWS_SECRET_ACCESS_KEY="{}"',
    '{{"SecretAccessKey": "{}"}}',
    "secret_key: {}",
    "secret_key: '{}'",
    "secret_key: |\n  {}",
    "<SecretAccessKey>{}</SecretAccessKey>",
    "- name: AWS_SECRET_ACCESS_KEY\n  value: {}",
)


def test_no_secret_key_comes_to_disk_by_a_record_an_attribute_or_a_trace(tmp_path: Path) -> None:
    """Though it begins like a path; the words around it do come (the control)."""
    store = tmp_path / "store"
    store.mkdir()
    keys = [KEY.format(number) for number in range(len(KEY_FORMS) + 1)]
    said = [form.format(key) for form, key in zip(KEY_FORMS, keys, strict=False)]
    with world(store) as house:
        for words in said:
            house.ana.remember(f"MARK {words}", record_type="tool_result", grade="tool")
        house.ana.remember("x", attributes={"aws_secret_access_key": keys[-1], "output": said[3]})
        house.ana.import_trace(transcript(tmp_path / "t.jsonl", *said))
    written = b"".join(path.read_bytes() for path in store.rglob("*") if path.is_file())
    assert b"MARK" in written
    assert [key for key in keys if key.encode() in written] == []


ANSWERS_WITH_WHAT_THEY_WERE_GIVEN = frozenset({"cite"})
"""It keeps nothing, and tells the caller which of their own words have no ground."""
