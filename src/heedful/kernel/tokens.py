"""Token counts: estimates, and called that, since no tokenizer of any model is at hand."""

from __future__ import annotations

_BYTES_A_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """`ceil(UTF-8 bytes / 4)` of the text (design, section 12)."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_A_TOKEN)
