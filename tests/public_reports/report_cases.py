"""The public reports of faults in memory systems: the cases, and how their words map to Heedful's.

The mapping, chosen once and the same for every case:

| in a case                              | here                                                                     |
| -------------------------------------- | ------------------------------------------------------------------------ |
| scope `t1/ana`                         | tenant `t1`, scope `user:ana`; all after the slash is the value           |
| scope `["acme", "eu"]`                 | tenant `t1`, scope `org:acme`, `unit:eu`                                  |
| scope `["u", X]`                       | tenant `t1`, scope `user:X`                                              |
| scope `{"tenant", "user", "agent"}`    | that tenant, scope `user:...`, `agent:...`                               |
| scope null, `""`, `[]`                 | tenant `t1`, the argument `scope` given just so                           |
| `meta`, `filters`                      | `attributes` of `remember`, of `recall`                                  |
| `id`                                   | `source_ref`; `<id>` is the newest record of the tenant                  |
| `search`                               | `recall`; its rows are the packet's items, `k` cuts them                 |
| `mode: lexical`, `categories`          | full text is the only leg so far, and a packet holds every category      |
| `list`, `get`                          | no door has them yet: they read the store through its port, as it is asked |
| `delete`, `delete_scope`               | `forget`, by the record that has that id, or by the scope                |
| `write_batch`                          | a `remember` for each text; the batch of a door is the importer's        |

Steps run as the owner, whose grant is every scope: what is kept apart is kept apart by scope, not for want of a grant.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import tomllib
from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

from heedful import Memory
from heedful.ports.rows import AttributeFilter

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "public_reports" / "cases.jsonl"
NOT_YET = Path(__file__).parent / "not_yet.toml"
KINDS = frozenset(
    {
        "scope-leak", "scope-identity", "filter-types", "unicode", "empty-input", "search-syntax", "id-collision",
        "json-strictness", "concurrency",
    }
)  # fmt: skip
BELIEF_KINDS = frozenset(
    {
        "update-history", "duplicates", "conflict", "negation", "relative-dates", "timezones-dst", "future-vs-current",
        "clock-skew", "attribution",
    }
)  # fmt: skip
"""What is believed and when: test_reports_beliefs.py, test_reports_times.py and their mapping in report_beliefs.py."""
DELETION_KINDS = frozenset({"delete-all", "delete-propagation", "crash"})
"""Of what is to be gone, and of what must not be: test_reports_deletion.py."""
POISON_KINDS = frozenset({"injection", "secrets"})
"""test_reports_poison.py."""
needs_cases = pytest.mark.skipif(not CASES.is_file(), reason="needs ../shared/cases")

Step = dict[str, Any]

# Whole verbs that a later part brings, and the name by which its coming is noticed.
VERBS_AWAITED = {
    "export": "Memory.export_ledger",
    "http": "heedful.interfaces.http",
    "list_scopes": "Memory.scopes",
    "parallel_mcp": "heedful.interfaces.mcp",
}
RANGE_FILTER = "AttributeFilter(range)"
# Steps of which a part runs and the rest waits.
PARTLY = {"write_via": "heedful.interfaces.http"}


@dataclass(frozen=True, slots=True)
class Case:
    """One report."""

    case_id: str
    kind: str
    steps: tuple[Step, ...]
    expect: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A case's scope as a tenant and the argument `scope`."""

    tenant: str
    scope: Any


@dataclass(frozen=True, slots=True)
class Waiting:
    """A row of the table of steps that cannot pass yet."""

    case: str
    step: int
    op: str
    awaits: str
    why: str


def load_cases(kinds: Collection[str] = KINDS) -> dict[str, Case]:
    """The cases of these kinds, by id."""
    rows = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    return {
        row["id"]: Case(row["id"], row["kind"], tuple(row["steps"]), tuple(row["expect"]))
        for row in rows
        if row["kind"] in kinds
    }


def not_yet() -> tuple[Waiting, ...]:
    """The table, in its order."""
    return tuple(Waiting(**row) for row in tomllib.loads(NOT_YET.read_text("utf-8"))["step"])


def place_of(scope: Any) -> Place:
    """Where a case's scope lies; see the table at the top."""
    match scope:
        case {"tenant": str(tenant), **rest}:
            return Place(tenant, tuple(f"{dimension}:{value}" for dimension, value in rest.items()))
        case ["u" | "users", str(name)]:
            return Place("t1", (f"user:{name}",))
        case [str(org), *units]:
            return Place("t1", (f"org:{org}", *(f"unit:{unit}" for unit in units)))
        case str() if "/" in scope:
            tenant, _, name = scope.partition("/")
            return Place(tenant, (f"user:{name}",))
        case _:
            return Place("t1", scope)


def awaited(step: Step) -> str | None:
    """The name that this step waits for, whether it is there or not; None: all that it says can run."""
    if step["op"] in VERBS_AWAITED:
        return VERBS_AWAITED[step["op"]]
    if step.get("descend"):
        return "Memory.recall(descend)"
    if "vector" in step:
        return "Memory.remember(vector)"
    if any(isinstance(value, dict) for value in step.get("filters", {}).values()):
        return RANGE_FILTER
    return PARTLY.get(step["op"])


def is_there(name: str) -> bool:
    """Whether the package has what a step waits for: a method, a parameter of one, or a module."""
    if name == RANGE_FILTER:
        return {field.name for field in fields(AttributeFilter)} != {"name", "values"}
    if name.startswith("heedful."):
        return importlib.util.find_spec(name) is not None
    method, _, parameter = name.removeprefix("Memory.").removesuffix(")").partition("(")
    found = getattr(Memory, method, None)
    return found is not None and (not parameter or parameter in inspect.signature(found).parameters)


def waits_for(step: Step) -> str | None:
    """The name that this step cannot do without and that is not there yet."""
    name = awaited(step)
    return None if name is None or is_there(name) else name
