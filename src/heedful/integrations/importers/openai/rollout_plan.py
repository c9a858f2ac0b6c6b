"""The first pass over a Codex rollout: what stands in it twice, as an item and as an event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from heedful.integrations.importers.json_rows import JsonObject, ParsedRow, parse_row
from heedful.integrations.importers.openai.pieces import object_of, text_of
from heedful.integrations.importers.openai.said import block_text
from heedful.integrations.importers.values import plain_name
from heedful.kernel.digest import sha256_hex

_EVENT_ROLES = {
    "user_message": ("user", "message"),
    "agent_message": ("assistant", "message"),
    "agent_reasoning": ("reasoning", "text"),
    "agent_reasoning_raw_content": ("reasoning", "text"),
}


@dataclass(slots=True)
class RolloutPlan:
    """What the second pass needs to know; texts go by their digest.

    Attributes:
        items: how often each text is said in an item.
        typed: the texts that an event shows as typed by a person; `has_typed`: there are any.
        call_ids: of calls that stand in the file as items.
    """

    session: str | None = None
    items: Counter[str] = field(default_factory=Counter)
    typed: set[str] = field(default_factory=set)
    has_typed: bool = False
    call_ids: set[str] = field(default_factory=set)


def plan_rollout(lines: Iterator[bytes]) -> RolloutPlan:
    """The plan of a whole rollout."""
    plan = RolloutPlan()
    for line in lines:
        parsed = parse_row(line) if line.strip() else None
        if isinstance(parsed, ParsedRow):
            _note(parsed.row, plan)
    return plan


def said_key(role: str, text: str) -> str:
    """Names a text in a role; white space around it does not count."""
    return sha256_hex(f"{role}\0{text.strip()}".encode("utf-8", "surrogatepass"))[:32]


def event_message(payload: JsonObject) -> tuple[str, str] | None:
    """Role and text of an event that shows a message; None where it shows something else."""
    sort = payload.get("type")
    role, name = _EVENT_ROLES.get(sort, (None, "")) if isinstance(sort, str) else (None, "")
    text = text_of(payload.get(name))
    return (role, text) if role is not None and text is not None else None


def _note(row: JsonObject, plan: RolloutPlan) -> None:
    sort = row.get("type")
    payload = row.get("payload")
    if not isinstance(payload, dict):
        sort, payload = "response_item", row
    if sort == "session_meta" and plan.session is None:
        plan.session = plain_name(payload.get("id"), characters_max=128)
    elif sort == "event_msg":
        message = event_message(payload)
        if message is not None and message[0] == "user":
            plan.has_typed = True
            plan.typed.add(said_key(*message))
    elif sort == "response_item":
        _note_item(payload, plan)


def _note_item(payload: JsonObject, plan: RolloutPlan) -> None:
    call_id = payload.get("call_id")
    if isinstance(call_id, str):
        plan.call_ids.add(call_id)
    sort = payload.get("type", "message")
    if sort == "message":
        role, content = payload.get("role"), payload.get("content")
    elif sort == "reasoning":
        role, content = "reasoning", payload.get("summary")
    else:
        return
    if role not in ("user", "assistant", "reasoning"):
        return
    plan.items.update(said_keys(str(role), content))
    thought = payload.get("content") if sort == "reasoning" else None
    plan.items.update(said_keys("reasoning", [object_of(each).get("text") for each in _list_of(thought)]))


def said_keys(role: str, content: object, *, together: bool = False) -> set[str]:
    """Names of what a message says: each of its blocks, and all of them together; or only the latter."""
    blocks = content if isinstance(content, list) else [content]
    texts = [text for block in blocks if (text := block_text(block)) is not None]
    whole = {"".join(texts), "\n".join(texts)} if texts else set()
    return {said_key(role, text) for text in (whole if together else whole.union(texts))}


def _list_of(value: object) -> list[object]:
    return value if isinstance(value, list) else []
