"""Search tokens: a part of a text finds it, in any script."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.observations.text import (
    CHARACTERS_MAX,
    QUERY_TERMS_MAX,
    TOKEN_CHARACTERS_MAX,
    TOKENS_MAX,
    cut_by_accident,
    query_terms,
    search_tokens,
)


def finds(query: str, document: str) -> bool:
    """True where every term of the query is a token of the document."""
    terms = query_terms(query)
    return bool(terms) and set(terms) <= set(search_tokens(document))


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("部署", "今天讨论了部署方案"),
        ("署", "今天讨论了部署方案"),
        ("itgc", "重跑gen-itgc后50条悬空引用清零"),
        ("gen-itgc", "重跑gen-itgc后50条悬空引用清零"),
        ("50", "重跑gen-itgc后50条悬空引用清零"),
        ("게임", "오늘 끝말잇기 게임을 했다"),
        ("しりとり", "今日はしりとりをした"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("oceanblue-116", "host oceanblue-116 is down"),
        ("116", "host oceanblue-116 is down"),
        ("C++", "we write C++ and C# here"),
        ("c#", "we write C++ and C# here"),
        ("foo_bar.baz", "call foo_bar.baz(1), then rest"),
        ("foo_bar", "call foo_bar.baz(1), then rest"),
        ("baz", "call foo_bar.baz(1), then rest"),
        ("v1.2.3", "released v1.2.3."),
        ("ana@example.com", "mail Ana@Example.com please"),
        ("example.com", "mail Ana@Example.com please"),
        ("README.md", "see docs/README.md"),
        ("docs/README.md", "see docs/README.md"),
        ("python3.11", "/usr/local/bin/python3.11"),
        ("السلام", "قال السلام عليكم"),
        ("مُحَمَّد", "اسمه مُحَمَّد"),
        ("สวัส", "สวัสดีครับ"),
        ("हिन्दी", "यह हिन्दी है"),
        ("か\u309a", "「か\u309aき」"),
        ("CAFÉ", "un cafe\u0301 noir"),
        ("straße", "STRASSE 5"),
        ("zerowidth", "zero\u200bwidth"),
        ("🎉", "done 🎉!"),
        ("full width", "ｆｕｌｌ　ｗｉｄｔｈ"),
        ('"oceanblue-116" AND (NEAR* -x', "oceanblue-116 and near x"),
    ],
)
def test_a_part_of_a_text_finds_it(query: str, document: str) -> None:
    """Public reports of memory systems that could not: Chinese words, names glued to them, identifiers, signs."""
    assert finds(query, document)


@pytest.mark.parametrize(
    ("query", "document"),
    [("部暑", "今天讨论了部署方案"), ("C++", "we write C here"), ("oceanblue-117", "oceanblue-116"), ("tea", "team")],
)
def test_something_else_does_not_find_it(query: str, document: str) -> None:
    """The control: near is not equal."""
    assert not finds(query, document)


def test_an_identifier_gives_itself_and_its_parts_once() -> None:
    """The whole first; no part twice."""
    assert search_tokens("foo_bar.baz") == ("foo_bar.baz", "foo_bar", "foo", "bar", "baz")
    assert search_tokens("重跑gen-itgc后") == ("重", "跑", "重跑", "gen-itgc", "gen", "itgc", "后")


def test_a_pair_that_no_text_has_is_an_accident_where_two_words_meet() -> None:
    """Beside a function word, or beside a pair that some text has; never a word alone, nor what some text has."""
    terms = ("过敏", "敏吗", "城市", "市工", "工作", "发票", "me", "да")
    assert cut_by_accident(terms, {"工作"}) == {"过敏", "敏吗", "市工"}
    assert cut_by_accident(terms, {"过敏"}) == {"敏吗"}
    assert cut_by_accident(terms, {*terms}) == frozenset()


def test_function_words_are_left_out_unless_they_are_all_there_is() -> None:
    """`the` alone is a query for `the`."""
    assert query_terms("What is the status of the deploy?") == ("status", "deploy")
    assert query_terms("the") == ("the",)
    assert "部署" in query_terms("我的部署怎么了")
    assert "怎么" not in query_terms("我的部署怎么了")


def test_a_text_without_a_word_has_no_token() -> None:
    """Signs and spaces are no words."""
    for text in ("", "   ", "!?—…", "\u200b\u200d", "___", "\x00"):
        assert search_tokens(text) == ()
        assert query_terms(text) == ()


def test_tokens_are_bounded() -> None:
    """A long text, a long word and a long query each stop at their named limit."""
    assert len(search_tokens("a b " * TOKENS_MAX)) == TOKENS_MAX
    assert search_tokens("x" * 500) == ("x" * TOKEN_CHARACTERS_MAX,)
    assert len(query_terms(" ".join(f"w{number}" for number in range(500)))) == QUERY_TERMS_MAX
    assert search_tokens(" " * CHARACTERS_MAX + "late") == ()


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_a_text_finds_itself(text: str) -> None:
    """Every term of a query is a token of the same text as a document, in every script; none is empty or too long."""
    tokens = search_tokens(text)
    assert set(query_terms(text, limit=10_000)) <= set(tokens)
    assert all(0 < len(token) <= TOKEN_CHARACTERS_MAX for token in tokens)
    assert search_tokens(text) == tokens


@settings(max_examples=200, deadline=None)
@given(st.lists(st.from_regex(r"[a-z]{3,8}(-[0-9]{1,3})?", fullmatch=True), min_size=1, max_size=10))
def test_case_does_not_matter(words: list[str]) -> None:
    """Upper case finds lower case."""
    text = " ".join(words)
    assert search_tokens(text.upper()) == search_tokens(text)
