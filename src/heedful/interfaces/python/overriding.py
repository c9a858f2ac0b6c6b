"""What people say over what is held: the methods of Memory that correct, confirm, retract and pin claims."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.interfaces.python.asking import Asking
from heedful.service.auditing import diagnose
from heedful.service.belief import override
from heedful.service.belief.correct import Correction, correct
from heedful.service.belief.override import Overridden


class Overriding(Asking):
    """See Memory, which is made of this and more."""

    def correct(
        self,
        claim: str,
        value: str | float | bool | None = None,
        *,
        reason: str,
        statement: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> Overridden:
        """What it did: these words are a record, the claim of them stands, and the old one ended, or for that stretch.

        `since`, `until`: ISO 8601. Whoever speaks for the subject does it at once; who may approve proposes it.

        Raises:
            NotFoundError: `item_not_found`.
            ForbiddenError: `override_not_yours`, `claim_system`, `claim_operator`, `scope_not_granted`.
            ConflictError: `claim_over`, `stretch_outside`, `words_not_kept`.
            InvalidInputError: `correction_empty`, `value_missing`, `time_malformed`, `validity_empty`.
        """
        return correct(self._session, claim, Correction(value, statement, since, until), reason=reason)

    def confirm(self, claim: str, *, reason: str) -> Overridden:
        """What it did: who may speak for the claim's subject said that it is so.

        Raises:
            NotFoundError: `item_not_found`.
            ForbiddenError: `override_not_yours`, `confirmation_not_yours`.
            ConflictError: `claim_over`.
        """
        return override.confirm(self._session, claim, reason=reason)

    def retract(self, claim: str, *, reason: str) -> Overridden:
        """What it did: the claim is taken back as if it never held, and what rests on it is looked at again.

        Raises:
            NotFoundError: `item_not_found`.
            ForbiddenError: `override_not_yours`, `claim_system`, `claim_operator`.
            ConflictError: `claim_over`.
        """
        return override.retract(self._session, claim, reason=reason)

    def pin(self, claim: str, *, reason: str) -> Overridden:
        """What it did: no collection archives the claim, and no conflict wears it down.

        Raises:
            NotFoundError: `item_not_found`.
            ForbiddenError: `principal_may_not`.
            ConflictError: `claim_over`.
        """
        return override.pin(self._session, claim, reason=reason)

    def unpin(self, claim: str, *, reason: str) -> Overridden:
        """What it did: the claim is weighed and collected like any other again; see `pin`."""
        return override.unpin(self._session, claim, reason=reason)

    def diagnose(
        self, asked: str, *, answer: str, current: str | None = None, scope: Sequence[str] | None = None
    ) -> diagnose.Diagnosis:
        """In which layer each old value arose that the answer states as what holds: stored, retrieved or used.

        `asked` is a packet's id, or a question, which is recalled now; `current` what really holds, where the store may
        not know it.

        Raises:
            NotFoundError: `item_not_found` for a packet of somebody else.
        """
        return diagnose.diagnose(self._session, asked, answer=answer, current=current, scope=self._scope(scope))
