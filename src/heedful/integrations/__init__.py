"""Formats and frameworks of others, read behind ports."""
