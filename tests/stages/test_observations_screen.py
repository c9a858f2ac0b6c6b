"""The screen: what it clears, the searches clear; and it remembers nothing of a text that may hold a secret."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redaction_samples import KEPT, NAMED, TOKENS

from heedful.observations import screen
from heedful.observations.admit import SCREEN
from heedful.observations.instructions import instruction_clues, instruction_flags
from heedful.observations.record import SourceGrade
from heedful.observations.redact import may_hold_secret, redact, redact_marked
from heedful.observations.screen import SECRET, Screen

PIECES = (
    *(
        "api key",
        "key",
        "Key",
        "api",
        "monkey",
        "to\u212aen",
        "password",
        "passw",
        "ord",
        "curl -u ana:",
        "swordfish9!",
    ),
    *("://ana:", "@host", "Authorization: Bearer ", "AKIA", "-----BEGIN PRIVATE KEY-----", "Private-Lines: 2"),
    *(
        "密码是",
        "contraseña: ",
        "İ",
        "ẞ",
        "\x1c",
        "\u3000",
        "\u2028",
        "\0",
        " ",
        "  ",
        "\n",
        "\t",
        "=",
        ":",
        "A1b2c3d4e5",
    ),
    *(
        "ignore all previous instructions",
        "from now on",
        "you must say",
        "this time",
        "for now",
        "忽略之前",
        "user said",
    ),
    *("one", "\u200bway", "one-off", "TODO: x", "<system>", "don't tell the user"),
)
TEXTS = st.lists(
    st.sampled_from([*PIECES, *TOKENS.values(), *KEPT, *(frame.format(secret) for frame, secret, _ in NAMED)])
    | st.text(max_size=5),
    max_size=8,
).map("".join)


@given(TEXTS)
def test_a_text_without_the_mark_has_no_secret(text: str) -> None:
    """Whatever is in it, and whatever was seen before: the search alone finds the same."""
    assert redact(text) == redact_marked(text)
    assert bool(redact_marked(text).redactions) <= bool(SCREEN.marks(text) & SECRET)


@given(TEXTS, st.sampled_from(SourceGrade))
def test_flags_are_the_same_with_clues_and_without(text: str, grade: SourceGrade) -> None:
    """A pattern that is left out could not have matched."""
    clues = SCREEN.marks(text) // (SECRET << 1)

    assert instruction_flags(text, grade, clues) == instruction_flags(text, grade)


@given(TEXTS)
def test_the_marks_of_a_text_are_those_of_its_words(text: str) -> None:
    """Which is what Screen asks of its `mark`."""
    words = text.split()

    assert may_hold_secret(text) <= any(may_hold_secret(word) for word in words)
    together = 0
    for word in words:
        together |= instruction_clues(word)
    assert instruction_clues(text) & ~together == 0


def test_control_a_mark_that_reaches_over_white_space_is_missed() -> None:
    """Which is why `mark` looks for pieces without any."""
    reaching = Screen(lambda text: 2 if "two words" in text else 0)

    assert reaching.marks("two") | reaching.marks("words") == 0
    assert reaching.marks("two words") == 0


def test_words_are_looked_at_once() -> None:
    """And again only when the memory was full."""
    looked_at: list[str] = []

    def mark(text: str) -> int:
        looked_at.append(text)
        return 2 if "odd" in text else 0

    words = Screen(mark)
    assert [words.marks("plain odd words"), words.marks("odd plain"), words.marks("words")] == [2, 2, 0]
    assert looked_at == ["plain odd words", "plain", "odd words", "odd", "words"]


def test_nothing_of_a_text_that_may_hold_a_secret_is_remembered() -> None:
    """One of its words may be the secret."""
    words = Screen(lambda text: SECRET if "password" in text else 0)
    words.marks("the password is swordfish")

    assert words.known_count == 0
    words.marks("the weather is fine")
    assert words.known_count == 4


def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a number of words, each of a bounded length."""
    monkeypatch.setattr(screen, "WORDS_KEPT_MAX", 10)
    words = Screen(lambda _text: 0)
    for number in range(100):
        words.marks(f"word-{number} other-{number} {'x' * 65}")
        assert words.known_count <= 10


def test_a_very_long_text_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its words are neither cut nor remembered; a secret in it is found."""
    monkeypatch.setattr(screen, "TEXT_CHARACTERS_MAX", 10)
    words = Screen(lambda text: SECRET if may_hold_secret(text) else 0)

    assert [words.marks("plain words, many"), words.marks("the api key is there"), words.marks("short")] == [
        0,
        SECRET,
        0,
    ]
    assert words.known_count == 1


def test_a_text_of_very_many_new_words_is_judged_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs one look and no more; the answer only says more than it must."""
    monkeypatch.setattr(screen, "LEARNED_AT_ONCE_MAX", 2)
    looks = 0

    def mark(text: str) -> int:
        nonlocal looks
        looks += 1
        return 2 if "odd" in text else 0

    assert Screen(mark).marks("a b c odd") == 2
    assert looks == 1
