"""Whether any tampering with a chain is found, no changed proof is accepted, and what that costs.

Run: python bench/tampering.py [--tamperings N] [--proofs N] [--events N] [--ci] [--json] [--folder DIR]

Tamperings: a store on SQLite with two chains of 200 events; each is done to its database behind its back, the chains
are verified against the checkpoint that was pinned before, and put right again. Found means: found, and the first
event that is another one named. Proofs: of trees of up to 600 leaves, each changed in one of some 20 ways and given to
both verifiers, the product's and the stand-alone one; and whole files, signed. pymerkle is asked for every size.

Each has a control that must fail: the same without a checkpoint misses what was sealed anew, a verifier that only folds
a path accepts a node for a leaf, and one that does not look at signatures accepts another store's.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import shutil
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from _report import Figure, Report, arguments_of, bench_folder, exact, machine
from _stores import new_store, session_of
from _tampering_files import changed_files
from pymerkle import InmemoryTree, verify_consistency, verify_inclusion

from heedful import Memory
from heedful.adapters.storage.sqlite.connection import Session
from heedful.interfaces.cli import standalone_verifier
from heedful.kernel.ids import EventId, PrincipalId, RecordId
from heedful.ledger.events import RecordConfirmed
from heedful.ledger.merkle import (
    Frontier,
    consistency_proof,
    inclusion_proof,
    is_consistent,
    is_included,
    leaves_root,
    node_hash,
)
from heedful.ledger.seal import Head, seal
from heedful.ports.store import Chain, Writing
from heedful.testing.proof_mutations import Proof, consistency, inclusion, mutations
from heedful.testing.tampering import RESEALED, TAMPERINGS, Events, database_of, put_chain

CHAIN_EVENTS = 200
PIECE_EVENTS = 10_000
LATER_EVENTS = 1_000
VERIFIED_SECONDS = 60.0
PROOF_MS = 50.0


def filled(memory: Memory, count: int, chance: random.Random, chain: Chain = Chain.LEDGER) -> None:
    """So many more events in the chain, sealed as all are; the views have nothing of them to show."""
    session = session_of(memory)
    tenant_id = session.store.tenant.tenant_id
    event = RecordConfirmed(RecordId(session.new_id()), PrincipalId("person:bench"), "it was looked at, and holds")

    def piece(writing: Writing, wanted: int) -> None:
        head = writing.head(chain)
        for _ in range(wanted):
            event_id, salt = EventId(f"{chance.getrandbits(128):032x}"), chance.randbytes(32)
            at_us = session.clock.now_us()
            sealed = seal(event, head, tenant_id=tenant_id, event_id=event_id, recorded_at_us=at_us, salt=salt)
            writing.append(chain, sealed)
            head = Head(sealed.envelope.position, sealed.digest)
        if chain is Chain.LEDGER:
            writing.set_checkpoint(head.position)

    for start in range(0, count, PIECE_EVENTS):
        wanted = min(PIECE_EVENTS, count - start)
        session.store.write(lambda writing, wanted=wanted: piece(writing, wanted))  # type: ignore[misc]


def measure_tamperings(report: Report, folder: Path, count: int, chance: random.Random) -> None:
    """Each is found, and its first event named; without a checkpoint the rewritten chains are missed."""
    with new_store(folder / "tampered") as memory:
        for chain in Chain:
            filled(memory, CHAIN_EVENTS, chance, chain)
        memory.checkpoint()
        with session_of(memory).store.read() as reading:
            originals = {chain: list(reading.events(chain)) for chain in Chain}
        missed = misnamed = 0
        tried: dict[str, int] = dict.fromkeys(TAMPERINGS, 0)
        for number in range(count):
            name = list(TAMPERINGS)[number % len(TAMPERINGS)]
            chain = chance.choice(list(Chain))
            tried[name] += 1
            found = found_of(memory, folder / "tampered" / ".heedful", chain, name, originals[chain], chance)
            missed += found == "missed"
            misnamed += found == "misnamed"
        shutil.rmtree(next((folder / "tampered" / "keys").rglob("pins")))
        store, ledger = folder / "tampered" / ".heedful", originals[Chain.LEDGER]
        control = [found_of(memory, store, Chain.LEDGER, name, ledger, chance) for name in sorted(RESEALED) * 5]
    unmissed = len(control) - control.count("missed")
    report.row("tamperings, by kind", dict(tried))
    report.figures.append(exact("tamperings not found", missed))
    report.figures.append(exact("tamperings whose first event was not named", misnamed))
    report.figures.append(exact("control: rewritten chains found without a checkpoint", unmissed))


def found_of(memory: Memory, store: Path, chain: Chain, name: str, events: Events, chance: random.Random) -> str:
    """What `verify` makes of it: `named`, `misnamed` or `missed`; the chain is put right again."""
    made = TAMPERINGS[name](events, chance)
    put_chain(store, made.events, chain, fits_head=made.fits_head)
    audit = memory.verify()
    put_chain(store, events, chain)
    broken = (audit.ledger if chain is Chain.LEDGER else audit.access).broken
    if broken is None:
        return "missed"
    return "named" if (broken.position, broken.to_position) == (made.at, None) else "misnamed"


def measure_proofs(report: Report, count: int, chance: random.Random) -> None:
    """No changed proof is accepted by either verifier; one that only folds paths accepts some."""
    leaves = [chance.randbytes(32) for _ in range(600)]
    accepted = alone_accepted = tried = refused_good = 0
    folded = 0
    while tried < count:
        proof = chance.choice((inclusion, consistency))(leaves, chance)
        refused_good += not proof.holds() or not alone(proof)
        for changed in mutations(proof, chance):
            tried += 1
            accepted += changed.holds()
            alone_accepted += alone(changed)
        if proof.kind == "inclusion" and proof.path:
            node = node_hash(*((proof.path[0], proof.about) if proof.at & 1 else (proof.about, proof.path[0])))
            folded += folds(node, proof.at >> 1, proof.path[1:], proof.root)
    report.row("proofs", {"changed": tried})
    report.figures.append(exact("changed proofs accepted", accepted))
    report.figures.append(exact("changed proofs accepted by the stand-alone verifier", alone_accepted))
    report.figures.append(exact("good proofs refused", refused_good))
    report.figures.append(Figure("control: accepted by one that only folds", folded, "", ">=", 1, 1))


def alone(proof: Proof) -> bool:
    """What the stand-alone verifier says."""
    path = list(proof.path)
    if proof.kind == "inclusion":
        return standalone_verifier.is_included(proof.about, proof.at, proof.size, path, proof.root)
    return standalone_verifier.is_consistent(proof.at, proof.about, proof.size, proof.root, path)


def folds(leaf: bytes, index: int, path: tuple[bytes, ...], root: bytes) -> bool:
    """A verifier that forgets to count, which takes a node for a leaf."""
    for step in path:
        leaf = node_hash(step, leaf) if index & 1 else node_hash(leaf, step)
        index >>= 1
    return leaf == root


def measure_pymerkle(report: Report, sizes: int, chance: random.Random) -> None:
    """Roots of every size, and proofs of a leaf and an older tree of each, both ways."""
    tree = InmemoryTree(algorithm="sha256")
    entries = [chance.randbytes(40) for _ in range(sizes)]
    leaves = [hashlib.sha256(b"\x00" + entry).digest() for entry in entries]
    ranges, frontier, disagreed = leaves_root(leaves), Frontier(), 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for entry in entries:
            tree.append_entry(entry)
        disagreed += frontier.root != tree.get_root(0)
        for size in range(1, sizes + 1):
            frontier = frontier.extended(leaves[size - 1 : size])
            root = frontier.root
            disagreed += root != tree.get_root(size)
            index, old = chance.randrange(size), chance.randrange(1, size + 1)
            theirs = tree.prove_inclusion(index + 1, size)
            verify_inclusion(leaves[index], root, theirs)
            path = inclusion_proof(ranges, index, size)
            disagreed += [each.hex() for each in (leaves[index], *path)] != theirs.serialize()["path"]
            disagreed += not is_included(leaves[index], index, size, path, root)
            old_root = tree.get_root(old)
            verify_consistency(old_root, root, tree.prove_consistency(old, size))
            disagreed += not is_consistent(old, old_root, size, root, consistency_proof(ranges, old, size))
    report.row("pymerkle", {"sizes": sizes + 1})
    report.figures.append(exact("disagreements with pymerkle", disagreed))


def measure_speed(report: Report, folder: Path, events: int, chance: random.Random) -> None:
    """The whole chain verified against its checkpoint, a checkpoint that goes on, and one proof."""
    with new_store(folder / "long") as memory:
        filled(memory, events, chance)
        spent: dict[str, float] = {}
        processor: dict[str, float] = {}

        def timed(name: str, work: Callable[[], object]) -> None:
            started, cpu_started = time.perf_counter(), time.process_time()
            assert work() is not None
            spent[name], processor[name] = time.perf_counter() - started, time.process_time() - cpu_started

        timed("first checkpoint", memory.checkpoint)
        timed("verify", memory.verify)
        filled(memory, LATER_EVENTS, chance)
        timed("next checkpoint", memory.checkpoint)
        timed("proof", lambda: memory.prove(middle(memory)))
        audit = memory.verify()
        assert audit.holds
        verified = audit.ledger.event_count
        touched = changed_payload(folder / "long" / ".heedful", verified // 2)
        broken = memory.verify().ledger.broken
    report.row(
        "verified of each event: position, link, digest of its envelope, payload under its salt, root",
        {"events": verified, "checkpoints": audit.checkpoints},
    )
    is_found = broken is not None and (broken.position, broken.breach) == (touched, "payload-mismatch")
    report.figures.append(exact("control: one changed byte in the middle not found", 0 if is_found else 1))
    for clock, taken in (("by the clock", spent), ("of processor time", processor)):
        report.row(f"{events:,} events, {clock}", {f"{name} ms": round(each * 1e3, 1) for name, each in taken.items()})
    seconds = spent["verify"]
    share = events / 1_000_000
    report.figures.append(
        Figure(f"{events:,} events verified", seconds, "s", "<=", VERIFIED_SECONDS * share, VERIFIED_SECONDS * 10)
    )
    report.figures.append(Figure("one proof", spent["proof"] * 1e3, "ms", "<=", PROOF_MS, PROOF_MS * 20))


def changed_payload(store: Path, position: int) -> int:
    """The position, after one byte of that event's payload is another one in the database."""
    session = Session(str(database_of(store)), lock_wait_seconds=1.0)
    payload = session.cursor.execute("SELECT payload FROM ledger_events WHERE position = ?", (position,)).get
    other = bytes([payload[0] ^ 1]) + payload[1:]
    session.cursor.execute("UPDATE ledger_events SET payload = ? WHERE position = ?", (other, position))
    session.close()
    return position


def middle(memory: Memory) -> str:
    """The id of the event in the middle."""
    with session_of(memory).store.read() as reading:
        sealed = reading.event(Chain.LEDGER, reading.head(Chain.LEDGER).position // 2)
    assert sealed is not None
    return sealed.envelope.event_id


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tamperings", type=int)
    parser.add_argument("--proofs", type=int)
    parser.add_argument("--events", type=int)
    parser.add_argument("--seed", type=int, default=1)
    arguments = arguments_of(parser)
    ci: bool = arguments.ci
    chance = random.Random(arguments.seed)
    with bench_folder(arguments) as folder:
        report = Report("tampering with chains and proofs", machine(folder))
        measure_tamperings(report, folder, arguments.tamperings or (80 if ci else 2_000), chance)
        measure_proofs(report, arguments.proofs or (2_000 if ci else 20_000), chance)
        changed_files(report, folder, 200 if ci else 1_000, chance)
        measure_pymerkle(report, 128 if ci else 1_024, chance)
        measure_speed(report, folder, arguments.events or (5_000 if ci else 1_000_000), chance)
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
