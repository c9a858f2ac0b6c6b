"""Residue: a canary is found in files in whatever form it lies there, also across what is read at once."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from heedful.adapters import residue
from heedful.adapters.residue import FolderResidue
from heedful.service.drilling.canary import CANARY_BYTES, canary_of, needles_of

CANARY, OTHER = canary_of(bytes(range(CANARY_BYTES))), canary_of(bytes(range(40, 40 + CANARY_BYTES)))


@pytest.mark.parametrize("before", range(3))
def test_every_form_is_found_and_another_is_not(tmp_path: Path, before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As text, UTF-16, hex, base64 in any phase, a piece of it, in a folder below; in chunks of a few bytes."""
    monkeypatch.setattr(residue, "_CHUNK_BYTES", 7)
    text = ("x" * before + CANARY).encode()
    forms = {
        "text": text,
        "utf16": text.decode().encode("utf-16-le"),
        "hex": text.hex().encode(),
        "base64": base64.b64encode(text),
        "piece": text[before + 5 : before + 28],
        "other": ("x" * before + OTHER).encode(),
        "empty": b"",
    }
    (tmp_path / "below").mkdir()
    for name, content in forms.items():
        (tmp_path / "below" / name).write_bytes(b"head " + content + b" tail" if name != "base64" else content)
    looked = FolderResidue(tmp_path).look(needles_of(CANARY))
    assert looked.places == tuple(sorted(f"below/{name}" for name in forms if name not in ("other", "empty")))
    assert (looked.files, looked.unread) == (len(forms), ())


def test_what_is_beyond_the_limit_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not passed over in silence."""
    monkeypatch.setattr(residue, "BYTES_MAX", 10)
    (tmp_path / "a").write_bytes(b"12345678")
    (tmp_path / "b").write_bytes(CANARY.encode())
    assert FolderResidue(tmp_path).look(needles_of(CANARY)).unread == ("b",)
