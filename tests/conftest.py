"""One Hypothesis profile for every test: no deadline on a shared machine, and the same examples at every run of CI."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("heedful", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("heedful")
