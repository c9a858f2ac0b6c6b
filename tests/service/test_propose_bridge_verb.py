"""Proposals by a model: asked of a server on this machine, checked, kept with whose word they are, and never in force."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import yaml
from worlds import (
    FREEZE,
    QUESTION,
    World,
    code_of,
    house_fixture,  # noqa: F401  # pytest finds the fixture here
)
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.adapters.models import proposer as proposer_module
from heedful.adapters.models.choose import proposer_of
from heedful.adapters.models.proposer import OpenAiProposer
from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.kernel.errors import UnavailableError
from heedful.kernel.ids import PrincipalId
from heedful.ledger.events import BridgeProposalDecided, BridgeProposed
from heedful.service.governing import propose_bridge
from heedful.settings import Settings

KEY = "sk-very-secret"


class Chat:
    """A chat endpoint that answers as `respond` says, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.respond: Callable[[], tuple[int, Any]] = lambda: (200, said(classes("migrate")))
        self.url = ""

    @property
    def prompt(self) -> str:
        """What it was asked last."""
        return str(self.asked[-1]["messages"][0]["content"])


def said(text: str) -> dict[str, Any]:
    """The answer of a chat call."""
    message = {"role": "assistant", "content": text}
    return {"id": "1", "object": "chat.completion", "choices": [{"index": 0, "message": message}]}


def classes(*names: str, reason: str = "It would break.") -> str:
    """What a model answers."""
    return json.dumps({"classes": [{"action_class": name, "reason": reason} for name in names]})


@pytest.fixture(name="chat")
def chat_fixture(house: World) -> Iterator[Chat]:
    """The endpoint, running, and configured in the house."""
    chat = Chat()

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            chat.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            chat.keys.append(self.headers["Authorization"])
            status, told = chat.respond()
            content = told if isinstance(told, bytes) else json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    chat.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    house.app.proposer = OpenAiProposer(url=chat.url, name="little", key=KEY)
    try:
        yield chat
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_proposal_waits_with_whose_word_it_is_and_brings_nothing(house: World, chat: Chat) -> None:
    """Model and prompt are named by event and queue; recall and registry are what they were."""
    claim_id = house.freeze()
    before = house.ana.recall(QUESTION, as_of="2026-11-28").items
    found = house.bob.propose_bridge(claim_id)
    (event,) = [each for each in house.events() if isinstance(each, BridgeProposed)]

    assert (found.model, [each.action_class for each in found.classes]) == ("openai:little", ["migrate"])
    assert found.prompt_digest == sha256(chat.prompt.encode()).hexdigest() == event.prompt_digest
    assert (event.model, event.asked_by, event.claim_id) == ("openai:little", "person:bob", claim_id)
    assert chat.keys == [f"Bearer {KEY}"]
    assert "Nothing leaves the house" in chat.prompt
    (waiting,) = house.bob.review_queue().proposals
    assert (waiting["proposal_id"], waiting["status"]) == (found.proposal_id, "waiting")
    assert house.ana.recall(QUESTION, as_of="2026-11-28").items == before
    assert house.ana.verify(views=True).holds


def test_an_approved_one_is_yaml_for_a_bridge_in_shadow(house: World, chat: Chat) -> None:
    """It builds, asks at most, and is in force for nobody; a second word on it is refused."""
    chat.respond = lambda: (200, said(classes("migrate", "deploy.production", reason="会中断: \ud83d\ude42")))
    found = house.bob.propose_bridge(house.freeze())
    assert found.proposal_id is not None
    reviewed = house.cyd.approve(found.proposal_id, reason="so it is")
    assert (reviewed.item, reviewed.status) == ("proposal", "approved")
    assert reviewed.document is not None
    ((name, bridge),) = yaml.safe_load(reviewed.document)["bridges"].items()

    assert (bridge["mode"], bridge["effect"], bridge["source_opened"]) == ("shadow", "ask", False)
    assert (bridge["from"], bridge["activates"]) == (["migrate", "deploy.production"], [FREEZE])
    made = registry_of((*pack_documents("delivery"), ("new.yaml", reviewed.document), ("policy.yaml", house.policy)))
    assert name in made.bridges
    assert name not in house.app.registry.bridges
    assert house.bob.review_queue().proposals == ()
    assert code_of(lambda: house.bob.approve(found.proposal_id or "", reason="r")) == "proposal_decided"
    assert isinstance(house.events()[-1], BridgeProposalDecided)


def test_a_rejected_one_is_gone_from_the_queue(house: World, chat: Chat) -> None:
    """And can be looked at."""
    assert chat.url
    found = house.bob.propose_bridge(house.freeze())
    reviewed = house.bob.reject(found.proposal_id or "", reason="no")
    shown, _ = house.bob.show(found.proposal_id or "")

    assert (reviewed.status, reviewed.document) == ("rejected", None)
    assert isinstance(shown, dict)
    assert (shown["status"], house.bob.review_queue().proposals) == ("rejected", ())


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f"Sure!\n```json\n{classes('migrate')}\n```", ["migrate"]),
        (classes("no.such.class", "inert", "migrate", "migrate"), ["migrate"]),
        (classes(), []),
        (classes("no.such.class"), []),
    ],
)
def test_only_what_the_registry_has_is_left_of_an_answer(house: World, chat: Chat, text: str, names: list[str]) -> None:
    """Each class once; where nothing is left, nothing waits."""
    chat.respond = lambda: (200, said(text))
    found = house.bob.propose_bridge(house.freeze())

    assert [each.action_class for each in found.classes] == names
    assert (found.proposal_id is None) == (not names)
    assert len(house.bob.review_queue().proposals) == bool(names)


@pytest.mark.parametrize(
    "answer",
    [
        (200, said("I would rather not.")),
        (200, said('{"classes": "migrate"}')),
        (200, said("[" * 100_000)),
        (200, {"choices": []}),
        (200, b"<html>"),
        (500, {"error": "down"}),
        (401, {"error": "no"}),
    ],
)
def test_what_is_no_answer_is_a_failure_and_no_proposal(house: World, chat: Chat, answer: tuple[int, Any]) -> None:
    """It never looks like "nothing to propose", and tells no key."""
    proposer_module.RETRIES_MAX, kept = 0, proposer_module.RETRIES_MAX
    try:
        chat.respond = lambda: answer
        claim_id = house.freeze()
        with pytest.raises(UnavailableError) as caught:
            house.bob.propose_bridge(claim_id)
    finally:
        proposer_module.RETRIES_MAX = kept

    assert caught.value.code == "proposer_unavailable"
    assert KEY not in str(caught.value.to_dict())
    assert not any(isinstance(each, BridgeProposed) for each in house.events())


def test_who_may_not_sends_nothing_anywhere(house: World, chat: Chat) -> None:
    """Agents, people without the role, strangers; claims that one may not see; and nobody where no model is configured."""
    above = house.ana.remember("x", kind=FREEZE, classification="restricted").claims[0].claim_id
    claim_id = house.freeze()
    for memory in (house.agent, house.memory("agent:pip"), house.dan, house.memory("person:aud"), house.stranger):
        assert code_of(lambda m=memory: m.propose_bridge(claim_id)) == "principal_may_not"  # type: ignore[misc]
    for each in (above, "no-such-claim", "\ud800"):
        assert code_of(lambda e=each: house.cyd.propose_bridge(e)) == "item_not_found"  # type: ignore[misc]
    assert chat.asked == []
    house.app.proposer = proposer_of(Settings())
    assert code_of(lambda: house.bob.propose_bridge(claim_id)) == "proposer_missing"
    assert proposer_of(Settings(proposer_model="little")) is not None


def test_a_proposal_is_seen_by_who_sees_its_claim_alone(house: World, chat: Chat) -> None:
    """Of a claim above the clearance, or of another tenant, there is none."""
    assert chat.url
    above = house.ana.remember("x", kind=FREEZE, classification="restricted").claims[0].claim_id
    proposal_id = house.bob.propose_bridge(above).proposal_id or ""
    house.app.add_tenant("acme", PrincipalId("person:ana"))

    assert len(house.bob.review_queue().proposals) == 1
    assert house.cyd.review_queue().proposals == ()
    for call in (house.cyd.approve, house.cyd.reject, house.memory("person:ana", tenant="acme").approve):
        assert code_of(lambda c=call: c(proposal_id)) == "item_not_found"  # type: ignore[misc]
    assert code_of(lambda: house.cyd.show(proposal_id)) == "item_not_found"


def test_proposals_for_what_one_may_not_see_take_no_place(
    house: World, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many are before one's own."""
    assert chat.url
    monkeypatch.setattr(propose_bridge, "PROPOSALS_MAX", 2)
    for text, classification in (("x", "restricted"), ("y", "restricted"), ("z", "restricted"), ("w", "normal")):
        claim = house.ana.remember(text, kind=FREEZE, classification=classification).claims[0]
        house.bob.propose_bridge(claim.claim_id)

    own = house.cyd.review_queue()
    assert ([each["claim_id"] for each in own.proposals], own.cut) == ([claim.claim_id], False)
    full = house.bob.review_queue()
    assert (len(full.proposals), full.cut) == (2, True)
