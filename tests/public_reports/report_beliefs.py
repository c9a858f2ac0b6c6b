"""Public reports of what is believed and when: how their steps map to Heedful's, beside the table in report_cases.py.

| in a case                            | here                                                                       |
| ------------------------------------ | -------------------------------------------------------------------------- |
| scope `t1/ana`, who writes           | scope `user:ana`, written by Ana herself, who consents to its being kept   |
| `write`                              | a `remember:` line, which asks for a claim; or `remember` with a kind       |
| `write_raw`, `extract_and_write`     | `remember` with kind and value; a `remember:` line                         |
| an entity that a text is about       | `subject`, given by whoever tells it: none is read out of a sentence       |
| `said_at`, `at`                      | `occurred_at`                                                              |
| `now`, `asked_at`, `as_of`           | `recall(as_of=)`                                                           |
| `expires`                            | "until" in words, read in the store's zone                                 |
| `update`                             | `correct` of the newest version                                            |
| `delete`, `link` of `invalidates`    | `retract` with a reason: an entry in the history. Erasure is another verb  |
| `history`                            | `why`, and the claims of the property in every status                      |
| `list`                               | active claims                                                              |
| `gate_with_model_output`             | what a model says of an id is `confirm` or `retract`; it decides nothing   |
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from report_store import SETTINGS, ReportStore

from heedful import Memory
from heedful.claims.claim import Claim, ClaimStatus
from heedful.evidence.packet import PacketItem
from heedful.service.sight import visible_everywhere

ANA = ("user:ana",)
AUTO_APPROVE = """\
  auto_approve:
    enabled: true
    forms: [preference, fact, plan, event]
    kind_risks: [low]
    classifications: [normal]
    consent_explicit: true
kinds:
  ops.primary: {description: Which server is the primary., form: fact, cardinality: one, comparator: text, risk: low}
"""


@contextmanager
def believing(folder: Path, *, zone: str = "UTC") -> Iterator[ReportStore]:
    """The reports' store, where low-risk statements with explicit consent are approved by policy."""
    with ReportStore(folder, settings=replace(SETTINGS, zone=zone)) as store:
        policy = folder / ".heedful" / "registry" / "policy.yaml"
        policy.write_text(policy.read_text("utf-8") + AUTO_APPROVE, "utf-8")
        store.reopen()
        yield store


def ana_of(store: ReportStore) -> Memory:
    """Ana's own memory."""
    return store.memory("t1", "person:ana")


def write(memory: Memory, text: str, **more: Any) -> str:
    """The id of the claim that Ana's statement asks for; a `remember:` line where no kind is given."""
    line = text if "kind" in more else f"remember: {text}"
    kept = memory.remember(line, scope=ANA, consent="explicit", **more)
    assert len(kept.claims) == 1, kept
    return kept.claims[0].claim_id


def claims_of(store: ReportStore, *statuses: ClaimStatus) -> list[Claim]:
    """The claims about Ana in these statuses, or in any, the oldest first."""
    session = store.app.session(tenant="t1", principal="person:ana")
    with session.store.read() as reading:
        found = reading.claims_about(visible_everywhere(session, reading), "user:ana", limit=1_000)
    return [claim for claim in reversed(found) if not statuses or claim.status in statuses]


def recalled(memory: Memory, question: str, as_of: str | None = None) -> list[PacketItem]:
    """The claims in the packet for this question."""
    return [item for item in memory.recall(question, scope=ANA, as_of=as_of).items if item.item == "claim"]
