"""The store contract, run on a real PostgreSQL server."""

import pytest

from heedful.testing.factory import StoreFactory
from heedful.testing.store_contract import *  # noqa: F403
from heedful.testing.stores import EmptyPostgresDatabase, PostgresDatabase


@pytest.fixture
def stores(emptied_database: EmptyPostgresDatabase) -> StoreFactory:
    """A factory of empty stores."""
    return emptied_database


@pytest.fixture
def shared_stores(database: str) -> StoreFactory:
    """A factory of stores that share their content."""
    return PostgresDatabase(database)
