"""Consents that were withdrawn after a backup was taken are withdrawn in what came out of it, too."""

from __future__ import annotations

from pathlib import Path

from heedful import Memory
from heedful.settings import Settings

SCOPE = ["user:ana"]


def shown(memory: Memory) -> str:
    """All that recall hands over."""
    return " ".join(each.text for each in memory.recall("figs pears plums", scope=SCOPE).items)


def test_consents_that_were_withdrawn_since_are_withdrawn_again(tmp_path: Path) -> None:
    """Whoever the backup tells of; the others are counted. The register names nobody; the control: it is not asked."""
    settings = Settings(keys_dir=str(tmp_path / "keys"), principal="person:ana", router="none", embedder="none")
    backup, register = tmp_path / "backup", tmp_path / "register.json"
    with Memory.init(tmp_path / "store", scope=SCOPE, settings=settings) as memory:
        memory.remember("Figs, says kim", subject="user:kim/daughter", kind="said.home", value="figs")
        memory.remember("Pears, says ana")
        memory.withdraw_consent(subject="user:lee")
        memory.backup(backup)
        memory.give_consent(subject="user:lee")
        memory.withdraw_consent(subject="user:lee")
        memory.withdraw_consent(subject="user:kim")
        memory.withdraw_consent(principal="person:unheard-of")
        memory.erasures(register)
    assert not any(name in register.read_text("utf-8") for name in ("kim", "lee", "unheard-of"))

    came = Memory.restore(backup, to=tmp_path / "back", register=[register], settings=settings).tenants[0]
    assert (came.erasures, came.consents, came.consents_unmatched) == (0, 1, 1)
    with Memory.open(tmp_path / "back", settings=settings) as memory:
        assert "Pears" in shown(memory)
        assert "Figs" not in shown(memory)
        refused = memory.remember("Plums, says kim", subject="user:kim", kind="said.home", value="plums")
        assert refused.outcome == "refused"
        assert memory.verify(views=True).holds
    control = tmp_path / "control"
    Memory.restore(backup, to=control, without_register=True, settings=settings)
    with Memory.open(control, settings=settings) as memory:
        assert "Figs" in shown(memory)
