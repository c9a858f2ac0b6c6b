"""`provenance` and `scorecard`: what everybody wrote, and how far it can be relied on, for people who audit."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from heedful.bootstrap import App
from heedful.interfaces.cli.door import JsonOption, door_of
from heedful.interfaces.cli.output import say, write_json
from heedful.service.auditing.provenance import ProvenanceFound
from heedful.service.auditing.provenance import provenance as provenance_of
from heedful.service.auditing.scorecard import DAYS, Scorecard
from heedful.service.auditing.scorecard import scorecard as scorecard_of
from heedful.service.recalling.must import MUST_MAX, must_malformed


def register(app: typer.Typer) -> None:
    """The commands of this file, added to the app."""
    app.command("provenance")(provenance)
    app.command("scorecard")(scorecard)


def provenance(
    context: typer.Context,
    claim: Annotated[str | None, typer.Option("--claim", help="Of this claim alone.")] = None,
    source: Annotated[
        str | None, typer.Option("--source", help="user, tool, doc or inference; or one, such as tool:Bash.")
    ] = None,
    known_at: Annotated[str | None, typer.Option("--known-at", help="As far as was known then.")] = None,
    after: Annotated[str | None, typer.Option("--after", help="Go on behind this claim.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell what claims came from: people's words, tools' outputs, documents, or somebody's inference. For auditors.

    Example: heedful provenance --source tool
    """
    with door_of(context).session() as (_, session):
        found = provenance_of(session, claim=claim, source=source, known_at=known_at, after=after)
    if as_json:
        write_json(found)
        return
    _say(found)


def scorecard(
    context: typer.Context,
    days: Annotated[int, typer.Option("--days", help="How many days back it looks.")] = DAYS,
    must: Annotated[
        str | None, typer.Option("--must", help="A file of what must be remembered, a JSON object on each line.")
    ] = None,
    metrics: Annotated[bool, typer.Option("--metrics", help="Answer in the text format of Prometheus.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Tell how far the memory can be relied on: recall, phantoms, conflicts, evictions. For auditors.

    Example: heedful scorecard --days 56 --must must.jsonl
    """
    with door_of(context).session() as (app, session):
        items = () if must is None else _lines(app, must)
        card = scorecard_of(session, days=days, must=items, default_scope=app.default_scope)
    if metrics:
        typer.echo(card.metrics(), nl=False)
    elif as_json:
        write_json(card)
    else:
        _say_card(card)


def _lines(app: App, file: str) -> list[dict[str, object]]:
    """The objects of a file of lines; what is no object is told by its number."""
    lines = (line for line in app.batch(Path(file)).lines() if line.strip())
    some = itertools.islice(lines, MUST_MAX + 1)
    return [_object(number, line) for number, line in enumerate(some, start=1)]


def _object(number: int, line: bytes) -> dict[str, object]:
    try:
        return msgspec.json.decode(line, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise must_malformed(number, "it is no JSON object") from error


def _say_card(card: Scorecard) -> None:
    say(f"from {card.since} to {card.until}")
    counted = {
        "memory_recall_reliability": f"{card.recall_asked} {card.recall_from or 'questions or marks'}",
        "memory_phantoms_per_1k_writes": f"{card.phantoms_found} of {card.written} claims",
        "memory_conflict_resolution_time_s": f"{card.conflicts_resolved} resolved, {card.conflicts_open} open",
        "memory_conflict_answer_time_s": f"{card.conflicts_asked} answered",
        "memory_automatic_eviction_pct": f"{card.archived} archived by a rule, of {card.held} active",
    }
    for name, of_what in counted.items():
        value = getattr(card, name)
        say(f"{name}: {'not measured' if value is None else f'{value:g}'} ({of_what})")
    for phantom in card.phantoms:
        say(f"  claim {phantom.claim_id}: {phantom.reason}")


def _say(found: ProvenanceFound) -> None:
    if not found.rows:
        say("No claim came from there.")
        return
    for source_type, claims in found.claims_by_source.items():
        say(f"{source_type}: {claims} claims", style="bold")
    # Lines, not a table: three ids and times side by side would be broken, and could not be copied.
    for row in found.rows:
        say(f"  claim {row.claim_id}  {row.source_type}  {row.source_id}  tier {row.tier_at_write}  {row.wrote_at}")
    if found.next_after is not None:
        say(f"  (and more: --after {found.next_after})")
