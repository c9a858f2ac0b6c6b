"""kill -9 at random points: nothing that was acknowledged is lost, nothing is half there, a refold equals the views.

Run: python bench/kills.py [--kills 100] [--seed 1] [--ci] [--json] [--folder DIR]

A process writes in every way (remember, claims, approvals, verdicts, withdrawals, imports, packets of executions), from
one thread or four, and acknowledges each write through a pipe after the store has answered. It is killed at a random
moment, sometimes while it opens the store, sometimes beside a second writer that is killed at another moment. The
store is then opened, checked whole and written to again; it is the same store over all kills. The control is a writer
that acknowledges before it writes: losses must be found there.

This proves what a crash of the process leaves. A power cut is another matter: that a commit waits for the disk is
what `PRAGMA synchronous = FULL` is for.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from _crash_acks import Ack, heard
from _crash_check import Findings, check, resume_imports
from _report import Report, arguments_of, bench_folder, exact, machine, percentile
from _stores import new_store, open_store

from heedful.ledger.seal import EMPTY_HEAD, Head

WRITER = Path(__file__).with_name("_crash_writer.py")
MOMENTS = ("opening", "open", "acknowledged")
"""What a writer has just done when the time to its kill begins: started to open the store, opened it, written once."""
LIFE_SECONDS_MAX = 0.5
OPENING_SECONDS_MAX = 0.1
READY_SECONDS_MAX = 60.0
CONTROL_KILLS_MAX = 10
FINDINGS_SHOWN = 10


class Victim:
    """A writer's process and what it has said so far."""

    def __init__(self, folder: Path, seed: str, threads: int, *, early: bool) -> None:
        command = [sys.executable, str(WRITER), str(folder), seed, str(threads), *(["early"] if early else [])]
        self._errors = (folder / f"{seed}.stderr").open("wb+")
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._errors)
        self.acks: list[Ack] = []
        self.announced = {moment: threading.Event() for moment in MOMENTS}
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            ack = heard(line)
            if ack is not None and ack.verb == "ready":
                self.announced[ack.key].set()
            elif ack is not None:
                self.acks.append(ack)
                self.announced["acknowledged"].set()

    def kill(self, *, moment: str, seconds: float) -> str:
        """Killed that long after it announced the moment; what it died of where that was something else."""
        was_ready = self.announced[moment].wait(READY_SECONDS_MAX)
        time.sleep(seconds)
        died = self._process.poll()
        self._process.kill()
        self._process.wait()
        self._listener.join()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace")[-2_000:]
        self._errors.close()
        if died is not None or said or not was_ready:
            return f"exit code {died}: {said}" if was_ready else f"not ready in {READY_SECONDS_MAX} s: {said}"
        return ""


@dataclass(slots=True)
class Outcome:
    """What came of all kills.

    Attributes:
        writes: acknowledged writes by verb.
        troubles: what writers said or died of before they were killed.
        reopen_seconds: of each open after a kill.
    """

    kills: int = 0
    writes: Counter[str] = field(default_factory=Counter)
    findings: Findings = field(default_factory=Findings)
    troubles: list[str] = field(default_factory=list)
    reopen_seconds: list[float] = field(default_factory=list)
    head: Head = EMPTY_HEAD


def kill_writers(folder: Path, kills: int, *, seed: int, early: bool = False) -> Outcome:
    """What came of so many kills on one store, which is made in `folder`."""
    rng = random.Random(seed)
    new_store(folder).close()
    outcome = Outcome()
    everything: list[Ack] = []
    while outcome.kills < kills:
        said = _round(folder, rng, outcome, early=early)
        everything += said
        started = time.perf_counter()
        with open_store(folder) as memory:
            outcome.reopen_seconds.append(time.perf_counter() - started)
            findings, outcome.head = check(memory, said, before=outcome.head)
            outcome.findings.add(findings)
            outcome.findings.add(resume_imports(memory, said))
        if early and outcome.findings.lost:
            break
    with open_store(folder) as memory:
        findings, outcome.head = check(memory, everything, before=outcome.head)
    # What was lost at once is lost at the end as well: counted once.
    outcome.findings.lost = list(dict.fromkeys(outcome.findings.lost + findings.lost))
    outcome.findings.half = list(dict.fromkeys(outcome.findings.half + findings.half))
    outcome.findings.broken += findings.broken
    outcome.writes = Counter(ack.verb for ack in everything if ack.verb != "importing")
    return outcome


def _round(folder: Path, rng: random.Random, outcome: Outcome, *, early: bool) -> list[Ack]:
    """One or two writers live and die; what they said."""
    victims = [
        Victim(folder, f"life{outcome.kills}.{number}", rng.choice((1, 4)), early=early)
        for number in range(2 if rng.random() < 0.2 and not early else 1)
    ]
    for victim in victims:
        moment = rng.choices(MOMENTS, (0, 1, 0) if early else (1, 3, 6))[0]
        seconds = OPENING_SECONDS_MAX if moment == "opening" else LIFE_SECONDS_MAX
        trouble = victim.kill(moment=moment, seconds=rng.uniform(0, seconds))
        outcome.troubles += [trouble] if trouble else []
        outcome.kills += 1
    return [ack for victim in victims for ack in victim.acks]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int)
    parser.add_argument("--seed", type=int, default=1)
    arguments = arguments_of(parser)
    kills: int = arguments.kills or (10 if arguments.ci else 100)
    with bench_folder(arguments) as folder:
        report = Report(f"kill -9 at random points, {kills} times", machine(folder))
        started = time.perf_counter()
        outcome = kill_writers(folder / "store", kills, seed=arguments.seed)
        seconds = time.perf_counter() - started
        control = kill_writers(folder / "control", CONTROL_KILLS_MAX, seed=arguments.seed, early=True)
    report.row("killed", {"kills": outcome.kills, "seconds": round(seconds, 1), "ledger events": outcome.head.position})
    report.row("acknowledged", {"writes": outcome.writes.total(), **outcome.writes})
    report.row(
        "open after a kill",
        {
            "p50 ms": round(percentile(outcome.reopen_seconds, 50) * 1e3, 1),
            "worst ms": round(max(outcome.reopen_seconds) * 1e3, 1),
        },
    )
    report.row("control: acknowledged too early", {"kills": control.kills, "losses found": len(control.findings.lost)})
    found = outcome.findings
    report.notes += (found.lost + found.half + found.broken + outcome.troubles)[:FINDINGS_SHOWN]
    report.figures += [
        exact("acknowledged writes lost", len(found.lost)),
        exact("half-applied writes", len(found.half)),
        exact("broken chains, or views that differ from a refold", len(found.broken)),
        exact("writers that failed by themselves", len(outcome.troubles) + len(control.troubles)),
        exact("the control finds losses", float(bool(control.findings.lost)), 1),
    ]
    return report.finish(arguments)


if __name__ == "__main__":
    sys.exit(main())
