"""Access journal: who was handed what, sealed in groups so that reading stays fast."""

from __future__ import annotations

from threading import Lock

from heedful.kernel.errors import HeedfulError
from heedful.ledger.events import AccessEvent
from heedful.ports.store import TenantStore
from heedful.ports.system import Clock, Entropy
from heedful.service.append import append_access

PENDING_MAX = 1_000
"""Entries that may wait for their group; the next one seals it."""


class AccessJournal:
    """The access chain's writer for one tenant in one process. May be used from several threads."""

    def __init__(self, store: TenantStore, *, clock: Clock, entropy: Entropy, window_us: int) -> None:
        """A journal that keeps an entry at most `window_us` before it is durable, if `flush_due` is called in time."""
        self._store = store
        self._clock = clock
        self._entropy = entropy
        self._window_us = window_us
        self._lock = Lock()
        self._pending: list[AccessEvent] = []
        self._oldest_us = 0

    def add(self, event: AccessEvent, *, durable: bool) -> None:
        """The entry waits for its group; with `durable`, it and all that wait are sealed before this returns.

        Raises:
            BusyError, UnavailableError: nothing was sealed; this entry is not kept, the others go on waiting.
        """
        with self._lock:
            if not self._pending:
                self._oldest_us = self._clock.now_us()
            self._pending.append(event)
            full = len(self._pending) >= PENDING_MAX
        if durable or full:
            try:
                self.flush()
            except HeedfulError:
                # Its packet is not handed out then, so its entry must not wait beside the others for ever.
                self._drop(event)
                raise

    def flush_due(self) -> None:
        """A group whose oldest entry has waited for the window is sealed."""
        with self._lock:
            due = bool(self._pending) and self._clock.now_us() - self._oldest_us >= self._window_us
        if due:
            self.flush()

    def flush(self) -> None:
        """Every entry that waits is sealed and durable.

        Raises:
            BusyError, UnavailableError: see TenantStore.write; the entries go on waiting.
            ConflictError: `tenant_erased`; nothing waits any more.
        """
        with self._lock:
            group, self._pending = self._pending, []
        if not group:
            return
        tenant_id = self._store.tenant.tenant_id
        try:
            self._store.write(
                lambda writing: append_access(
                    writing, group, tenant_id=tenant_id, clock=self._clock, entropy=self._entropy
                )
            )
        except HeedfulError as error:
            if error.code != "tenant_erased":
                with self._lock:
                    self._pending = group + self._pending
            raise

    def _drop(self, event: AccessEvent) -> None:
        with self._lock:
            self._pending = [each for each in self._pending if each is not event]
