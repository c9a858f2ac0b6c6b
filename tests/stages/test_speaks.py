"""Who speaks for a subject: each permission beside its denial."""

from __future__ import annotations

from typing import Any

import pytest
from registry_builders import built

from heedful.kernel.ids import PrincipalId
from heedful.observations.record import Channel, Record, SourceGrade
from heedful.observations.speaking import is_own_word
from heedful.policy.speaks import speaks_for
from heedful.testing.builders import build_record

POLICY = built(
    """\
policy:
  principals:
    "person:ana": {roles: [owner], grants: ["*"]}
    "person:bo": {roles: [], speaks_for: ["user:tim", "team:*"]}
    "agent:*": {roles: [agent]}
    "person:robot": {roles: [agent], grants: []}
    "service:ana": {roles: []}
"""
).policy


@pytest.mark.parametrize(
    ("principal", "subject", "expected"),
    [
        ("person:ana", "user:ana", True),
        ("person:ana", "person:ana", True),
        ("person:ana", "user:ana/daughter", True),
        ("person:ana", "user:anabel", False),
        ("person:ana", "user:Ana", False),
        ("person:ana", "project:ana", False),
        ("person:ana", "user:bo", False),
        ("person:bo", "user:tim", True),
        ("person:bo", "user:tim/school", True),
        ("person:bo", "user:timothy", False),
        ("person:bo", "team:sre", True),
        ("person:bo", "teams:sre", False),
        ("agent:ana", "user:ana", False),
        ("agent:ana", "agent:ana", False),
        ("person:robot", "user:robot", False),
        ("service:ana", "user:ana", False),
        ("person:cyd", "user:cyd", False),
        ("", "", False),
    ],
)
def test_people_speak_for_themselves_and_whom_policy_names(principal: str, subject: str, *, expected: bool) -> None:
    """What is below a subject too; never an agent, and nobody whom policy does not know."""
    assert speaks_for(POLICY, principal, subject) is expected


def said(**changes: Any) -> Record:
    """A message of ana's, with these fields otherwise."""
    return build_record(**changes)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (said(speaker=None), True),
        (said(speaker="ana"), True),
        (said(speaker=None, channel=Channel.CAPTURE), True),
        (said(speaker="bo", channel=Channel.CAPTURE), False),
        (said(speaker=None, channel=Channel.AGENT), False),
        (said(speaker=None, grade=SourceGrade.AGENT), False),
        (said(speaker=None, grade=SourceGrade.OPERATOR), False),
        (said(speaker=None, flags=("speaks-for-another",)), False),
        (said(speaker=None, principal=PrincipalId("person:bo")), False),
    ],
)
def test_a_record_is_its_subjects_word_only_first_hand(record: Record, *, expected: bool) -> None:
    """Not an agent's, an operator's, or somebody else's."""
    assert is_own_word(POLICY, record, "user:ana") is expected
