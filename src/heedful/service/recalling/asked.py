"""Asked: the request of a packet as it is kept beside it, so that the packet can be replayed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from heedful.observations.redact import redact_json, redact_named
from heedful.recall.request import MemoryRequest
from heedful.recall.spread import SOURCE_SHARE_MAX
from heedful.service.session import Session

ASKED_BYTES_MAX = 65_536
"""Of a request as it is kept; one that is longer is not, and its packet can't be replayed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, and of what.

    Attributes:
        request: without secrets.
        is_whole: False: it held a secret, which was cut out.
        position: of the last event of the ledger that was there.
        release: of Heedful, that answered.
        urgency_min: from here on a decision state came to mind.
        model: by which was searched besides words; None: by none.
        source_share_max: what one untrusted source may have of what was found.
    """

    request: MemoryRequest
    is_whole: bool
    position: int
    release: str
    urgency_min: float
    model: str | None
    source_share_max: float = SOURCE_SHARE_MAX


_DECODER = msgspec.json.Decoder(Asked)


def asked_json(session: Session, request: MemoryRequest, position: int, model: str | None) -> str | None:
    """The request as it is kept; None: it is too long."""
    kept = _without_secrets(request)
    asked = Asked(
        kept, kept == request, position, session.release, session.urgency_min, model, session.source_share_max
    )
    encoded = msgspec.json.encode(asked)
    return encoded.decode() if len(encoded) <= ASKED_BYTES_MAX else None


def asked_from(text: str) -> Asked:
    """What `asked_json` wrote.

    Raises:
        msgspec.ValidationError: another release wrote it, and this one reads it no more.
    """
    return _DECODER.decode(text)


def _without_secrets(request: MemoryRequest) -> MemoryRequest:
    features = request.features
    if not features.args and not request.attributes:
        return request  # its words and its metadata have none any more
    args = {name: redact_json(name, value) for name, value in features.args.items()}
    attributes = tuple(
        (name, tuple(redact_named(name, each).text if isinstance(each, str) else each for each in values))
        for name, values in request.attributes
    )
    return replace(request, features=replace(features, args=args), attributes=attributes)
