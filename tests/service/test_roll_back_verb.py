"""Roll back: an earlier registry comes out of the ledger as documents, the same by its hash, and changes nothing."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from worlds import (
    TWO_PEOPLE,
    World,
    code_of,
    house_fixture,  # noqa: F401  # pytest finds the fixture here
)
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful.adapters.registry_files import folder_documents, pack_documents, registry_of
from heedful.bridges.registry import Registry

OWN = """\
pack: {name: team, version: "1", description: The team's own., licence: Apache-2.0}
action_classes:
  bookkeeping: {description: Data is handed on., on_no_bridge: retrieve, phrases: {en: [export ... books], zh: [导出账目]}}
kinds:
  books.closing:
    {description: The books close. 🙂, form: constraint, cardinality: one, comparator: text, risk: medium, applies_to: [bookkeeping], expiry_test: "2026-11-30"}
bridges:
  bookkeeping.books:
    from: [bookkeeping]
    activates: [books.closing]
    effect: ask
    risk: medium
    authority: maintainer-approved
    evidence: 手册
    source_opened: true
    reason: It would be booked in the wrong month.
    owner: team
    expires: "2098-12-31"
  deploy.freeze: {override: true, effect: ask, owner: team}
tools:
  team.books: {commands: [books export *], class: bookkeeping, impact: execute}
shell_tools: {Terminal: line}
"""


@cache
def with_own(text: str = OWN) -> Registry:
    """The bundled pack, the test's policy and documents of the team's own."""
    return registry_of((*pack_documents("delivery"), ("own.yaml", text), ("policy.yaml", TWO_PEOPLE)))


def folder_registry(folder: Path) -> Registry:
    """What the folder makes, as a store would read it."""
    return registry_of(folder_documents(folder))


@pytest.fixture(name="moved")
def moved_fixture(house: World) -> World:
    """A house that used two registries, and goes by the second: another reason, a bridge gone."""
    house.app.registry = with_own()
    house.ana.status()
    text = OWN.replace("in the wrong month", "twice").replace(
        "  deploy.freeze: {override: true, effect: ask, owner: team}\n", ""
    )
    house.app.registry = with_own(text)
    house.ana.status()
    return house


def test_an_earlier_registry_comes_back_the_same_by_its_hash(moved: World, tmp_path: Path) -> None:
    """Overrides of a pack, documents of one's own, policy, Chinese and emoji included."""
    older = with_own().revision
    earlier, written = moved.ana.roll_back_registry(older, to=tmp_path / "restored")
    assert written is not None

    assert (written.revision, written.left) == (older, ())
    assert folder_registry(tmp_path / "restored").body_json == with_own().body_json
    assert {(change.entry, change.change) for change in earlier.changes} == {
        ("deploy.freeze", "changed"),
        ("bookkeeping.books", "changed"),
    }
    assert sorted(written.files) == ["packs.yaml", "policy.yaml", "registry.yaml"]


def test_nothing_is_changed_by_it(moved: World, tmp_path: Path) -> None:
    """No event, and the registry in use stays."""
    before, in_use = moved.events(), moved.app.registry.revision
    earlier, written = moved.ana.roll_back_registry(with_own().revision[:12])

    assert (written, earlier.in_use, moved.app.registry.revision) == (None, in_use, in_use)
    moved.ana.roll_back_registry(with_own().revision, to=tmp_path / "again")
    assert moved.events() == before


def test_a_folder_that_holds_something_is_left_alone(moved: World, tmp_path: Path) -> None:
    """Nobody's registry is written over; a name that can't be a folder is an error as well."""
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "policy.yaml").write_text("mine", "utf-8")
    older = with_own().revision

    assert code_of(lambda: moved.ana.roll_back_registry(older, to=taken)) == "registry_folder_taken"
    assert (taken / "policy.yaml").read_text("utf-8") == "mine"
    for name in (taken / "policy.yaml", tmp_path / "a\0b"):
        assert code_of(lambda name=name: moved.ana.roll_back_registry(older, to=name)) == "registry_folder_unavailable"  # type: ignore[misc]


def test_a_registry_that_needs_an_older_pack_says_what_differs(moved: World, tmp_path: Path) -> None:
    """What this release's pack has besides can't be taken out by a document; it is told, and not passed over."""
    documents = [each for each in pack_documents("delivery") if not each[0].endswith("bridges_access.yaml")]
    moved.app.registry = registry_of((*documents, ("policy.yaml", TWO_PEOPLE)))
    moved.ana.status()
    older = moved.app.registry.revision
    moved.app.registry = with_own()
    _, written = moved.ana.roll_back_registry(older, to=tmp_path / "restored")
    assert written is not None

    assert written.revision != older
    assert {change.change for change in written.left} == {"added"}


def test_who_may_not_and_what_is_not_there(moved: World) -> None:
    """An owner or operator asks; agents, reviewers and strangers do not; a revision of no store is not found."""
    older = with_own().revision
    for memory in (moved.bob, moved.dan, moved.agent, moved.memory("agent:pip"), moved.stranger):
        assert code_of(lambda m=memory: m.roll_back_registry(older)) == "principal_may_not"  # type: ignore[misc]
    for revision in ("0" * 64, "", "\ud800"):
        assert code_of(lambda r=revision: moved.ana.roll_back_registry(r)) == "registry_revision_not_found"  # type: ignore[misc]
