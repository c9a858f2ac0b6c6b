"""A subject that only looks like another's is refused, however it is said."""

from __future__ import annotations

from typing import Any

import pytest
from believers import ANA_IS, TEAM, home_fixture, says  # noqa: F401  # pytest finds the fixture here
from worlds import World

from heedful.kernel.errors import HeedfulError
from heedful.ledger.events import ClaimProposed, RecordAdmitted


@pytest.mark.parametrize(("field", "given"), [("subject", {"subject": f"{TEAM} "}), ("property", {"property_name": "home\u200b.city"})])  # fmt: skip
def test_what_looks_like_another_name_is_refused(home: World, field: str, given: dict[str, Any]) -> None:
    """Nothing of it is kept."""
    with pytest.raises(HeedfulError) as refused:
        says(home.ana, "Paris", **given)
    assert (refused.value.code, refused.value.details["field"]) == ("name_malformed", field)
    assert not [each for each in home.events() if isinstance(each, RecordAdmitted | ClaimProposed)]


def test_a_remember_line_of_such_a_name_is_a_problem(home: World) -> None:
    """The words stay; no claim is made of them."""
    told = home.ana.remember("remember: home.city: it is Paris subject=user:ana\u200b value=Paris", scope=ANA_IS)
    assert told.claims == ()
    assert any("name_malformed" in each for each in told.problems)


@pytest.mark.parametrize(
    ("scope", "code"), [("user:\u0430na", "name_of_mixed_scripts"), ("user:an\u200ba", "name_malformed")]
)
def test_a_scope_that_looks_like_another_is_refused_and_one_of_another_script_is_not(
    home: World, scope: str, code: str
) -> None:
    """Neither written nor asked for; a Russian's own scope is."""
    for act in (lambda: home.ana.remember("It is so.", scope=[scope]), lambda: home.ana.recall("So?", scope=[scope])):
        with pytest.raises(HeedfulError) as refused:
            act()
        assert (refused.value.code, refused.value.details["field"]) == (code, "scope")
    assert home.ana.remember("Это так.", scope=["user:андрей"]).record_id
