"""`heedful backup | backups | restore | erasures`: what they answer for programs and for people, and their exit codes."""

from __future__ import annotations

from command_line import FREEZE, CommandLine, bare_fixture, heedful_fixture  # noqa: F401  # pytest finds the fixtures here


def test_a_store_goes_into_a_file_and_back(heedful: CommandLine) -> None:
    """People are told what was erased again and what they have to know; programs get the same as JSON."""
    record = heedful("remember", FREEZE, "--json").json["record_id"]
    shelf = heedful.folder / "記憶 🥜"
    shelf.mkdir()
    made = heedful("backup", str(shelf), "--json")
    assert made.code == 0, made.out
    assert heedful("backups", str(shelf), "--json").json["backups"][0]["backup_id"] == made.json["backup_id"]
    assert heedful("forget", "--record", record).code == 0
    assert heedful("erasures", "--out", "erasures.json", "--json").json["erasures"] == 1

    file = made.json["file"]
    refused = heedful("restore", file, "--to", "back")
    assert (refused.code, "--without-register" in refused.err) == (2, True)
    told = heedful("restore", file, "--to", "back", "--register", "erasures.json")
    assert told.code == 0, told.err
    assert "1 erasures done again" in told.out
    assert heedful("--store", "back", "review", "show", record).code == 4
    again = heedful("restore", file, "--to", "back", "--register", "erasures.json", "--json")
    assert (again.code, again.json["error"]["code"]) == (5, "restore_taken")
    control = heedful("restore", file, "--to", "control", "--without-register")
    assert "all of it is back" in control.out


def test_each_refusal_has_its_exit_code(heedful: CommandLine) -> None:
    """No file, no backup, keys in clear, an agent."""
    assert heedful("restore", "nowhere", "--to", "x", "--without-register").code == 8
    (heedful.folder / "empty").touch()
    assert heedful("restore", "empty", "--to", "x", "--without-register").code == 2
    assert heedful("backup", "out.backup", "--with-keys").code == 2
    assert heedful("--as", "agent:bot", "backup", "out.backup").code == 3
    assert heedful("backup", "empty").code == 5
    assert not (heedful.folder / "x").exists() or not list((heedful.folder / "x").iterdir())
