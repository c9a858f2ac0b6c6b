"""Permit: the signed, single-use proof of a verdict that executes; and what it is checked against when it is used.

A token is `heedful_permit_1.<claims>.<mac>`: the canonical JSON of a Permit and HMAC-SHA-256 over all before it, each
in base64url without padding (RFC 4648, section 5). The key comes of the tenant's, which lies outside the store.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from heedful.gate.action import ActionRequest
from heedful.gate.judge import counts
from heedful.gate.requirements import Matter
from heedful.gate.verdict import Verdict
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.digest import derived_key, sha256_hex
from heedful.kernel.ids import PermitId, PrincipalId, Revision, TenantId, VerdictId
from heedful.kernel.ladder import Mode

PERMIT_SECONDS = 300
"""How long a permit can be redeemed, where no setting says otherwise."""
TOKEN_CHARACTERS_MAX = 4_096
"""A longer text is no token of ours: the longest has some 1,700."""
CLOCKS_APART_US = 60_000_000
"""A permit counts so much before it was issued, since two machines' clocks differ. Our own figure."""
RefusalReason = Literal["signature", "other-principal", "other-action", "expired", "redeemed", "circumstances-changed"]

_FORM = "heedful_permit_1"
_SALT, _INFO = b"heedful", b"permit signing key, 1"


@dataclass(frozen=True, slots=True)
class Permit:
    """What a token says, and its signature vouches for.

    Attributes:
        action_digest: of tool, arguments, scope and principal, and of the run where one was named.
        ledger_position: the visible position that it was judged at.
        circumstances_digest: of all that the verdict rested on; see circumstances_of.
        issued_at_us, expires_at_us: UTC microseconds; it holds until before the second.
    """

    permit_id: PermitId
    tenant_id: TenantId
    verdict_id: VerdictId
    principal: PrincipalId
    action_digest: str
    registry_revision: Revision
    ledger_position: int
    circumstances_digest: str
    issued_at_us: int
    expires_at_us: int


@dataclass(frozen=True, slots=True)
class Redeemed:
    """The action may be carried out now, once.

    Attributes:
        redeemed_at: ISO 8601.
        position: of the ledger's event; 0 for those who may not audit.
    """

    permit_id: PermitId
    verdict_id: VerdictId
    redeemed_at: str
    position: int
    outcome: Literal["redeemed"] = "redeemed"


@dataclass(frozen=True, slots=True)
class PermitRefused:
    """The permit does not count, and nothing may be carried out on it.

    Attributes:
        permit_id, verdict_id: None where the token is none of this tenant's.
        changes: what is no longer as it was judged, and what is so now; for `circumstances-changed` alone.
        next_step: what to do, for people.
        position: of the ledger's event; 0 for those who may not audit.
    """

    reason: RefusalReason
    permit_id: PermitId | None
    verdict_id: VerdictId | None
    changes: tuple[str, ...]
    next_step: str
    position: int
    outcome: Literal["refused"] = "refused"


NEXT_STEPS: dict[RefusalReason, str] = {
    "signature": "Hand over the permit as the judgement gave it, at the tenant that it was judged at.",
    "other-principal": "Whoever was judged redeems it; have your own call judged.",
    "other-action": "Carry out exactly what was judged (tool, arguments, scope, run), or have this judged.",
    "expired": "Judge again, and redeem the new permit at once.",
    "redeemed": "A permit is good once: judge again for another time.",
    "circumstances-changed": "Judge again: it no longer stands as it was judged.",
}
"""What to do about each refusal."""


def signing_key(tenant_key: bytes) -> bytes:
    """The key that signs permits, and nothing else, of the tenant whose key this is."""
    return derived_key(tenant_key, salt=_SALT, info=_INFO)


def token_of(permit: Permit, key: bytes) -> str:
    """The permit as it is handed out: ASCII, safe in a URL and in a shell."""
    signed = f"{_FORM}.{_text(canonical_bytes(msgspec.to_builtins(permit)))}"
    return f"{signed}.{_mac(signed, key)}"


def read_token(token: str, key: bytes) -> Permit | None:
    """The permit, or None for whatever was not signed by this key, to the last character."""
    signed, _, mac = token.rpartition(".")
    if len(token) > TOKEN_CHARACTERS_MAX or not token.isascii() or not hmac.compare_digest(_mac(signed, key), mac):
        return None
    form, _, claims = signed.partition(".")
    if form != _FORM:
        return None
    try:
        decoded = base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4))
        return msgspec.json.decode(decoded, type=Permit, strict=False)
    except (binascii.Error, msgspec.DecodeError):  # of another release, signed by the same key
        return None


def deserves_permit(matter: Matter, verdict: Verdict) -> bool:
    """True for an execute that may go ahead, where no class of it is judged in shadow.

    In shadow nothing is asked for, so nothing is proved, and there is nothing to sign. Reads and proposals need none.
    """
    modes = (matter.mode_of(action_class) for action_class in matter.classes)
    return matter.is_execute and verdict.execution == "execute" and all(mode.at_least(Mode.ADVISE) for mode in modes)


def circumstances_of(matter: Matter, verdict: Verdict) -> tuple[str, ...]:
    """All that the verdict rests on, a line each, sorted: registry, modes, classes, impact, every ruling that counts.

    A verification or an approval that is replaced by a newer one changes none of them: the same rules are met.
    """
    lines = {f"registry {matter.registry.revision}", f"impact {matter.impact}", f"pre-router {matter.modes.pre_router}"}
    lines |= {f"{action_class} in {matter.mode_of(action_class)}" for action_class in matter.classes}
    for ruling in filter(counts, verdict.rulings):
        claim = f" by claim {ruling.claim_id}" if ruling.claim_id is not None else ""
        lines.add(f"{ruling.rule}: {ruling.decision} in {ruling.mode}{claim}")
    return tuple(sorted(lines))


def circumstances_digest(lines: Sequence[str]) -> str:
    """Hex SHA-256 of the lines."""
    return sha256_hex(canonical_bytes(list(lines)))


def changes_between(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """What was, and is not; then what is, and was not."""
    return (
        *(f"no longer: {line}" for line in before if line not in after),
        *(f"now: {line}" for line in after if line not in before),
    )


def mismatch(permit: Permit, action: ActionRequest, *, at_us: int) -> RefusalReason | None:
    """Why the permit is not for this action of this principal at this instant; None where it is."""
    if permit.principal != action.principal:
        return "other-principal"
    if permit.action_digest != action.digest:
        return "other-action"
    # By a clock that was set back a permit would live again, for as long as it was set back.
    is_before = at_us < permit.issued_at_us - CLOCKS_APART_US
    return "expired" if is_before or at_us >= permit.expires_at_us else None


def _mac(signed: str, key: bytes) -> str:
    return _text(hmac.digest(key, signed.encode(), "sha256"))


def _text(given: bytes) -> str:
    return base64.urlsafe_b64encode(given).rstrip(b"=").decode()
