"""Screen: what a text may hold, known by its words alone; so that searches run only where they could find anything.

Most words of most texts were seen before. A word is looked up in a dictionary in a fraction of the time that the
searches for secrets and instructions take to read it.
"""

from __future__ import annotations

from collections.abc import Callable

TEXT_CHARACTERS_MAX = 65_536
"""A longer text is not cut into words: `mark` reads it whole, which takes longer and no memory."""
WORD_CHARACTERS_MAX = 64
"""Longer ones are not remembered."""
WORDS_KEPT_MAX = 32_768
"""So many words are remembered; then the memory starts anew."""
LEARNED_AT_ONCE_MAX = 512
"""Of a text with more new words than this that are not all plain, none is judged by itself."""

SECRET = 1
"""The mark of what may hold a secret. Of a text with it no word is remembered: one of them may be the secret."""


class Screen:
    """The marks of texts, bit by bit: where a bit is 0, what it stands for is not in the text.

    `mark` gives the marks of a text from the text itself. It must be such that the marks of a text are all among those
    of its words (cut at white space), and those of a word among those of any text it is in. So for whatever is looked
    for there is a piece without white space that it can't do without, and that piece is what `mark` looks for.
    """

    __slots__ = ("_known", "_mark")

    def __init__(self, mark: Callable[[str], int]) -> None:
        """A screen that knows no word yet."""
        self._mark = mark
        self._known: dict[str, int] = {}

    @property
    def known_count(self) -> int:
        """How many words are remembered; at most WORDS_KEPT_MAX."""
        return len(self._known)

    def marks(self, text: str) -> int:
        """The marks that the words of this text have together, or fewer."""
        if len(text) > TEXT_CHARACTERS_MAX:
            return self._mark(text)
        words = text.split()
        found: set[int | None] = set(map(self._known.get, words))
        together = 0
        for each in found:
            together |= each or 0
        if None not in found:
            return together
        new = list(dict.fromkeys(word for word in words if word not in self._known))
        return together | self._learn(new)

    def _learn(self, words: list[str]) -> int:
        """The marks of new words; most are plain, so many are looked at together, and halved where they are not."""
        marks = self._mark(" ".join(words))
        if marks & SECRET:
            return marks
        if marks and 1 < len(words) <= LEARNED_AT_ONCE_MAX:
            middle = len(words) // 2
            return self._learn(words[:middle]) | self._learn(words[middle:])
        if not marks or len(words) == 1:
            if len(self._known) + len(words) > WORDS_KEPT_MAX:
                self._known.clear()
            kept = words[:WORDS_KEPT_MAX]
            self._known.update((word, marks) for word in kept if len(word) <= WORD_CHARACTERS_MAX)
        return marks
