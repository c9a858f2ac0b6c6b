"""Worlds for the service tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from worlds import World, world


@pytest.fixture
def house() -> Iterator[World]:
    """A store in memory, with the two-person policy."""
    with world() as made:
        yield made


@pytest.fixture
def folder_house(tmp_path: Path) -> Iterator[World]:
    """A store in a folder, with the two-person policy."""
    with world(tmp_path) as made:
        yield made
