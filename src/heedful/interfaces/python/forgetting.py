"""What is to be forgotten: the methods of Memory for erasures, their receipts, and holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, overload

from heedful.bootstrap.proofs import check_receipt_file, require_absent, write_proof_file
from heedful.bootstrap.receipts import all_receipts, one_receipt, signed_bytes
from heedful.bootstrap.residue import residue_of
from heedful.interfaces.python.asking import Asking
from heedful.kernel.scope import require_text, require_yes_or_no
from heedful.service.drilling import drill as drilling
from heedful.service.drilling.report import DrillReport, encode
from heedful.service.erasure import consent
from heedful.service.erasure import forget as forgetting
from heedful.service.erasure import hold as holding
from heedful.service.erasure import receipt as receipts
from heedful.service.erasure import tenant as whole
from heedful.service.erasure.select import require_confirmed, selection_of
from heedful.service.erasure.signed import ReceiptCheck


class Forgetting(Asking):
    """See Memory, which is made of this and more."""

    @overload
    def forget(
        self,
        *,
        record: str | Sequence[str] | None = None,
        subject: str | None = None,
        scope: Sequence[str] | None = None,
        principal: str | None = None,
        because: str = "request",
        dry_run: Literal[False] = False,
    ) -> receipts.Receipt: ...

    @overload
    def forget(
        self,
        *,
        record: str | Sequence[str] | None = None,
        subject: str | None = None,
        scope: Sequence[str] | None = None,
        principal: str | None = None,
        because: str = "request",
        dry_run: Literal[True],
    ) -> forgetting.ForgetPlan: ...

    @overload
    def forget(
        self, *, tenant: str, because: str = "request", dry_run: Literal[False] = False
    ) -> receipts.Receipt | whole.TenantKept: ...

    @overload
    def forget(self, *, tenant: str, because: str = "request", dry_run: Literal[True]) -> whole.TenantPlan: ...

    def forget(
        self,
        *,
        record: str | Sequence[str] | None = None,
        subject: str | None = None,
        scope: Sequence[str] | None = None,
        principal: str | None = None,
        tenant: str | None = None,
        because: str = "request",
        dry_run: bool = False,
    ) -> receipts.Receipt | forgetting.ForgetPlan | whole.TenantKept | whole.TenantPlan:
        """The receipt: what is selected is gone, with all that was made of it; the job `erase` takes it from the files.

        Exactly one of the first five selects. It takes the right to erase, or one's own words; never an agent. With
        `dry_run` nothing is changed: what would go and why, of what this principal may see.

        `tenant` is the name of this memory's own tenant, which goes with its keys, and nothing brings it back: every
        later call is told `tenant_erased`. Where a hold keeps something of it, the answer is a TenantKept.

        Raises:
            InvalidInputError: `forget_what`, `choice_unknown`, `scope_malformed`, `name_malformed`;
                `tenant_unconfirmed` for another tenant than this memory's.
            ForbiddenError: `principal_may_not`.
            NotFoundError: `item_not_found`, also for a record that this principal may not see.
            ConflictError: `dependants_too_many`.
        """
        require_yes_or_no(dry_run, field="dry_run")
        selection = selection_of(record, subject, scope, principal, tenant=tenant is not None)
        if tenant is not None:
            require_confirmed(self._session.store.tenant.name, tenant)
            if dry_run:
                return whole.plan_tenant(self._eraser, tenant)
            return whole.forget_tenant(self._eraser, tenant, because=because)
        if dry_run:
            return forgetting.plan(self._session, selection)
        return forgetting.forget(self._session, selection, because=because)

    def receipt(self, erasure_id: str, *, out: str | Path | None = None) -> receipts.Receipt:
        """How far an erasure came, of an erased tenant's too; with `out` also as a signed file, for others to check.

        Raises:
            NotFoundError: `receipt_not_found`, also for another's.
            InvalidInputError: `name_malformed` where it is no text.
            ConflictError: `proof_file_exists`.
            UnavailableError: `proof_file_unavailable`, `keys_unavailable`.
        """
        require_text(erasure_id, field="erasure_id")
        found = one_receipt(self._eraser, lambda: self._session, erasure_id)
        if out is not None:
            write_proof_file(Path(out), signed_bytes(self._eraser, (found,)))
        return found

    def receipts(self) -> tuple[receipts.Receipt, ...]:
        """The newest 1,000 receipts that this principal may see, in their order; erased tenants' are the last."""
        return all_receipts(self._eraser, lambda: self._session)

    @staticmethod
    def verify_receipt(file: str | Path, *, key: str | None = None, keys: str | Path | None = None) -> ReceiptCheck:
        """Whether the receipt in this file is what a store signed; no store is looked at.

        `key`: the id of a key that you trust; `keys`: a file with what `heedful keys show --json` printed. Without
        either it is held against its own first key, whose id is to be compared with what the store's owner tells.

        Raises:
            InvalidInputError: `receipt_malformed`, `keys_malformed`.
            UnsupportedError: `receipt_newer`.
            UnavailableError: `proof_file_unavailable`.
        """
        return check_receipt_file(Path(file), key=key, keys=None if keys is None else Path(keys))

    @property
    def _eraser(self) -> whole.Eraser:
        return self._app.eraser(principal=self._session.principal, channel=self._session.channel)

    def hold(
        self,
        *,
        record: str | Sequence[str] | None = None,
        subject: str | None = None,
        scope: Sequence[str] | None = None,
        principal: str | None = None,
        tenant: bool = False,
        because: str = "legal",
    ) -> holding.Hold:
        """The hold: from now on nothing that it selects is erased; erasing hides it, and waits.

        Raises:
            InvalidInputError: see `forget`; `name_malformed` where `tenant` is neither True nor False.
            ForbiddenError: `principal_may_not`.
        """
        require_yes_or_no(tenant, field="tenant")
        selection = selection_of(record, subject, scope, principal, tenant=tenant)
        return holding.place_hold(self._session, selection, because=because)

    def release_hold(self, hold_id: str, *, because: str = "legal") -> holding.Hold:
        """The hold that was released: erasures that waited for it go on with the job `erase`.

        Raises:
            ForbiddenError: `principal_may_not`.
            NotFoundError: `hold_not_found`.
            InvalidInputError: `choice_unknown`, `name_malformed`.
        """
        require_text(hold_id, field="hold_id")
        return holding.release_hold(self._session, hold_id, because=because)

    def drill(self, name: str, *, scope: Sequence[str] | None = None, out: str | Path | None = None) -> DrillReport:
        """The signed report of an `erasure` or `revocation` that was tried out here; `holds` tells how it went.

        It plants records in a scope of its own within `scope`, and erases them again; `out` is the file for the report.

        Raises:
            InvalidInputError: `choice_unknown`, `scope_malformed`.
            ForbiddenError: `principal_may_not`, `scope_not_granted`.
            ConflictError: `drill_running`, `drill_not_planted`, `lease_lost`, `key_rotated`; `proof_file_exists`.
        """
        if out is not None:
            require_absent(Path(out))
        made = drilling.drill(self._session, name, scope=self._scope(scope), residue=residue_of(self._app.folder))
        if out is not None:
            write_proof_file(Path(out), encode(made))
        return made

    def holds(self) -> tuple[holding.Hold, ...]:
        """The holds in force, the oldest first.

        Raises:
            ForbiddenError: `principal_may_not`.
        """
        return holding.holds(self._session)

    def withdraw_consent(self, *, principal: str | None = None, subject: str | None = None) -> consent.ConsentChange:
        """The withdrawn consent: what the principal brought, or is about the subject, is used no more from now on.

        Nothing is erased. It takes an owner, or whoever it is about; never an agent.

        Raises:
            InvalidInputError: `forget_what` unless exactly one is named, `name_malformed`.
            ForbiddenError: `principal_may_not`.
            ConflictError: `dependants_too_many`.
        """
        return consent.withdraw_consent(self._session, selection_of(subject=subject, principal=principal))

    def give_consent(self, *, principal: str | None = None, subject: str | None = None) -> consent.ConsentChange:
        """The consent that is given again: what only its withdrawal kept away stands again.

        Raises:
            InvalidInputError: see `withdraw_consent`.
            ForbiddenError: `principal_may_not`.
            NotFoundError: `consent_not_withdrawn`.
        """
        return consent.give_consent(self._session, selection_of(subject=subject, principal=principal))

    def consents(self) -> tuple[consent.WithdrawnConsent, ...]:
        """The consents that are withdrawn: all, for owners and auditors, and for others their own."""
        return consent.consents(self._session)
