"""`why` and `verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from heedful.bootstrap.proofs import check_receipt_file, read_proof_file
from heedful.evidence.change_words import change_line
from heedful.evidence.escape import visible_line
from heedful.evidence.packet import Change
from heedful.evidence.render import packet_from_json
from heedful.interfaces.cli.door import JsonOption, ScopeOption, door_of, scope_or_default
from heedful.interfaces.cli.memory import json_object, say_packet
from heedful.interfaces.cli.output import say, write_json
from heedful.interfaces.cli.progress import counting
from heedful.interfaces.cli.review import say_action, say_claim, say_record
from heedful.interfaces.problems import EXIT_NO
from heedful.ledger.verify import Verification
from heedful.ports.store import Chain, StoredRecord
from heedful.service.auditing import audit as service
from heedful.service.auditing.replay import Replay
from heedful.service.auditing.why import Why
from heedful.service.auditing.why import why as explain
from heedful.service.recalling.why_not import WhyNot
from heedful.service.recalling.why_not import why_not as explain_silence
from heedful.service.requests import memory_request


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("why")(why)
    app.command("verify")(verify)


def why(
    context: typer.Context,
    item_id: Annotated[str, typer.Argument(metavar="ID", help="Of a claim, record, packet or verdict.")],
    request: Annotated[
        str | None, typer.Option(help="A request: why the claim of that ID does not come to mind for it.")
    ] = None,
    tool: Annotated[str | None, typer.Option(help="The tool that this request is about to call.")] = None,
    args: Annotated[str, typer.Option(help="That tool's arguments, a JSON object.")] = "{}",
    scope: ScopeOption = None,
    as_of: Annotated[
        str | None, typer.Option(help="Why it was believed then; with a request, when that is asked.")
    ] = None,
    replay: Annotated[bool, typer.Option("--replay", help="Make the packet or verdict again, and compare.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Explain why something is known or was answered; with a request, why a claim does not come to mind for it.

    Example: heedful why 01981f6e-...
    Example: heedful why 01981f6e-... --request "Can the invoices go live today?"
    Example: heedful why 01981f6e-... --as-of 2026-11-01
    Example: heedful why 01981f6e-... --replay
    """
    with door_of(context).session() as (app, session):
        if request is not None or tool is not None:
            asked = memory_request(
                session,
                request or "",
                scope=scope_or_default(app, scope),
                tool=tool,
                args=json_object(args, field="args"),
                as_of=as_of,
            )
            missed = explain_silence(session, item_id, asked)
            if as_json:
                write_json(missed)
            else:
                _say_missed(missed)
            return
        found = explain(session, item_id, as_of=as_of, replay=replay)
        if as_json:
            write_json(found)
            return
        _say_found(found)


def _say_found(found: Why) -> None:
    if found.item == "packet":
        say_packet(packet_from_json(found.found))
    elif found.item == "verdict":
        say_action(found.found)
    if found.item == "record":
        say_record(msgspec.convert(found.found, StoredRecord))
    if found.item == "claim":
        _say_claim(found)
        _say_currency(found)
    for claim in found.claims:
        say_claim(claim)
    for stored in found.records:
        say_record(stored)
    for step in found.steps:
        place = f"#{step.position}  " if step.position else ""
        say(f"  {step.at}  {place}{step.type}  {step.actor}  {step.text}")
    if found.history_cut:
        say("  (the history is longer than was walked)")
    if found.replay is not None:
        _say_replay(found.replay)


def _say_claim(found: Why) -> None:
    claim = found.found
    say(f"claim {found.item_id}: {claim['statement']}", style="bold")
    known = "" if found.known_at is None else f"as known at {found.known_at}: "
    say(
        f"  {known}{claim['status']} ({claim['status_reason']}), tier {claim['tier']}, confidence {claim['confidence']}"
        f", layer {claim['layer']}"
    )
    if found.conflicts:
        still = sum(each.is_open for each in found.conflicts)
        say(f"  conflicts: {len(found.conflicts)}, of which {still} wait for a person")


def _say_replay(replay: Replay) -> None:
    if replay.same:
        say("replay: the same, byte for byte", style="green")
    elif replay.same is None:
        say(f"replay: not made again: {replay.because}", style="yellow")
    else:
        say(f"replay: it differs, first at {replay.differs}: {replay.because}", style="red")


def _say_currency(found: Why) -> None:
    if found.found["currency"] is not None:
        say(f"  {found.found['currency']}")
    if found.found["change"] is not None:
        say(f"  {visible_line(change_line(msgspec.convert(found.found['change'], Change)))}")
    if found.claims:
        say("  it rests on:")


def _say_missed(missed: WhyNot) -> None:
    say(f"claim {missed.claim.claim_id} ({missed.claim.kind}): {missed.claim.statement}", style="bold")
    if missed.outcome == "in-mind":
        say("It comes to mind for this request.", style="green")
    elif missed.outcome == "crowded":
        say("Nothing stands in its way, and more decision states bear on this request than are looked at.")
    elif missed.outcome == "shadow":
        say("It would come to mind, and is in shadow.")
    else:
        say("It does not come to mind for this request.", style="red")
    for reason in missed.reasons:
        say(f"  {reason.obstacle}: {reason.text}")
    for matches, name in ((missed.classes, "class"), (missed.hints, "hint")):
        for match in matches:
            say(f"  {name} {match.action_class} {match.confidence:g} ({match.method}: {match.because})")
    for way in missed.ways:
        say(f"  way: {way.text}")


def verify(
    context: typer.Context,
    views: Annotated[
        bool, typer.Option("--views", help="Also refold the ledger and compare with the live views.")
    ] = False,
    checkpoint: Annotated[
        Path | None, typer.Option("--checkpoint", help="Also hold the chains against the checkpoint in this file.")
    ] = None,
    receipt: Annotated[
        Path | None, typer.Option("--receipt", help="Check the signed receipt in this file; no store is looked at.")
    ] = None,
    key: Annotated[str | None, typer.Option("--key", help="Of the receipt: the id of a key that you trust.")] = None,
    keys: Annotated[
        Path | None, typer.Option("--keys", help="Of the receipt: what `keys show --json` printed, which you trust.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check the hash chains; exit 1 and name the first broken event where one does not hold. Or check a receipt.

    Example: heedful verify --views
    Example: heedful verify --checkpoint /mnt/elsewhere/memory.checkpoint.json
    Example: heedful verify --receipt receipt.json --keys keys.json
    """
    if receipt is not None:
        _verify_receipt(receipt, key, keys, as_json=as_json)
        return
    pinned = None if checkpoint is None else read_proof_file(checkpoint)
    with door_of(context).session() as (_, session):
        with session.store.read() as reading:
            total = reading.head(Chain.LEDGER).position
        with counting("verifying", total, shown=not as_json) as advance:
            audit = service.verify(session, views=views, progress=advance, checkpoint=pinned)
        if as_json:
            write_json({"holds": audit.holds, "audit": audit})
        else:
            _say_chain("ledger", audit.ledger)
            _say_chain("access chain", audit.access)
            if audit.checkpoints:
                say(f"checkpoints that they were held against: {audit.checkpoints}")
            if audit.blob_record_id is not None:
                say(f"blob store: content of record {audit.blob_record_id} is {audit.blobs.upper()}", style="bold red")
            if audit.views != "unchecked":
                say(f"views: {audit.views} to what a refold of the ledger gives")
            if audit.views == "different":
                say("  next: `heedful rebuild` makes them anew")
    if not audit.holds:
        raise typer.Exit(EXIT_NO)


def _verify_receipt(file: Path, key: str | None, keys: Path | None, *, as_json: bool) -> None:
    found = check_receipt_file(file, key=key, keys=keys)
    if as_json:
        write_json(found)
    elif found.holds:
        say(f"the receipt of erasure {found.receipt['erasure_id']} holds, signed at {found.signed_at}", style="green")
        if found.trusted_by == "file":
            say(f"  under the key {found.first_key_id}: compare it with what the store's owner tells")
    else:
        say("DOES NOT HOLD: it was changed, or nobody whom you trust signed it", style="bold red")
    if not found.holds:
        raise typer.Exit(EXIT_NO)


def _say_chain(name: str, verification: Verification) -> None:
    if verification.broken is None:
        say(f"{name}: {verification.event_count} events hold, head {verification.head.digest[:16]}", style="green")
        return
    broken = verification.broken
    place = f"event {broken.position}"
    if broken.to_position is not None:
        place = f"one of the events {broken.position} to {broken.to_position}"
    say(f"{name}: BROKEN at {place}: {broken.breach}", style="bold red")
