"""Session: one principal at one tenant through one door, with everything that the verbs need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo

from heedful.bridges.registry import Registry
from heedful.bridges.urgency import URGENCY_MIN
from heedful.claims.claim import Claim
from heedful.claims.collection import CONFIDENCE_BELOW, UNUSED_DAYS
from heedful.claims.projections.experience import GOTCHA_DAYS
from heedful.gate.permit import PERMIT_SECONDS
from heedful.kernel.digest import keyed_name
from heedful.kernel.errors import FaultError, ForbiddenError
from heedful.kernel.ids import PrincipalId, uuid7
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.ledger.events import ClaimTransitioned, Event
from heedful.ledger.seal import Envelope
from heedful.observations.limits import Limits
from heedful.observations.names import shown
from heedful.observations.record import Channel, Record
from heedful.policy.decide import GOVERNING_VERBS, Verb, clearance, denied_kinds, is_agent, may, may_write
from heedful.policy.model import Policy
from heedful.ports.blobs import BlobStore
from heedful.ports.embedder import Embedder
from heedful.ports.erasure import BACKUP_KEEP_DAYS
from heedful.ports.keys import KeyRing
from heedful.ports.reserve import NO_RESERVE, Reserve
from heedful.ports.router import Router
from heedful.ports.scratch import Scratch
from heedful.ports.signing import CHECKPOINT_HOURS, Signing
from heedful.ports.store import TenantStore, Writing
from heedful.ports.system import Clock, Entropy
from heedful.recall.request import Scorer
from heedful.recall.score import Scoring
from heedful.recall.spread import SOURCE_SHARE_MAX
from heedful.service.access import AccessJournal
from heedful.service.append import append_events
from heedful.service.folded import FoldedStores

PERSONS_VERBS: frozenset[Verb] = GOVERNING_VERBS | {
    "import",
    "export_ledger",
    "import_ledger",
    "maintain",
    "rotate_key",
}
"""Never an agent's, nor through an agent's door: they govern, vouch for what a user said, or move everything."""

_ID_RANDOM_BYTES = 10
_US_A_MS = 1_000


@dataclass(frozen=True, slots=True)
class Session:
    """What a verb works with.

    Attributes:
        signing: the store's own signature, and what it last signed.
        channel: the door; it bounds on whose word a record may stand.
        release: of Heedful, that answers here.
        scratch: makes the stores in which an earlier moment is looked at.
        folded: the last of them.
        packet_tokens: a packet's budget where the request names none.
        embedder: the configured one; None: search goes by text alone.
        embedders: every one that can be made here, by whose identity a tenant's vectors may be.
        scorer: orders retrieved items where the request names none.
        scoring: the weights of every scorer.
        source_share_max: what one untrusted source may fill of what is found for a packet; see recall.spread.
        router: tells what requests decide and what statements tell; None: by phrases alone, and nothing is told.
        permit_seconds: how long a permit can be redeemed.
        urgency_min: from here on a decision state comes to mind; see bridges.activate.
        collect_unused_days, collect_confidence_below: a claim that was not used for so long, and whose confidence is
            below this, is archived by the job `collect`.
        checkpoint_hours: so often the job `checkpoint` is due.
        backup_keep_days: how long backups of the store are kept, by whoever makes them.
        reserve: room on the disk that is kept for erasing.
        gotcha_days: how long a gotcha or premise lives where neither it nor its kind says so.
        zone: by whose calendar and clock times and words of time are read that name no offset.
    """

    store: TenantStore
    blobs: BlobStore
    keys: KeyRing
    signing: Signing
    clock: Clock
    entropy: Entropy
    access: AccessJournal
    registry: Registry
    principal: PrincipalId
    channel: Channel
    limits: Limits
    release: str
    scratch: Scratch
    packet_tokens: int
    embedder: Embedder | None = None
    embedders: tuple[Embedder, ...] = ()
    scorer: Scorer = "linear"
    scoring: Scoring = field(default_factory=Scoring)
    source_share_max: float = SOURCE_SHARE_MAX
    router: Router | None = None
    urgency_min: float = URGENCY_MIN
    permit_seconds: int = PERMIT_SECONDS
    gotcha_days: float = GOTCHA_DAYS
    zone: tzinfo = UTC
    collect_unused_days: float = UNUSED_DAYS
    collect_confidence_below: float = CONFIDENCE_BELOW
    folded: FoldedStores = field(default_factory=FoldedStores)
    backup_keep_days: float = BACKUP_KEEP_DAYS
    reserve: Reserve = NO_RESERVE
    checkpoint_hours: float = CHECKPOINT_HOURS

    @property
    def clearance(self) -> Classification:
        """The highest classification that the principal reads."""
        # A principal that policy does not name has no scopes either, so what it could be cleared for never matters.
        return clearance(self.registry.policy, self.principal) or Classification.NORMAL

    @property
    def denied_kinds(self) -> tuple[str, ...]:
        """The kinds that the principal does not see, each with its descendants."""
        return denied_kinds(self.registry.policy, self.principal)

    def new_id(self) -> str:
        """A fresh UUIDv7."""
        return uuid7(self.clock.now_us() // _US_A_MS, self.entropy.random_bytes(_ID_RANDOM_BYTES))

    def append(self, writing: Writing, events: Iterable[Event]) -> tuple[Envelope, ...]:
        """The events, at the end of this tenant's ledger, and in the views."""
        return append_events(
            writing,
            events,
            tenant_id=self.store.tenant.tenant_id,
            clock=self.clock,
            entropy=self.entropy,
            text_of=self.text_of,
            embedders=self.embedders,
            returning=lambda claim, move: self._returned(writing, claim, move),
            across=lambda appended: self._across(writing, appended),
        )

    def _returned(self, writing: Writing, claim: Claim, move: ClaimTransitioned) -> Sequence[Event]:
        from heedful.service.belief.activation import returned  # noqa: PLC0415 - what weighs claims needs sessions itself

        return returned(self, writing, claim, move)

    def _across(self, writing: Writing, appended: Sequence[Event]) -> Sequence[Event]:
        from heedful.service.merging.across import asked_across  # noqa: PLC0415 - as for what returns

        return asked_across(self, writing, appended)

    def text_of(self, record: Record) -> str | None:
        """The record's text, from the blob store where it lies there; None where it is no text.

        Raises:
            FaultError: `blob_changed` where the content is not what was put under its name.
            NotFoundError: `blob_not_found`.
            UnavailableError: `blob_store_unavailable`, `keys_unavailable`.
        """
        if record.blob is None or not record.media_type.startswith(("text/", "application/json")):
            return record.content
        tenant_id = self.store.tenant.tenant_id
        content = self.blobs.get(tenant_id, record.blob.name)
        if keyed_name(self.keys.tenant_key(tenant_id), content) != record.blob.name:
            raise FaultError(
                "blob_changed",
                f"the content of record {record.record_id} in the blob store is not what was put there",
                next_step="restore the store's blobs folder from a backup",
                details={"record_id": record.record_id},
            )
        try:
            return content.decode()
        except UnicodeDecodeError:
            return None

    def require(self, verb: Verb) -> None:
        """Nothing, where the principal may do this; see require_verb."""
        require_verb(self.registry.policy, self.principal, self.channel, verb)

    def require_writable(self, scope: Scope) -> None:
        """Nothing, where the principal may write in this scope.

        Raises:
            ForbiddenError: `scope_not_granted`; it does not say whether anything is there.
        """
        permission = may_write(self.registry.policy, self.principal, scope)
        if not permission.allowed:
            raise ForbiddenError(
                "scope_not_granted",
                f"{self.principal} may not write in scope {shown(str(scope), 200)}: {shown(permission.reason, 400)}",
                next_step="name a scope that is granted, or ask an owner to grant it in policy.yaml",
                details={"principal": self.principal, "scope": [shown(element, 200) for element in scope.elements]},
            )


def require_verb(policy: Policy, principal: PrincipalId, channel: Channel, verb: Verb) -> None:
    """Nothing, where the principal may do this through this door.

    Raises:
        ForbiddenError: `principal_may_not`.
    """
    if verb in PERSONS_VERBS and (channel is Channel.AGENT or is_agent(policy, principal)):
        raise ForbiddenError(
            "principal_may_not",
            f"{principal} may not {verb}: it is an agent, or came through an agent's door",
            next_step="a person does it, through a person's door",
            details={"principal": principal, "verb": verb},
        )
    permission = may(policy, principal, verb)
    if not permission.allowed:
        raise ForbiddenError(
            "principal_may_not",
            f"{principal} may not {verb}: {permission.reason}",
            next_step="ask an owner to add it to policy.yaml, or act as somebody who may",
            details={"principal": principal, "verb": verb},
        )
