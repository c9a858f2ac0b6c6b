"""Names that look like others: outer white space and unseen characters are refused; joiners where none needs them too."""

from __future__ import annotations

import pytest

from heedful.kernel.errors import InvalidInputError
from heedful.observations.names import as_distinct, distinct_name

ALIKE = ("user:ana ", " user:ana", "user:ana\u3000", "user:a\u200bna", "user:ana\u200d", "user:\u2060ana", "user:ana\ufeff", "user:an\u00ada")  # fmt: skip
PERSIAN, HINDI, MALAYALAM, EMOJI = "user:می\u200cخواهم", "क\u094d\u200dष", "അവന\u0d4d\u200d", "👩\u200d💻"


@pytest.mark.parametrize("name", ALIKE)
def test_a_name_that_looks_like_another_is_refused_with_its_field(name: str) -> None:
    """What a machine tells is kept as the name that it looks like."""
    with pytest.raises(InvalidInputError) as refused:
        distinct_name(name, field="subject")
    assert (refused.value.code, refused.value.details["field"]) == ("name_malformed", "subject")
    assert as_distinct(name) == "user:ana"


@pytest.mark.parametrize(("name", "letter"), [("user:\u0430na", "U+0430"), ("user:\u0430\u0301na", "U+0430"), ("p\u0430yments", "U+0430"), ("И\u0061н", "U+0061"), ("\u03bfwner", "U+03BF"), ("k\u03a9\u03bd", "U+03BD"), ("\u0394\u0430", "U+0430")])  # fmt: skip
def test_a_word_with_a_letter_of_a_script_that_looks_alike_is_refused_and_the_letter_named(
    name: str, letter: str
) -> None:
    """Cyrillic and Greek in Latin, Latin in Cyrillic, also below an accent."""
    with pytest.raises(InvalidInputError) as refused:
        distinct_name(name, field="scope")
    assert (refused.value.code, refused.value.details) == (
        "name_of_mixed_scripts",
        {"field": "scope", "letter": letter},
    )
    assert letter in str(refused.value)


ONE_SCRIPT = [
    "Андрей",
    "user:Андрей",
    "IT-отдел",
    "Ώρα",
    "山田さん",
    "محمد",
    "用户ana",
    "東京Tokyo",
    "5µm",
    "Δt",
    "10kΩ",
    "λcalc",
    "α-test",
    "отчёт_v2",
    "1С:ERP",
]


@pytest.mark.parametrize(
    "name", ["user:ana", "王伟", "José", "Ana Maria", PERSIAN, HINDI, MALAYALAM, EMOJI, None, *ONE_SCRIPT]
)
def test_other_names_are_taken_as_they_are(name: str | None) -> None:
    """Joiners too, where a script or an emoji is written with them."""
    assert distinct_name(name, field="subject") == name
