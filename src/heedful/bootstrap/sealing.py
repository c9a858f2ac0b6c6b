"""Sealing in the background: what waits in the access journals is sealed when its window ends.

One thread for all tenants of an app, started with the first journal.
"""

from __future__ import annotations

from contextlib import suppress
from threading import Event, Lock, Thread

from heedful.kernel.errors import ConflictError, HeedfulError
from heedful.kernel.ids import TenantId
from heedful.ports.store import TenantStore
from heedful.ports.system import Clock, Entropy
from heedful.service.access import AccessJournal


class BackgroundSealing:
    """The access journals of an app, one a tenant. What waits in them is sealed at `close` at the latest."""

    def __init__(self, clock: Clock, entropy: Entropy, *, window_seconds: float) -> None:
        """No journal, and no thread."""
        self._clock = clock
        self._entropy = entropy
        self._window_seconds = window_seconds
        self._lock = Lock()
        self._closing = Event()
        self._journals: dict[TenantId, AccessJournal] = {}
        self._thread: Thread | None = None

    def journal(self, store: TenantStore) -> AccessJournal:
        """The tenant's one journal in this app."""
        tenant_id = store.tenant.tenant_id
        with self._lock:
            if tenant_id not in self._journals:
                window_us = int(self._window_seconds * 1_000_000)
                self._journals[tenant_id] = AccessJournal(
                    store, clock=self._clock, entropy=self._entropy, window_us=window_us
                )
            if self._thread is None:
                thread = Thread(target=self._run, name="heedful-access", daemon=True)
                thread.start()  # a signal may come in here: one that is not started can't be joined
                self._thread = thread
            return self._journals[tenant_id]

    def close(self) -> None:
        """No round begins any more, and everything that waited is sealed.

        Raises:
            BusyError, UnavailableError: see AccessJournal.flush.
        """
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
        for journal in self._journals.values():
            try:
                journal.flush()
            except ConflictError as error:
                # What was read of a tenant that was erased since went with it.
                if error.code != "tenant_erased":
                    raise

    def _run(self) -> None:
        while not self._closing.wait(self._window_seconds / 2):
            for journal in list(self._journals.values()):
                # The entries go on waiting: the next round or `close` tries again, and `close` tells.
                with suppress(HeedfulError):
                    journal.flush_due()
