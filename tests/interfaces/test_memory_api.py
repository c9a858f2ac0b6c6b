"""Memory: opened, shared, closed; and what it raises."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import heedful
from heedful import Memory
from heedful.kernel.errors import ConflictError, HeedfulError, NotFoundError
from heedful.service.keeping.statements import RememberFields, RememberTexts
from heedful.settings import VERSION, Settings

PROJECT = ["project:payments"]


def settings(folder: Path, **more: Any) -> Settings:
    """Settings with their keys in this folder, for person:ana; nothing is told unasked."""
    return Settings(keys_dir=str(folder / "keys"), **{"principal": "person:ana", "router": "none", **more})


def code_of(call: Any) -> str:
    """The code of the error that the call raises."""
    with pytest.raises(HeedfulError) as raised:
        call()
    return raised.value.code


@pytest.fixture(params=["sqlite", "postgresql"])
def made(tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    """The memory of a new store, on either engine."""
    database = request.getfixturevalue("database") if request.param == "postgresql" else None
    with Memory.init(tmp_path, scope=PROJECT, database=database, settings=settings(tmp_path)) as memory:
        yield memory


def test_the_package_hands_out_two_names() -> None:
    """And tells of any other."""
    assert heedful.Memory is Memory
    assert heedful.__version__ == VERSION
    with pytest.raises(AttributeError, match="Memroy"):
        _ = heedful.Memroy


def test_init_open_and_what_was_kept_is_there_again(tmp_path: Path) -> None:
    """Also from a folder further down, and from the store folder itself."""
    with Memory.init(tmp_path, scope=PROJECT, settings=settings(tmp_path)) as memory:
        kept = memory.remember("the cache lies")
        assert memory.default_scope == tuple(PROJECT)
    for path in (tmp_path, tmp_path / ".heedful", str(tmp_path)):
        with Memory.open(path, settings=settings(tmp_path)) as memory:
            assert [item.item_id for item in memory.recall("cache").items] == [kept.record_id]


def test_init_takes_principal_and_tenant_of_the_settings_where_none_are_named(tmp_path: Path) -> None:
    """An argument comes before a setting, a setting before the login."""
    given = settings(tmp_path, tenant="acme")
    with Memory.init(tmp_path, settings=given) as memory:
        assert (memory.status().tenant, memory.verify().holds) == ("acme", True)
    (tmp_path / "b").mkdir()
    with Memory.init(tmp_path / "b", tenant="beta", principal="person:bob", settings=given) as memory:
        assert memory.status().tenant == "beta"
        assert memory.acting_as("person:ana", channel="person").acting_as("person:bob").verify().holds


def test_a_name_with_quotes_makes_a_store_like_any_other(tmp_path: Path) -> None:
    """It goes into a YAML file, whole."""
    with Memory.init(tmp_path, settings=settings(tmp_path, principal='person:o"neil\\')) as memory:
        assert memory.remember("x", scope=PROJECT).outcome == "admitted"


def test_a_store_is_made_once_and_found_or_not(tmp_path: Path) -> None:
    """Two errors that are told apart by class and by code."""
    Memory.init(tmp_path, settings=settings(tmp_path)).close()
    empty = tmp_path / "empty"
    empty.mkdir()

    with pytest.raises(ConflictError, match="there is a store"):
        Memory.init(tmp_path, settings=settings(tmp_path))
    with pytest.raises(NotFoundError):
        Memory.open(empty, settings=settings(tmp_path))
    assert code_of(lambda: Memory.open(tmp_path, tenant="none", settings=settings(tmp_path))) == "tenant_not_found"
    assert code_of(lambda: Memory.open(tmp_path, principal="a\nb", settings=settings(tmp_path))) == "name_malformed"
    assert code_of(lambda: Memory.open(tmp_path, channel="x", settings=settings(tmp_path))) == "choice_unknown"  # type: ignore[arg-type]


def test_a_store_in_a_database_is_opened_with_it_and_joined_from_another_folder(tmp_path: Path, database: str) -> None:
    """By argument or by setting; without it, and where the store is on SQLite, it is an error."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with Memory.init(tmp_path / "a", database=database, scope=PROJECT, settings=settings(tmp_path)) as memory:
        kept = memory.remember("the cache lies")
    Memory.init(tmp_path / "b", scope=PROJECT, settings=settings(tmp_path, database=database)).close()
    for folder in ("a", "b"):
        with Memory.open(tmp_path / folder, database=database, settings=settings(tmp_path)) as memory:
            assert [item.item_id for item in memory.recall("cache").items] == [kept.record_id]
    assert code_of(lambda: Memory.open(tmp_path / "a", settings=settings(tmp_path))) == "database_needed"
    Memory.init(tmp_path, settings=settings(tmp_path)).close()
    assert (
        code_of(lambda: Memory.open(tmp_path, database=database, settings=settings(tmp_path))) == "database_unexpected"
    )


def test_closing_twice_is_closing_once_and_nothing_works_afterwards(tmp_path: Path) -> None:
    """Reads and writes alike say so."""
    memory = Memory.init(tmp_path, scope=PROJECT, settings=settings(tmp_path))
    memory.recall("x")
    memory.close()
    memory.close()

    for call in (lambda: memory.remember("x"), lambda: memory.recall("x"), memory.verify, memory.status):
        assert code_of(call) == "store_closed"
    with Memory.open(tmp_path, settings=settings(tmp_path)) as again:
        assert again.verify().access.event_count == 1, "what waited was sealed by close"


def test_a_block_that_fails_closes_too(tmp_path: Path) -> None:
    """The error goes through."""
    with pytest.raises(ZeroDivisionError), Memory.init(tmp_path, settings=settings(tmp_path)) as memory:
        raise ZeroDivisionError
    assert code_of(memory.status) == "store_closed"


def test_acting_as_another_shares_the_store_and_closes_nothing(made: Memory) -> None:
    """An agent's memory through an agent's door unless it is said otherwise."""
    with made.acting_as("agent:pip") as agent:
        kept = agent.remember("frozen", kind="release.freeze")
        assert code_of(lambda: agent.approve(kept.claims[0].claim_id)) == "principal_may_not"
    assert made.approve(kept.claims[0].claim_id).status == "active"
    assert code_of(lambda: made.acting_as("person:nobody").recall("x")) == "principal_may_not"


def test_many_threads_share_one_memory(made: Memory) -> None:
    """Nothing is lost, nothing is there twice, and the chain holds."""

    def work(number: int) -> str:
        kept = made.remember(f"message {number}", source_ref=f"ref/{number % 40}-{number}")
        made.recall(f"message {number}", impact="propose" if number % 5 == 0 else "read")
        made.judge("Bash", {"command": "git log"})
        return kept.record_id

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(work, range(80)))
    audit = made.verify(views=True)

    assert len(set(ids)) == 80
    assert audit.holds
    assert audit.access.event_count == 80
    assert made.status().counts["records"] == 80


def test_racing_threads_keep_one_reference_once(made: Memory) -> None:
    """All of them hear of the same record."""
    with ThreadPoolExecutor(8) as pool:
        kept = list(pool.map(lambda _: made.remember("the same", source_ref="one"), range(16)))

    assert len({each.record_id for each in kept}) == 1
    assert sum(not each.duplicate for each in kept) == 1


def test_a_scope_may_be_one_text_and_nothing_else_widens_it(made: Memory) -> None:
    """The default is the store's; an empty one is the whole tenant's, for those who may."""
    made.remember("here")
    made.remember("there", scope="project:other")

    assert [item.text for item in made.recall("there here", scope="project:other").items] == ["there"]
    assert code_of(lambda: made.recall("x", scope=[])) == "scope_empty"


def test_a_packet_renders_for_a_prompt_and_answers_are_checked(made: Memory) -> None:
    """A citation that is not in the packet is reported."""
    made.remember("the cache lies on Mondays")
    packet = made.recall("cache")

    assert "the cache lies on Mondays" in made.prompt(packet)
    assert made.cite("It lies [1].", packet).unknown == ()
    assert made.cite("It lies [7].", packet).unknown == ("7",)


def test_an_import_tells_its_progress(made: Memory, tmp_path: Path) -> None:
    """A path as a text will do."""
    told: list[int] = []
    source = Path(heedful.__file__).parent / "samples" / "release_run.jsonl"
    report = made.import_trace(str(source), progress=told.append)

    assert report.admitted > 10
    assert told
    assert made.review_queue().claims
    claim = made.review_queue().claims[0]
    assert made.show(claim.claim_id)[0] == claim
    assert made.why(claim.claim_id).records == made.show(claim.claim_id)[1]
    assert made.reject(claim.claim_id).item == "claim"


def test_remember_takes_every_field_of_a_statement() -> None:
    """What may be given by name is what RememberTexts has, no more and no less."""
    assert RememberFields.__optional_keys__ == {field.name for field in dataclasses.fields(RememberTexts)}
