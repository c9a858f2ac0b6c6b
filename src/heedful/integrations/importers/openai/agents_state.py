"""The state of a run of the OpenAI Agents SDK, as `RunState.to_json` writes it.

Input, session items, generated items and model responses repeat each other: an item goes by its id, or by what is in
it, and is kept once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from heedful.integrations.importers.items import RunItems
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.openai.pieces import digest_of, numbers_in, object_of, raw_piece, unknown_piece
from heedful.integrations.importers.openai.responses import response_pieces
from heedful.integrations.importers.openai.runs import Run
from heedful.integrations.importers.values import Attributes, named, plain_name
from heedful.ports.importer import ImportedItem, ImportProblem

SOURCE = "openai-agents"
_LISTS = ("session_items", "generated_items")
_REPEATED = frozenset({*_LISTS, "original_input", "model_responses", "last_model_response", "last_processed_response"})
# What the SDK writes as an id where the model gave none.
_NO_ID = "__fake_id__"

_Listed = tuple[Any, Attributes, Attributes]
"""An item of the API, what the list says of it, and its usage."""


class AgentsState:
    """RunState documents. See DocumentFormat."""

    @property
    def name(self) -> str:
        """See DocumentFormat.name."""
        return SOURCE

    def recognises(self, document: object) -> bool:
        """See DocumentFormat.recognises: the schema's version, and one of its lists."""
        fields = object_of(document)
        return "$schemaVersion" in fields and bool(_REPEATED & fields.keys())

    def items(self, document: object, source_name: str) -> Iterator[ImportedItem | ImportProblem]:  # noqa: ARG002  (the protocol's)
        """See DocumentFormat.items."""
        fields = object_of(document)
        run = Run(RunItems(SOURCE, _run_name(fields)))
        for own, (item, attributes, usage) in _once_each(fields).items():
            pieces = response_pieces(item) if isinstance(item, dict) else [unknown_piece(item, None)]
            yield from run.emit(own, pieces, attributes=attributes, usage=usage)
        rest = {name: value for name, value in fields.items() if name not in _REPEATED}
        piece = raw_piece("run_state", rest, attributes=_state_attributes(fields))
        yield from run.emit(f"state:{digest_of(rest)}", [piece])


def _once_each(fields: JsonObject) -> dict[str, _Listed]:
    """By own name, each item as it is first listed, with what any of the lists says of it."""
    found: dict[str, _Listed] = {}
    for items in _lists(fields):
        nth: Counter[str] = Counter()
        for item, attributes, usage in items:
            identity = item_identity(item)
            nth[identity] += 1
            own = identity if nth[identity] == 1 else f"{identity}~{nth[identity]}"
            first, more, counts = found.get(own, (item, (), ()))
            found[own] = (first, more or attributes, counts or usage)
    return found


def item_identity(item: Any) -> str:
    """What an item goes by: its id, else its call's, else a digest of it."""
    fields = object_of(item)
    sort = str(fields.get("type", "message"))
    for name in ("id", "call_id"):
        value = fields.get(name)
        if isinstance(value, str) and value and value != _NO_ID:
            return f"{sort}:{value}"
    return f"{sort}:{digest_of(item)}"


def _run_name(fields: JsonObject) -> str:
    trace = object_of(fields.get("trace"))
    found = (fields.get("conversation_id"), trace.get("id"), trace.get("trace_id"))
    named_so = (plain_name(each, characters_max=128) for each in found)
    beginning = f"run-{digest_of(fields.get('original_input'))}"
    return next((each for each in named_so if each is not None), beginning)


def _lists(fields: JsonObject) -> Iterator[list[_Listed]]:
    given = fields.get("original_input")
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    yield [(item, (), ()) for item in _list_of(given)]
    for name in _LISTS:
        yield [_run_item(item) for item in _list_of(fields.get(name))]
    responses = [*_list_of(fields.get("model_responses")), fields.get("last_model_response")]
    for response in responses:
        output = object_of(response).get("output")
        usage = numbers_in(object_of(response).get("usage"))
        items = _list_of(output)
        yield [(item, (), usage if place == len(items) else ()) for place, item in enumerate(items, start=1)]


def _list_of(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _run_item(item: Any) -> _Listed:
    fields = object_of(item)
    found = fields.get("raw_item")
    if not isinstance(found, dict):
        return item, (), ()
    agent = object_of(fields.get("agent") or fields.get("source_agent")).get("name")
    return found, named("agent", agent) + named("run_item", fields.get("type")), ()


def _state_attributes(fields: JsonObject) -> Attributes:
    usage = {
        name: number
        for name, number in object_of(object_of(fields.get("context")).get("usage")).items()
        if not isinstance(number, list | dict)
    }
    agent = object_of(fields.get("current_agent")).get("name")
    return named("agent", agent) + named("turn", fields.get("current_turn")) + numbers_in(usage)
