"""`tour`: the whole path in one minute, on a store of its own that is thrown away afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from heedful.bootstrap import App, init_store, open_store, throwaway_store
from heedful.claims.claim import Claim, ClaimStatus
from heedful.claims.extract import extract_statements
from heedful.evidence.packet import Packet
from heedful.interfaces.cli.door import door_of
from heedful.interfaces.cli.gate import say_verdict
from heedful.interfaces.cli.memory import say_import, say_packet
from heedful.interfaces.cli.output import say, table
from heedful.interfaces.cli.review import say_claim, say_record
from heedful.kernel.errors import FaultError
from heedful.kernel.times import parse_time
from heedful.observations.text import query_terms, search_tokens
from heedful.ports.store import Chain
from heedful.service import review
from heedful.service.acting.judge import judge
from heedful.service.auditing.audit import Audit, verify
from heedful.service.auditing.export_ledger import export_ledger
from heedful.service.auditing.import_ledger import import_ledger
from heedful.service.governing.modes import set_mode
from heedful.service.keeping.import_ import ImportReport, import_trace
from heedful.service.recalling.recall import recall
from heedful.service.requests import action_request, memory_request
from heedful.service.session import Session
from heedful.settings import STORE_FOLDER, Settings

SCOPE = ("project:payments",)
PRINCIPAL = "person:tour"
STARTS = "2026-11-28T09:00:00Z"
QUESTION = "The totals are right again: can the corrected invoices go live this afternoon?"
CALLS = (
    ("Bash", {"command": "git log --oneline -5"}),
    ("Bash", {"command": "kubectl --context production apply -f deploy/production/invoices.yaml"}),
    ("Bash", {"command": "git push --force origin main"}),
)
ENFORCED = ("deploy", "deploy.freeze", "push", "push.history")
LEDGER_ROWS_SHOWN = 8
COPY = "copy"
PACKET_TOKENS = 500
DIGEST_CHARACTERS = 16


def register(app: typer.Typer) -> None:
    """The command of this file, added to the app."""
    app.command("tour")(tour)


def tour(
    context: typer.Context,
    trace: Annotated[
        Path | None, typer.Option("--trace", help="Your own transcript instead of the sample that comes with Heedful.")
    ] = None,
    question: Annotated[str | None, typer.Option(help="With --trace: what to ask.")] = None,
) -> None:
    """Walk the whole path: a recorded run becomes evidence, a decision state, a packet, a verdict.

    Nothing of it stays: the tour's store lies in a temporary folder, or with --database in a database that is empty
    before and after. No other network is used.
    Example: heedful tour
    Example: heedful tour --trace ~/.claude/projects/my-project/SESSION.jsonl
    """
    with tempfile.TemporaryDirectory(prefix="heedful-tour-") as folder:
        settings = replace(
            door_of(context).settings,
            tenant="default",
            principal=PRINCIPAL,
            keys_dir=str(Path(folder) / "keys"),
            store=str(Path(folder) / "store" / STORE_FOLDER),
        )
        (Path(folder) / "store").mkdir()
        if trace is None:
            _tour_of_sample(Path(folder), settings)
        else:
            _tour_of_trace(Path(folder), settings, trace, question)


def _tour_of_sample(folder: Path, settings: Settings) -> None:
    starts_us = parse_time(STARTS, field="starts").at_us
    with throwaway_store(folder / "store", settings, scope=SCOPE, packs=("delivery",), starts_us=starts_us) as app:
        session = app.session()
        say(f"The tour's clock stands at {STARTS}, whatever today is; its store is thrown away at the end.")
        _step(1, "A recorded run becomes evidence")
        with resources.as_file(resources.files("heedful") / "samples" / "release_run.jsonl") as sample:
            report = _import(app, session, sample)
        _show_ledger(session)
        _step(2, "What the user asked to have remembered is proposed, and a person approves it with its evidence")
        _approve_proposals(session, report)
        _step(3, "A question that shares no word with it")
        _ask_without_a_shared_word(session)
        _step(4, "Three tool calls before they are made")
        _judge_calls(session)
        _step(5, "The ledger holds")
        _say_audit(verify(session, views=True, progress=_silent))
        _step(6, "A copy that was tampered with does not")
        _show_tampering(app, session, folder)
    say()
    say("That was the whole path. Next: `heedful init` in your project, or `heedful tour --trace YOUR_SESSION.jsonl`.")


def _tour_of_trace(folder: Path, settings: Settings, trace: Path, question: str | None) -> None:
    with throwaway_store(folder / "store", settings, scope=("project:tour",), packs=("delivery",)) as app:
        session = app.session()
        _step(1, "Your transcript becomes evidence, in a store that is thrown away at the end")
        report = _import(app, session, trace)
        _show_ledger(session)
        _step(2, "What was proposed")
        if report.claims:
            _approve_proposals(session, report)
        else:
            say("Nothing was proposed: nothing that was said is taken for lasting. Ask for it in a line of your own:")
            say("`remember: release.freeze: No deploys until Friday. until=2026-12-04`.")
        _step(3, "A question to it")
        asked = question or "What was done here, and did it work?"
        say(f'asked: "{asked}"')
        packet = _recall(session, asked, app.default_scope)
        if not packet.items:
            say("Nothing visible matches that question; ask another with --question.")
        _step(4, "The ledger holds")
        _say_audit(verify(session, views=True, progress=_silent))


def _step(number: int, title: str) -> None:
    say()
    say(f"{number}. {title}", style="bold cyan")


def _import(app: App, session: Session, path: Path) -> ImportReport:
    importer, source = app.trace(path)
    report = import_trace(session, importer, source, scope=app.default_scope, progress=_silent)
    say_import(report)
    return report


def _show_ledger(session: Session) -> None:
    rows = []
    with session.store.read() as reading:
        head = reading.head(Chain.LEDGER)
        for sealed in reading.events(Chain.LEDGER, after=max(0, head.position - LEDGER_ROWS_SHOWN)):
            envelope = sealed.envelope
            rows.append((str(envelope.position), envelope.type, sealed.digest[:DIGEST_CHARACTERS]))
    title = f"the last of {head.position} events in the ledger, each chained to the one before"
    table(title, ("position", "event", "SHA-256"), rows)


def _approve_proposals(session: Session, report: ImportReport) -> None:
    """The first is shown with the record that it rests on; the others are approved in a line each.

    What a classifier heard in the words, and nobody asked for, is left waiting: a person would look at each.
    """
    waiting = [
        (proposed, *review.show(session, proposed.claim_id))
        for proposed in report.claims
        if proposed.status not in (ClaimStatus.ACTIVE, ClaimStatus.SUPERSEDED)
    ]
    asked = [each for each in waiting if any(extract_statements(stored.record.content or "") for stored in each[2])]
    for index, (proposed, claim, records) in enumerate(asked):
        if index == 0 and isinstance(claim, Claim):
            say_claim(claim)
            for record in records:
                say("rests on:")
                say_record(record)
        reviewed = review.approve(session, proposed.claim_id, "read the evidence on the tour")
        solo = " (solo profile: one person runs this store)" if reviewed.solo else ""
        say(f"approved: {proposed.kind} is {reviewed.status} now{solo}", style="green")
    if len(asked) < len(waiting):
        say(f"{len(waiting) - len(asked)} more were heard in what was said; they wait, unreviewed, for a person's look")


def _ask_without_a_shared_word(session: Session) -> None:
    say(f'asked: "{QUESTION}"')
    packet = _recall(session, QUESTION, SCOPE)
    brought = [item for item in packet.items if item.bridges and not item.unreviewed]
    if not brought:
        raise FaultError("tour_broken", "the tour's decision state did not come to mind", next_step="report this")
    shared = set(query_terms(QUESTION)) & {token for item in brought for token in search_tokens(item.text)}
    say()
    if shared:
        raise FaultError("tour_broken", f"the tour's question shares words with its decision state: {sorted(shared)}")
    for item in brought:
        say(
            f"[{item.cite}] shares no word with the question; bridge {item.bridges[0].bridge_id} brought it:",
            style="green",
        )
        say(f"    {item.bridges[0].reason}")


def _recall(session: Session, question: str, scope: Sequence[str]) -> Packet:
    packet = recall(session, memory_request(session, question, scope=scope, budget_tokens=PACKET_TOKENS))
    say_packet(packet)
    return packet


def _judge_calls(session: Session) -> None:
    for target in ENFORCED:
        set_mode(session, target, "enforce", "the tour shows what enforcing does")
    say("Bundled packs ship in `advise`. The tour sets these to `enforce`, as `heedful registry mode` does:")
    say(f"  {', '.join(ENFORCED)}")
    for tool, args in CALLS:
        say()
        say(f"{tool} {args}", style="bold")
        say_verdict(judge(session, action_request(session, tool, scope=SCOPE, args=args), packet_id=None))


def _show_tampering(app: App, session: Session, folder: Path) -> None:
    """The ledger is copied into a store on SQLite, one word there is changed on disk, and the copy is verified."""
    (folder / "copy").mkdir()
    settings = replace(app.settings, database=None, store=str(folder / "copy" / STORE_FOLDER), tenant=COPY)
    bundle = folder / "ledger.jsonl"
    export_ledger(session, app.bundle_target(bundle), _silent)
    with init_store(folder / "copy", replace(settings, tenant="default"), scope=SCOPE, packs=("delivery",)) as copy:
        key = session.keys.known_key(session.store.tenant.tenant_id)
        arrival = copy.arrival(session.principal, session.channel)
        import_ledger(arrival, copy.bundle_source(bundle), name=COPY, key=key, progress=_silent)
    said, forged = b"Nothing goes to production", b"Anything goes to productio"
    changed = 0
    for path in (folder / "copy" / STORE_FOLDER / "tenants").glob("*.db"):
        content = path.read_bytes()
        changed += content.count(said)
        path.write_bytes(content.replace(said, forged))
    say(f"In a copy of the store, {said.decode()!r} was changed into {forged.decode()!r} in {changed} places on disk.")
    with open_store(settings) as copy:
        audit = verify(copy.session(), views=False, progress=_silent)
        _say_audit(audit)
        if audit.ledger.broken is None:
            raise FaultError("tour_broken", "the tour's tampering was not found", next_step="report this")


def _say_audit(audit: Audit) -> None:
    for name, chain in (("ledger", audit.ledger), ("access chain", audit.access)):
        if chain.broken is None:
            say(f"{name}: {chain.event_count} events hold", style="green")
        else:
            say(f"{name}: BROKEN at event {chain.broken.position}: {chain.broken.breach}", style="bold red")
    if audit.views != "unchecked":
        say(f"views: {audit.views} to what a refold of the ledger gives, byte for byte", style="green")


def _silent(_done: int) -> None:
    """No bar: the tour's work takes no time worth watching."""
