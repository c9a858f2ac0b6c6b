"""Content over the inline limit lies in the blob store, and is found, quoted and checked all the same."""

from pathlib import Path

import pytest

from heedful import Memory
from heedful.kernel.errors import FaultError
from heedful.settings import Settings

LONG = "The zanzibar replica keeps a copy of every invoice. " + "filler words " * 8_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Memory.init(tmp_path, scope=["project:x"], settings=Settings(keys_dir=str(tmp_path / "keys"))) as memory:
        memory.remember(LONG)
    return tmp_path


def opened(folder: Path) -> Memory:
    return Memory.open(folder, settings=Settings(keys_dir=str(folder / "keys")))


def test_long_content_is_found_and_quoted(folder: Path) -> None:
    """Its words find it, and the packet quotes it from the blob store."""
    with opened(folder) as memory:
        (item,) = memory.recall("where is the zanzibar replica").items

        assert "zanzibar replica" in item.text


def test_a_refold_reads_the_blob_store_as_well(folder: Path) -> None:
    """The views made anew find the same words."""
    with opened(folder) as memory:
        assert memory.verify(views=True).views == "equal"


def test_a_changed_blob_is_not_quoted(folder: Path) -> None:
    """What is not what was put there is a fault, never an answer."""
    (blob,) = [path for path in (folder / ".heedful" / "blobs").rglob("*") if path.is_file()]
    blob.chmod(0o600)
    blob.write_bytes(b"The zanzibar replica is gone.")
    with opened(folder) as memory, pytest.raises(FaultError) as raised:
        memory.recall("where is the zanzibar replica")

    assert raised.value.code == "blob_changed"


def test_verify_reads_every_blob(folder: Path) -> None:
    """The control: each is what was put there."""
    with opened(folder) as memory:
        audit = memory.verify()

    assert audit.holds
    assert (audit.blobs, audit.blob_record_id) == ("intact", None)


@pytest.mark.parametrize(
    ("damage", "found"), [(b"The zanzibar replica is gone.", "changed"), (b"", "changed"), (None, "missing")]
)
def test_a_damaged_blob_is_found_by_verify_and_named(folder: Path, damage: bytes | None, found: str) -> None:
    """Changed or missing, with the record that it belongs to; the views are not compared with what it would give."""
    (blob,) = [path for path in (folder / ".heedful" / "blobs").rglob("*") if path.is_file()]
    if damage is None:
        blob.unlink()
    else:
        blob.write_bytes(damage)
    with opened(folder) as memory:
        audit = memory.verify(views=True)

        assert not audit.holds
        assert (audit.blobs, audit.views) == (found, "unchecked")
        assert audit.blob_record_id is not None
        assert memory.why(audit.blob_record_id).item == "record"


def test_a_damaged_blob_is_mended_by_remembering_its_content_again(folder: Path) -> None:
    """Acknowledged means that the content is there, whatever lay under its name."""
    (blob,) = [path for path in (folder / ".heedful" / "blobs").rglob("*") if path.is_file()]
    blob.write_bytes(b"The zanzibar replica is gone.")
    with opened(folder) as memory:
        memory.remember(LONG)

        assert memory.verify(views=True).holds
