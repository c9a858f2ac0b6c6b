"""A process that writes until it is killed, and acknowledges each write after the store has answered.

Run by kills.py alone: python bench/_crash_writer.py FOLDER SEED THREADS [early]

With `early` it acknowledges a write before it makes it. That is the control: a check that can't find losses then
finds nothing at all.
"""

from __future__ import annotations

import random
import sys
import threading
from pathlib import Path

from _crash_acks import Ack, say
from _stores import open_store
from _texts import words, write_transcript

from heedful import Memory
from heedful.service.keeping import import_

IMPORT_ITEMS = 100
IMPORT_BATCH = 40
"""Small, so that many transactions of an import begin and end within the life of a writer."""
KINDS = ("release.freeze", "release.window", "ci.requirement", "capacity.limit", "on-call.contact")
COMMANDS = ("git log -3", "kubectl --context production apply -f web.yaml", "git push --force origin main")
WORDS_EACH = 60
REMEMBERED_MAX = 50


class Writer:
    """One thread's writing; every random choice comes from its seed."""

    def __init__(self, memory: Memory, folder: Path, seed: str, *, early: bool) -> None:
        self._memory = memory
        self._folder = folder
        self._seed = seed
        self._early = early
        self._rng = random.Random(seed)
        self._number = 0
        self._records: list[tuple[str, str]] = []
        self._claims: list[str] = []

    def run(self) -> None:
        """Writes until the process ends."""
        while True:
            self._number += 1
            self._step(self._rng.random())

    def _step(self, chance: float) -> None:
        if self._early or chance < 0.5:
            self._remember()
        elif chance < 0.68:
            self._claim()
        elif chance < 0.78 and self._claims:
            self._approve()
        elif chance < 0.86:
            self._judge()
        elif chance < 0.92:
            self._recall()
        elif chance < 0.97 and self._records:
            self._withdraw()
        else:
            self._import()

    def _remember(self) -> None:
        text = f"{self._seed} note {self._number}: {words(self._rng, WORDS_EACH)}"
        ack = Ack("remember", f"{self._seed}/{self._number}", text)
        if self._early:
            say(ack)
        kept = self._memory.remember(text, source_ref=ack.key)
        if not self._early:
            say(ack)
        self._records = [*self._records[-REMEMBERED_MAX:], (ack.key, kept.record_id)]

    def _claim(self) -> None:
        text = f"structured {self._seed} {self._number}: {words(self._rng, 12)}"
        kept = self._memory.remember(text, kind=self._rng.choice(KINDS))
        claim = kept.claims[0]
        say(Ack("claim", claim.claim_id, text))
        self._claims.append(claim.claim_id)

    def _approve(self) -> None:
        claim_id = self._claims.pop()
        self._memory.approve(claim_id)
        say(Ack("approve", claim_id))

    def _judge(self) -> None:
        verdict = self._memory.judge("Bash", {"command": self._rng.choice(COMMANDS)})
        say(Ack("judge", verdict.verdict_id))

    def _recall(self) -> None:
        # An execution's packet is in the access chain before it is handed out.
        packet = self._memory.recall("Deploy the cart to production", impact="execute")
        say(Ack("recall", packet.packet_id))

    def _withdraw(self) -> None:
        key, record_id = self._records.pop()
        self._memory.reject(record_id, reason="taken back")
        say(Ack("withdraw", key))

    def _import(self) -> None:
        run = f"{self._rng.getrandbits(32):08x}-0000-4000-8000-{self._rng.getrandbits(48):012x}"
        path = self._folder / f"{run}.jsonl"
        write_transcript(path, session_id=run, items=IMPORT_ITEMS, rng=self._rng, characters=200)
        announced = Ack("importing", run, str(path), IMPORT_ITEMS)
        say(announced)
        self._memory.import_trace(path)
        say(Ack("import", run, str(path), IMPORT_ITEMS))


def main() -> None:
    folder, seed, threads = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    early = sys.argv[4:] == ["early"]
    import_.BATCH_ITEMS = IMPORT_BATCH
    say(Ack("ready", "opening"))
    with open_store(folder) as memory:
        say(Ack("ready", "open"))
        writers = [Writer(memory, folder, f"{seed}.{number}", early=early) for number in range(threads)]
        running = [threading.Thread(target=writer.run) for writer in writers]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()


if __name__ == "__main__":
    main()
