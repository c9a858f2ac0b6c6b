"""A state after a power cut, opened by the product itself: is all that was acknowledged there, whole, and sound?"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from _crash_acks import Ack
from _crash_check import Findings, lost
from _power_runs import check_permits, is_redeeming
from _power_writer import PACKS, Boundary
from _stores import SCOPE, settings_in

from heedful.adapters import registry_cache, registry_files
from heedful.bootstrap import App, init_store, open_store
from heedful.bridges.registry import Registry
from heedful.interfaces.python.memory import Memory
from heedful.kernel.errors import HeedfulError, UnavailableError
from heedful.ports.store import Chain
from heedful.service.auditing.audit import verify
from heedful.service.rebuild import rebuild
from heedful.service.session import Session
from heedful.service.whole import beneath, is_whole
from heedful.settings import DEFAULT_TENANT, Settings


@dataclass(slots=True)
class Chains:
    """What was said of one tenant's chains.

    Attributes:
        may_be: every place at which they may end, as `position:digest`.
        least: the last position of each that was acknowledged.
    """

    may_be: dict[Chain, set[str]] = field(default_factory=lambda: {chain: set() for chain in Chain})
    least: dict[Chain, int] = field(default_factory=lambda: dict.fromkeys(Chain, 0))


@dataclass(slots=True)
class Heard:
    """What the writer had said before the cut."""

    acks: list[Ack] = field(default_factory=list)
    chains: dict[str, Chains] = field(default_factory=dict)

    def hear(self, line: bytes) -> None:
        """One more line."""
        said = json.loads(line)
        if "verb" in said:
            self.acks.append(Ack(**said))
            return
        boundary = Boundary(**said)
        chains = self.chains.setdefault(boundary.tenant, Chains())
        for chain, place in ((Chain.LEDGER, boundary.ledger), (Chain.ACCESS, boundary.access)):
            if boundary.sort == "is":
                chains.least[chain] = max(chains.least[chain], int(place.partition(":")[0]))
            else:
                chains.may_be[chain].add(place)

    def is_rebuilding(self, tenant: str) -> bool:
        """True where a rebuild was begun, and its end was not acknowledged."""
        said = [ack.verb for ack in self.acks if ack.key == tenant and ack.verb in ("rebuilding", "rebuilt")]
        return said[-1:] == ["rebuilding"]

    def revision_of(self, tenant: str) -> str | None:
        """The registry that the tenant was made with; None: its making was not acknowledged."""
        return next((ack.text for ack in self.acks if ack.verb == "init" and ack.key == tenant), None)


@contextmanager
def remembered_registries() -> Iterator[None]:
    """In the block the same documents give the same registry: reading YAML for each state would take most of the time.

    Nor is the compiled registry of a state read or written: it is a copy of what the documents say, and its own tests
    are tests/adapters/test_registry_cache*.py.
    """

    def kept(documents: tuple[tuple[str, str], ...], folder: Path) -> Registry:  # noqa: ARG001  # see above
        return _remembered(documents)

    instead = (
        ("registry_of", registry_files.registry_of, _remembered),
        ("cached_registry", registry_cache.cached_registry, kept),
    )
    changed: list[tuple[ModuleType, str, object]] = []
    try:
        for module in [each for name, each in sys.modules.items() if name.startswith("heedful.")]:
            for name, real, other in instead:
                is_home = module is registry_cache and name == "cached_registry"
                if not is_home and getattr(module, name, None) is real:
                    changed.append((module, name, real))
                    setattr(module, name, other)
        yield
    finally:
        for module, name, before in changed:
            setattr(module, name, before)


_remembered = lru_cache(maxsize=64)(registry_files.registry_of)


def lay_out(folder: Path, state: Iterable[tuple[str, bytes | None]]) -> None:
    """The folder holds the state and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in state:
        path = folder / name
        if content is None:
            path.mkdir(mode=0o700)
        else:
            path.write_bytes(content)


def check_state(folder: Path, heard: Heard, *, thorough: bool) -> Findings:
    """What is wrong with the state in this folder.

    `thorough`: also that a refold gives the views, that every acknowledged item is found, and that writing goes on.
    """
    findings = Findings()
    settings = replace(settings_in(folder), store=str(folder))
    if heard.revision_of(DEFAULT_TENANT) is None:
        _check_begun(folder, settings, findings)
        return findings
    try:
        with open_store(settings) as app:
            for tenant in app.store.tenants():
                _check_tenant(app, tenant.name, heard, findings, thorough=thorough)
            if thorough or is_redeeming(heard.acks):
                check_permits(app, heard.acks, findings)
            names = {tenant.name for tenant in app.store.tenants()}
            wanted = {ack.key for ack in heard.acks if ack.verb == "init"}
            findings.lost += [f"tenant {name}" for name in sorted(wanted - names)]
    except HeedfulError as error:
        findings.broken.append(f"the store does not open: {error.code}: {error.message}")
        return findings
    if thorough and not (findings.lost or findings.half or findings.broken):
        _go_on(settings, findings)
    return findings


def _check_begun(folder: Path, settings: Settings, findings: Findings) -> None:
    """A store whose making was not acknowledged: `init` makes it whole, or it is whole."""
    try:
        init_store(folder, settings, scope=SCOPE, packs=PACKS).close()
    except HeedfulError as error:
        if error.code != "store_exists":
            findings.broken.append(f"init does not finish the store: {error.code}: {error.message}")
            return
    _go_on(settings, findings)


def _go_on(settings: Settings, findings: Findings) -> None:
    """What is remembered now is there, small and large, and everything verifies."""
    try:
        with Memory.open(settings=settings) as memory:
            memory.remember("afterwards", scope=SCOPE)
            memory.remember("afterwards, large ".ljust(settings.inline_bytes_max + 1, "y"), scope=SCOPE)
            if not memory.verify().holds:
                findings.broken.append("what is written after the cut does not verify")
    except HeedfulError as error:
        findings.broken.append(f"writing does not go on: {error.code}: {error.message}")


def _check_tenant(app: App, name: str, heard: Heard, findings: Findings, *, thorough: bool) -> None:
    chains = heard.chains.get(name, Chains())
    try:
        # The registry is not adopted and nothing expires: both would add events before the chains were looked at.
        session = app.session(tenant=name, adopts=False)
    except UnavailableError as error:
        if any(chains.least.values()):
            findings.lost.append(f"tenant {name}: {error.code}: {error.message}")
        return
    revision = heard.revision_of(name)
    if revision is not None and session.registry.revision != revision:
        findings.lost.append(f"the registry is not the one that init wrote: {session.registry.revision}")
    with beneath(session.store).read() as reading:
        whole = is_whole(reading)
    if not whole:
        if not heard.is_rebuilding(name):
            findings.half.append(f"{name}: the views are at another position than the ledger")
        rebuild(session, progress=lambda _position: None)
    _check_chains(session, name, chains, findings)
    _check_audit(session, name, findings, thorough=thorough)
    if thorough and name == DEFAULT_TENANT:
        with session.store.read() as reading:
            findings.lost += lost(reading, heard.acks)


def _check_audit(session: Session, name: str, findings: Findings, *, thorough: bool) -> None:
    audit = verify(session, views=thorough, progress=lambda _position: None)
    for chain_name, chain in (("ledger", audit.ledger), ("access chain", audit.access)):
        if chain.broken is not None:
            findings.broken.append(f"{name}: {chain_name}: {chain.broken.breach} at {chain.broken.position}")
    if audit.blobs in ("missing", "changed"):
        findings.lost.append(f"{name}: the content of {audit.blob_record_id} is {audit.blobs}")
    if audit.views == "different":
        findings.broken.append(f"{name}: the views differ from a refold")


def _check_chains(session: Session, name: str, chains: Chains, findings: Findings) -> None:
    with session.store.read() as reading:
        for chain in Chain:
            head = reading.head(chain)
            if head.position < chains.least[chain]:
                findings.lost.append(f"{name}: {chain.value} ends at {head.position}, not {chains.least[chain]}")
            elif head.position and f"{head.position}:{head.digest}" not in chains.may_be[chain]:
                findings.half.append(f"{name}: {chain.value} ends at {head.position}, inside of a transaction")
