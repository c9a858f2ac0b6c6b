"""Settings have limits: a number that would end in a wait without end is refused when it is read."""

import math
from dataclasses import replace

import pytest

from heedful.kernel.errors import InvalidInputError
from heedful.recall.score import LinearWeights, Scoring, TieredWeights
from heedful.settings import SETTINGS_MAX, Settings


def test_every_number_has_a_limit() -> None:
    """A setting that is a number and has none would be a way round."""
    numbers = {name for name in Settings.__dataclass_fields__ if isinstance(getattr(Settings(), name), int | float)}
    assert numbers == set(SETTINGS_MAX)


@pytest.mark.parametrize("name", SETTINGS_MAX)
@pytest.mark.parametrize("text", ["1e300", "inf", "nan", "-1", "0", "9" * 400, "x", "-inf"])
def test_an_absurd_number_is_refused(name: str, text: str) -> None:
    """`setting_malformed`, with the field and its limit."""
    with pytest.raises(InvalidInputError) as caught:
        Settings.from_environment({f"HEEDFUL_{name.upper()}": text})
    assert caught.value.code == "setting_malformed"
    assert caught.value.details == {"field": name, "limit": SETTINGS_MAX[name]}
    assert str(SETTINGS_MAX[name]) in caught.value.next_step


@pytest.mark.parametrize("name", SETTINGS_MAX)
def test_the_limit_itself_is_taken_and_the_next_is_not(name: str) -> None:
    """From the environment and from a program alike."""
    limit = SETTINGS_MAX[name]
    assert getattr(Settings.from_environment({f"HEEDFUL_{name.upper()}": str(limit)}), name) == limit
    for beyond in (limit + 1, math.inf, math.nan):
        with pytest.raises(InvalidInputError):
            replace(Settings(), **{name: beyond})  # type: ignore[arg-type]


def test_the_weights_of_the_scorers_are_what_is_set() -> None:
    """By default those of the seeds' formulas, as documented."""
    assert Settings().scoring == Scoring("linear")
    given = Settings(scorer="tiered", score_recency=0.3, score_conflict_penalty=0.5, score_corroboration_bonus=0.1)

    assert given.scoring.scorer == "tiered"
    assert given.scoring.linear == LinearWeights(recency=0.3, conflict_penalty=0.5)
    assert given.scoring.tiered == TieredWeights(corroboration_bonus=0.1)
