"""What a store's folder may hold: a damaged `store.json` or registry is an error with a next step, never a traceback."""

import json
import os
import threading
from pathlib import Path
from uuid import UUID

import pytest

from heedful.adapters.registry_files import default_policy, folder_documents
from heedful.adapters.store_folder import Engine, StoreFolder, create_store_folder, init_lock, open_store_folder
from heedful.kernel.errors import BusyError, ConflictError, HeedfulError, InvalidInputError, UnavailableError

STORE_ID = "01981f6e-0000-7000-8000-000000000001"
SOUND = {"format": 1, "store_id": STORE_ID, "default_scope": ["project:x"]}


def _create(parent: Path, store_id: str = STORE_ID, *, engine: Engine = "sqlite") -> StoreFolder:
    return create_store_folder(
        parent,
        store_id=store_id,
        principal="person:ana",
        packs=("delivery",),
        default_scope=("project:x",),
        engine=engine,
    )


def _make(parent: Path, store_id: str = STORE_ID) -> Path:
    return _create(parent, store_id).path


def _error(path: Path) -> HeedfulError:
    with pytest.raises(HeedfulError) as caught:
        open_store_folder(path)
    assert caught.value.next_step
    assert str(path) not in str(caught.value.to_dict())
    return caught.value


def test_a_store_folder_is_read_as_it_was_made(tmp_path: Path) -> None:
    """The control of the tests below, and nothing is left beside its files."""
    path = _make(tmp_path)
    found = open_store_folder(path)
    assert (found.store_id, found.default_scope) == (STORE_ID, ("project:x",))
    assert sorted(entry.name for entry in path.iterdir()) == [".gitignore", "blobs", "registry", "store.json"]


def test_a_store_on_postgresql_says_so_and_an_older_release_refuses_it(tmp_path: Path) -> None:
    """Format 2: one that knows format 1 alone would find an empty store in the folder. Nothing tells of the database."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    on_sqlite, on_postgresql = _create(tmp_path / "a"), _create(tmp_path / "b", engine="postgresql")
    markers = [json.loads((each.path / "store.json").read_text("utf-8")) for each in (on_sqlite, on_postgresql)]
    assert [open_store_folder(each.path).engine for each in (on_sqlite, on_postgresql)] == ["sqlite", "postgresql"]
    assert [marker["format"] for marker in markers] == [1, 2]
    assert set(markers[1]) == {"format", "store_id", "engine", "default_scope"}
    assert sorted(entry.name for entry in on_postgresql.path.iterdir()) == [".gitignore", "registry", "store.json"]


def test_a_store_of_before_there_was_a_choice_is_on_sqlite(tmp_path: Path) -> None:
    """Its `store.json` names no engine; one that names an unknown engine is damaged."""
    path = _make(tmp_path)
    (path / "store.json").write_text(json.dumps(SOUND), "utf-8")
    assert open_store_folder(path).engine == "sqlite"
    for engine in ("mysql", None, ["sqlite"], 1):
        (path / "store.json").write_text(json.dumps({**SOUND, "engine": engine}), "utf-8")
        assert _error(path).code == "store_unavailable"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 100_000,
        '{"a":' * 100_000,
        " " * 70_000 + json.dumps(SOUND),
        "[]",
        "null",
        '"text"',
        "{}",
        json.dumps(SOUND).replace("1,", "1e999,", 1),
        json.dumps({**SOUND, "format": True}),
        json.dumps({**SOUND, "format": "1"}),
        json.dumps({**SOUND, "format": 0}),
        json.dumps({**SOUND, "format": 1.5}),
        json.dumps({**SOUND, "store_id": "../../elsewhere"}),
        json.dumps({**SOUND, "store_id": ""}),
        json.dumps({**SOUND, "store_id": STORE_ID + "/.."}),
        json.dumps({**SOUND, "store_id": STORE_ID + "\n"}),
        json.dumps({**SOUND, "store_id": None}),
        json.dumps({**SOUND, "store_id": ["x"]}),
        json.dumps({**SOUND, "default_scope": "project:x"}),
        json.dumps({**SOUND, "default_scope": [1]}),
        json.dumps({**SOUND, "default_scope": None}),
    ],
)
def test_a_damaged_marker_is_unavailable(tmp_path: Path, text: str) -> None:
    """`store_unavailable`: too deep, too long, of another form, or with an id that would be a path."""
    path = _make(tmp_path)
    (path / "store.json").write_text(text)
    error = _error(path)
    assert isinstance(error, UnavailableError)
    assert error.code == "store_unavailable"


def test_bytes_that_are_no_text_are_unavailable(tmp_path: Path) -> None:
    """As every other damage."""
    path = _make(tmp_path)
    (path / "store.json").write_bytes(b"\xff\xfe{}")
    assert _error(path).code == "store_unavailable"


def test_a_newer_format_is_named(tmp_path: Path) -> None:
    """Whatever else is in it."""
    path = _make(tmp_path)
    (path / "store.json").write_text(json.dumps({"format": 3, "id": "of another form"}))
    assert _error(path).code == "format_newer"


def test_a_second_store_is_never_made_over_the_first(tmp_path: Path) -> None:
    """`store_exists`, and the first is as it was."""
    path = _make(tmp_path)
    before = (path / "store.json").read_bytes()
    with pytest.raises(ConflictError):
        _make(tmp_path, str(UUID(int=7)))
    assert (path / "store.json").read_bytes() == before


def test_two_that_make_a_store_take_turns(tmp_path: Path) -> None:
    """The second waits for the first, and gives up with `store_busy`; afterwards the lock is free."""
    with init_lock(tmp_path, wait_seconds=1.0), pytest.raises(BusyError) as caught, init_lock(tmp_path, wait_seconds=0):
        pytest.fail("the lock was given twice")
    assert caught.value.code == "store_busy"
    with init_lock(tmp_path, wait_seconds=0):
        pass


def test_a_pipe_in_the_registry_folder_is_an_error_and_no_wait(tmp_path: Path) -> None:
    """`registry_unavailable`, naming the file; so is a folder or a link to nothing."""
    registry = _make(tmp_path) / "registry"
    for name, make in (
        ("pipe.yaml", os.mkfifo),
        ("folder.yaml", os.mkdir),
        ("nothing.yaml", lambda path: path.symlink_to("not-there")),
        ("device.yaml", lambda path: path.symlink_to("/dev/zero")),
    ):
        make(registry / name)
        errors: list[BaseException] = []
        reading = threading.Thread(target=_read, args=(registry, errors), daemon=True)
        reading.start()
        reading.join(20)
        assert not reading.is_alive(), name
        (error,) = errors
        assert isinstance(error, UnavailableError)
        assert (error.code, error.details) == ("registry_unavailable", {"file": name})
        path = registry / name
        path.rmdir() if name == "folder.yaml" else path.unlink()
    assert folder_documents(registry), "the control: without them it is read"


@pytest.mark.parametrize(
    "text", ["packs: " + "[" * 50_000, "packs: [1]", "packs: [[a]]", "packs: {a: b}", "x", "packs: [2001-99-99]"]
)
def test_a_damaged_list_of_packs_is_malformed(tmp_path: Path, text: str) -> None:
    """`packs_malformed`, also where it nests so deeply that its reader gives up."""
    registry = _make(tmp_path) / "registry"
    (registry / "packs.yaml").write_text(text)
    with pytest.raises(InvalidInputError) as caught:
        folder_documents(registry)
    assert caught.value.code == "packs_malformed"


def _read(registry: Path, errors: list[BaseException]) -> None:
    try:
        folder_documents(registry)
    except HeedfulError as error:
        errors.append(error)


def test_a_registry_that_came_with_a_clone_is_kept(tmp_path: Path) -> None:
    """What was reviewed in git is not overwritten by init; the databases are made beside it."""
    registry = tmp_path / ".heedful" / "registry"
    registry.mkdir(parents=True)
    reviewed = default_policy("person:somebody-else", ())
    (registry / "policy.yaml").write_text(reviewed, "utf-8")

    folder = _create(tmp_path)

    assert (folder.registry / "policy.yaml").read_text("utf-8") == reviewed
    assert not (folder.registry / "packs.yaml").exists()
