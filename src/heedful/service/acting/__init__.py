"""Proposed actions: what they are judged by, the permit's use, and what came of it."""
