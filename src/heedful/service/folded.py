"""Folded: stores in which an earlier moment was folded, kept a while, so that asking of that moment again is quick."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from threading import Lock

from heedful.kernel.kept import keeper
from heedful.ports.scratch import Scratch
from heedful.ports.store import Tenant, TenantStore

KEPT_MAX = 2
"""Stores that are kept, the last used."""
KEPT_EVENTS_MAX = 100_000
"""A store of more events is thrown away when it has answered: it would take too much memory."""


@dataclass(slots=True, eq=False)
class _Folded:
    store: TenantStore
    block: AbstractContextManager[TenantStore]
    users: int
    is_kept: bool


class FoldedStores:
    """The last stores of one open app, of whichever tenants. May be used from several threads.

    A store is handed out for its own key alone, so a key has everything that what is folded depends on: the tenant, who
    asks, what they may see, the moment, and the ledger's head, for whatever is written since may have hidden or erased
    something.
    """

    def __init__(self) -> None:
        """Nothing is kept yet."""
        self._lock = Lock()
        self._kept: dict[Hashable, _Folded] = {}
        keeper(self)

    @contextmanager
    def lent(
        self, key: Hashable | None, scratch: Scratch, tenant: Tenant, fold: Callable[[TenantStore], object]
    ) -> Iterator[TenantStore]:
        """The store of this key, made by `fold` where none is kept; of None it is thrown away behind the block.

        Raises:
            Whatever `scratch` and `fold` raise; nothing is kept then.
        """
        folded = None if key is None else self._taken(key)
        if folded is None:
            folded = _made(scratch, tenant, fold)
            if key is not None:
                self._keep(key, folded)
        try:
            yield folded.store
        finally:
            self._give_back(folded)

    def forget_texts(self) -> None:
        """See Keeper.forget_texts. What is lent out is thrown away when it comes back."""
        with self._lock:
            dropped = self._dropped(list(self._kept))
        _close(dropped)

    def _taken(self, key: Hashable) -> _Folded | None:
        with self._lock:
            folded = self._kept.pop(key, None)
            if folded is not None:
                self._kept[key] = folded
                folded.users += 1
        return folded

    def _keep(self, key: Hashable, folded: _Folded) -> None:
        with self._lock:
            # Another thread may have folded the same meanwhile; one of the two is enough.
            folded.is_kept = key not in self._kept
            if folded.is_kept:
                self._kept[key] = folded
            dropped = self._dropped(list(self._kept)[:-KEPT_MAX])
        _close(dropped)

    def _give_back(self, folded: _Folded) -> None:
        with self._lock:
            folded.users -= 1
            is_over = not folded.users and not folded.is_kept
        if is_over:
            _close([folded])

    def _dropped(self, keys: list[Hashable]) -> list[_Folded]:
        """These are kept no more; those of them that nobody uses are to be closed."""
        gone = [self._kept.pop(each) for each in keys]
        for each in gone:
            each.is_kept = False
        return [each for each in gone if not each.users]


def _made(scratch: Scratch, tenant: Tenant, fold: Callable[[TenantStore], object]) -> _Folded:
    block = scratch(tenant)
    store = block.__enter__()
    folded = _Folded(store, block, users=1, is_kept=False)
    try:
        fold(store)
    except BaseException:
        # Nobody else knows of the half-made store: it is closed here, after Ctrl-C too.
        _close([folded])
        raise
    return folded


def _close(stores: list[_Folded]) -> None:
    for each in stores:
        each.block.__exit__(None, None, None)
