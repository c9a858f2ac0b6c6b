"""OpenAI chat completions: logs of requests and responses, and plain lists of messages.

Each request repeats the whole conversation. A message goes by a digest of itself and of all before it, and a
conversation without an id of its own by its beginning: so what is repeated, in one file or in many, is kept once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from heedful.integrations.importers.items import RunItems
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.openai.chat_messages import (
    chained,
    is_message,
    message_of_choice,
    message_pieces,
    run_name,
)
from heedful.integrations.importers.openai.pieces import (
    digest_of,
    numbers_in,
    object_of,
    raw_piece,
    unknown_piece,
)
from heedful.integrations.importers.openai.runs import Run
from heedful.integrations.importers.values import Attributes, named, plain_name, time_of
from heedful.kernel.times import SourceTime
from heedful.ports.importer import ImportedItem, ImportProblem

SOURCE = "openai-chat"
_ID_FIELDS = ("conversation_id", "session_id", "thread_id", "run_id")
_FOREIGN = frozenset({"info", "trajectory_format", "trajectory", "history", "values", "steps", "$schemaVersion"})
_TIMES = ("timestamp", "created_at", "created")
_NUMBERS = ("cost", "latency_sec")

Found = Iterator[ImportedItem | ImportProblem]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A conversation so far, and the response to it, if any.

    Attributes:
        settings: what else was asked: the model, tools, parameters.
        numbers: cost and the like, which belong to the response.
    """

    messages: list[Any]
    response: Any
    settings: JsonObject
    numbers: Attributes
    occurred: SourceTime | None
    run: str | None


def exchange_of(value: object) -> Exchange | None:
    """The conversation in this document or row; None where it is none."""
    if isinstance(value, list):
        return Exchange(value, None, {}, (), None, None) if _are_messages(value) else None
    if not isinstance(value, dict) or _FOREIGN & value.keys():
        return None
    request = value.get("request")
    fields = {**value, **request} if isinstance(request, dict) and "messages" in request else value
    messages = fields.get("messages")
    if not isinstance(messages, list) or not _are_messages(messages):
        return None
    aside = {"messages", "request", "response", *_TIMES, *_NUMBERS, *_ID_FIELDS}
    settings = {name: each for name, each in fields.items() if name not in aside}
    numbers = tuple(found for name in _NUMBERS for found in named(name, fields.get(name)) if _is_number(found[1]))
    response = fields.get("response")
    occurred = next((time for name in _TIMES if (time := time_of(fields.get(name))) is not None), None)
    return Exchange(messages, response, settings, numbers, occurred, id_in(fields))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_messages(value: object) -> bool:
    return isinstance(value, list) and any(map(is_message, value)) and all(isinstance(each, dict) for each in value)


def id_in(fields: JsonObject) -> str | None:
    """The conversation's own id, where the row or its metadata names one."""
    places = (fields, object_of(fields.get("metadata")))
    found = (plain_name(place.get(name), characters_max=128) for place in places for name in _ID_FIELDS)
    return next((each for each in found if each is not None), None)


@dataclass(slots=True)
class _Conversation:
    run: Run
    met: set[str] = field(default_factory=set)


@dataclass(slots=True)
class ChatLog:
    """One file of conversations."""

    conversations: dict[str, _Conversation] = field(default_factory=dict)

    def exchange(self, given: Exchange, line: int, flags: tuple[str, ...] = ()) -> Found:
        """What is new in this exchange."""
        name = given.run or run_name(given.messages)
        talk = self._talk(name)
        if given.settings:
            piece = raw_piece("request", given.settings, attributes=named("model", given.settings.get("model")))
            own = f"request:{digest_of(given.settings)}"
            if own not in talk.met:
                talk.met.add(own)
                yield from talk.run.emit(own, [piece], line_number=line, flags=flags)
        before = ""
        for message in given.messages:
            before = chained(before, message)
            yield from self.message(name, message, before, line, flags)
        if given.response is not None:
            yield from self._response(talk, given, before, line, flags)

    def message(self, run: str, message: Any, own: str, line: int, flags: tuple[str, ...] = ()) -> Found:
        """The message, where the run has it not yet under this name."""
        talk = self._talk(run)
        if own in talk.met:
            return
        talk.met.add(own)
        fields = object_of(message)
        occurred = next((time for name in _TIMES if (time := time_of(fields.get(name))) is not None), None)
        yield from talk.run.emit(own, message_pieces(message), line_number=line, occurred=occurred, flags=flags)

    def unknown(self, run: str, row: JsonObject, line: int) -> Found:
        """A row that is nothing of this format, kept raw."""
        talk = self._talk(run)
        own = f"row:{line}:{digest_of(row)[:12]}"
        yield from talk.run.emit(own, [unknown_piece(row, row.get("type"))], line_number=line)

    def _talk(self, run: str) -> _Conversation:
        if run not in self.conversations:
            self.conversations[run] = _Conversation(Run(RunItems(SOURCE, run)))
        return self.conversations[run]

    def _response(self, talk: _Conversation, given: Exchange, before: str, line: int, flags: tuple[str, ...]) -> Found:
        response = object_of(given.response)
        choices = response.get("choices")
        occurred = given.occurred or time_of(response.get("created"))
        about = named("response_id", response.get("id")) + named("model", response.get("model"))
        usage = numbers_in(response.get("usage")) + given.numbers
        if not isinstance(choices, list) or not choices:
            own = f"response:{digest_of(given.response)}"
            if own not in talk.met:
                talk.met.add(own)
                piece = raw_piece("response", given.response)
                yield from talk.run.emit(own, [piece], line_number=line, occurred=occurred, flags=flags)
            return
        for place, choice in enumerate(choices):
            message = message_of_choice(choice)
            own = chained(before, message) if place == 0 else f"{chained(before, message)}~{place}"
            if own in talk.met:
                continue
            talk.met.add(own)
            more = about + named("finish_reason", object_of(choice).get("finish_reason"))
            more += named("choice", place) if place else ()
            pieces = message_pieces(message)
            counts = () if place else usage
            yield from talk.run.emit(
                own, pieces, line_number=line, occurred=occurred, attributes=more, usage=counts, flags=flags
            )
