"""Auditing: the methods of Memory for people who look at what everybody wrote, and how far it can be relied on."""

from __future__ import annotations

from heedful.interfaces.python.upkeep import Upkeep
from heedful.service import provenance as sources


class Auditing(Upkeep):
    """See Memory, which is made of this and more."""

    def provenance(
        self,
        claim: str | None = None,
        *,
        source: str | None = None,
        known_at: str | None = None,
        after: str | None = None,
    ) -> sources.ProvenanceFound:
        """What claims came from, as rows: of one, or of all that this principal may see. For auditors.

        `source`: `user`, `tool`, `doc` or `inference`, or one such as `tool:Bash`. `known_at`: as far as was known
        then. `after`: where an earlier answer said that there is more (`next_after`).

        Raises:
            NotFoundError: `item_not_found`, also for a claim that this principal may not see.
            InvalidInputError: `choice_unknown`, `time_malformed`.
        """
        return sources.provenance(self._session, claim=claim, source=source, known_at=known_at, after=after)
