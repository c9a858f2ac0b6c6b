"""Router: one that knows a few words, for the worlds in which words tell claims and end them."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.bridges.routed import NOT_ROUTED, Likeness, Mattering, Routed, Told
from heedful.testing.isolation.texts import HEARD, OVER

SURE, LASTING = 0.9, 0.95


class HearsWords:
    """A router that knows the words of HEARD, and from OVER that what they tell is over.

    Attributes:
        deaf: kinds that it does not tell now.
    """

    model = "words"

    def __init__(self) -> None:
        """It hears all."""
        self.deaf: tuple[str, ...] = ()

    def route(self, text: str) -> Routed:
        """Nothing."""
        del text
        return NOT_ROUTED

    def tell(self, text: str) -> Told:
        """What the words tell, the first of HEARD most surely; where there is none of them, that it is chatter."""
        likely = [(kind, SURE - place / 20) for place, (word, kind) in enumerate(HEARD.items()) if word in text]
        kinds = tuple((kind, round(sure, 2)) for kind, sure in likely if kind not in self.deaf)
        over = SURE if kinds and OVER in text else 0.0
        return Told(kinds, LASTING if kinds else 0.0, over, "words")

    def read_ahead(self, texts: Sequence[str]) -> None:
        """Nothing is cheaper for it together."""
        del texts

    def likeness(self, text: str, statements: Sequence[str]) -> Likeness | None:
        """It knows words, and nothing of what they mean."""
        del text, statements
        return None

    def mattering(self, model: str, components: bytes) -> Mattering | None:
        """As above."""
        del model, components
        return None
