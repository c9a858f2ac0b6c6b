"""Upkeep: the methods of Memory for background work, and for what it moved."""

from __future__ import annotations

from collections.abc import Callable

from heedful.interfaces.python.asking import Asking
from heedful.service import maintain as maintaining
from heedful.service.belief import archive as archiving


class Upkeep(Asking):
    """See Memory, which is made of this and more."""

    def maintain(
        self, job: str | None = None, *, progress: Callable[[int], None] | None = None
    ) -> maintaining.Maintained:
        """What came of the background jobs that are due; of the one that is named, due or not.

        `job`: `expire`, `retain`, `consolidate` or `collect`. `progress` is told how many claims it looked at.

        Raises:
            InvalidInputError: `choice_unknown`.
            ConflictError: `lease_lost` where this worker took so long that another went on.
        """
        return maintaining.maintain(self._session, job, progress=progress or (lambda _done: None))

    def maintain_report(self, job: str) -> maintaining.JobReport:
        """What the last run of this job moved and why, of what this principal may see.

        Raises:
            InvalidInputError: `choice_unknown`.
            NotFoundError: `job_never_ran`.
        """
        return maintaining.report_of(self._session, job)

    def archive(self, claim_id: str, *, reason: str) -> archiving.Archived:
        """What archiving the claim did: it comes to mind no more, and can be taken back.

        Raises:
            ConflictError: `transition_illegal`, `claim_pinned`.
            NotFoundError: `item_not_found`, also for a claim that this principal may not see.
        """
        return archiving.archive(self._session, claim_id, reason)

    def unarchive(self, claim_id: str, *, reason: str) -> archiving.Archived:
        """What taking the claim back did: it stands where it stood.

        Raises:
            ConflictError: `claim_not_archived`, `evidence_gone`.
            NotFoundError: `item_not_found`, also for a claim that this principal may not see.
        """
        return archiving.unarchive(self._session, claim_id, reason)

    def archived(self, *, known_at: str | None = None) -> archiving.ArchivedClaims:
        """The claims in the archive, the newest first, each with its reason; `known_at`: as it was at that instant.

        Raises:
            InvalidInputError: `time_malformed`, `time_skipped`, `time_twice`.
        """
        return archiving.archived_claims(self._session, known_at=known_at)
