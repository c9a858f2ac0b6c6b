"""What contradicts what, and who is believed: the methods of Memory that show conflicts, answer them, and promote."""

from __future__ import annotations

from heedful.interfaces.python.asking import Asking
from heedful.service.belief import conflicts as conflicting
from heedful.service.belief.conflicts import Answered, Conflicts
from heedful.service.belief.promote import Promoted, promote


class Deciding(Asking):
    """See Memory, which is made of this and more."""

    def conflicts(self, *, only_open: bool = False, known_at: str | None = None) -> Conflicts:
        """Claims that contradict each other, of those that this principal may see; the newest first.

        `known_at`: as far as was known then.
        """
        return conflicting.conflicts(self._session, only_open=only_open, known_at=known_at)

    def answer(self, conflict: str, choice: str, *, reason: str) -> Answered:
        """What it did: the claim that stood is so (`a`), the one that came (`b`), or `neither`.

        Raises:
            NotFoundError: `item_not_found`.
            ConflictError: `conflict_closed`, `evidence_gone`.
            ForbiddenError: `override_not_yours`, `claim_system`, `claim_operator`, `approval_refused`.
            InvalidInputError: `choice_unknown`.
        """
        return conflicting.answer(self._session, conflict, choice, reason)

    def promote(self, claim: str, tier: str, *, reason: str) -> Promoted:
        """What it did: the claim has the authority `OPERATOR` or `SYSTEM`, or `UNVERIFIED` again.

        Raises:
            NotFoundError: `item_not_found`.
            ForbiddenError: `principal_may_not`, `promotion_refused`.
            ConflictError: `claim_over`, `tier_unchanged`.
            InvalidInputError: `tier_not_given`.
        """
        return promote(self._session, claim, tier, reason=reason)
