"""Requests: what a door was told, in texts -> the typed requests of the stages. Every door asks through these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import TypeVar, cast, get_args

from heedful.bridges.classify import classify
from heedful.bridges.request import Classified, RequestFeatures
from heedful.bridges.routed import not_routed
from heedful.gate.action import ActionRequest
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import ActionClassId, RunId
from heedful.kernel.kept import keeps_texts
from heedful.kernel.ladder import Classification, Impact
from heedful.kernel.scope import Scope, parse_scope, require_plain_name
from heedful.observations.limits import require_whole_text, validate_attributes
from heedful.observations.names import distinct_name, require_clean_name, shown
from heedful.observations.record import AttributeValue, RecordType
from heedful.observations.redact import redact, redact_named
from heedful.recall.request import MemoryRequest, Scorer, TaskClass, TaskClassAsked
from heedful.service.instants import instant, instant_or_none
from heedful.service.session import Session

QUESTION_CHARACTERS_MAX = 20_000
TOOL_CHARACTERS_MAX = 256
RUN_CHARACTERS_MAX = 256
BUDGET_TOKENS_MAX = 200_000
ARGUMENTS_BYTES_MAX = 262_144
"""Of a tool call's arguments, as canonical JSON: the ledger keeps them with the verdict."""
FILTER_VALUES_MAX = 64
REASON_CHARACTERS_MAX = 500
TASK_CLASSES: tuple[str, ...] = (*get_args(TaskClass), "auto")
SCOPES_KEPT_MAX = 1_024
"""So many scopes, as texts, are remembered as parsed."""
E = TypeVar("E", bound=StrEnum)


def memory_request(
    session: Session,
    question: str,
    *,
    scope: Sequence[str],
    tool: str | None = None,
    args: Mapping[str, object] | None = None,
    action_class: str | None = None,
    metadata: Mapping[str, str] | None = None,
    task_class: str = "general",
    impact: str = "read",
    clearance: str = "restricted",
    record_types: Sequence[str] = (),
    attributes: Mapping[str, AttributeValue | Sequence[AttributeValue]] | None = None,
    as_of: str | None = None,
    known_at: str | None = None,
    budget_tokens: int | None = None,
    scorer: str | None = None,
) -> MemoryRequest:
    """The memory request that these texts make.

    `attributes`: name -> the value, or the values of which one must be there. `as_of`: when it holds, `known_at`: as
    far as was known then.

    Raises:
        InvalidInputError: `text_too_long`, `choice_unknown`, `budget_malformed`, those of `instant`,
            `arguments_malformed`, `arguments_too_long`, `filter_values_too_many`, and those of `parse_scope` and
            `validate_attributes`.
    """
    now_us = session.clock.now_us()
    as_of_us = now_us if as_of is None else instant(session, as_of, field="as_of")
    return MemoryRequest(
        features=RequestFeatures(
            # Packets are kept, and name what was asked.
            text=redact(_whole(_bounded(question, field="question", characters_max=QUESTION_CHARACTERS_MAX))).text,
            tool=None if tool is None else _whole(_tool(tool)),
            args=_arguments(args or {}),
            action_class=None if action_class is None else _action_class(action_class),
            metadata={_whole(name): redact_named(name, _whole(value)).text for name, value in (metadata or {}).items()},
        ),
        principal=session.principal,
        scope=clean_scope(scope),
        clearance=choice(Classification, clearance, field="clearance"),
        task_class=cast("TaskClassAsked", _one_of(TASK_CLASSES, task_class, field="task_class")),
        impact=choice(Impact, impact, field="impact"),
        as_of_us=as_of_us,
        record_types=tuple(choice(RecordType, each, field="record_types") for each in record_types),
        attributes=tuple((name, _values(name, value)) for name, value in (attributes or {}).items()),
        budget_tokens=_budget(session.packet_tokens if budget_tokens is None else budget_tokens),
        scorer=session.scorer if scorer is None else cast("Scorer", _one_of(get_args(Scorer), scorer, field="scorer")),
        known_at_us=instant_or_none(session, known_at, field="known_at"),
        asked_at_us=now_us,
    )


def action_request(
    session: Session,
    tool: str,
    *,
    scope: Sequence[str],
    args: Mapping[str, object] | None = None,
    text: str = "",
    run: str | None = None,
) -> ActionRequest:
    """The action request that these texts make.

    Raises:
        InvalidInputError: `scope_empty`, `text_too_long`, `arguments_malformed`, `arguments_too_long`, those of
            `run_name` and `parse_scope`.
    """
    parsed = clean_scope(scope)
    if parsed.is_empty:
        raise InvalidInputError(
            "scope_empty",
            "the action names no scope",
            next_step="name one, such as --scope project:payments",
            details={"field": "scope"},
        )
    return ActionRequest(
        tool=_tool(tool),
        args=_arguments(args or {}),
        text=_whole(_bounded(text, field="text", characters_max=QUESTION_CHARACTERS_MAX)),
        principal=session.principal,
        scope=parsed,
        run_id=None if run is None else run_name(run),
    )


def run_name(text: str) -> RunId:
    """The run of that name.

    Raises:
        InvalidInputError: `name_malformed`, `name_too_long`.
    """
    require_plain_name(text, field="run", characters_max=RUN_CHARACTERS_MAX)
    require_clean_name(text, field="run")
    return RunId(text)


def clean_scope(elements: Sequence[str]) -> Scope:
    """The scope of these elements, which hold no secret: packets and verdicts keep it.

    Raises:
        InvalidInputError: those of `distinct_name` and `parse_scope`.
    """
    if not isinstance(elements, Iterable):
        return parse_scope(elements)
    given = (elements,) if isinstance(elements, str) else tuple(elements)
    return _clean_scope(given) if all(type(each) is str for each in given) else parse_scope(given)


@keeps_texts(SCOPES_KEPT_MAX)
def _clean_scope(elements: tuple[str, ...]) -> Scope:
    for element in elements:
        require_clean_name(element, field="scope")
        distinct_name(element, field="scope")
    return parse_scope(elements)


def reason_text(reason: str) -> str:
    """A person's reason as it goes into the ledger: whole, bounded, without a secret.

    Raises:
        InvalidInputError: `text_lone_surrogate`, `text_too_long`.
    """
    require_whole_text(reason, field="reason")
    return redact(_bounded(reason, field="reason", characters_max=REASON_CHARACTERS_MAX)).text


def choice(ladder: type[E], text: str, *, field: str) -> E:
    """The member of a text enumeration that this text is.

    Raises:
        InvalidInputError: `choice_unknown`.
    """
    member = _members(ladder).get(str(text))
    if member is None:
        raise _unknown(tuple(str(each) for each in ladder), str(text), field)
    return cast("E", member)


@cache
def _members(ladder: type[StrEnum]) -> dict[str, StrEnum]:
    return {str(each): each for each in ladder}


def _tool(text: str) -> str:
    tool = _bounded(text, field="tool", characters_max=TOOL_CHARACTERS_MAX)
    require_clean_name(tool, field="tool")
    return tool


def _action_class(text: str) -> ActionClassId:
    require_clean_name(text, field="action_class")
    return ActionClassId(text)


def _one_of(allowed: tuple[str, ...], text: str, *, field: str) -> str:
    if text not in allowed:
        raise _unknown(allowed, text, field)
    return text


def _unknown(allowed: tuple[str, ...], text: str, field: str) -> InvalidInputError:
    return InvalidInputError(
        "choice_unknown",
        f"{field} is {shown(text, 40)!r}",
        next_step=f"it is one of: {', '.join(allowed)}",
        details={"field": field},
    )


def _bounded(text: str, *, field: str, characters_max: int) -> str:
    if len(text) > characters_max:
        raise InvalidInputError(
            "text_too_long",
            f"{field} has {len(text)} characters; at most {characters_max} are allowed",
            next_step="shorten it",
            details={"field": field, "limit": characters_max},
        )
    return text


def _whole(text: str) -> str:
    """The text with halves of surrogate pairs escaped: an argument that is no UTF-8 has some."""
    return text.encode("utf-8", "backslashreplace").decode()


def _arguments(args: Mapping[str, object]) -> Mapping[str, object]:
    try:
        size_bytes = len(canonical_bytes(dict(args)))
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(
            "arguments_malformed",
            "the tool's arguments are no JSON: too deep, or with NaN, an infinity or half of a surrogate pair",
            next_step="send them as JSON",
            details={"field": "args"},
        ) from error
    if size_bytes > ARGUMENTS_BYTES_MAX:
        raise InvalidInputError(
            "arguments_too_long",
            f"the tool's arguments have {size_bytes} bytes; at most {ARGUMENTS_BYTES_MAX} are judged",
            next_step="put long content into a file and name the file",
            details={"field": "args", "limit": ARGUMENTS_BYTES_MAX},
        )
    return args


def _values(name: str, value: AttributeValue | Sequence[AttributeValue]) -> tuple[AttributeValue, ...]:
    values = tuple(value) if isinstance(value, list | tuple) else (cast("AttributeValue", value),)
    if len(values) > FILTER_VALUES_MAX:
        raise InvalidInputError(
            "filter_values_too_many",
            f"attributes.{shown(name, 64)} has {len(values)} values; at most {FILTER_VALUES_MAX} are allowed",
            next_step="ask for fewer at a time",
            details={"field": "attributes", "limit": FILTER_VALUES_MAX},
        )
    for each in values:
        validate_attributes(((name, each),))  # else it would find nothing, as if that were an answer
    return values


def _budget(tokens: int) -> int:
    if type(tokens) is not int or not 0 < tokens <= BUDGET_TOKENS_MAX:
        raise InvalidInputError(
            "budget_malformed",
            f"budget_tokens is {shown(str(tokens), 64)}; it is a whole number from 1 to {BUDGET_TOKENS_MAX}",
            next_step="give another number",
            details={"field": "budget_tokens", "limit": BUDGET_TOKENS_MAX},
        )
    return tokens


def classify_for(session: Session, features: RequestFeatures, scope: Scope) -> Classified:
    """What this request decides in this scope, by the router too where one is configured.

    Raises:
        InvalidInputError: see classify.
    """
    route = not_routed if session.router is None else session.router.route
    return classify(features, session.registry, route, scope=scope)
