"""A statement is planned once, perhaps of empty tables that nobody counted; each plan reads by the index made for it."""

from __future__ import annotations

import re
from itertools import pairwise

import psycopg
import pytest

from heedful.adapters.storage.postgres.connection import Session
from heedful.adapters.storage.postgres.statements import Q, denied_clause, drop_statement
from heedful.adapters.storage.postgres.store import PostgresStore
from heedful.adapters.storage.postgres.writing import DROPPED
from heedful.adapters.storage.queries import fill
from heedful.kernel.ids import ClaimId, ErasureId, PermitId, VerdictId
from heedful.ports.store import Reading, StoredPermit, StoredVerdict, TenantStore, VectorRow, Writing
from heedful.testing.builders import build_claim, build_record, build_tenant, remember, scope_of
from heedful.testing.factory import add_tenant
from heedful.testing.store_contract.beliefs import build_conflict
from heedful.testing.store_contract.erasure import build_erasure
from heedful.testing.store_contract.merges import build_merge

ANA = build_tenant(1)
RECORDS = 300
_DENIED = {name: denied_clause(f"{name}_not_denied", ["x"])[0] for name in ("record", "claim", "row")}
_SEEN = fill(Q["in_sight"], filters=f"{Q['filter_valid']} {_DENIED['row']}")
_ATTRIBUTE = fill(
    Q["has_attribute"], table="record_attributes", key="record_id", row="r.record_id", values=Q["of_type"]
)
_SLOTS = {
    "columns": Q["event_columns"],
    "visible": _SEEN,
    "in_sight": _SEEN,
    "run": Q["in_run"],
    "attributes": _ATTRIBUTE,
    "kinds": "",
    "visibility": "",
    "valid": Q["valid_at"],
    "over": Q["not_over"],
    "order": Q["newest_first"],
    "before": Q["claim_before"],
    "open": Q["of_open"],
    "joined": Q["of_joined"],
    "holding": "",
}
# Statements of every request, which must not read what grows with the tenant.
BOUNDED = {
    "ledger_page": "",
    "access_page": "",
    "ledger_event_by_id": "",
    "scope_ids": "",
    "record": "",
    "records_by_ids": "",
    "record_by_source": "",
    "records_in_scopes": _DENIED["record"],
    "claim": "",
    "claims": _DENIED["claim"],
    "claims_about": _DENIED["claim"],
    "claims_on": "",
    "claims_on_any": "",
    "kinds_on": "",
    "erasure": "",
    "erased_among": "",
    "items_named": "",
    "records_due": "",
    "records_in": "",
    "claims_in": "",
    "claims_of_subject": "",
    "records_from_any": "",
    "delete_records": "",
    "delete_claims": "",
    "delete_attributes_of": "",
    "delete_origins_of": "",
    "delete_evidence_of": "",
    "delete_grounds_of": "",
    "delete_changes_of": "",
    "delete_permits": "",
    "erase_ledger": "",
    "visible_count": "",
    "matches": "",
    "search_rows_at": "",
    "delete_search_row": "",
    "put_vectors": "",
    "nearest": "",
    "vectors_in_sight": "",
    "newest_verdicts": "",
    "verdict": "",
    "permit": "",
    "claims_alike": "",
    "claims_resting_on": "",
    "claims_resting_on_any": "",
    "claims_beside": _DENIED["claim"],
    "records_from": "",
    "conflict": "",
    "conflicts_of": "",
    "merge": "",
    "merges": "",
    "claim_changes": "",
    "changes_by": "",
    "claims_proposed": "",
    "job": "",
    "claims_after": "",
    "claim_sources": "",
}
# Where a table is empty, claims of a tenant are taken for one, and joined to others by any index.
JOINING = {
    "claims_on",
    "claims_on_any",
    "kinds_on",
    "claims_resting_on",
    "claims_resting_on_any",
    "delete_search_row",
    "records_from",
}
WITHOUT_JOINS = dict.fromkeys(("visible", "in_sight"), fill(Q["in_sight"], filters=Q["filter_valid"]))
# What the search of tokens was before: with no counts, the planner takes all tokens of the tenant for few.
BY_GUESS = "SELECT position FROM search_tokens WHERE scope_id = ANY(%s::bigint[]) AND token = ANY(%s::bytea[])"
BY_TENANT_ALONE = re.compile(
    r"Index Cond: \(tenant_id = \S+ ?\(?NULLIF\(current_setting\([^)]*\), [^)]*\)\)::bigint\)$"
)
# Read by the tenant alone, in the order of the index and no further than a limit; and the one row of the state.
IN_ORDER = {"newest_verdicts"}


def session_of(reading: Reading) -> Session:
    session = reading._session  # type: ignore[attr-defined]
    assert isinstance(session, Session)
    return session


def planned(session: Session, statement: str) -> list[str]:
    """The lines of the plan that serves for all values."""
    parts = statement.split("%s")
    numbered = "".join(f"{part}${number}" for number, part in enumerate(parts[:-1], 1)) + parts[-1]
    return [row[0] for row in session.connection.execute(f"EXPLAIN (GENERIC_PLAN, COSTS OFF) {numbered}").fetchall()]


def faults(session: Session, *, joins: bool) -> list[str]:
    """Statements of which a part is read by the tenant alone, or by no index at all; `joins`: also those that join."""
    found = []
    for name, denied in BOUNDED.items():
        if not joins and (denied or name in JOINING):
            continue
        lines = planned(session, fill(Q[name], denied=denied, **(_SLOTS if joins else _SLOTS | WITHOUT_JOINS)))
        for before, line in pairwise(lines):
            if "on vector_models" in before:
                continue  # a tenant has one or two
            scanned = "Seq Scan" in line or "Bitmap" in line
            if scanned or (name not in IN_ORDER and BY_TENANT_ALONE.search(line.strip())):
                found.append(f"{name}: {line.strip()}")
    return found


def filled(tenant_store: TenantStore) -> None:
    """Many records of a few dozen scopes."""

    def work(writing: Writing) -> None:
        for number in range(1, RECORDS):
            scope, attributes = scope_of(f"user:u{number % 40}"), (("k", number),)
            record = build_record(number, scope=scope, source_ref=f"r{number}", attributes=attributes)
            position = remember(writing, ANA, record, tokens=["bees", *(f"w{each}" for each in range(20))])
            evidence = (record.record_id,)
            writing.put_claim(build_claim(number, scope=scope, position=position, evidence=evidence))
            writing.put_vectors("m", [VectorRow(position, bytes([1, 2]))])
            writing.put_verdict(StoredVerdict(VerdictId(f"v{number}"), position, "{}"))
            writing.put_conflict(build_conflict(position, number, number + 1))
            writing.put_merge(build_merge(position, scope))
            writing.put_claim_change(position, ClaimId(f"c{number}"), ClaimId(f"d{number}"))
            writing.put_permit(StoredPermit(PermitId(f"p{number}"), position, VerdictId("v"), 1, "[]", None))
            writing.put_erasure(build_erasure(f"e{number}", position))
        writing.put_erased(ErasureId("e1"), [f"k{number}" for number in range(RECORDS)])

    tenant_store.write(work)


@pytest.mark.parametrize("is_counted", [False, True])
def test_no_request_reads_all_of_a_tenant_whatever_was_counted(database: str, *, is_counted: bool) -> None:
    """On tables that nobody counted, and on counted ones."""
    store = PostgresStore.open(database)
    tenant_store = add_tenant(store, ANA)
    filled(tenant_store)
    if is_counted:
        with psycopg.connect(database, autocommit=True) as owner:
            owner.execute("VACUUM ANALYZE")
    with tenant_store.read() as reading:
        found = faults(session_of(reading), joins=True)
        assert found == [], chr(10).join(found)
    store.close()


@pytest.mark.parametrize("is_counted", [False, True])
def test_a_piece_that_is_dropped_is_found_by_its_key(database: str, *, is_counted: bool) -> None:
    """From the key that the last one ended with: what went before, which the server still has, is not read again."""
    store = PostgresStore.open(database)
    tenant_store = add_tenant(store, ANA)
    filled(tenant_store)
    if is_counted:
        with psycopg.connect(database, autocommit=True) as owner:
            owner.execute("VACUUM ANALYZE")
    with tenant_store.read() as reading:
        for table in DROPPED:
            for name in ("drop_end", "drop_rows"):
                lines = planned(session_of(reading), drop_statement(name, table, goes_on=True, ends=True))
                (condition,) = (line for line in lines if "Index Cond" in line)
                assert " > " in condition, lines
                assert not [line for line in lines if re.search("Seq Scan|Bitmap|Sort|Filter", line)], lines
            # The control: without the key it is read from the tenant's first row.
            lines = planned(session_of(reading), drop_statement("drop_end", table, goes_on=False))
            assert any(BY_TENANT_ALONE.search(line.strip()) for line in lines), lines
    store.close()


def test_no_plan_of_empty_tables_reads_all_of_a_tenant_later(database: str) -> None:
    """What a connection planned for its first request serves while the tables grow."""
    store = PostgresStore.open(database)
    with add_tenant(store, ANA).read() as reading:
        assert faults(session_of(reading), joins=False) == []
    store.close()


def test_the_control_a_search_by_lists_reads_all_tokens_of_the_tenant(database: str) -> None:
    """As the planner would where it may guess."""
    store = PostgresStore.open(database)
    tenant_store = add_tenant(store, ANA)
    filled(tenant_store)
    with tenant_store.read() as reading:
        session = session_of(reading)
        session.connection.execute("SET LOCAL enable_bitmapscan = on")
        lines = planned(session, BY_GUESS)
    assert any(BY_TENANT_ALONE.search(line.strip()) for line in lines), lines
    store.close()
