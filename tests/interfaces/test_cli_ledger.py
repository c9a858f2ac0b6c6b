"""`heedful ledger export | import`: what they answer for programs and for people, and their exit codes."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import FREEZE, QUESTION, Answer, CommandLine, bare_fixture, command_line, heedful_fixture  # noqa: F401  # pytest finds the fixtures here

LONG = b"The zanzibar replica keeps a copy of every invoice. " * 3_000


@pytest.fixture(name="other")
def other_fixture(heedful: CommandLine, tmp_path: Path) -> CommandLine:
    """A store elsewhere on the machine, with its tenant called `spare`, and the registry of the first."""
    other = command_line(tmp_path / "other")
    shutil.copytree(heedful.folder / ".heedful" / "registry", other.folder / ".heedful" / "registry")
    assert other("--tenant", "spare", "init", ".", "--scope", "project:payments").code == 0
    return other


def exported(heedful: CommandLine, name: str = "memory.jsonl.gz") -> Answer:
    """What the export of a store with a freeze and a long content answered."""
    assert heedful("remember", FREEZE, "-k", "release.freeze").code == 0
    assert heedful("remember", "-", stdin=LONG).code == 0
    answer = heedful("ledger", "export", name, "--json")
    assert answer.code == 0, answer.out
    return answer


def test_a_tenant_moves_and_answers_as_before(heedful: CommandLine, other: CommandLine, tmp_path: Path) -> None:
    """Heads, statuses and what is found; the key comes by its file."""
    out = exported(heedful).json
    file = str(heedful.folder / "memory.jsonl.gz")
    came = other("ledger", "import", file, "--key-file", out["key_place"], "--json")

    assert came.code == 0, came.out
    assert {name: came.json[name] for name in ("ledger", "access", "tenant_id", "blobs", "sha256")} == {
        name: out[name] for name in ("ledger", "access", "tenant_id", "blobs", "sha256")
    }
    assert (came.json["tenant"], came.json["registry"], came.json["resumed_from"]) == ("default", "same", None)
    assert other("verify", "--views").code == 0
    assert "zanzibar" in other("recall", "zanzibar replica").out
    assert heedful("review", "list", "--json").json == other("review", "list", "--json").json


def test_people_are_told_what_to_carry(heedful: CommandLine, other: CommandLine) -> None:
    """Where the key lies, that the registry is not in the file, the heads in full, and what the tenant is called."""
    out = exported(heedful, "first.jsonl").json
    told = heedful("ledger", "export", "記憶 🥜.jsonl")
    assert told.code == 0
    assert out["key_place"] in told.out
    assert out["ledger"]["digest"] in told.out
    assert "copy .heedful/registry" in told.out
    file = str(heedful.folder / "記憶 🥜.jsonl")
    said = other("ledger", "import", file, "--name", "支付", "--key-file", out["key_place"])
    assert said.code == 0, said.err
    assert "heedful --tenant 支付 status" in said.out
    assert "registry here is not" not in said.out
    assert other("--tenant", "支付", "status").code == 0


def test_another_registry_is_pointed_out(heedful: CommandLine, tmp_path: Path) -> None:
    """Before anybody wonders why other things come to mind."""
    out = exported(heedful).json
    other = command_line(tmp_path / "other")
    assert other("--tenant", "spare", "init", ".", "--pack", "delivery").code == 0
    policy = other.folder / ".heedful" / "registry" / "policy.yaml"
    policy.write_text(policy.read_text("utf-8").replace("unreviewed: advisory", "unreviewed: hidden"), "utf-8")
    said = other("ledger", "import", str(heedful.folder / "memory.jsonl.gz"), "--key-file", out["key_place"])
    assert said.code == 0
    assert "the registry here is not the one" in said.out


def test_each_refusal_has_its_exit_code(heedful: CommandLine, other: CommandLine, tmp_path: Path) -> None:
    """Missing key, damaged file, no file, a tenant or file that is there, somebody who may not."""
    out = exported(heedful).json
    file = heedful.folder / "memory.jsonl.gz"

    def code(answer: Answer) -> tuple[int, str]:
        return answer.code, answer.json["error"]["code"]

    assert code(heedful("ledger", "export", "memory.jsonl.gz", "--json")) == (5, "bundle_exists")
    assert code(heedful("ledger", "export", "no/folder.jsonl", "--json")) == (8, "bundle_unavailable")
    assert code(heedful("--as", "agent:pip", "ledger", "export", "x", "--json")) == (3, "principal_may_not")
    assert code(heedful("--as", "person:nobody", "ledger", "export", "x", "--json")) == (3, "principal_may_not")
    assert code(other("ledger", "import", str(file), "--json")) == (8, "keys_missing")
    (tmp_path / "cut.gz").write_bytes(file.read_bytes()[:-200])
    key = ("--key-file", out["key_place"])
    assert code(other("ledger", "import", str(tmp_path / "cut.gz"), *key, "--json")) == (2, "bundle_damaged")
    assert code(other("ledger", "import", out["key_place"], *key, "--json")) == (2, "bundle_malformed")
    assert code(other("ledger", "import", str(tmp_path / "gone"), "--json")) == (8, "bundle_unavailable")
    assert code(other("ledger", "import", str(file), "--key-file", str(file), "--json")) == (8, "keys_unavailable")
    assert code(other("ledger", "import", str(file), *key, "--name", "spare", "--json")) == (5, "tenant_taken")
    assert code(other("--as", "agent:pip", "ledger", "import", str(file), *key, "--json")) == (3, "principal_may_not")
    assert code(heedful("ledger", "import", str(file), "--json")) == (5, "tenant_taken")
    assert not (heedful.folder / "x").exists()
    assert [tenant for tenant in ("default", "spare") if other("--tenant", tenant, "status").code == 0] == ["spare"]


def test_the_file_is_readable_by_its_maker_alone(heedful: CommandLine) -> None:
    """It holds everything."""
    exported(heedful)
    assert (heedful.folder / "memory.jsonl.gz").stat().st_mode & 0o777 == 0o600


def test_a_tenant_moves_to_a_database_and_back_by_commands(heedful: CommandLine, database: str, tmp_path: Path) -> None:
    """From SQLite to PostgreSQL and to SQLite again: the same file in the end, and the same answer on the way."""
    out = exported(heedful, "memory.jsonl").json
    key = ("--key-file", out["key_place"])
    server = command_line(tmp_path / "server")
    server = replace(server, environment={**server.environment, "HEEDFUL_DATABASE": database})
    last = command_line(tmp_path / "last")
    for each in (server, last):
        shutil.copytree(heedful.folder / ".heedful" / "registry", each.folder / ".heedful" / "registry")
        made = each("--tenant", "spare", "init", ".", "--scope", "project:payments")
        assert made.code == 0, made.err
    assert server("ledger", "import", str(heedful.folder / "memory.jsonl"), *key).code == 0
    assert server("ledger", "export", "there.jsonl").code == 0
    assert server("verify", "--views").code == 0
    assert "zanzibar" in server("recall", "zanzibar replica").out
    assert last("ledger", "import", str(server.folder / "there.jsonl"), *key).code == 0
    assert last("ledger", "export", "back.jsonl").code == 0
    assert (last.folder / "back.jsonl").read_bytes() == (heedful.folder / "memory.jsonl").read_bytes()
