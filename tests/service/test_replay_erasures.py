"""What a register of erasures does to an older copy of a store: the same went, what was held is hidden and kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from believers import PEOPLE
from forgetting import ANA, claim_of, told
from worlds import World, code_of, world

from heedful.ledger.erasure_register import RegisteredTenant
from heedful.service.erasure.register import registered_tenant
from heedful.service.erasure.replay import replay_erasures


def replayed(home: World, register: RegisteredTenant) -> int:
    """How many erasures were done again."""
    return replay_erasures(home.app.session(principal="person:ana"), register)


def aged(tmp_path: Path, before: Callable[[World], None], after: Callable[[World], None]) -> RegisteredTenant:
    """What was erased in a store `after` it was copied to `copy`, with what happened `before` in both."""
    with world(tmp_path / "store", policy=PEOPLE) as home:
        before(home)
    shutil.copytree(tmp_path / "store", tmp_path / "copy")
    with world(tmp_path / "store", policy=PEOPLE) as home:
        after(home)
        return registered_tenant(home.app.session(principal="person:ana"))


def test_what_a_hold_kept_is_kept_and_hidden_until_it_is_released(tmp_path: Path) -> None:
    """Though the hold itself came after the copy; the control: what nobody held is gone. Again it does nothing."""
    ids: dict[str, str] = {}

    def before(home: World) -> None:
        ids["held"], ids["claim"] = told(home.ana, "Rome")
        ids["gone"], _ = told(home.ana, "Lisbon")
        ids["other"], _ = told(home.ana, "Porto", subject="user:bob", scope=("user:bob",))

    def after(home: World) -> None:
        home.ana.hold(record=ids["held"])
        ids["late"] = home.ana.remember("I like tea", scope=ANA, source_ref="chat:1").record_id
        home.ana.forget(scope=ANA)

    register = aged(tmp_path, before, after)
    with world(tmp_path / "copy", policy=PEOPLE) as copy:
        assert replayed(copy, register) == 1
        assert replayed(copy, register) == 0
        assert code_of(lambda: copy.ana.show(ids["gone"])) == "item_not_found"
        assert copy.ana.show(ids["other"])[0] is not None
        assert copy.ana.remember("I like tea", scope=ANA, source_ref="chat:1").outcome == "refused"
        copy.ana.maintain("erase")
        (held,) = copy.ana.holds()
        assert held.names == (ids["held"],)
        assert claim_of(copy.ana, ids["claim"]).status in ("quarantined", "revoked"), "hidden from whoever asks"
        copy.ana.release_hold(held.hold_id)
        copy.ana.maintain("erase")
        assert code_of(lambda: copy.ana.show(ids["held"])) == "item_not_found"
        audit = copy.ana.verify(views=True)
        assert (audit.holds, audit.views) == (True, "equal")


def test_a_hold_that_was_released_since_keeps_nothing(tmp_path: Path) -> None:
    """What it kept when the store was copied was erased afterwards, and is now; the control: it is there before."""
    ids: dict[str, str] = {}

    def before(home: World) -> None:
        ids["record"], _ = told(home.ana, "Rome")
        ids["hold"] = home.ana.hold(subject="user:ana").hold_id

    def after(home: World) -> None:
        home.ana.release_hold(ids["hold"])
        home.ana.forget(subject="user:ana")

    register = aged(tmp_path, before, after)
    with world(tmp_path / "copy", policy=PEOPLE) as copy:
        assert copy.ana.show(ids["record"])[0] is not None
        assert replayed(copy, register) == 1
        assert copy.ana.holds() == ()
        assert code_of(lambda: copy.ana.show(ids["record"])) == "item_not_found"
        assert copy.ana.verify(views=True).views == "equal"
