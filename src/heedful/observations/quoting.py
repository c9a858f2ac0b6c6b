"""Quoting: text in which a packet of ours comes back, as a tool's output, in a document or in what somebody says."""

from __future__ import annotations

import re

QUOTES_MEMORY = "quotes-memory"
"""Flag of a record that holds a packet: what it says was known before, so it bears nothing out and is found last."""

_ID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
# The first line of each rendering; in JSON perhaps escaped once more, as a tool's output within another.
_PACKET = re.compile(rf'(?:\bpacket {_ID},? as of \d{{4}}-)|(?:packet_id[\\"\']{{1,4}}\s*:\s*[\\"\']{{1,4}}{_ID})')


def quotes_memory(text: str) -> bool:
    """True where a packet stands in the text, in any of its renderings; whether it ever was ours nobody asks.

    Who writes such a line into a text takes away from what it counts for, and from nothing else.
    """
    return "packet" in text and _PACKET.search(text) is not None
