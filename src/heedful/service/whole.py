"""Whole: a tenant's store answers only while its views are folded to the ledger's end, never from half of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TypeVar

from heedful.kernel.errors import UnavailableError
from heedful.ports.erasure import Scrubbed
from heedful.ports.store import Chain, Reading, Tenant, TenantStore, Writing

T = TypeVar("T")


class WholeStore:
    """See TenantStore; and while the views are being rebuilt, every call is refused.

    `read` and `write` raise UnavailableError `views_rebuilding` then. `beneath` is the store that does not.
    """

    __slots__ = ("beneath",)

    def __init__(self, beneath: TenantStore) -> None:
        """A guard before that store."""
        self.beneath = beneath

    @property
    def tenant(self) -> Tenant:
        """See TenantStore.tenant."""
        return self.beneath.tenant

    def read(self) -> AbstractContextManager[Reading]:
        """See TenantStore.read."""
        return _WholeMoment(self.beneath.read())

    def write(self, work: Callable[[Writing], T]) -> T:
        """See TenantStore.write."""

        def guarded(writing: Writing) -> T:
            require_whole(writing)
            return work(writing)

        return self.beneath.write(guarded)

    def scrub_indexes(self) -> Scrubbed:
        """See TenantStore.scrub_indexes."""
        return self.beneath.scrub_indexes()

    def scrub_storage(self) -> Scrubbed:
        """See TenantStore.scrub_storage."""
        return self.beneath.scrub_storage()


class _WholeMoment(AbstractContextManager[Reading]):
    __slots__ = ("_moment",)

    def __init__(self, moment: AbstractContextManager[Reading]) -> None:
        self._moment = moment

    def __enter__(self) -> Reading:
        reading = self._moment.__enter__()
        try:
            require_whole(reading)
        except BaseException as error:
            self._moment.__exit__(type(error), error, error.__traceback__)
            raise
        return reading

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self._moment.__exit__(kind, error, trace)


def beneath(store: TenantStore) -> TenantStore:
    """The store itself, whether or not its views are whole."""
    return store.beneath if isinstance(store, WholeStore) else store


def is_whole(reading: Reading) -> bool:
    """True where the views are folded up to the ledger's head."""
    return reading.checkpoint() == reading.head(Chain.LEDGER).position


def require_whole(reading: Reading) -> None:
    """Nothing, where the views are whole.

    Raises:
        UnavailableError: `views_rebuilding`.
    """
    if not is_whole(reading):
        # How far it is would tell how much there is, also to those who may see little of it.
        raise UnavailableError(
            "views_rebuilding",
            "what is known is being made anew from the ledger, and is not whole yet",
            next_step="wait, or run `heedful rebuild`, which also goes on where one was stopped",
        )
