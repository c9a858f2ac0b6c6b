"""`checkpoint`, `prove`, `keys`, `witness`, and the script that checks what they wrote with Python alone."""

from __future__ import annotations

import ast
import contextlib
import gzip
import io
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from command_line import QUESTION, CommandLine, command_line

from heedful.adapters.signing import MemorySigning
from heedful.adapters.system import SystemClock
from heedful.interfaces.cli import standalone_signatures, standalone_verifier
from heedful.kernel.signature import is_signed, public_of, sign
from heedful.ledger.succession import encoded_key


@pytest.fixture(name="files", scope="module")
def files_fixture(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A store with an older checkpoint, a proof with its content since then, a newer one, and an export."""
    files = command_line(tmp_path_factory.mktemp("proving") / "home")
    kept: dict[str, str] = {}
    for args in (
        ("init", ".", "--scope", "project:payments"),
        ("recall", QUESTION, "--impact", "execute"),
        ("checkpoint", "--out", "old.json"),
        ("keys", "rotate"),
        ("recall", "again", "--impact", "execute"),
        ("remember", "发票 round per line. 📜", "--json"),
        ("prove", "RECORD", "--content", "--since", "old.json", "--out", "proof.json"),
        ("checkpoint", "--since", "old.json", "--out", "new.json"),
        ("ledger", "export", "memory.jsonl.gz"),
    ):
        answer = files(*(kept["record_id"] if each == "RECORD" else each for each in args))
        assert answer.code == 0, answer.out
        kept = answer.json if args[-1] == "--json" else kept
    return files


def verified(files: CommandLine, *args: str) -> tuple[int, str]:
    """Exit code and words of the script, run in this process on files of the store's folder."""
    given = [str(files.folder / each) if "." in each else each for each in args]
    out = io.StringIO()
    with (
        mock.patch.object(sys, "argv", ["verify.py", *given]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
    ):
        code = standalone_verifier.main()
    return code, out.getvalue()


def test_commands_tell_people_and_programs(files: CommandLine) -> None:
    """Sizes, roots and keys; a file is never written over, and an old store of keys is in the file."""
    shown = files("checkpoint").out
    assert "ledger: " in shown
    assert "signed with key " in shown
    assert [each["note"]["chain"] for each in files("checkpoint", "--json").json["notes"]] == ["ledger", "access"]
    assert files("checkpoint", "--out", "old.json").code == 5
    told = files("keys", "show", "--json").json["keys"]
    assert [key["number"] for key in told] == [1, 2]
    assert f"key 2: {told[1]['key_id']}\n" in files("keys", "show").out
    assert files("verify", "--checkpoint", "old.json").code == 0
    assert files("--as", "agent:pip", "checkpoint").code == 3


def test_the_script_runs_alone(files: CommandLine) -> None:
    """By a Python that finds no package at all; it imports what is Python's own."""
    assert files("verifier", "--out", "verify.py").code == 0
    script = files("verifier").out
    assert (files.folder / "verify.py").read_text("utf-8") == script
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py", "proof.json", "--pinned", "old.json", "--ledger", "memory.jsonl.gz"],
        cwd=files.folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("holds\n")
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(script))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= sys.stdlib_module_names


def test_the_script_says_what_it_trusts(files: CommandLine) -> None:
    """A pinned checkpoint, a key by its id, or, where neither is given, nobody: then it names the key."""
    key = json.loads((files.folder / "old.json").read_bytes())["keys"][0]["key_id"]
    code, told = verified(files, "new.json")
    assert (code, key in told) == (0, True)
    assert "compare it" not in verified(files, "new.json", "--key", key)[1]
    assert verified(files, "new.json", "--key", "00" * 32)[0] == 1
    assert verified(files, "old.json", "--pinned", "new.json")[0] == 1, "the newer one is no beginning of the older"
    assert verified(files, "nowhere.json")[0] == 2


def test_a_witness_is_asked_and_required(files: CommandLine) -> None:
    """Its signature is in the file that it gives back; another's is not; what it refuses is exit 1."""
    answer = files("witness", "old.json", "--state", "their", "--out", "cosigned.json", "--json")
    assert (answer.code, answer.json["outcome"]) == (0, "cosigned")
    assert verified(files, "cosigned.json", "--witness", answer.json["witness"])[0] == 0
    assert verified(files, "cosigned.json", "--witness", "00" * 32)[0] == 1
    assert verified(files, "old.json", "--witness", answer.json["witness"])[0] == 1
    assert files("witness", "new.json", "--state", "their").code == 0
    refused = files("witness", "old.json", "--state", "their")
    assert (refused.code, "older" in refused.out) == (1, True)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every text and number in a JSON value."""
    if isinstance(value, dict | list):
        for name, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(each, (*path, name))
    elif value is not None:
        yield path


def changed(value: Any) -> Any:
    """Something else of the same type, and of the same length where it is a text."""
    if isinstance(value, int):
        return value + 1
    return (("1" if value[0] != "1" else "2") + value[1:]) if value else "1"


def test_whatever_is_changed_in_a_proof_the_script_refuses_it(files: CommandLine) -> None:
    """Every field of notes, proofs and the event, of the keys that are not the known one, and an export's bytes."""
    proof = json.loads((files.folder / "proof.json").read_bytes())
    places = [
        place
        for place in leaves(proof)
        if place[0] in ("what", "format", "notes", "growth", "inclusion") or (place[0] == "keys" and place[1] == 1)
    ]
    assert len(places) > 40
    for place in places:
        edited = json.loads(json.dumps(proof))
        target = edited
        for step in place[:-1]:
            target = target[step]
        target[place[-1]] = changed(target[place[-1]])
        (files.folder / "edited.json").write_text(json.dumps(edited), "utf-8")
        assert verified(files, "edited.json", "--pinned", "old.json")[0] == 1, place
    lines = gzip.decompress((files.folder / "memory.jsonl.gz").read_bytes()).splitlines(keepends=True)
    for dropped in (2, len(lines) // 2):
        (files.folder / "cut.jsonl").write_bytes(b"".join(lines[:dropped] + lines[dropped + 1 :]))
        assert verified(files, "new.json", "--ledger", "cut.jsonl")[0] == 1
    (files.folder / "swapped.jsonl").write_bytes(b"".join([*lines[:2], lines[3], lines[2], *lines[4:]]))
    assert verified(files, "new.json", "--ledger", "swapped.jsonl")[0] == 1


def test_of_two_first_keys_neither_is_looked_at(files: CommandLine) -> None:
    """Else the script named the owner's key of a file that another key signed; `--key` names the one that counts."""
    stranger = MemorySigning(SystemClock())
    stranger.prepare()
    (key,) = stranger.public_keys()
    found = json.loads((files.folder / "new.json").read_bytes())
    for signed in found["notes"]:
        signed["note"] |= {"key_id": key.key_id, "root": "ab" * 32}
        body = standalone_verifier.note_body(signed["note"])
        signed["signature"] = stranger.sign("checkpoint", body).signature
    first = found["keys"][0]["key_id"]
    for keys in (
        [*found["keys"], encoded_key(key)],
        [encoded_key(key), *found["keys"]],
        [encoded_key(key) | {"number": 3}],
    ):
        (files.folder / "forged.json").write_text(json.dumps(found | {"keys": keys}), "utf-8")
        for more in ((), ("--key", first)):
            code, said = verified(files, "forged.json", *more)
            assert code == 1, said
        assert files("verify", "--checkpoint", "forged.json").code != 0


def test_content_that_no_erasure_names_is_missing(files: CommandLine) -> None:
    """In an export, to the script as to `heedful verify`."""
    lines = gzip.decompress((files.folder / "memory.jsonl.gz").read_bytes()).splitlines()
    told = [json.loads(line) for line in lines]
    place = next(n for n, line in enumerate(told) if line.get("envelope", {}).get("type") == "record.admitted")
    told[place] |= {"payload": None, "salt": None}
    (files.folder / "gone.jsonl").write_text("".join(json.dumps(line) + "\n" for line in told), "utf-8")
    code, said = verified(files, "new.json", "--ledger", "gone.jsonl")
    assert (code, "no erasure names it" in said) == (1, True)


def test_what_a_file_says_steers_no_terminal(files: CommandLine) -> None:
    """Nor is a damaged archive a crash."""
    found = json.loads((files.folder / "new.json").read_bytes())
    found["notes"][0]["note"]["key_id"] = "\x1b[2K\nholds\ud800"
    (files.folder / "odd.json").write_text(json.dumps(found), "utf-8")
    code, said = verified(files, "odd.json")
    assert (code, said.count("\n"), "\x1b" in said) == (1, 1, False)
    packed = bytearray((files.folder / "memory.jsonl.gz").read_bytes())
    packed[40:60] = bytes(20)
    (files.folder / "odd.jsonl.gz").write_bytes(packed)
    assert verified(files, "new.json", "--ledger", "odd.jsonl.gz")[0] in {1, 2}


def test_a_stage_that_a_receipt_tells_is_proved_by_its_digest(files: CommandLine) -> None:
    """The script tells the digest of the event, which whoever has the receipt compares; another digest proves nothing."""
    digest = files("forget", "--scope", "user:zed", "--json").json["reached"][0]["event_digest"]
    assert files("prove", digest, "--out", "stage.json").code == 0
    code, told = verified(files, "stage.json")
    assert (code, f"its digest is {digest}" in told) == (0, True)
    assert files("prove", "0" * 64).code == 4


def test_a_drills_report_is_checked_without_the_store(files: CommandLine) -> None:
    """By the script, under a key that is named. The controls: another outcome, another time, a key of somebody else."""
    assert files("drill", "revocation", "--out", "drill.json").code == 0
    key = files("keys", "show", "--json").json["keys"][0]["key_id"]
    assert verified(files, "drill.json", "--key", key)[0] == 0
    assert "it holds" in verified(files, "drill.json")[1]
    assert verified(files, "drill.json", "--key", "00" * 32)[0] == 1
    report = (files.folder / "drill.json").read_bytes()
    for name, old, new in (("outcome", b'"held"', b'"failed"'), ("number", b'"milliseconds": ', b'"milliseconds": 1')):
        changed = files.folder / f"changed-{name}.json"
        changed.write_bytes(report.replace(old, new, 1))
        assert verified(files, changed.name)[0] == 1
    before = files("status", "--json").json["status"]["ledger_position"]
    assert files("drill", "revocation", "--out", "drill.json").code == 5
    assert files("status", "--json").json["status"]["ledger_position"] == before, "it is refused before it begins"


def test_the_scripts_own_signature_check_is_the_librarys() -> None:
    """The same of signatures that hold, were edited, are of another key, or have an S beyond the order."""
    chance = random.Random(9)
    for _ in range(6):
        seed, body = chance.randbytes(32), chance.randbytes(chance.randrange(80))
        public, signature = public_of(seed), sign(seed, "checkpoint", body)
        place = chance.randrange(64)
        edited = signature[:place] + bytes([signature[place] ^ (1 << chance.randrange(8))]) + signature[place + 1 :]
        beyond = int.from_bytes(signature[32:], "little") + standalone_signatures.ORDER
        for given in (signature, edited, signature[:32] + beyond.to_bytes(32, "little"), signature[:63], bytes(64)):
            ours = is_signed(public, "checkpoint", body, given)
            assert standalone_signatures.is_signed(public, "checkpoint", body, given) is ours is (given == signature)
        other = public_of(chance.randbytes(32))
        assert not standalone_signatures.is_signed(other, "checkpoint", body, signature)
