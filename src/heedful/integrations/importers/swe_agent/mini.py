"""mini-SWE-agent trajectories: a chat history, with what the program noted about each row in `extra`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heedful.integrations.importers.items import RunItems
from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.run_rows import PROGRAM, Run, digest_of, list_of, object_of
from heedful.integrations.importers.swe_agent.identity import run_name
from heedful.integrations.importers.swe_agent.messages import History
from heedful.integrations.importers.values import named, time_of
from heedful.kernel.times import SourceTime
from heedful.ports.importer import ImportedItem, ImportProblem

SOURCE = "mini-swe-agent"


class MiniSweAgentTrajectory:
    """mini-SWE-agent, 1 and 2. See DocumentFormat."""

    @property
    def name(self) -> str:
        """See DocumentFormat.name."""
        return SOURCE

    def recognises(self, document: object) -> bool:
        """See DocumentFormat.recognises: it names its format, or its program's version."""
        fields = object_of(document)
        written = fields.get("trajectory_format")
        named_so = isinstance(written, str) and written.startswith(SOURCE)
        return isinstance(fields.get("messages"), list) and (
            named_so or isinstance(object_of(fields.get("info")).get("mini_version"), str)
        )

    def items(  # a renamed file is the same run
        self,
        document: object,
        source_name: str,  # noqa: ARG002
    ) -> Iterator[ImportedItem | ImportProblem]:
        """See DocumentFormat.items."""
        fields = object_of(document)
        messages = list_of(fields.get("messages"))
        run = Run(RunItems(SOURCE, run_name(fields, messages)))
        history = History()
        for place, message in enumerate(messages):
            # The place is part of the name: rows that are alike, such as two empty outputs, are two rows.
            row = run.row(f"message-{place}", message, occurred=_occurred(message))
            if isinstance(message, dict):
                yield from history.take(row, message)
            else:
                row.unknown("raw", "message", message)
                yield from row.found
        yield from _about(run, {name: value for name, value in fields.items() if name != "messages"})


def _occurred(message: Any) -> SourceTime | None:
    extra = object_of(object_of(message).get("extra"))
    return time_of(extra.get("timestamp")) or time_of(object_of(extra.get("response")).get("created"))


def _about(run: Run, about: JsonObject) -> Iterator[ImportedItem | ImportProblem]:
    details = object_of(about.get("info"))
    attributes = named("exit_status", details.get("exit_status")) + named("version", details.get("mini_version"))
    for name, value in sorted(object_of(details.get("model_stats")).items()):
        attributes += named(name, value) if name.isidentifier() else ()
    row = run.row(f"about-{digest_of(about)}", about, attributes=attributes)
    row.raw("raw", "trajectory", PROGRAM, about)
    yield from row.found
