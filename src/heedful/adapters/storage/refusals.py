"""The errors that every engine raises alike, in one wording."""

from __future__ import annotations

from heedful.kernel.errors import (
    BusyError,
    ConflictError,
    FaultError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from heedful.kernel.ids import TenantId
from heedful.ledger.seal import Head, SealedEvent
from heedful.ports.store import Chain

# Where nothing is known of the one who holds the lock, in another process say.
RETRY_AFTER_SECONDS = 1.0


def store_busy(retry_after_seconds: float = RETRY_AFTER_SECONDS) -> BusyError:
    """The error where the write lock was not to be had in time."""
    return BusyError(
        "store_busy",
        "another writer held the store for longer than lock_wait_seconds",
        next_step="try again; if this happens often, raise lock_wait_seconds",
        details={"retry_after_seconds": retry_after_seconds},
    )


def queue_full(waiting: int, retry_after_seconds: float) -> BusyError:
    """The error where as many writes wait as may."""
    return BusyError(
        "store_busy",
        f"{waiting} writes wait already, which is as many as write_queue_max allows",
        next_step=f"try again in {retry_after_seconds:g} seconds",
        details={"retry_after_seconds": retry_after_seconds, "limit": waiting},
    )


def connections_taken(connections_max: int) -> BusyError:
    """The error where every connection that this process may open was in use for too long."""
    return BusyError(
        "store_busy",
        f"all {connections_max} connections of this process were in use for longer than lock_wait_seconds",
        next_step="try again; if this happens often, let fewer threads ask at once, or hold readings for less long",
        details={"retry_after_seconds": RETRY_AFTER_SECONDS, "limit": connections_max},
    )


def server_full() -> BusyError:
    """The error where the database takes no more connections, of whomever."""
    return BusyError(
        "store_busy",
        "the database has as many connections as it takes, from all processes together",
        next_step="try again; if this happens often, raise max_connections of the server or run fewer processes",
        details={"retry_after_seconds": RETRY_AFTER_SECONDS},
    )


def statement_ended(seconds_max: float) -> BusyError:
    """The error where the database ended a statement that took too long, or somebody cancelled it there."""
    return BusyError(
        "store_busy",
        f"the database ended a statement: it took longer than {seconds_max:g} seconds, or was cancelled there",
        next_step="try again; if this happens often, look what else keeps the database busy",
        details={"retry_after_seconds": RETRY_AFTER_SECONDS, "limit": seconds_max},
    )


def work_undone() -> BusyError:
    """The error where the database undid a work, each time that it was tried, to end a clash with others'."""
    return BusyError(
        "store_busy",
        "the database undid this to end a clash with the work of others",
        next_step="try again",
        details={"retry_after_seconds": RETRY_AFTER_SECONDS},
    )


def database_unreachable() -> UnavailableError:
    """The error where the database did not answer, or ended a connection that was in use."""
    return UnavailableError(
        "store_unavailable",
        "the database can't be reached, or ended the connection",
        next_step="check that it runs and takes connections, then try again",
    )


def database_refused() -> UnavailableError:
    """The error where the server was reached, and lets nobody in by this URL."""
    return UnavailableError(
        "database_refused",
        "the server refuses this user, password or database, or takes no more connections",
        next_step="check them, and that this user may connect to this database",
    )


def connections_lost() -> UnavailableError:
    """The error where one kept connection after another turned out to have ended."""
    return UnavailableError(
        "store_unavailable",
        "the database ended the connections that were kept, one after another",
        next_step="check that it runs and takes connections, then try again",
    )


def database_read_only() -> UnavailableError:
    """The error of a change where the database lets this session only read."""
    return UnavailableError(
        "store_unavailable",
        "the database lets nothing be changed: it is a standby, or default_transaction_read_only is on",
        next_step="name the primary in the database's URL, and turn default_transaction_read_only off for this user",
    )


def session_ended() -> UnavailableError:
    """The error where the database ended a session because of a timeout that its settings have."""
    return UnavailableError(
        "store_unavailable",
        "the database ended the session at a timeout",
        next_step="try again; if this happens often, raise transaction_timeout, idle_session_timeout and "
        "idle_in_transaction_session_timeout for this user",
    )


def store_closed() -> UnavailableError:
    """The error of every call after close."""
    return UnavailableError("store_closed", "the store was closed", next_step="open it again")


def store_read_only() -> UnavailableError:
    """The error of every write after a commit that left unknown what is on disk."""
    return UnavailableError(
        "store_read_only",
        "a commit failed earlier, so nothing more is written: what it left on disk is not known",
        next_step="check the disk, then restart and verify",
    )


def store_nested() -> FaultError:
    """The error of a work that opens its own store."""
    return FaultError(
        "store_nested",
        "a work opened the store that it writes to",
        next_step="report this: it was to use the writing that it was given",
    )


def neighbour_lost() -> UnavailableError:
    """The error of a write whose transaction ended under it while another's work ran."""
    return UnavailableError(
        "store_unavailable",
        "another write that shared the commit met a failing disk or connection; nothing of this one was kept",
        next_step="check the disk and the database, then try again",
    )


def commit_unknown() -> UnavailableError:
    """The error of a write whose commit was sent and never answered: it is there whole, or not at all."""
    return UnavailableError(
        "commit_unknown",
        "the connection ended before the commit was answered, so whether it was kept is not known",
        next_step="look whether it is there before you write it again",
    )


def moment_over() -> FaultError:
    """The error of a reading or writing that is used too late."""
    return FaultError(
        "moment_over",
        "a reading or writing was used after its block had ended",
        next_step="report this with the log around it",
    )


def position_taken(chain: Chain, head: Head, position: int) -> ConflictError:
    """The error of an event that was sealed for another place than the chain's end."""
    return ConflictError(
        "position_taken",
        f"the {chain.value} chain has moved: its head is at {head.position}, the event was sealed for {position}",
        next_step="read the head again and seal the event anew",
        details={"chain": chain.value, "head_position": head.position},
    )


def refuse_foreign(event_tenant: TenantId, own: TenantId) -> None:
    """Nothing, where the event is the store's tenant's.

    Raises:
        FaultError: `tenant_mismatch`.
    """
    if event_tenant != own:
        raise FaultError(
            "tenant_mismatch",
            "an event of one tenant was given to the store of another",
            next_step="report this: nothing of it was kept",
        )


def head_after(chain: Chain, head: Head, sealed: SealedEvent, own: TenantId) -> Head:
    """The chain's head after this event.

    Raises:
        ConflictError: `position_taken` where it is not the next after `head`.
        FaultError: `tenant_mismatch` where it is not the store's tenant's.
    """
    envelope = sealed.envelope
    if envelope.position != head.position + 1 or envelope.prev_digest != head.digest:
        raise position_taken(chain, head, envelope.position)
    refuse_foreign(envelope.tenant_id, own)
    return Head(envelope.position, sealed.digest)


def source_ref_taken() -> ConflictError:
    """The error of a record whose source reference another record of its scope and classification has."""
    return ConflictError(
        "source_ref_taken",
        "another record was kept under this source reference",
        next_step="read the record that is there, or give this one its own source reference",
        details={"field": "source_ref"},
    )


def value_too_big(limit: str = "") -> InvalidInputError:
    """The error of a value that no row can hold; `limit` says how much one holds, where that is known."""
    return InvalidInputError(
        "value_too_big",
        f"a value is larger than the store can hold{limit and f' ({limit})'}",
        next_step="shorten it, or keep it as several",
    )


def tenant_name_malformed() -> InvalidInputError:
    """The error of a tenant whose name or id no column can hold."""
    return InvalidInputError(
        "name_malformed",
        "tenant has half of a surrogate pair in its name or id",
        next_step="leave it out",
        details={"field": "tenant"},
    )


def tenant_erased() -> ConflictError:
    """The error of whoever asks for a tenant that was erased, by its id, its name or a handle that they have open."""
    return ConflictError(
        "tenant_erased",
        "this tenant was erased, with all that it knew; a tombstone and a receipt are left",
        next_step="`heedful receipt` shows the receipt; `heedful --tenant NAME init --anew` makes another so named",
        details={"field": "tenant"},
    )


def tenant_not_found() -> NotFoundError:
    """The error of a tenant that the store does not have."""
    return NotFoundError(
        "tenant_not_found",
        "no tenant of that id is in this store",
        next_step="`heedful --tenant NAME init` adds one, in the folder that has the store",
    )


def tenant_taken() -> ConflictError:
    """The error of a tenant whose name or id is in use."""
    return ConflictError(
        "tenant_taken", "a tenant of this name or id is there already", next_step="choose another name"
    )


def scrub_waits() -> BusyError:
    """The answer where files can't be scrubbed while somebody reads what they held before."""
    return BusyError(
        "scrub_waits",
        "somebody still reads the store as it was before, so its files keep what was deleted",
        next_step="it is tried again by the job `erase`; end readings that last, backups and exports among them",
    )


def scrub_no_room(wanted_bytes: int, free_bytes: int) -> UnavailableError:
    """The answer where files can't be written anew; both sizes are of the fuller of the disks that are needed."""
    mebibyte = 1024 * 1024
    wanted, free = -(-wanted_bytes // mebibyte), free_bytes // mebibyte
    return UnavailableError(
        "scrub_no_room",
        f"taking what was deleted out of the store's file needs {wanted} MiB of free disk, and {free} MiB are free",
        next_step="free some space: the file is written anew, and a copy of it lies beside it meanwhile",
        details={"wanted_mib": wanted, "free_mib": free},
    )


def scrub_not_let() -> UnavailableError:
    """The answer where the role may not write a table anew."""
    return UnavailableError(
        "scrub_not_let",
        "the database role may not write the tables anew (VACUUM FULL), which still hold what was deleted",
        next_step="run `heedful maintain --job erase` as the role that owns the schema heedful",
    )
