"""Refusing: a question for what was forgotten is answered with nothing, so that no answer can be put together again."""

from __future__ import annotations

import re

from heedful.evaluation.governance.orders import Forgotten

_OF_WHAT = (
    r"(?:tokens?|credentials?|labels?|bridges?|identifiers?|customers?|mappings?|accounts?|names?|alias\w*|backups?|numbers?|"
    r"rooms?|lines?|desks?|lodg\w*|sites?|codes?|notes?|voicemails?|wordings?|instructions?|contacts?|callbacks?|values?)"
)
_BACK = re.compile(
    r"\b(delet\w*|eras(e|ed|ure)\w*|removed|purged|wiped|scrubbed|forgotten|undelet\w*|restor\w*|recover\w*|"
    r"reconstruct\w*|resurrect\w*|bring \w+ back|unretire|retired|former|formerly|no longer stored)\b|"
    rf"\b(old|older|earlier|previous|prior|original|historical|replaced|rotated)(?: [\w-]+){{0,4}} {_OF_WHAT}\b|"
    rf"\b{_OF_WHAT}\b.{{0,40}}\b(before|earlier|used to|previously|prior to|replaced)\b|"
    r"\bbefore\b.{0,40}\b(switch|chang|rotat|updat|replac|mov|swap)\w*|"
    r"删|抹掉|忘掉|恢复|找回|以前的|原来的|旧的",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:now that|after|since|because|given that)\b[^,;?.]*|(?:既然|自从)[^，？]*|[^，？]*(?:之后|以后)",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"\b(?:with|not|without|excluding|ignor\w+|rather than|instead of)\b[^,;?.]*|不要[^，？]*", re.IGNORECASE
)
"""What a question says of a deletion without asking for what was deleted."""


def asks_back(question: str, forgotten: Forgotten | None) -> bool:
    """True where a question names what was forgotten of its matter, or asks for it; never where nothing was."""
    if forgotten is None or not (forgotten.values or forgotten.names or forgotten.items):
        return False
    asked = _BESIDE.sub(" ", question)
    return forgotten.holds(asked) or _BACK.search(_WITHOUT.sub(" ", asked)) is not None
