"""What the engines share: named statements and the safe form of search tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.adapters.storage.codec import typed_value
from heedful.adapters.storage.queries import fill, load_queries, marks, parse_queries
from heedful.adapters.storage.tokens import TOKEN_BYTES_MAX, encode_token, pack_tokens, unpack_tokens

ANY_TEXT = st.text(st.characters()) | st.text("\ue000\ue040\ue041\ue080\ue081\ue082\ue100\ue141\ud800aA ", max_size=4)


def test_a_statement_is_found_by_its_name() -> None:
    """Comments and the last semicolon are left out; a file may begin with a comment."""
    text = "-- about\n\n-- one --\n-- why\nSELECT 1;\n\n-- two --\nSELECT 2;\nSELECT 3"
    assert parse_queries(text) == {"one": "SELECT 1", "two": "SELECT 2;\nSELECT 3"}


@pytest.mark.parametrize("text", ["-- a --\nSELECT 1\n-- a --\nSELECT 2", "-- a --\n-- b --\nSELECT 1"])
def test_a_name_that_stands_twice_or_alone_is_refused(text: str) -> None:
    """A mistake in a file is found when it is loaded."""
    with pytest.raises(ValueError, match="stands twice or is empty"):
        parse_queries(text)


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_every_shipped_statement_is_used_and_every_used_one_ships(engine: str) -> None:
    """No statement is left over, and no name is misspelt."""
    from importlib import resources  # noqa: PLC0415

    package = f"heedful.adapters.storage.{engine}"
    folders = [resources.files(package), resources.files("heedful.adapters.storage")]
    source = "".join(
        entry.read_text() for folder in folders for entry in folder.iterdir() if entry.name.endswith(".py")
    )
    for file in ("queries.sql", "control_queries.sql"):
        for name in load_queries(package, file):
            assert f'"{name}"' in source or f"'{name}'" in source, name


def test_slots_take_fragments_and_an_unknown_one_is_refused() -> None:
    """A slot without a fragment never reaches the database."""
    assert fill("a IN ({marks}) {rest}", marks=marks(3), rest="") == "a IN (?,?,?) "
    with pytest.raises(KeyError):
        fill("{nothing}")


@given(ANY_TEXT, ANY_TEXT)
def test_two_tokens_never_share_a_safe_form(left: str, right: str) -> None:
    """The encoding is injective."""
    assert (encode_token(left) == encode_token(right)) == (left == right)


@given(ANY_TEXT)
def test_a_safe_form_is_one_token_to_the_ascii_tokenizer(token: str) -> None:
    """Only lower-case letters, digits and characters beyond ASCII, no half of a pair, and never long."""
    encoded = encode_token(token)
    assert all(c in "abcdefghijklmnopqrstuvwxyz0123456789" or ord(c) >= 0x80 for c in encoded)
    assert len(encoded.encode()) <= 4 * TOKEN_BYTES_MAX


@given(st.lists(ANY_TEXT))
def test_packed_tokens_are_the_safe_forms_of_each(tokens: list[str]) -> None:
    """The fast way for everyday text gives what the slow way gives."""
    assert unpack_tokens(pack_tokens(tokens)) == [encode_token(token) for token in tokens]


@pytest.mark.parametrize("size", [TOKEN_BYTES_MAX // 4, TOKEN_BYTES_MAX, TOKEN_BYTES_MAX + 1, 40_000])
def test_long_tokens_are_apart(size: int) -> None:
    """Also where they differ in their last character alone."""
    assert encode_token("x" * size + "a") != encode_token("x" * size + "b")
    assert unpack_tokens(pack_tokens(["a", "x" * size])) == ["a", encode_token("x" * size)]


def test_numbers_equal_numbers_and_booleans_are_no_numbers() -> None:
    """As Python compares numbers, exact beyond 64 bits; True is not 1."""
    assert typed_value(9) == typed_value(9.0) == ("number", 9)
    assert typed_value(2**70) == typed_value(float(2**70)) != typed_value(2**70 + 1)
    assert len({typed_value(value) for value in (1, True, "1", "true")}) == 4
