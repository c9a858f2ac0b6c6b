"""Asking: what somebody of an episode is handed for a question, under what policy grants them at that moment."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import replace

from heedful.bootstrap import App
from heedful.evaluation.governance.access import principal_of
from heedful.evaluation.governance.refusing import asks_back
from heedful.evaluation.governance.telling import Told
from heedful.evaluation.governance.topics import person_topics, project_topics
from heedful.evaluation.stores import as_if_new
from heedful.evidence.packet import Packet
from heedful.kernel.ids import PrincipalId
from heedful.observations.record import Channel
from heedful.service.recalling.recall import recall
from heedful.service.requests import memory_request
from heedful.service.session import Session

_WORDS: Mapping[str, str] = {
    "access": "access family revoked",
    "billing": "billing insurance statement",
    "broad": "summary wording",
    "budget": "approved budget",
    "clinical": "result plan next step",
    "commercial": "approved maximum discount contract term renewal",
    "contact": "callback number direct mobile phone contact plan",
    "customer": "customer",
    "incident": "incident diagnosis label",
    "labs": "lab result value",
    "medication": "medication continue daily stop dose",
    "schedule": "visit appointment calendar booked follow-up arrival call",
    "secrets": "active token",
    "status": "target date vendor selected blockers remaining",
    "support": "housing letter transport",
}
"""Topic -> words that tell of it; a question is asked once more in the words of what it is about."""
_NOW = "current now"


def handed(app: App, told: Told, asker: str, query: str, budget_tokens: int) -> tuple[Packet, ...]:
    """The packets that somebody is handed for a question, now: two for each person or project that it is about.

    None where it asks for what was forgotten. One is for the question as it is asked, one for the words of its topics.
    The budget is that of all of them together.
    """
    subjects = told.matters.asked(asker, query)
    session = as_asker(told, asker)
    questions = (query, _in_other_words(told, query))
    share = budget_tokens // (len(subjects) * len(questions))
    packets = []
    for subject in subjects:
        if told.refuses and asks_back(query, told.forgotten.get(subject)):
            continue
        granted = told.access.topics_of(asker, subject) if told.grants else frozenset(told.matters.topics)
        scope = [f"{topic}:{subject}" for topic in told.matters.topics_asked(granted)]
        for question in questions:
            request = memory_request(session, question, scope=scope, budget_tokens=share)
            packets.append(recall(as_if_new(app, session, request.features.text), request))
    return tuple(packets)


def as_asker(told: Told, asker: str) -> Session:
    """A session of somebody of the episode at its memory, under policy as it stands after the turns told so far."""
    session = told.session
    registry = copy.copy(session.registry)
    policy = told.access.policy(session.registry.policy, asker, everything=not told.grants)
    object.__setattr__(registry, "policy", policy)
    return replace(session, registry=registry, principal=PrincipalId(principal_of(asker)), channel=Channel.PERSON)


def _in_other_words(told: Told, query: str) -> str:
    topics: Iterable[str] = (
        project_topics(query, frozenset()) if told.matters.are_projects else person_topics(query, "patient")
    )
    return " ".join((*(_WORDS[topic] for topic in sorted(topics) if topic in _WORDS), _NOW))
