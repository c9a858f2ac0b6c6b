"""A household's store: people and their own addresses, where each kind has one value at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from worlds import TWO_PEOPLE, World, world

from heedful import Memory
from heedful.claims.claim import Claim

HOME = ("user:ana",)
ADDRESS, COMMUTE, PARKING = "home.address", "home.commute", "home.parking"
KINDS = """
kinds:
  home.address: {description: Where one lives., form: fact, cardinality: one, comparator: text, risk: low}
  home.commute: {description: Minutes to work., form: fact, cardinality: one, comparator: number, risk: low}
  home.parking: {description: Where one parks., form: fact, cardinality: one, comparator: text, risk: low}
  home.allergy: {description: What one does not bear., form: fact, cardinality: one, comparator: text, risk: high}
"""
POLICY = (
    TWO_PEOPLE.replace(
        '"person:bob": {roles: [reviewer], clearance: restricted, grants: ["project:*", "environment:*"]}',
        '"person:bob": {roles: [reviewer], clearance: restricted, grants: ["project:*", "user:*"]}\n'
        '    "person:eve": {roles: [], clearance: normal, grants: ["user:*"]}\n'
        '    "person:gus": {roles: [], clearance: normal, grants: ["user:*"], speaks_for: ["user:ana"]}\n'
        '    "person:cat": {roles: [], clearance: normal, grants: ["user:*"], denied_kinds: [home.address, home.commute, home.parking]}',
    )
    + KINDS
)
HOME_ADDRESS = "I live in Shanghai."


def says(memory: Memory, statement: str, kind: str, value: Any, **more: Any) -> str:
    """The id of the claim that this person states of Ana, which policy approves by itself."""
    told = memory.remember(
        statement, kind=kind, value=value, subject="user:ana", scope=HOME, consent="explicit", **more
    )
    assert [each.status for each in told.claims] == ["active"], told
    return told.claims[0].claim_id


def claim_of(memory: Memory, claim_id: str) -> Claim:
    """The claim as this person sees it."""
    item, _ = memory.show(claim_id)
    assert isinstance(item, Claim)
    return item


@pytest.fixture(name="home")
def home_fixture(request: pytest.FixtureRequest) -> Iterator[World]:
    """An empty store with the household's policy."""
    is_shared = getattr(request, "param", "sqlite") == "postgresql"
    with world(policy=POLICY, database=request.getfixturevalue("emptied_database") if is_shared else None) as made:
        yield made
