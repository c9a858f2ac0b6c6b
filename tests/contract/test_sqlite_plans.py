"""No statement on a tenant's paths walks a table that grows with the tenant; what does is for audits, and named here."""

from __future__ import annotations

import re

import apsw
import pytest

from heedful.adapters.storage.queries import fill
from heedful.adapters.storage.sqlite.connection import Session, migrate
from heedful.adapters.storage.sqlite.database import tenant_migrations
from heedful.adapters.storage.sqlite.statements import Q

# Tables of one row, of a few dozen, or of one row a model, mode or revision of the registry; what one claim came from;
# and values of our own.
SMALL = {
    "lineage",
    "reached",
    "walked",
    "state",
    "search_pending",
    "vector_models",
    "modes",
    "bridge_approvals",
    "bridge_proposals",
    "registry_bodies",
    "jobs",
    "sqlite_schema",
    "holds",
    "json_each",
    "p",
    "j",
    "CONSTANT",
    "spelled",
}
WHOLE_TENANT = {
    "scope_keys": "every scope, for reviewers, who ask of no single matter",
    "scopes_holding": "every scope, each no further than its first row that is seen",
    "counts": "status, for those who may audit",
    "forms_held": "status, for those who may audit",
    "records_of_newest_run": "status, for those who may audit",
    "dump_records": "verify --views",
    "dump_record_columns": "verify --views",
    "dump_claims": "verify --views",
    "dump_claim_columns": "verify --views",
    "dump_search_rows": "verify --views",
    "dump_search_attributes": "verify --views",
    "dump_search_terms": "verify --views",
    "dump_verdicts": "verify --views",
    "dump_permits": "verify --views",
    "dump_claim_grounds": "verify --views",
    "dump_claim_changes": "verify --views",
    "dump_record_origins": "verify --views",
    "dump_conflicts": "verify --views",
    "dump_item_names": "verify --views",
    "dump_erasures": "verify --views",
    "dump_erased_keys": "verify --views",
    "erasures": "receipts, for those who may erase or audit; in ledger order, no further than its limit",
    "erasures_open": "in ledger order, by its own index, no further than its limit",
    "any_erased": "one row at most",
    "dump_merges": "verify --views",
    "drop_rows": "in the order of its key, and no further than its limit",
    "newest_verdicts": "in the order of its key, and no further than its limit",
}
_ATTRIBUTES = {"values": fill(Q["of_type"], marks="?")}
DENIED = {name: fill(Q[name], kinds=Q["of_denied_kind"]) for name in Q if name.endswith("_not_denied")}
OF_LISTING = {"records_in_scope": "record", "claims": "claim", "visible_position": "row"}
SLOTS = {
    "scopes": "?",
    "statuses": "?",
    "marks": "?",
    "run": Q["in_run"],
    "kinds": f"AND ({Q['of_kind']})",
    "visibility": Q["of_visibility"],
    "valid": Q["valid_at"],
    "over": fill(Q["not_over"], marks="?"),
    "order": Q["newest_first"],
    "before": Q["claim_before"],
    "down": "",
    "holding": Q["with_text"],
    "open": Q["of_open"],
    "joined": Q["of_joined"],
    "table": "records",
    "key": "row_id",
    "condition": "true",
    "attributes": fill(Q["has_attribute"], table="record_attributes", row="r.row_id", **_ATTRIBUTES),
    "filters": " ".join(
        [
            Q["filter_item"],
            fill(Q["filter_record_types"], marks="?"),
            Q["filter_reviewed"],
            Q["filter_valid"],
            fill(Q["has_attribute"], table="search_attributes", row="s.position", **_ATTRIBUTES),
            DENIED["row_not_denied"],
        ]
    ),
}
VALUES_MAX = 40


@pytest.fixture(scope="module", name="connection")
def connection_fixture() -> apsw.Connection:
    """An empty database of a tenant, with the settings of every connection: plans come without statistics."""
    session = Session(None, lock_wait_seconds=1.0)
    migrate(session, tenant_migrations())
    return session.connection


def plan(connection: apsw.Connection, statement: str) -> list[str]:
    """The steps of the statement's plan."""
    for count in range(VALUES_MAX):
        try:
            rows = connection.execute(f"EXPLAIN QUERY PLAN {statement}", (None,) * count).fetchall()
        except apsw.BindingsError:
            continue
        return [str(row[3]) for row in rows]
    raise AssertionError(statement)


def walks(steps: list[str]) -> list[str]:
    """The steps that read a table that grows, from one end to the other. FTS reads the postings of a word, or a row by its id."""
    return [
        step
        for step in steps
        if (match := re.match(r"SCAN (?:\d+ )?(\w+)", step))
        and match[1] not in SMALL
        and not re.search("VIRTUAL TABLE INDEX 0:[M=]", step)
    ]


def statements() -> list[str]:
    """Every named statement that stands by itself."""
    return [name for name, text in Q.items() if text.split()[0] in {"SELECT", "UPDATE", "DELETE"} and ";" not in text]


@pytest.mark.parametrize("scopes", ["?", "SELECT value FROM json_each(?)"])
@pytest.mark.parametrize("name", statements())
def test_no_statement_walks_a_table_that_grows(connection: apsw.Connection, name: str, scopes: str) -> None:
    """But for those that are listed with a reason, each of which does (the control)."""
    denied = DENIED.get(f"{OF_LISTING.get(name)}_not_denied", "")
    found = walks(plan(connection, fill(Q[name], **{**SLOTS, "scopes": scopes, "denied": denied})))
    # SQLite empties a whole table without a plan.
    assert bool(found) == (name in WHOLE_TENANT), found


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT count(*) FROM search_rows WHERE classification <= ?",
        "SELECT * FROM records WHERE run_id = ?",
        "SELECT position FROM vectors WHERE position = ?",
        "SELECT doc FROM search_vocabulary",
        "SELECT key FROM scopes",
    ],
)
def test_a_walk_is_seen(connection: apsw.Connection, statement: str) -> None:
    """The control of the test above."""
    assert walks(plan(connection, statement))


@pytest.mark.parametrize("name", ["records_in_scope", "claims", "visible_position", "visible_count"])
def test_denied_kinds_are_looked_up_by_index_alone(connection: apsw.Connection, name: str) -> None:
    """A record's claims by the record, a claim by its id: nothing is walked, and no index is made for the moment."""
    denied = DENIED.get(f"{OF_LISTING.get(name)}_not_denied", "")
    steps = plan(connection, fill(Q[name], **{**SLOTS, "denied": denied}))
    of_kinds = [step for step in steps if re.match(r"\w+ (d|e|own)\b", step)]
    assert of_kinds
    assert all(step.startswith("SEARCH") and "AUTOMATIC" not in step for step in of_kinds), of_kinds


def test_the_newest_verdicts_are_read_in_order_of_their_key(connection: apsw.Connection) -> None:
    """So that no more of them are read than are asked for."""
    assert plan(connection, Q["newest_verdicts"]) == ["SCAN verdicts"]


def test_claims_about_a_subject_are_found_by_it(connection: apsw.Connection) -> None:
    """However many claims a scope has."""
    steps = plan(connection, fill(Q["claims_about"], **{**SLOTS, "before": "", "denied": ""}))
    assert steps[0] == "SEARCH c USING INDEX claims_by_subject (subject_key=? AND scope_id=?)"


def test_expired_claims_are_not_looked_through_for_those_that_are_due(connection: apsw.Connection) -> None:
    """The index by end holds active claims alone: every opening asks, and expired ones only ever grow in number."""
    assert plan(connection, Q["claims_due"])[0] == "SEARCH claims USING INDEX claims_by_end (valid_to_us<?)"
    (definition,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'claims_by_end'").fetchone() or ("",)
    assert "WHERE status = 'active'" in definition
