"""Auditing: the methods of Memory for people who look at what everybody wrote, and how far it can be relied on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heedful.interfaces.python.upkeep import Upkeep
from heedful.service.auditing import provenance as sources
from heedful.service.auditing.scorecard import DAYS, Scorecard, scorecard


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

    def scorecard(self, *, days: int = DAYS, must: Sequence[Mapping[str, object]] = ()) -> Scorecard:
        """How far the memory could be relied on in the last days, in numbers; None where nothing was measured.

        `must`: what must be remembered, such as `{"question": "...", "expects": "..."}`; docs/scorecard.md has the
        fields. Without it recall is measured by people's marks. `metrics()` of the answer is for Prometheus.

        Raises:
            InvalidInputError: `days_malformed`, `must_malformed`, `must_too_many`.
        """
        return scorecard(self._session, days=days, must=must, default_scope=self._app.default_scope)
