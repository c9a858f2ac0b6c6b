"""The fields of a Langfuse observation: JSON inside of a JSON text, some of them encoded twice."""

from __future__ import annotations

from typing import Any

from heedful.integrations.importers.conversation.message import Message, Role, decoded
from heedful.integrations.importers.conversation.parse import messages_of, said
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.values import Attributes, named

_EMPTY: tuple[object, ...] = (None, "", [], {})
_USAGE = (
    ("input_tokens", ("input", "promptTokens", "prompt_tokens")),
    ("output_tokens", ("output", "completionTokens", "completion_tokens")),
)


def content_of(holder: JsonObject, name: str) -> Any:
    """The value of `input`, `output` or `metadata` itself; None where it says nothing."""
    found = decoded(holder.get(name))
    return None if found in _EMPTY else found


def messages_in(value: Any, role: Role | None) -> list[Message] | None:
    """The messages that a value is or holds; a bare text is what `role` says. None where it is something else."""
    found = messages_of(value)
    if found is None and isinstance(value, str) and role is not None:
        return [said(role, value)] if value.strip() else []
    return found


def usage_of(observation: JsonObject) -> Attributes:
    """The tokens that a generation took, from the newer or the older field."""
    found: Attributes = ()
    details = observation.get("usageDetails") or observation.get("usage")
    if not isinstance(details, dict):
        return found
    for name, keys in _USAGE:
        number = next((details[key] for key in keys if isinstance(details.get(key), int)), None)
        found += named(name, number)
    return found
