"""A store's signing keys: made once, told one after the other, and worth nothing for another purpose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from worlds import TickingClock

from heedful.adapters.signing import FileSigning, MemorySigning
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import TenantId
from heedful.kernel.signature import is_signed
from heedful.ledger.succession import trusted_keys
from heedful.ports.signing import Signing

BODY = "发票 📜".encode()
TENANT = TenantId("t-1")


@pytest.fixture(params=["file", "memory"])
def signing(request: pytest.FixtureRequest, tmp_path: Path) -> Signing:
    """Each of the two."""
    return FileSigning(tmp_path / "keys", TickingClock()) if request.param == "file" else MemorySigning(TickingClock())


def test_what_is_signed_is_that_body_for_that_purpose_by_that_key(signing: Signing) -> None:
    """And nothing else, by nobody else."""
    made = signing.sign("checkpoint", BODY)
    (key,) = signing.public_keys()
    public, signature = bytes.fromhex(key.public_key), bytes.fromhex(made.signature)
    assert made.key_id == key.key_id
    assert is_signed(public, "checkpoint", BODY, signature)
    assert not is_signed(public, "receipt", BODY, signature)
    assert not is_signed(public, "checkpoint", BODY + b" ", signature)
    assert not is_signed(public, "checkpoint", BODY, signature[:-1])
    assert not is_signed(bytes(32), "checkpoint", BODY, signature)
    other = MemorySigning(TickingClock())
    assert not is_signed(public, "checkpoint", BODY, bytes.fromhex(other.sign("checkpoint", BODY).signature))


def test_each_key_is_vouched_for_by_the_one_before_it(signing: Signing) -> None:
    """So who trusts the first trusts all, who trusts the second not the first, and who trusts another none."""
    signing.sign("checkpoint", BODY)
    second, third = signing.rotate(), signing.rotate()
    first = signing.public_keys()[0]
    keys = signing.public_keys()
    assert [key.number for key in keys] == [1, 2, 3]
    assert keys[1:] == (second, third)
    assert list(trusted_keys(keys, [first.key_id])) == [key.key_id for key in keys]
    assert list(trusted_keys(keys, [second.key_id])) == [second.key_id, third.key_id]
    assert trusted_keys(keys, ["00" * 32]) == {}
    assert signing.sign("checkpoint", BODY).key_id == third.key_id


def test_a_key_that_nobody_vouched_for_is_not_trusted(signing: Signing) -> None:
    """Nor one that says another's id, or whose date was changed, or that was left out of the row."""
    signing.sign("checkpoint", BODY)
    second, third = signing.rotate(), signing.rotate()
    first = signing.public_keys()[0]
    other = MemorySigning(TickingClock()).rotate()
    for forged in (
        replace(other, number=2, vouched_by=first.key_id),
        replace(second, made_at_us=second.made_at_us + 1),
        replace(second, public_key=other.public_key),
        replace(second, signature="zz"),
    ):
        assert list(trusted_keys((first, forged, third), [first.key_id])) == [first.key_id]
    assert list(trusted_keys((first, third), [first.key_id])) == [first.key_id]


def test_what_is_pinned_of_a_tenant_is_there_until_something_else_is(signing: Signing) -> None:
    """Apart for each tenant, whatever its id is made of."""
    assert signing.pinned(TENANT) is None
    for tenant in (TENANT, TenantId("租户/..")):
        signing.pin(tenant, b"old")
        signing.pin(tenant, tenant.encode())
        assert signing.pinned(tenant) == tenant.encode()


def test_another_process_has_the_same_keys_and_the_old_ones_private_half_is_gone(tmp_path: Path) -> None:
    """`prepare` makes the first, so that a copied folder has it; making it again changes nothing."""
    one, two = FileSigning(tmp_path / "keys", TickingClock()), FileSigning(tmp_path / "keys", TickingClock())
    one.prepare()
    (first,) = two.public_keys()
    two.prepare()
    assert one.sign("receipt", BODY) == two.sign("receipt", BODY)
    one.rotate()
    assert two.public_keys()[0] == first
    assert two.sign("receipt", BODY).key_id == two.public_keys()[1].key_id
    assert b'"private_key": null' in (tmp_path / "keys" / "signing" / "1.json").read_bytes()


def test_a_key_file_that_is_damaged_or_of_the_old_half_alone_is_an_error(tmp_path: Path) -> None:
    """Never a new key: nobody would know it."""
    signing = FileSigning(tmp_path / "keys", TickingClock())
    signing.rotate()
    folder = tmp_path / "keys" / "signing"
    (folder / "2.json").unlink()
    for damage in (lambda: None, lambda: (folder / "1.json").write_bytes(b"{")):
        damage()
        with pytest.raises(HeedfulError) as caught:
            signing.sign("checkpoint", BODY)
        assert caught.value.code == "keys_unavailable"


def test_a_rotation_that_was_stopped_half_way_leaves_no_older_private_half(tmp_path: Path) -> None:
    """The new key is the one that signs, and whoever signs next ends the older one."""
    signing = FileSigning(tmp_path / "keys", TickingClock())
    signing.prepare()
    older = tmp_path / "keys" / "signing" / "1.json"
    before = older.read_bytes()
    made = signing.rotate()
    older.write_bytes(before)  # as a kill between the two writes leaves it
    assert b'"private_key": null' not in older.read_bytes()

    again = FileSigning(tmp_path / "keys", TickingClock())

    assert again.sign("receipt", BODY).key_id == made.key_id
    assert b'"private_key": null' in older.read_bytes()
    first, second = again.public_keys()
    assert list(trusted_keys((first, second), [first.key_id])) == [first.key_id, made.key_id]


def test_the_last_key_goes_on_signing_where_another_would_be_one_too_many(
    signing: Signing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rotating is refused before anything is written."""
    monkeypatch.setattr("heedful.adapters.signing.KEYS_MAX", 2)
    signing.prepare()
    last = signing.rotate()
    with pytest.raises(HeedfulError) as caught:
        signing.rotate()
    assert caught.value.code == "signing_keys_full"
    assert signing.sign("checkpoint", BODY).key_id == last.key_id
    assert len(signing.public_keys()) == 2
