"""Label: who may know something. A record can affect only claims whose label dominates its own."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.kernel.ladder import Classification, Consent
from heedful.kernel.scope import Scope


@dataclass(frozen=True, slots=True)
class Label:
    """Tenant is not a field: nothing crosses it, so no two labels of two tenants ever meet.

    Attributes:
        scope: every element must be granted to the reader.
        kind: the vocabulary's word for what it is about, or None for a plain record.
        classification: the reader's clearance must reach it.
        consent: `denied` is readable by nobody.
    """

    scope: Scope
    kind: str | None
    classification: Classification
    consent: Consent

    def dominates(self, other: Label) -> bool:
        """True where whoever may read under this label may read under `other` too.

        A narrower scope and a higher classification dominate; nothing dominates, or is carried by, a denial.
        """
        return (
            other.scope.applies_to(self.scope)
            and self.classification.at_least(other.classification)
            and Consent.DENIED not in (self.consent, other.consent)
        )
