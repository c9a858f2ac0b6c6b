"""The store contract: every sentence of ports/store.py as a test, one file for each role.

To run it on an adapter, define two fixtures and import the classes:

    @pytest.fixture(params=["memory", "file"])
    def stores(request, tmp_path): ...        # any StoreFactory

    @pytest.fixture
    def shared_stores(tmp_path): ...          # one whose stores outlive a process and may be opened by several

    from heedful.testing.store_contract import *  # noqa: F403

Four errors depend on how an adapter can fail. `schema_newer` and `store_unavailable` are tested here where the factory
of `shared_stores` is also a BreakableStores. `store_read_only`, after a failed fsync, is SQLite's, and tested on a
failing disk (tests/durability/test_failing_disk.py, tests/contract/test_sqlite_failures.py); `commit_unknown`, after
a lost connection, is PostgreSQL's (tests/contract/test_postgres_inside.py, tests/durability/test_server_kills.py).
"""

from heedful.testing.store_contract.beliefs import (
    TestClaimsAlike,
    TestConflicts,
    TestCounts,
    TestGroundsAndOrigins,
    TestJobs,
)
from heedful.testing.store_contract.beside import TestClaimsBeside
from heedful.testing.store_contract.bridges import TestBridges
from heedful.testing.store_contract.burying import TestBurying, TestBuryingElsewhere
from heedful.testing.store_contract.claims import TestClaims
from heedful.testing.store_contract.concurrency import TestProcesses, TestThreads
from heedful.testing.store_contract.denied_kinds import TestDeniedKinds
from heedful.testing.store_contract.dropping import TestDropping
from heedful.testing.store_contract.erasure import TestErasures
from heedful.testing.store_contract.errors import TestErrors
from heedful.testing.store_contract.failing import TestFailing
from heedful.testing.store_contract.isolation import TestIsolation
from heedful.testing.store_contract.lifecycle import TestLifecycle, TestReopening
from heedful.testing.store_contract.log import TestLog
from heedful.testing.store_contract.merges import TestMerges
from heedful.testing.store_contract.permits import TestPermits
from heedful.testing.store_contract.provenance import TestClaimSources
from heedful.testing.store_contract.records import TestRecords
from heedful.testing.store_contract.search import TestSearch
from heedful.testing.store_contract.upkeep import TestUpkeep
from heedful.testing.store_contract.vector_models import TestVectorModels, TestVectors
from heedful.testing.store_contract.vectors import TestNearest
from heedful.testing.store_contract.views import TestViews

__all__ = [
    "TestBridges",
    "TestBurying",
    "TestBuryingElsewhere",
    "TestClaimSources",
    "TestClaims",
    "TestClaimsAlike",
    "TestClaimsBeside",
    "TestConflicts",
    "TestCounts",
    "TestDeniedKinds",
    "TestDropping",
    "TestErasures",
    "TestErrors",
    "TestFailing",
    "TestGroundsAndOrigins",
    "TestIsolation",
    "TestJobs",
    "TestLifecycle",
    "TestLog",
    "TestMerges",
    "TestNearest",
    "TestPermits",
    "TestProcesses",
    "TestRecords",
    "TestReopening",
    "TestSearch",
    "TestThreads",
    "TestUpkeep",
    "TestVectorModels",
    "TestVectors",
    "TestViews",
]
