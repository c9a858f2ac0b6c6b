"""Embedding in the background: rows get the vectors of a model that is not immediate, after they were written.

One thread for all tenants of an app, started only where such a model is configured. Each step is one bounded batch. How
far it is lies in the store, so any number of processes may do it, and one that was stopped is gone on with; rows that
another process replaces behind this one's place wait for the next process, or for `reindex`.
"""

from __future__ import annotations

from threading import Event, Lock, Thread

from heedful.kernel.errors import HeedfulError
from heedful.kernel.ids import TenantId
from heedful.service.recalling.vectors import embed_waiting
from heedful.service.session import Session

IDLE_SECONDS = 0.5
"""Between two looks at what waits: a new row has its vector about so much later."""
FAILED_SECONDS = 15.0
"""Before the next try, where the model or the store failed."""
JOIN_SECONDS_MAX = 2.0
"""`close` waits so long for a step that is under way; later its vectors are refused by the closed store."""


class BackgroundEmbedding:
    """What waits in the tenants that were opened. Nothing is lost with it: the texts are in the store."""

    def __init__(self) -> None:
        """Nothing watched, and no thread."""
        self._lock = Lock()
        self._closing = Event()
        self._sessions: dict[TenantId, Session] = {}
        self._done: dict[TenantId, int] = {}
        self._thread: Thread | None = None

    def watch(self, session: Session) -> None:
        """Rows of the session's tenant get their vectors from now on; nothing, where its model is immediate or none."""
        if session.embedder is None or session.embedder.is_immediate:
            return
        with self._lock:
            self._sessions.setdefault(session.store.tenant.tenant_id, session)
            if self._thread is None:
                thread = Thread(target=self._run, name="heedful-embedding", daemon=True)
                thread.start()
                self._thread = thread

    def close(self) -> None:
        """No step begins any more."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(JOIN_SECONDS_MAX)

    def _run(self) -> None:
        pause = IDLE_SECONDS
        while not self._closing.wait(pause):
            pause = IDLE_SECONDS
            for tenant_id, session in list(self._sessions.items()):
                try:
                    position = embed_waiting(session, after=self._done.get(tenant_id, 0))
                except HeedfulError:
                    # Recall says by itself what it could not search; this comes back later.
                    pause = FAILED_SECONDS
                    continue
                if position is not None:
                    self._done[tenant_id] = position
                    pause = 0.0 if pause == IDLE_SECONDS else pause
