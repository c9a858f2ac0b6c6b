"""What is wrong with bridges: caps, owners, expiry, predicates, examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heedful.bridges.bridge import Bridge, Example
from heedful.bridges.examples import silent_kinds
from heedful.bridges.index import is_request_field
from heedful.bridges.merge import Merged, Place
from heedful.bridges.registry import Registry
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import BridgeId
from heedful.kernel.ladder import Decision
from heedful.kernel.times import format_time, parse_time
from heedful.policy.parse import Problem

_SAID_FIELDS = ("owner", "evidence", "reason")


def check_bridges(merged: Merged, registry: Registry | None, *, at_us: int) -> Iterator[Problem]:
    """Every problem of every bridge; examples are run only where there is a registry to run them in."""
    properties = {name for entry in merged.body["entities"].values() for name in entry["properties"]}
    for bridge_id, entry in merged.body["bridges"].items():
        place = merged.places["bridges", bridge_id]
        yield from _caps(bridge_id, entry, place)
        yield from _said(bridge_id, entry, place)
        yield from _expiry(bridge_id, entry, place, at_us)
        yield from _predicate(bridge_id, entry, place, properties)
        yield from _examples_present(bridge_id, entry, place)
        if registry is not None:
            yield from _examples_run(registry.bridges[BridgeId(bridge_id)], registry, place, at_us)


def _caps(bridge_id: str, entry: dict[str, Any], place: Place) -> Iterator[Problem]:
    effect = Decision(entry["effect"])
    unsure = {
        "is contested": entry.get("contested", False),
        "is merely probable": entry.get("certainty", "established") != "established",
        "has evidence that nobody opened": not entry["source_opened"],
    }
    for why, holds in unsure.items():
        if holds and effect.rank > Decision.ASK.rank:
            message = f"{bridge_id} {why}, so its effect is at most ask, not {effect}"
            yield place.problem(("effect",), "bridge_effect_capped", message, "lower the effect, or settle the doubt")
    if entry["risk"] == "high" and effect.rank < Decision.ASK.rank:
        message = f"{bridge_id} is of high risk, so it narrows or calls a person: ask, review or deny, not {effect}"
        yield place.problem(("effect",), "bridge_high_risk", message, "raise the effect, or lower the risk")


def _said(bridge_id: str, entry: dict[str, Any], place: Place) -> Iterator[Problem]:
    for name in _SAID_FIELDS:
        if not entry[name].strip():
            yield place.problem((name,), "bridge_unsaid", f"{bridge_id} has a blank {name}", f"write the {name}")


def _expiry(bridge_id: str, entry: dict[str, Any], place: Place, at_us: int) -> Iterator[Problem]:
    if "expires" not in entry:
        return
    try:
        expires_us = parse_time(entry["expires"], field="expires").at_us
    except HeedfulError:
        return  # malformed_values has told of it
    if expires_us <= at_us:
        message = f"{bridge_id} expired at {format_time(expires_us)} and carries nothing"
        yield place.problem(("expires",), "bridge_expired", message, "review it and set a later date, or remove it")


def _predicate(bridge_id: str, entry: dict[str, Any], place: Place, properties: set[str]) -> Iterator[Problem]:
    when = entry.get("when")
    if when is None:
        return
    if not is_request_field(when["entity"]) and when["entity"] not in properties:
        message = f"{bridge_id} asks for {when['entity']!r}, which no entity has as a property"
        next_step = f"one of: {', '.join(sorted(properties))}, tool, args.<name>, metadata.<name>"
        yield place.problem(("when", "entity"), "bridge_predicate_unknown", message, next_step)
    if when["operator"] == "equals" and len(when["values"]) > 1:
        message = f"{bridge_id} compares with `equals` and has {len(when['values'])} values"
        yield place.problem(("when", "values"), "bridge_predicate_values", message, "use in, or keep one value")


def _examples_present(bridge_id: str, entry: dict[str, Any], place: Place) -> Iterator[Problem]:
    examples = entry.get("examples", {})
    for name in ("must_fire", "must_not_fire"):
        if not examples.get(name):
            message = f"{bridge_id} has no example that {name.replace('_', ' ')}"
            yield place.problem(("examples",), "bridge_example_missing", message, f"add one under examples/{name}")


def _examples_run(bridge: Bridge, registry: Registry, place: Place, at_us: int) -> Iterator[Problem]:
    if bridge.expires_us is not None and bridge.expires_us <= at_us:
        return
    for number, example in enumerate(bridge.must_fire):
        for kind in silent_kinds(bridge, example, registry, at_us=at_us):
            message = f"{bridge.id} must bring {kind} for {_shown(example)}, and does not"
            path = ("examples", "must_fire", number)
            yield place.problem(path, "bridge_example_silent", message, "mend the phrases, the predicate or the kind")
    for number, example in enumerate(bridge.must_not_fire):
        silent = silent_kinds(bridge, example, registry, at_us=at_us)
        for kind in bridge.activates:
            if kind not in silent:
                message = f"{bridge.id} must not bring {kind} for {_shown(example)}, and does"
                path = ("examples", "must_not_fire", number)
                yield place.problem(path, "bridge_example_fires", message, "narrow the phrases or the predicate")


def _shown(example: Example) -> str:
    if example.tool is None:
        return repr(example.text[:80])
    return f"{example.tool} {str(example.args)[:80]}"
