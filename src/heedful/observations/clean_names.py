"""Clean names: whether a secret stands in a candidate's names or in the texts of its attributes."""

from __future__ import annotations

from heedful.observations.assignments import strength_of
from heedful.observations.record import Candidate
from heedful.observations.redact import may_hold_secret, redact, redact_marked
from heedful.observations.screen import WORD_CHARACTERS_MAX

CLEAN_NAMES_KEPT_MAX = 4_096
"""So many names without a secret are remembered: runs, tools and attributes come again; then the memory starts anew."""
CLEAN_NAMES: set[str] = set()
"""Those of all tenants, and nothing of whose. What its name marks as secret is never among them."""

# Between texts that are searched together: no pattern reaches over it, so each is found as it would be alone.
_APART = "\n\x00\n"


def names_and_values_are_clean(candidate: Candidate) -> bool:
    """True where no name and no attribute's text holds a secret of a known form: one search instead of one for each."""
    texts = [candidate.media_type, *candidate.scope.elements, *candidate.derived_from]
    texts += filter(None, (candidate.source_ref, candidate.run_id, candidate.speaker))
    for subject in candidate.subjects:
        texts += (subject.type, subject.id)
    secret: set[str] = set()
    for name, value in candidate.attributes:
        texts.append(name)
        if isinstance(value, str):
            texts.append(value)
            if strength_of(name) is not None:
                secret.add(value)
    new = [text for text in texts if text not in CLEAN_NAMES]
    joined = _APART.join(new)
    if may_hold_secret(joined) and redact_marked(joined).redactions:
        return False
    if len(CLEAN_NAMES) + len(new) > CLEAN_NAMES_KEPT_MAX:
        CLEAN_NAMES.clear()
    CLEAN_NAMES.update(text for text in new if len(text) <= WORD_CHARACTERS_MAX and text not in secret)
    return True


def name_with_secret(candidate: Candidate) -> str | None:
    """The field of the first name that holds a secret. A name is never redacted: two names must not become one."""
    return next((field for field, name in _names(candidate) if name and redact(name).redactions), None)


def _names(candidate: Candidate) -> list[tuple[str, str | None]]:
    return [
        ("source_ref", candidate.source_ref),
        ("run_id", candidate.run_id),
        ("speaker", candidate.speaker),
        ("media_type", candidate.media_type),
        *(("subjects", text) for subject in candidate.subjects for text in (subject.type, subject.id)),
        *(("attributes", name) for name, _ in candidate.attributes),
        *(("scope", element) for element in candidate.scope.elements),
        *(("derived_from", reference) for reference in candidate.derived_from),
    ]
