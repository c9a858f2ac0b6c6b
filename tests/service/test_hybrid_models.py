"""Models that take their time, fail or change: nothing is lost with them, and every packet says what was not searched."""

from __future__ import annotations

import time

import pytest
from concepts import NGRAMS, SLIP, SWIM, Concepts, texts, use
from worlds import World, code_of, house_fixture  # noqa: F401  # pytest finds the fixture here
from worlds import on_both_engines as pytest_generate_tests  # noqa: F401  # pytest finds it here

from heedful import Memory
from heedful.bootstrap import embedding
from heedful.ports.store import VectorModel
from heedful.service.recalling.vectors import BATCH_ROWS_MAX, NO_ANSWER, NOT_AT_HAND, NOT_MADE, embed_waiting
from heedful.service.reindex import reindex


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    """The background does nothing by itself, so that each test says when it steps."""
    monkeypatch.setattr(embedding, "IDLE_SECONDS", 3_600.0)


def models(memory: Memory) -> tuple[VectorModel, ...]:
    with memory._session.store.read() as reading:
        return reading.vector_models()


def embed_all(memory: Memory) -> None:
    """Every background step that there is to do."""
    after: int | None = 0
    while after is not None:
        after = embed_waiting(memory._session, after=after)


def test_a_claim_without_a_word_of_the_question_answers_nothing(house: World) -> None:
    """However near it is, the table counts what words found; with a word of it (the control) it is the answer."""
    use(house, Concepts())
    claim_id = house.ana.remember("Use aspirin sparingly.", kind="capacity.limit", form="state").claims[0].claim_id
    house.bob.approve(claim_id)
    embed_all(house.ana)

    near = house.ana.recall("Which painkiller?", task_class="state")
    assert (claim_id in [item.item_id for item in near.items], near.sufficiency) == (True, "insufficient")
    assert house.ana.recall("Is aspirin used?", task_class="state").sufficiency == "sufficient"


def test_meaning_is_found_once_the_background_has_been_there(house: World) -> None:
    """Before that by words alone; a step is bounded, and goes on where the last stopped."""
    model = Concepts()
    use(house, model)
    house.ana.remember("One aspirin lands me on a nebuliser.")
    for number in range(BATCH_ROWS_MAX):
        house.ana.remember(f"Week {number} was quiet.")

    assert house.ana.recall("Which painkiller?").items == ()
    first = embed_waiting(house.ana._session)
    assert first is not None
    assert len([text for text in model.texts if text.startswith("passage")]) == BATCH_ROWS_MAX
    embed_all(house.ana)
    assert texts(house.ana.recall("Which painkiller?"))[0] == "One aspirin lands me on a nebuliser."
    assert embed_waiting(house.ana._session) is None


def test_the_background_does_it_by_itself(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process that stays open, nobody has to ask for it."""
    monkeypatch.setattr(embedding, "IDLE_SECONDS", 0.02)
    use(house, Concepts())
    memory = house.ana
    memory.remember("One aspirin lands me on a nebuliser.")
    for _ in range(200):
        if memory.recall("Which painkiller?").items:
            break
        time.sleep(0.05)
    assert texts(memory.recall("Which painkiller?")) == ["One aspirin lands me on a nebuliser."]


def test_a_model_that_is_down_never_looks_like_nothing_found(house: World) -> None:
    """What words find is handed out, and every packet says what was not searched; up again, it says nothing."""
    model = Concepts()
    use(house, model)
    house.ana.remember("One aspirin lands me on a nebuliser.")
    embed_all(house.ana)
    model.is_down = True

    found = house.ana.recall("aspirin?")
    assert texts(found) == ["One aspirin lands me on a nebuliser."]
    nothing = house.ana.recall("Which painkiller?")
    assert nothing.items == ()
    assert found.degraded == nothing.degraded == (NO_ANSWER,)
    assert "retrieval-degraded" in nothing.sufficiency_reasons

    model.is_down = False
    assert house.ana.recall("Which painkiller?").degraded == ()


def test_a_model_that_is_down_loses_no_write(house: World) -> None:
    """The record is there at once by its words, and by its meaning when the model is back."""
    model = Concepts()
    use(house, model)
    model.is_down = True
    house.ana.remember("One aspirin lands me on a nebuliser.")

    assert texts(house.ana.recall("nebuliser?")) == ["One aspirin lands me on a nebuliser."]
    assert code_of(lambda: embed_waiting(house.ana._session)) == "embedder_unavailable"
    model.is_down = False
    embed_all(house.ana)
    assert texts(house.ana.recall("Which painkiller?")) == ["One aspirin lands me on a nebuliser."]


def test_another_configured_model_changes_no_answer_until_all_is_reindexed(house: World) -> None:
    """Old answers stay right, for new records too; then the new model answers, and the old vectors are gone."""
    house.ana.remember(SWIM)
    before = house.ana.recall(SLIP)
    use(house, Concepts(), NGRAMS)
    house.ana.remember("One aspirin lands me on a nebuliser.")

    during = house.ana.recall(SLIP)
    assert (texts(during), during.degraded) == (texts(before), ())
    assert texts(house.ana.recall("The nebulizer and asprins?")) == ["One aspirin lands me on a nebuliser."]
    assert house.ana.recall("Which painkiller?").items == ()
    assert embed_waiting(house.ana._session) is None  # the background changes no model

    reindex(house.ana._session, progress=lambda _done: None)
    assert texts(house.ana.recall("Which painkiller?")) == ["One aspirin lands me on a nebuliser."]
    assert models(house.ana) == (VectorModel("concepts-1/3", is_active=True),)


def test_a_store_whose_model_cannot_be_made_here_says_so(house: World) -> None:
    """By words alone, and told."""
    use(house, Concepts())
    house.ana.remember("One aspirin lands me on a nebuliser.")
    embed_all(house.ana)
    use(house, NGRAMS)

    packet = house.ana.recall("aspirin?")
    assert (texts(packet), packet.degraded) == (["One aspirin lands me on a nebuliser."], (NOT_AT_HAND,))


def test_a_store_without_vectors_says_so_until_they_are_made(house: World) -> None:
    """One that was made by a process without a model."""
    use(house, None)
    house.ana.remember(SWIM)
    use(house, NGRAMS)

    packet = house.ana.recall(SLIP)
    assert (packet.items, packet.degraded) == ((), (NOT_MADE,))
    reindex(house.ana._session, progress=lambda _done: None)
    packet = house.ana.recall(SLIP)
    assert (texts(packet), packet.degraded) == ([SWIM], ())
