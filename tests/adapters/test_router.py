"""The bundled router: the same answer for the same words, for any words, and a damaged file is told as one."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heedful
from heedful.adapters.models.choose import NO_EMBEDDERS, embedders_of, router_of
from heedful.adapters.models.router import (
    AHEAD_TEXTS,
    ANSWERS_CACHED,
    WEIGHTS_FILE,
    BundledRouter,
    Weights,
    bundled_weights,
)
from heedful.adapters.models.router_features import PLACES, TEXT_CHARACTERS_MAX, feature_places
from heedful.adapters.models.router_head import PROBABILITY_MIN, TARGETS_MAX
from heedful.adapters.models.words import WORDS_FILE, WordVectors
from heedful.adapters.registry_files import pack_documents, registry_of
from heedful.bridges.routed import NOT_ROUTED, NOTHING_TOLD
from heedful.kernel.errors import FaultError, UnavailableError
from heedful.settings import Settings

BY_WORDS = BundledRouter(bundled_weights, None)
ODD = [
    "a\0b",
    "\ud800 deploy",
    "deploy \udfff",
    "部署到生产环境",
    "مرحبا بالعالم",
    "デプロイ",
    "🚀 ship it",
    "x" * 50_000,
]
WORDLESS = ["", " ", "\0", "...", "\ud800"]


class _Unreachable:
    """An embedder, of the model that the weights were trained with, that gives no answer."""

    model = "no-model"
    dimensions = 3

    def embed(self, texts: list[str], *, purpose: str) -> tuple[bytes, ...]:
        raise UnavailableError("model_unavailable", "no answer", next_step="wait")


def test_the_weights_that_come_with_the_packs_answer() -> None:
    """Both sorts of text, and the identity of what answered."""
    routed = BY_WORDS.route("deploy the payments service to production tonight")
    told = BY_WORDS.tell("My daughter is allergic to peanuts.")
    assert routed.classes
    assert told.kinds
    assert routed.method == told.method == "router, words"
    assert BY_WORDS.model == f"router-{bundled_weights().digest[:8]}/words"


def test_every_target_is_of_a_pack() -> None:
    """The weights were trained with these packs: no class or kind that is gone."""
    registry = registry_of(tuple(pack_documents("delivery", "everyday")))
    known = {*registry.vocabulary.action_classes, *registry.vocabulary.kinds}
    for head in bundled_weights().heads.values():
        assert {name for name in head.targets if not name.startswith("=")} <= known


@given(st.text(st.characters(), max_size=200))
@settings(max_examples=60)
def test_any_text_has_a_bounded_answer_that_is_the_same_twice(text: str) -> None:
    """Another router, that has nothing cached, gives the same; likeliest first, none below the floor."""
    routed, told = BY_WORDS.route(text), BY_WORDS.tell(text)
    fresh = BundledRouter(bundled_weights, None)
    assert (routed, told) == (fresh.route(text), fresh.tell(text))
    for likely in (routed.classes, told.kinds):
        assert list(likely) == sorted(likely, key=lambda each: (-each[1], each[0]))
        assert len(likely) <= TARGETS_MAX
        assert all(PROBABILITY_MIN <= probability <= 1.0 for _, probability in likely)
    assert all(0.0 <= each <= 1.0 for each in (routed.inert, told.durable, told.ended))


@pytest.mark.parametrize("text", ODD)
def test_odd_text_is_ordinary_input(text: str) -> None:
    """NUL, halves of surrogate pairs, every script, and more than is read."""
    assert BY_WORDS.route(text) == BundledRouter(bundled_weights, None).route(text)
    assert BY_WORDS.tell(text).method == "router, words"


@pytest.mark.parametrize("text", WORDLESS)
def test_a_text_without_words_tells_nothing(text: str) -> None:
    """And no method claims to have read it."""
    assert (BY_WORDS.route(text), BY_WORDS.tell(text)) == (NOT_ROUTED, NOTHING_TOLD)


def test_only_so_much_of_a_text_is_read() -> None:
    """What lies beyond changes nothing."""
    text = "deploy " * (TEXT_CHARACTERS_MAX // 7 + 1)
    assert feature_places(text + "walnuts") == feature_places(text)
    assert feature_places("deploy walnuts") != feature_places("deploy")


def test_features_lie_within_their_places_whatever_their_order() -> None:
    """Ascending, each once; the same on every machine."""
    places = feature_places("deploy the cart, 部署购物车")
    assert list(places) == sorted(set(places))
    assert all(0 <= place < PLACES for place in places)


def test_answers_are_kept_and_the_oldest_are_forgotten() -> None:
    """The weights are asked once a text, until so many others came between."""
    counted = _Counting()
    router = BundledRouter(counted, None)
    first = router.route("deploy")
    assert router.route("deploy") is first
    for number in range(ANSWERS_CACHED):
        router.route(f"deploy {number}")
    again = router.route("deploy")
    assert again == first
    assert again is not first
    assert counted.loads == 1


def test_statements_read_ahead_are_told_as_if_each_were_alone() -> None:
    """Whatever they lie beside, to the last digit; and the weights are then asked no more."""
    texts = [
        *ODD,
        *WORDLESS,
        *(f"since the {number}th we may not ship cart v{number}" for number in range(AHEAD_TEXTS)),
    ]
    ahead, alone = BundledRouter(bundled_weights, None), BundledRouter(bundled_weights, None)
    ahead.read_ahead(texts)
    heard = {text: ahead.tell(text) for text in texts}
    assert heard == {text: alone.tell(text) for text in texts}
    assert all(ahead.tell(text) is heard[text] for text in texts)
    assert len({told.kinds for told in heard.values()}) > AHEAD_TEXTS / 2, "the control: they are not all alike"


class _Counting:
    def __init__(self) -> None:
        self.loads = 0

    def __call__(self) -> Weights:
        self.loads += 1
        return bundled_weights()


def test_nothing_is_loaded_before_a_text_comes() -> None:
    """A command that asks nothing pays nothing."""
    counted = _Counting()
    router = BundledRouter(counted, None)
    assert counted.loads == 0
    router.route("deploy")
    assert counted.loads == 1


def test_an_embedder_of_another_model_is_not_asked() -> None:
    """The weights know nothing of its vectors; words alone answer, and say so."""
    embedder: Any = _Unreachable()
    router = BundledRouter(bundled_weights, embedder)
    assert router.route("deploy") == BY_WORDS.route("deploy")


def test_a_model_that_gives_no_answer_is_said_to() -> None:
    """Words alone are half an answer, and the method tells it; the control is the same router's words."""
    embedder: Any = _Unreachable()
    embedder.model = bundled_weights().dense_model
    routed = BundledRouter(bundled_weights, embedder).route("deploy")
    assert routed.method == "router, words: its model gave no answer"
    assert routed.classes == BY_WORDS.route("deploy").classes


@pytest.fixture
def weights_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of the weights, to be damaged, in an installation of its own."""
    real = Path(heedful.__file__).parent / "packs" / WEIGHTS_FILE
    (tmp_path / "packs").mkdir()
    path = tmp_path / "packs" / WEIGHTS_FILE
    path.write_bytes(real.read_bytes())
    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    bundled_weights.cache_clear()
    yield path
    bundled_weights.cache_clear()


def test_the_control_a_whole_file_is_read(weights_file: Path) -> None:
    """The same bytes in another place."""
    assert weights_file.is_file()
    assert bundled_weights().heads


@pytest.mark.parametrize(
    "damage", ["gone", "empty", "cut", "foreign", "bad-sum", "no-about", "other-release", "no-number", "half"]
)
def test_a_file_that_is_damaged_is_a_fault_and_never_an_empty_answer(weights_file: Path, damage: str) -> None:
    """Gone, cut, foreign, undescribed, of another release, of no numbers or sizes that fit: one code, and what to do."""
    _damage(weights_file, damage)
    with pytest.raises(FaultError) as raised:
        BundledRouter(bundled_weights, None).route("deploy")
    assert raised.value.code == "router_unreadable"
    assert raised.value.next_step


def _damage(path: Path, damage: str) -> None:
    match damage:
        case "gone":
            path.unlink()
        case "empty":
            path.write_bytes(b"")
        case "cut":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        case "bad-sum":
            whole = path.read_bytes()
            middle = len(whole) // 2
            path.write_bytes(
                whole[:middle] + bytes(each ^ 0xFF for each in whole[middle : middle + 64]) + whole[middle + 64 :]
            )
        case "foreign":
            path.write_bytes(b"this is no archive of arrays")
        case "no-number" | "half":
            with np.load(path) as loaded:
                arrays = {name: loaded[name] for name in loaded.files}
            bias = arrays["words.R.bias"]
            arrays["words.R.bias"] = bias * np.float32("nan") if damage == "no-number" else bias[: len(bias) // 2]
            np.savez(path, **arrays)
        case "no-about":
            np.savez(path, other=np.zeros(1))
        case "other-release":
            with np.load(path) as loaded:
                arrays = {name: loaded[name] for name in loaded.files}
            arrays["about"] = np.array(str(arrays["about"]).replace('"features": ', '"features": 99'))
            np.savez(path, **arrays)
        case _:
            raise AssertionError(damage)


def test_a_damaged_table_of_words_is_the_same_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes with the packs too; a request is not answered without it as if nothing were known."""
    bundled_weights()  # these are in order
    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    WordVectors.bundled.cache_clear()
    try:
        with pytest.raises(FaultError) as raised:
            BundledRouter(bundled_weights, None).tell("walnuts")
    finally:
        WordVectors.bundled.cache_clear()
    assert raised.value.code == "router_unreadable"
    assert WORDS_FILE in raised.value.message


def test_a_texts_vector_is_the_mean_of_its_words() -> None:
    """Words that are not in the table, and their order, change nothing; a text without any has no direction."""
    words = WordVectors.bundled()
    assert np.array_equal(words.vector("almond peanut"), words.vector("peanut zzxqqj almond"))
    assert not np.array_equal(words.vector("almond"), words.vector("deploy"))
    assert words.vector("过敏").any()
    assert not words.vector("zzxqqj").any()


def test_settings_choose_the_router_or_none() -> None:
    """`none`: by phrases alone; an unknown word is refused where settings are read (test_settings_limits)."""
    assert router_of(Settings(router="none"), NO_EMBEDDERS) is None
    chosen = Settings()
    assert isinstance(router_of(chosen, embedders_of(chosen)), BundledRouter)
