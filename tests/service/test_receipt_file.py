"""Receipts in files: signed as they were told, without content, and checked without the store."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from believers import PEOPLE
from forgetting import ANA, told
from worlds import World, world

from heedful import Memory
from heedful.interfaces.cli.proving import _script
from heedful.kernel.errors import HeedfulError
from heedful.ledger.receipt import decode_receipt, first_key_of, signer_of

PLANTED = ("Lisbon-7731", "里斯本", "user:ana", "sheet-9", "because I said so")


@pytest.fixture(name="home", scope="module")
def home_fixture() -> Iterator[World]:
    """One store for all: nothing here depends on what else is in it."""
    with world(policy=PEOPLE) as made:
        yield made


@pytest.fixture(name="memory", scope="module")
def memory_fixture(home: World) -> Memory:
    """Its owner's."""
    return home.ana


@pytest.fixture(scope="module")
def file(memory: Memory, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The signed receipt of an erasure, under the second key of the store."""
    folder = tmp_path_factory.mktemp("receipts")
    told(memory, "Lisbon-7731")
    memory.remember("她住在里斯本, because I said so", scope=ANA, source_ref="sheet-9")
    memory.checkpoint()
    memory.rotate_key()
    memory.receipt(memory.forget(scope=ANA).erasure_id, out=folder / "receipt.json")
    return folder / "receipt.json"


def keys_file(memory: Memory, folder: Path) -> Path:
    """What `heedful keys show --json` prints."""
    (folder / "keys.json").write_bytes(msgspec.json.encode({"keys": memory.signing_keys()}))
    return folder / "keys.json"


def test_a_receipt_holds_by_the_keys_that_are_trusted_and_by_no_others(
    memory: Memory, file: Path, tmp_path: Path
) -> None:
    """Its own first key, a key that vouched for the signer, the exported keys; not another store's, nor a later key."""
    first, second = memory.signing_keys()
    receipt = memory.receipts()[0]
    alone = Memory.verify_receipt(file)
    assert (alone.holds, alone.trusted_by, alone.first_key_id) == (True, "file", first.key_id)
    assert alone.receipt == msgspec.json.decode(msgspec.json.encode(receipt))
    for trusted in ({"key": first.key_id}, {"key": second.key_id}, {"keys": keys_file(memory, tmp_path)}):
        assert Memory.verify_receipt(file, **trusted).holds
    assert not Memory.verify_receipt(file, key="0" * 64).holds
    (tmp_path / "keys.json").write_text(json.dumps({"keys": [msgspec.to_builtins(second)]}))
    with pytest.raises(HeedfulError) as caught:
        Memory.verify_receipt(file, keys=tmp_path / "keys.json")
    assert caught.value.code == "keys_malformed"


def test_a_receipt_has_no_word_of_what_was_erased(memory: Memory, file: Path) -> None:
    """Nor of what it was selected by. The control: those words were in the store."""
    content = file.read_text("utf-8")
    assert not any(word in content for word in PLANTED)
    assert json.loads(content)["receipt"]["records"] == 2


def _looked_at(file: Path) -> str:
    try:
        return "holds" if Memory.verify_receipt(file).holds else "unsigned"
    except HeedfulError as error:
        return "malformed" if error.code in {"receipt_malformed", "receipt_newer"} else error.code


def test_any_byte_that_is_changed_is_found(file: Path, tmp_path: Path) -> None:
    """In whatever place; the control: the file as it was holds."""
    content = file.read_bytes()
    picked = random.Random(7)
    changed = tmp_path / "changed.json"
    found = Counter[str]()
    for place in {*picked.sample(range(len(content)), 60), *range(len(content) - 80, len(content))}:
        byte = bytes([content[place] ^ picked.choice((1, 2, 4, 32))])
        changed.write_bytes(content[:place] + byte + content[place + 1 :])
        found[_looked_at(changed)] += 1
    assert found.keys() == {"unsigned", "malformed"}, "both checks were met, and none of them held"
    assert min(found.values()) > 10
    assert Memory.verify_receipt(file).holds


def _replaced(file: Path, change: Callable[[dict[str, Any]], None]) -> bytes:
    told_in = json.loads(file.read_bytes())
    change(told_in)
    return json.dumps(told_in, indent=1, ensure_ascii=False).encode() + b"\n"


@pytest.mark.parametrize("place", ["stage", "records", "erasure_id", "waits_for_hold", "backups_expire_at"])
def test_what_a_receipt_says_cannot_be_said_otherwise(file: Path, place: str) -> None:
    """By whoever writes the file out again as Heedful would. The control: written out unchanged it holds."""
    as_it_was = decode_receipt(_replaced(file, lambda _told: None))
    known = [first_key_of(as_it_was.keys) or ""]
    assert signer_of(as_it_was, known) == as_it_was.key_id
    other = _replaced(file, lambda told_in: told_in["receipt"].update({place: "x"}))
    assert signer_of(decode_receipt(other), known) is None
    more = _replaced(file, lambda told_in: told_in["receipt"].update({"more": 1}))
    assert signer_of(decode_receipt(more), known) is None


def test_the_stand_alone_verifier_says_the_same(memory: Memory, file: Path, tmp_path: Path) -> None:
    """Holds by a key that is trusted, and not by another, nor where a byte was changed."""
    script, changed = tmp_path / "verify.py", tmp_path / "changed.json"
    script.write_text(_script())
    changed.write_bytes(file.read_bytes().replace(b'"logical"', b'"indexes"', 1))

    def said(*arguments: object) -> tuple[int, str]:
        asked = [sys.executable, "-I", str(script), *map(str, arguments)]
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, done.stdout

    code, text = said(file, "--key", memory.signing_keys()[0].key_id)
    assert (code, "receipt of erasure" in text) == (0, True), text
    assert said(file, "--key", "0" * 64)[0] == 1
    assert said(changed)[0] == 1


def test_it_is_signed_as_it_was_told_to_whoever_asked(home: World, memory: Memory, tmp_path: Path) -> None:
    """Counts are for those who may audit; the signature holds of either; a file that is there is never written over."""
    own = home.dan.forget(record=told(home.dan, "Rome")[0])
    home.dan.receipt(own.erasure_id, out=tmp_path / "dans.json")
    memory.receipt(own.erasure_id, out=tmp_path / "anas.json")
    counts = [Memory.verify_receipt(tmp_path / name) for name in ("dans.json", "anas.json")]
    assert [(each.holds, each.receipt["records"]) for each in counts] == [(True, None), (True, 1)]
    with pytest.raises(HeedfulError) as caught:
        memory.receipt(own.erasure_id, out=tmp_path / "dans.json")
    assert caught.value.code == "proof_file_exists"
