"""What contradicts what, who is believed and who is one: the methods of Memory for conflicts, tiers and merges."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.claims.merge import Merge
from heedful.interfaces.python.asking import Asking
from heedful.service.belief import conflicts as conflicting
from heedful.service.belief.conflicts import Answered, Conflicts
from heedful.service.belief.promote import Promoted, promote
from heedful.service.merging import merge as merging
from heedful.service.merging.merge import Merged


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

    def merge(
        self, subject: str, other: str, *, reason: str, scope: Sequence[str] | None = None, apart: bool = False
    ) -> Merged:
        """What it did: the two subjects are one for whoever sees this scope; `apart`: two, and nobody is asked again.

        Raises:
            ForbiddenError: `principal_may_not`, `scope_not_granted`.
            InvalidInputError: `merge_of_one`, `name_malformed`, `name_too_long`.
            ConflictError: `merges_too_many`, `merge_stands`.
        """
        return merging.merge(self._session, subject, other, scope=self._scope(scope), reason=reason, apart=apart)

    def unmerge(self, merge: str, *, reason: str) -> Merged:
        """What it did: the two subjects of this merge are two again, as if they never had been one.

        Raises:
            ForbiddenError: `principal_may_not`, `scope_not_granted`.
            NotFoundError: `item_not_found`.
            ConflictError: `merge_over`.
        """
        return merging.unmerge(self._session, merge, reason=reason)

    def merges(self, *, only_joined: bool = False, known_at: str | None = None) -> tuple[Merge, ...]:
        """What was said of which subjects, as far as this principal may see it; the newest first.

        `only_joined`: what holds now alone; `known_at`: as far as was known then.
        """
        return merging.merges(self._session, only_joined=only_joined, known_at=known_at)
