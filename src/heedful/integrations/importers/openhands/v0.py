"""OpenHands V0 trajectories: one JSON array of actions and observations, bound by `cause`.

Ids may skip, since what the agent never saw is left out on export; times name no zone and are read as UTC.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heedful.integrations.importers.items import RunItems
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.openhands.v0_actions import action_row
from heedful.integrations.importers.openhands.v0_observations import observation_row
from heedful.integrations.importers.run_rows import Run, digest_of
from heedful.integrations.importers.values import named, time_of
from heedful.ports.importer import ImportedItem, ImportProblem

SOURCE = "openhands"
_SOURCES = frozenset({"user", "agent", "environment"})
_HOLDERS = ("trajectory", "history", "events")


class OpenHandsTrajectory:
    """OpenHands V0. See DocumentFormat."""

    @property
    def name(self) -> str:
        """See DocumentFormat.name."""
        return SOURCE

    def recognises(self, document: object) -> bool:
        """See DocumentFormat.recognises: one event with this format's own fields is enough."""
        return any(_is_event(event) for event in _events_of(document) or ())

    def items(  # a renamed file is the same run
        self,
        document: object,
        source_name: str,  # noqa: ARG002
    ) -> Iterator[ImportedItem | ImportProblem]:
        """See DocumentFormat.items. In the order of the events' ids, whatever the order in the array."""
        events = _events_of(document) or []
        order = _in_order(events)
        first = next((events[place] for place in order if isinstance(events[place], dict)), None)
        run = Run(RunItems(SOURCE, digest_of(_identity(first))))
        if isinstance(document, dict):
            rest = {name: value for name, value in document.items() if value is not events}
            if rest:
                row = run.row(f"about-{digest_of(rest)}", rest)
                row.unknown("raw", "trajectory", rest)
                yield from row.found
        for place in order:
            yield from _event(run, events[place])


def _events_of(document: object) -> list[Any] | None:
    if isinstance(document, list):
        return document
    if isinstance(document, dict):
        return next((document[name] for name in _HOLDERS if isinstance(document.get(name), list)), None)
    return None


def _is_event(event: Any) -> bool:
    if not isinstance(event, dict) or not isinstance(event.get("source"), str) or event["source"] not in _SOURCES:
        return False
    if isinstance(event.get("action"), str) and isinstance(event.get("args"), dict):
        return True
    return isinstance(event.get("observation"), str) and "content" in event


def _id_of(event: Any) -> int | None:
    found = event.get("id") if isinstance(event, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _in_order(events: list[Any]) -> list[int]:
    """The places of the events by id; one without an id stays behind the one that it follows."""
    keys: list[tuple[int, int]] = []
    last = -1
    for place, event in enumerate(events):
        found = _id_of(event)
        last = last if found is None else found
        keys.append((last, place))
    return [place for _, place in sorted(keys)]


def _identity(first: JsonObject | None) -> Any:
    """What no two runs share: a trajectory has no name of its own, but its first event a time to the microsecond."""
    if first is None:
        return None
    return {name: first.get(name) for name in ("id", "timestamp", "source", "action", "observation", "args", "content")}


def _event(run: Run, event: Any) -> Iterator[ImportedItem | ImportProblem]:
    known = _id_of(event)
    own = f"row-{digest_of(event)}" if known is None else f"{known}"
    occurred = time_of(event.get("timestamp")) if isinstance(event, dict) else None
    row = run.row(own, event, occurred=occurred)
    if row.repeated:
        yield from row.found
        return
    if not isinstance(event, dict):
        row.unknown("raw", "event", event)
        yield from row.found
        return
    if occurred is None and event.get("timestamp") is not None:
        row.problem("time_malformed", f"the timestamp is no time: {str(event['timestamp'])[:40]!r}; taken as not known")
    row.shared = named("event_id", known)
    if isinstance(event.get("action"), str):
        yield from action_row(row, event)
    elif isinstance(event.get("observation"), str):
        yield from observation_row(row, event)
    else:
        row.unknown("raw", event.get("source"), event)
        yield from row.found
