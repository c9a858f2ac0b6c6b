"""Remember many: items one after another as by `remember`, in few transactions; each has an answer of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice

import msgspec

from heedful.kernel.errors import ConflictError, ForbiddenError, HeedfulError, InvalidInputError
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import Scope
from heedful.observations.names import shown
from heedful.observations.record import Candidate
from heedful.ports.store import Writing
from heedful.service.belief.settle import look_ahead
from heedful.service.belief.weigh_kept import Unsettled
from heedful.service.keeping.batch import uncollected
from heedful.service.keeping.calls import Calls
from heedful.service.keeping.contents import write_kept
from heedful.service.keeping.facts import read_ahead
from heedful.service.keeping.keep import Prepared
from heedful.service.keeping.remember import Remembered, prepare_candidate, remembered, to_keep
from heedful.service.keeping.statements import RememberFields, RememberTexts, candidate_of, claim_draft
from heedful.service.requests import clean_scope
from heedful.service.session import Session

ITEMS_MAX = 100_000
"""Items in one call."""
BATCH_ITEMS = 500
"""Items in one transaction: live writers wait for one batch at most."""
BATCH_CHARACTERS_MAX = 2_000_000
"""Characters or bytes of content in one transaction, unless one item alone has more."""
_DEFAULTS = RememberTexts()
_KNOWN = frozenset(each.name for each in fields(RememberTexts)) | {"content", "scope"}


class RememberItem(RememberFields, total=False):
    """One item: its content, which must be there, its scope where it is not the call's, and the fields of remember."""

    content: str | bytes
    scope: Sequence[str]


@dataclass(frozen=True, slots=True)
class NotRemembered:
    """An item of which nothing was written, because it is not in order; mended, it may be given again.

    Attributes:
        category, code, message, next_step: those of the error that `remember` would have raised.
    """

    category: str
    code: str
    message: str
    next_step: str


Answer = Remembered | NotRemembered
"""What became of one item."""
Item = str | bytes | Mapping[str, object]


def remember_many(
    session: Session,
    items: Iterable[Item],
    *,
    scope: Sequence[str],
    progress: Callable[[int], None],
) -> tuple[Answer, ...]:
    """What was kept of each item, in their order, all of it durable: what `remember` gives for one after another.

    An item is a text, bytes, or a mapping with the fields of RememberItem. One that is refused, or not in order, keeps
    no other from being kept. `progress` is told after each transaction how many items are done; where this raises,
    those are kept, and giving all of them again goes on after those that have a `source_ref`.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `items_too_many`; nothing was kept.
        BusyError, UnavailableError: the store.
    """
    session.require("remember")
    given = list(islice(items, ITEMS_MAX + 1))
    if len(given) > ITEMS_MAX:
        raise InvalidInputError(
            "items_too_many",
            f"there are more than {ITEMS_MAX} items",
            next_step="give them in several calls",
            details={"field": "items", "limit": ITEMS_MAX},
        )
    answers: list[Answer] = []
    scopes, calls = _Scopes(session), Calls(session)
    for batch in _batches(given):
        read_ahead(session, (content for item in batch if isinstance(content := _heard(item), str | bytes)))
        with uncollected():
            # The gate runs before the transaction, so that live writers do not wait for it.
            ready = [_ready(session, item, scope, scopes, calls) for item in batch]
            answers += _write(session, ready)
        progress(len(answers))
    return tuple(answers)


def _batches(given: Sequence[Item]) -> Iterator[list[Item]]:
    batch: list[Item] = []
    size = 0
    for item in given:
        content = _content(item)
        characters = len(content) if isinstance(content, str | bytes) else 0
        if batch and (len(batch) == BATCH_ITEMS or size + characters > BATCH_CHARACTERS_MAX):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += characters
    if batch:
        yield batch


def _content(item: Item) -> object:
    return item.get("content") if isinstance(item, Mapping) else item


def _heard(item: Item) -> object:
    """What is heard for facts: whose kind is named is not."""
    return None if isinstance(item, Mapping) and "kind" in item else _content(item)


_Ready = NotRemembered | tuple[Candidate, Prepared]


class _Scopes:
    """Scopes as parsed, that the principal may write in; those of one call are mostly the same."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._writable: set[Scope] = set()

    def writable(self, elements: Sequence[str]) -> Scope:
        """The scope of these elements.

        Raises:
            InvalidInputError, ForbiddenError: see clean_scope and Session.require_writable.
        """
        scope = clean_scope(elements)
        if scope not in self._writable:
            self._session.require_writable(scope)
            self._writable.add(scope)
        return scope


def _ready(session: Session, item: Item, scope: Sequence[str], scopes: _Scopes, calls: Calls) -> _Ready:
    try:
        if isinstance(item, str | bytes):
            content, item_scope, texts = item, scope, _DEFAULTS
        else:
            content, item_scope, texts = _parts(item, scope)
        parsed_scope = scopes.writable(item_scope)
        draft = claim_draft(session, content, texts)
        candidate = candidate_of(session, content, parsed_scope, texts, draft)
        return candidate, prepare_candidate(session, candidate, draft, calls)
    except (InvalidInputError, ForbiddenError) as error:
        return _not_remembered(error)


def _write(session: Session, ready: list[_Ready]) -> list[Answer]:
    if all(isinstance(each, NotRemembered) for each in ready):
        return [each for each in ready if isinstance(each, NotRemembered)]
    prepared = [each[1] for each in ready if not isinstance(each, NotRemembered)]
    look_ahead(session, prepared)
    return write_kept(session, prepared, lambda writing: _Transaction(session, writing).keep(ready))


class _Transaction:
    """Items on their way into one transaction: what is to be appended is appended together."""

    def __init__(self, session: Session, writing: Writing) -> None:
        self._session = session
        self._writing = writing
        self._answers: list[Answer | None] = []
        self._waiting: list[tuple[int, Prepared]] = []
        self._references: set[tuple[str, Scope, Classification]] = set()
        self._unsettled = Unsettled(session)

    def keep(self, ready: list[_Ready]) -> list[Answer]:
        """The answers, in order."""
        for each in ready:
            if isinstance(each, NotRemembered):
                self._answers.append(each)
            else:
                self._take(*each)
        self._append()
        return [answer for answer in self._answers if answer is not None]

    def _take(self, candidate: Candidate, prepared: Prepared) -> None:
        if candidate.source_ref is not None:
            place = (candidate.source_ref, candidate.scope, candidate.classification)
            if place in self._references:
                self._append()  # so that the one before is found
            self._references.add(place)
        if self._unsettled.must_append_before(prepared):
            self._append()  # so that what it says is over, follows or contradicts, is found
        try:
            found = to_keep(self._session, self._writing, candidate, prepared)
        except ConflictError as error:
            if error.code != "source_ref_reused":
                raise
            self._answers.append(_not_remembered(error))
            return
        if isinstance(found, Remembered):
            self._answers.append(found)
        else:
            self._waiting.append((len(self._answers), found))
            self._answers.append(None)

    def _append(self) -> None:
        if not self._waiting:
            return
        events = [event for _, prepared in self._waiting for event in prepared.events]
        envelopes = iter(self._session.append(self._writing, events))
        for number, prepared in self._waiting:
            first, *_ = islice(envelopes, len(prepared.events))
            self._answers[number] = remembered(self._session, prepared, first.position)
        self._waiting.clear()


def _not_remembered(error: HeedfulError) -> NotRemembered:
    return NotRemembered(error.category, error.code, error.message, error.next_step)


def _parts(item: Mapping[str, object], scope: Sequence[str]) -> tuple[str | bytes, Sequence[str], RememberTexts]:
    if not isinstance(item, Mapping):
        raise _malformed("it is neither a text nor an object")
    unknown = next((name for name in item if name not in _KNOWN), None)
    if unknown is not None:
        raise _malformed(f"it has no field {shown(str(unknown), 64)!r}")
    content = item.get("content")
    if not isinstance(content, str | bytes):
        raise _malformed("its content is missing, or no text")
    given = {name: value for name, value in item.items() if name not in ("content", "scope")}
    try:
        item_scope = msgspec.convert(item["scope"], str | tuple[str, ...]) if "scope" in item else scope
        texts = msgspec.convert(given, RememberTexts) if given else _DEFAULTS
    except msgspec.ValidationError as error:
        raise _malformed("a field is not of its type") from error
    return content, (item_scope,) if isinstance(item_scope, str) else item_scope, texts


def _malformed(what: str) -> InvalidInputError:
    return InvalidInputError(
        "item_malformed",
        f"the item can't be read: {what}",
        next_step="an item is a text, or an object with `content`, and `scope` or the fields of remember",
        details={"field": "items"},
    )
