"""What the first pass over a Claude Code transcript keeps of each row: a few names and numbers, no content."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import blake2b

from heedful.integrations.importers.claude_code.part import Part, RowParts
from heedful.integrations.importers.claude_code.rows import is_compact_summary
from heedful.integrations.importers.json_rows import JsonObject, ParsedRow
from heedful.integrations.importers.values import Attributes, named, plain_name
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.frozen import quickly_made
from heedful.kernel.times import SourceTime, parse_time

SOURCE = "claude-code"
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_CONVERSATION = ("user", "assistant")
_USAGE_FIELDS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")

MessageKey = tuple[str | None, bool, str | None, str]
Usage = tuple[tuple[str, str | int | float | bool], ...]


@dataclass(slots=True)
class RowFacts:
    """One row. What stands below the line is found once all rows are known.

    Attributes:
        ref: the row's own part of every source_ref.
        time: when it says that it happened; a text where that is no time.
        at_us: the same in microseconds; `carried_us`: for a row without one, the last that the file showed before it.
        speaks: it is a turn of the conversation (a user or assistant row), not bookkeeping.
        answers_only: it holds tool results and nothing else.
        part_indexes: its parts that are kept, in order.
        same_as_line: the earlier line that this one repeats.
    """

    line: int
    ref: str
    uuid: str | None
    parent_uuid: str | None
    session: str | None
    agent: str | None
    sidechain: bool
    speaks: bool
    time: SourceTime | str | None
    at_us: int | None
    carried_us: int
    message: MessageKey | None
    calls: tuple[str, ...]
    answers: tuple[str, ...]
    answers_only: bool
    summarises: bool
    leaf_uuid: str | None
    part_indexes: tuple[str, ...]
    usage: Usage
    flags: tuple[str, ...]
    same_as_line: int | None = None
    # ---
    parent: int | None = None
    depth: int = 0
    root: int = 0
    ordered_us: int = 0
    speaks_below: bool = False
    dead: bool = False
    detached: bool = False
    run_id: str = ""
    first_sequence: int = 0
    derived_from: tuple[str, ...] = field(default=())

    def part_ref(self, index: str) -> str:
        """The source_ref of one of its parts."""
        return f"{self.ref}:{index}"


@quickly_made
@dataclass(frozen=True, slots=True)
class ReadRow:
    """What the second pass needs of a row's content, while the line is still the same.

    Attributes:
        line_content: the line, as it was read.
        found: its parts, and what could not be taken as it stood.
        shared: attributes that each of its parts gets.
        escaped: half of a surrogate pair was kept as its escape.
    """

    line_content: bytes
    found: RowParts
    shared: Attributes
    escaped: bool


def read_row(line_content: bytes, parsed: ParsedRow, found: RowParts, facts: RowFacts) -> ReadRow:
    """The row with what its parts share: message and model, working directory and branch."""
    row = parsed.row
    message = row.get("message")
    shared: Attributes = ()
    if facts.message is not None and isinstance(message, dict):
        shared = named("message_id", message.get("id")) + named("model", message.get("model"))
    shared += named("cwd", row.get("cwd")) + named("git_branch", row.get("gitBranch"))
    return ReadRow(line_content, found, shared, parsed.escaped)


def facts_of(line: int, row: JsonObject, parts: tuple[Part, ...], carried_us: int) -> RowFacts:
    """The row's facts, as far as it alone shows them; `carried_us` is the last time seen in the file."""
    sort = row.get("type")
    session = plain_name(row.get("sessionId"))
    agent = plain_name(row.get("agentId"))
    sidechain = bool(row.get("isSidechain"))
    message = row.get("message")
    said_by_agent = message if sort == "assistant" and isinstance(message, dict) else None
    message_id = None if said_by_agent is None else said_by_agent.get("id")
    time = _occurred(row)
    at_us = time.at_us if isinstance(time, SourceTime) else None
    parent = row.get("parentUuid") or row.get("logicalParentUuid")
    results = [part for part in parts if part.kind.startswith("user.tool_result")] if sort == "user" else []
    uuid = row.get("uuid")
    leaf = row.get("leafUuid") if sort == "summary" else None
    return RowFacts(
        line=line,
        ref="",
        uuid=uuid if isinstance(uuid, str) and uuid else None,
        parent_uuid=parent if isinstance(parent, str) else None,
        session=session,
        agent=agent,
        sidechain=sidechain,
        speaks=sort in _CONVERSATION,
        time=time,
        at_us=at_us,
        carried_us=carried_us if at_us is None else at_us,
        message=(session, sidechain, agent, message_id) if isinstance(message_id, str) and message_id else None,
        calls=tuple([part.call_id for part in parts if part.call_id and part.kind.startswith("assistant.")]),
        answers=tuple([part.call_id for part in results if part.call_id]),
        answers_only=bool(results) and len(results) == len(parts),
        summarises=is_compact_summary(parts),
        leaf_uuid=leaf if isinstance(leaf, str) else None,
        part_indexes=tuple([part.index for part in parts]),
        usage=() if said_by_agent is None or message_id is None else _usage(said_by_agent),
        flags=("copied",) if isinstance(row.get("forkedFrom"), dict) else (),
    )


def _occurred(row: JsonObject) -> SourceTime | str | None:
    stamp = row.get("timestamp")
    if stamp is None:
        return None
    if not isinstance(stamp, str):
        return str(stamp)[:40]
    try:
        return parse_time(stamp, field="timestamp")
    except InvalidInputError:
        return stamp[:40]


def row_ref(row: JsonObject, uuid: str | None, session: str) -> str:
    """The row's part of its source_refs: the same for the same row in every file that holds a copy of it.

    A real UUID is enough by itself (a fork rewrites the session id, but not the uuid); any other id is the
    session's own. A row without one goes by a digest of its content.
    """
    if uuid is not None and _UUID.fullmatch(uuid):
        return f"{SOURCE}:{uuid.lower()}"
    forked = row.get("forkedFrom")
    session = (plain_name(forked.get("sessionId")) if isinstance(forked, dict) else None) or session
    if uuid is not None:
        return f"{SOURCE}:{session}:{plain_name(uuid) or digest(uuid.encode()).hex()}"
    content = digest(canonical_bytes(row)).hex()
    named_row = any(isinstance(row.get(name), str) and _UUID.fullmatch(row[name]) for name in ("leafUuid", "messageId"))
    return f"{SOURCE}:row:{content}" if named_row else f"{SOURCE}:{session}:row:{content}"


def leaf_ref(leaf_uuid: str) -> str | None:
    """The source_ref of the first part of a row in another file; None where it can't be told."""
    return f"{SOURCE}:{leaf_uuid.lower()}:0" if _UUID.fullmatch(leaf_uuid) else None


def digest(content: bytes) -> bytes:
    """16 bytes of BLAKE2b: enough to tell the parts of one file apart."""
    return blake2b(content, digest_size=16).digest()


def _usage(message: JsonObject) -> Usage:
    usage = message.get("usage")
    if not isinstance(usage, dict):
        return ()
    found: Usage = ()
    for name in _USAGE_FIELDS:
        number = usage.get(name)
        if isinstance(number, int) and not isinstance(number, bool):
            found += named(name, number)
    return found
