"""`review list | show | approve | reject | answer | mark`."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from heedful.claims.claim import Claim
from heedful.interfaces.cli.conflicts import answer, say_conflict
from heedful.interfaces.cli.door import JsonOption, KnownAtOption, ReasonOption, door_of
from heedful.interfaces.cli.merging import say_namesakes
from heedful.interfaces.cli.output import say, write_json
from heedful.kernel.times import format_time
from heedful.ports.store import StoredRecord
from heedful.service import review as service
from heedful.service.belief.approve_claim import Reviewed
from heedful.service.belief.archive import ArchivedClaims, archived_claims
from heedful.service.governing.mark import mark as mark_item
from heedful.service.governing.proposed_workflow import is_workflow

_group = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Decide what may be believed: a person's part. Agents only propose.",
)
ItemArgument = Annotated[str, typer.Argument(metavar="ID", help="Of a claim, a record, or a verdict.")]
_EXCERPT_CHARACTERS = 300


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    _group.command("answer")(answer)
    app.add_typer(_group, name="review")


@_group.command("list")
def list_(
    context: typer.Context,
    archived: Annotated[
        bool, typer.Option("--archived", help="List the claims in the archive instead, with the reason of each.")
    ] = False,
    known_at: KnownAtOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what waits for a person: claims, pending records, actions judged in the last hour, and questions.

    Example: heedful review list
    """
    with door_of(context).session() as (_, session):
        if archived:
            _list_archived(archived_claims(session, known_at=known_at), as_json=as_json)
            return
        queue = service.review_queue(session, known_at=known_at)
        if as_json:
            write_json(queue)
            return
        if not any((queue.claims, queue.records, queue.verdicts, queue.proposals, queue.questions, queue.namesakes)):
            say("Nothing waits for review.")
            return
        _say_claims(queue)
        for each in queue.records:
            say(f"record {each.record.record_id}  {each.status} ({each.status_reason})", style="bold")
            say(f"  {each.record.type} in {each.record.scope}, by {each.record.principal}: {excerpt(each)}")
        for verdict in queue.verdicts:
            say_action(verdict)
        for proposal in queue.proposals:
            say_proposal(proposal)
        for question in queue.questions:
            say_conflict(question)
        for pair in queue.namesakes:
            say_namesakes(pair)
        if queue.cut:
            say("  (and more)")
        say("next: `heedful review show ID`, then `heedful review approve ID --reason ...` or `reject`")


def _say_claims(queue: service.ReviewQueue) -> None:
    same = {each.claim_id: each.same_as for each in queue.alike}
    for claim in queue.claims:
        say(f"claim {claim.claim_id}  {claim.status}", style="bold")
        say(f"  {claim.kind} in {claim.scope}, by {claim.proposed_by}: {claim.statement}")
        if claim.claim_id in same:
            say(f"  perhaps the same as claim {same[claim.claim_id]}, in other words", style="yellow")


def _list_archived(found: ArchivedClaims, *, as_json: bool) -> None:
    if as_json:
        write_json(found)
        return
    if not found.claims:
        say("The archive is empty.")
        return
    for claim in found.claims:
        say(f"claim {claim.claim_id}  {claim.status_reason}", style="bold")
        say(f"  {claim.kind} in {claim.scope}: {claim.statement}")
    if found.cut:
        say("  (and more)")
    say("next: `heedful unarchive ID --reason ...` takes one back")


@_group.command("show")
def show(
    context: typer.Context, item_id: ItemArgument, known_at: KnownAtOption = None, as_json: JsonOption = False
) -> None:
    """Show a claim with the records that it rests on, a record, or the action of a verdict.

    Example: heedful review show 01981f6e-...
    """
    with door_of(context).session() as (_, session):
        item, records = service.show(session, item_id, known_at=known_at)
        if as_json:
            write_json({"item": item, "evidence": records})
            return
        if isinstance(item, Claim):
            say_claim(item)
        elif isinstance(item, StoredRecord):
            say_record(item)
        elif "proposal_id" in item:
            say_proposal(item)
        else:
            say_action(item)
        for stored in records:
            say()
            say("evidence:", style="bold")
            say_record(stored)


@_group.command("approve")
def approve(
    context: typer.Context, item_id: ItemArgument, reason: ReasonOption = "approved", as_json: JsonOption = False
) -> None:
    """Approve a claim, or confirm a pending or withdrawn record.

    Example: heedful review approve 01981f6e-... --reason "checked with finance"
    """
    with door_of(context).session() as (_, session):
        _answer(service.approve(session, item_id, reason), as_json=as_json)


@_group.command("reject")
def reject(
    context: typer.Context, item_id: ItemArgument, reason: ReasonOption = "rejected", as_json: JsonOption = False
) -> None:
    """Revoke a claim, or withdraw a record: claims that rest on it are quarantined.

    Example: heedful review reject 01981f6e-... --reason "the page was out of date"
    """
    with door_of(context).session() as (_, session):
        _answer(service.reject(session, item_id, reason), as_json=as_json)


@_group.command("mark")
def mark(
    context: typer.Context,
    packet: Annotated[str, typer.Argument(metavar="PACKET", help="The id of a packet.")],
    cite: Annotated[str, typer.Argument(metavar="CITE", help="The key of one of its items, such as 1.")],
    relevant: Annotated[
        bool, typer.Option("--relevant/--irrelevant", help="Whether it was right to bring it to mind there.")
    ],
    reason: ReasonOption = "marked from the command line",
    as_json: JsonOption = False,
) -> None:
    """Say whether what a bridge brought into a packet was relevant there; it counts in `registry coverage`.

    Example: heedful review mark 01981f6e-... 1 --irrelevant --reason "that freeze is another team's"
    """
    with door_of(context).session() as (_, session):
        marked = mark_item(session, packet, cite, relevant=relevant, reason=reason)
    if as_json:
        write_json(marked)
        return
    word = "relevant" if marked.relevant else "irrelevant"
    say(f"[{cite}] of packet {marked.packet_id} is marked {word}: {', '.join(marked.bridge_ids)}", style="green")


def _answer(reviewed: Reviewed, *, as_json: bool) -> None:
    if as_json:
        write_json(reviewed)
        return
    say(f"{reviewed.item} {reviewed.item_id} is {reviewed.status}", style="green")
    if reviewed.approvals_missing:
        say("  it is of high risk: another person has to approve as well")
    if reviewed.solo:
        say("  approved under the solo profile; the ledger says so")
    if reviewed.document is not None:
        say("For a file of .heedful/registry, once somebody has finished it; nothing is in force yet:")
        say(reviewed.document)
    for conflict_id in reviewed.conflicts:
        say(f"  another claim says otherwise: `heedful review answer {conflict_id} a|b|neither`", style="yellow")
    for claim_id in reviewed.quarantined:
        say(f"  claim {claim_id} lost its evidence, or what it rests on, and is quarantined")
    for record_id in reviewed.withdrawn_with:
        say(f"  record {record_id}, which was made from it, is withdrawn with it")
    for claim_id in reviewed.fell_back:
        say(f"  claim {claim_id} keeps other evidence, and is corroborated no more")
    for claim_id in reviewed.standing_again:
        say(f"  claim {claim_id}, which only this had ended, stands again")


def say_action(verdict: dict[str, Any]) -> None:
    """The action that a verdict judged, and what it rests on, for people."""
    say(f"verdict {verdict['verdict_id']}  {verdict['decision']} ({verdict['execution']})", style="bold")
    say(f"  {verdict['tool']} {json.dumps(verdict['args'], ensure_ascii=False)}")
    if verdict["text"]:
        say(f"  said to be: {verdict['text']}")
    say(f"  by {verdict['principal']} in {', '.join(verdict['scope'])} at {verdict['judged_at']}; {verdict['impact']}")
    for ruling in verdict["rulings"]:
        say(f"  {ruling['decision']}: {ruling['reason']} [{ruling['rule']}]")


def say_proposal(proposal: dict[str, Any]) -> None:
    """A bridge that a model proposed, or a workflow that runs show, for people."""
    say(f"proposal {proposal['proposal_id']}  {proposal['status']}", style="bold")
    if is_workflow(proposal):
        _say_workflow(proposal)
        return
    say(f"  {proposal['kind']}, of claim {proposal['claim_id']}, by {proposal['model']}:")
    for each in proposal["classes"]:
        say(f"  before {each['action_class']}: {each['reason']}")


def _say_workflow(proposal: dict[str, Any]) -> None:
    where = ", ".join((*proposal["scope"], *proposal["subjects"]))
    say(
        f"  a workflow for {proposal['intent']} in {where}, by {proposal['proposer']}, asked by {proposal['asked_by']}:"
    )
    for name in proposal["preconditions"]:
        say(f"  first: {name} is verified")
    for number, step in enumerate(proposal["steps"], start=1):
        say(f"  step {number}: {step['tool']} {json.dumps(step['input'], ensure_ascii=False)}")
        if step["verification"] is not None:
            say(f"    verified: {step['verification']['verifies']}: {step['verification']['said']}")
    say(f"  runs: {', '.join(proposal['runs'])}; it rests on {len(proposal['evidence'])} records:")
    for record_id in proposal["evidence"]:
        say(f"    record {record_id}")


def excerpt(stored: StoredRecord) -> str:
    """The beginning of a record's text, or what it is where it has none."""
    content = stored.record.content
    if stored.record.blob is not None:
        return f"({stored.record.media_type}, {stored.record.blob.size_bytes} bytes in the blob store)"
    if content is None:
        return f"({stored.record.media_type})"
    return content if len(content) <= _EXCERPT_CHARACTERS else content[:_EXCERPT_CHARACTERS] + "…"


def say_claim(claim: Claim) -> None:
    """The claim, for people."""
    say(f"claim {claim.claim_id}  {claim.status} ({claim.status_reason})", style="bold")
    say(f"  {claim.statement}")
    say(f"  {claim.kind}, form {claim.form}: {claim.subject} / {claim.property} = {claim.value}")
    say(f"  scope {claim.scope}; {claim.classification}; tier {claim.tier.name}; confidence {claim.confidence:g}")
    say(f"  comes to mind before: {', '.join(claim.applies_to) or '(only when looked for)'}")
    since = format_time(claim.valid_from_us) if claim.valid_from_us is not None else "always"
    until = format_time(claim.valid_to_us) if claim.valid_to_us is not None else "further notice"
    say(f"  holds from {since} until {until}; proposed by {claim.proposed_by}")


def say_record(stored: StoredRecord) -> None:
    """The record, for people."""
    record = stored.record
    say(f"record {record.record_id}  {stored.status} ({stored.status_reason})", style="bold")
    say(f"  {record.type} on the word of: {record.grade} ({record.speaker or record.principal})")
    say(f"  scope {record.scope}; {record.classification}; {format_time(record.occurred.at_us)}")
    if record.flags:
        say(f"  flags: {', '.join(record.flags)}")
    say(f"  {excerpt(stored)}")
