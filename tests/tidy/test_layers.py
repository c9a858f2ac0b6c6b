"""The layers of pyproject.toml hold, and the check that says so can fail."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINT_IMPORTS = Path(sys.executable).parent / "lint-imports"


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """One run of import-linter in the folder."""
    return subprocess.run(
        [str(LINT_IMPORTS), "--no-cache"], cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the package and its contracts."""
    shutil.copytree(ROOT / "src" / "heedful", tmp_path / "heedful", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_folder_order_is_data_order() -> None:
    """Every contract in pyproject.toml is kept."""
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("kernel/tokens.py", "import heedful.gate.verdict", "Folder order is data order"),
        ("gate/verdict.py", "import time", "Stages do no I/O"),
        ("service/__init__.py", "import apsw", "The SQLite driver is imported in one folder"),
        ("utilities/__init__.py", "", "utilities"),
    ],
)
def test_control_a_forbidden_import_is_found(copied: Path, module: str, line: str, contract: str) -> None:
    """A stage that looks ahead, a stage with a clock, a second home of the driver, a folder without a place."""
    path = copied / "heedful" / module
    path.parent.mkdir(exist_ok=True)
    path.write_text((path.read_text("utf-8") if path.exists() else "") + f"\n{line}\n", encoding="utf-8")
    done = lint(copied)
    assert done.returncode != 0
    assert contract in done.stdout
