"""Benchmarks by name: `python -m bench peers --records 2000 --json` runs bench/peers.py."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def main() -> None:
    """The benchmark that the first argument names runs as if it had been called by itself."""
    names = sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))
    if len(sys.argv) < 2 or sys.argv[1] not in names:
        sys.exit(f"usage: python -m bench NAME [options]; NAME is one of: {', '.join(names)}")
    script = FOLDER / f"{sys.argv[1]}.py"
    sys.argv = [str(script), *sys.argv[2:]]
    sys.path.insert(0, str(FOLDER))
    runpy.run_path(str(script), run_name="__main__")


if __name__ == "__main__":
    main()
