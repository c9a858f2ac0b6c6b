"""The systems of the peers' comparison, each behind the same four calls. Each import is made where it is needed.

All get the same vectors (of Heedful's own n-gram embedder) where they take vectors, and each filters by user in the
way that its documentation gives for that.
"""

from __future__ import annotations

import contextlib
import math
import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from _peer_texts import Told
from _stores import new_store, session_of

DIMENSIONS = 384
TOP = 5


class System(Protocol):
    """One system under measurement."""

    def add(self, told: Told) -> None:
        """The memory is kept, durably where the system promises that."""
        ...

    def add_many(self, many: Sequence[Told]) -> None:
        """The memories are kept, by the quickest way that the system has."""
        ...

    def search(self, user: int, question: str) -> list[str]:
        """The texts that a search gives for this user, best first."""
        ...

    def close(self) -> None:
        """Nothing is open."""
        ...


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Unit vectors of the texts, the same for every system."""
    from heedful.adapters.models.ngrams import NgramEmbedder  # noqa: PLC0415

    vectors = []
    for components in NgramEmbedder().embed(texts, purpose="passage"):
        values = list(memoryview(components).cast("b"))
        length = math.sqrt(sum(value * value for value in values)) or 1.0
        vectors.append([value / length for value in values])
    return vectors


class Heedful:
    """Heedful: a whole packet for each search."""

    def __init__(self, folder: Path, database: str | None = None) -> None:
        self._memory = new_store(folder, database=database)

    def add(self, told: Told) -> None:
        self._memory.remember(told.text, scope=(f"user:u{told.user}",))

    def add_many(self, many: Sequence[Told]) -> None:
        self._memory.remember_many([{"content": one.text, "scope": (f"user:u{one.user}",)} for one in many])

    def search(self, user: int, question: str) -> list[str]:
        packet = self._memory.recall(question, scope=(f"user:u{user}",))
        return [item.text for item in packet.items]

    def close(self) -> None:
        session_of(self._memory)
        self._memory.close()


class Bare:
    """SQLite with FULL commits and numpy over one user's rows: nothing but the search."""

    def __init__(self, folder: Path) -> None:
        import numpy as np  # noqa: PLC0415

        self._np: Any = np
        self._database = sqlite3.connect(folder / "bare.db", isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.execute("CREATE TABLE memories (user INTEGER, text TEXT, vector BLOB)")
        self._database.execute("CREATE INDEX memories_by_user ON memories (user)")

    def add(self, told: Told) -> None:
        self.add_many([told])

    def add_many(self, many: Sequence[Told]) -> None:
        vectors = embed([one.text for one in many])
        rows = [
            (one.user, one.text, self._np.array(vector, dtype=self._np.float32).tobytes())
            for one, vector in zip(many, vectors, strict=True)
        ]
        self._database.execute("BEGIN")
        self._database.executemany("INSERT INTO memories VALUES (?, ?, ?)", rows)
        self._database.execute("COMMIT")

    def search(self, user: int, question: str) -> list[str]:
        (query,) = embed([question])
        rows = self._database.execute("SELECT text, vector FROM memories WHERE user = ?", (user,)).fetchall()
        matrix = self._np.frombuffer(b"".join(vector for _, vector in rows), dtype=self._np.float32)
        scores = matrix.reshape(len(rows), DIMENSIONS) @ self._np.array(query, dtype=self._np.float32)
        return [rows[index][0] for index in self._np.argsort(-scores)[:TOP]]

    def close(self) -> None:
        self._database.close()


class LangGraph:
    """A LangGraph store with an index, a namespace for each user."""

    def __init__(self, store: Any, closing: contextlib.ExitStack) -> None:
        self._store, self._closing = store, closing
        store.setup()

    @classmethod
    def sqlite(cls, folder: Path) -> LangGraph:
        # Its vectors are an extension of SQLite, which many builds of Python's own module can't load.
        import pysqlite3  # noqa: PLC0415
        from langgraph.store.sqlite import SqliteStore  # noqa: PLC0415

        closing = contextlib.ExitStack()
        connection = pysqlite3.connect(str(folder / "langgraph.db"), check_same_thread=False, isolation_level=None)
        closing.callback(connection.close)
        return cls(SqliteStore(connection, index=_index()), closing)

    @classmethod
    def postgres(cls, dsn: str) -> LangGraph:
        from langgraph.store.postgres import PostgresStore  # noqa: PLC0415

        closing = contextlib.ExitStack()
        return cls(closing.enter_context(PostgresStore.from_conn_string(dsn, index=_index())), closing)

    def add(self, told: Told) -> None:
        self._store.put(("memories", f"u{told.user}"), f"m{told.number}", {"text": told.text})

    def add_many(self, many: Sequence[Told]) -> None:
        from langgraph.store.base import PutOp  # noqa: PLC0415

        self._store.batch([PutOp(("memories", f"u{one.user}"), f"m{one.number}", {"text": one.text}) for one in many])

    def search(self, user: int, question: str) -> list[str]:
        return [item.value["text"] for item in self._store.search(("memories", f"u{user}"), query=question, limit=TOP)]

    def close(self) -> None:
        self._closing.close()


class Mem0:
    """mem0 without a model (`infer=False`), on a local vector store."""

    def __init__(self, folder: Path, store: str) -> None:
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder / "mem0"), OPENAI_API_KEY="none-is-called")
        from mem0 import Memory  # noqa: PLC0415

        place = {"path": str(folder / store), "collection_name": "peers", "embedding_model_dims": DIMENSIONS}
        place |= {"on_disk": True} if store == "qdrant" else {"distance_strategy": "cosine"}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": store, "config": place},
                "embedder": {"provider": "openai", "config": {"embedding_dims": DIMENSIONS}},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = _Mem0Embedder()

    def add(self, told: Told) -> None:
        self._memory.add(told.text, user_id=f"u{told.user}", infer=False)

    def add_many(self, many: Sequence[Told]) -> None:
        for one in many:
            self.add(one)

    def search(self, user: int, question: str) -> list[str]:
        found = self._memory.search(question, filters={"user_id": f"u{user}"}, top_k=TOP)
        return [row["memory"] for row in found["results"]]

    def close(self) -> None:
        with contextlib.suppress(AttributeError):
            self._memory.vector_store.client.close()


class Memd:
    """memd-engine, filtered by user."""

    def __init__(self, folder: Path) -> None:
        from memd import Memory  # noqa: PLC0415

        self._memory = Memory(str(folder / "memd"))

    def add(self, told: Told) -> None:
        self._memory.add(told.text, user_id=f"u{told.user}")

    def add_many(self, many: Sequence[Told]) -> None:
        for one in many:
            self.add(one)

    def search(self, user: int, question: str) -> list[str]:
        found = self._memory.search(question, user_id=f"u{user}")
        return [hit.content for hit in found.items][:TOP]

    def close(self) -> None:
        self._memory.close()


class MemoryMaster:
    """memorymaster: claims by scope, those that are still candidates included."""

    def __init__(self, folder: Path) -> None:
        from memorymaster.core.service import MemoryService  # noqa: PLC0415

        self._service = MemoryService(folder / "memorymaster.db", workspace_root=folder)
        self._service.init_db()

    def add(self, told: Told) -> None:
        self._service.ingest(told.text, [], scope=f"project:u{told.user}", source_agent="bench")

    def add_many(self, many: Sequence[Told]) -> None:
        for one in many:
            self.add(one)

    def search(self, user: int, question: str) -> list[str]:
        found = self._service.query(
            question, limit=TOP, include_candidates=True, scope_allowlist=[f"project:u{user}"], trust_mode="exploratory"
        )
        return [claim.text for claim in found]

    def close(self) -> None:
        pass


class _Mem0Embedder:
    """The common vectors in mem0's shape."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002
        return embed([text])[0]

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:  # noqa: ARG002
        return embed(texts)


def _index() -> Any:
    return {"dims": DIMENSIONS, "embed": embed, "fields": ["text"]}


SYSTEMS: dict[str, Callable[[Path, str | None], System]] = {
    "heedful": lambda folder, _dsn: Heedful(folder),
    "heedful-postgresql": Heedful,
    "bare-sqlite-numpy": lambda folder, _dsn: Bare(folder),
    "langgraph-sqlite": lambda folder, _dsn: LangGraph.sqlite(folder),
    "langgraph-postgres": lambda _folder, dsn: LangGraph.postgres(str(dsn)),
    "mem0-qdrant": lambda folder, _dsn: Mem0(folder, "qdrant"),
    "mem0-faiss": lambda folder, _dsn: Mem0(folder, "faiss"),
    "memd": lambda folder, _dsn: Memd(folder),
    "memorymaster": lambda folder, _dsn: MemoryMaster(folder),
}
"""Name -> the system in an empty folder and, for those that need one, an empty database."""

NEEDS_DATABASE = frozenset({"heedful-postgresql", "langgraph-postgres"})
