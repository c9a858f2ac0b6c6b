"""The importer of WebArena's render_*.html: the task, and of each step what was seen, said and done."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from heedful.integrations.importers.document import DOCUMENT_BYTES_MAX
from heedful.integrations.importers.inline_bytes import decoded
from heedful.integrations.importers.items import RunItems
from heedful.integrations.importers.json_rows import LINE_BYTES_MAX
from heedful.integrations.importers.run_rows import AGENT, ANSWER, CALL, PROGRAM, PROMPT, Call, Row, Run, Voice
from heedful.integrations.importers.values import named
from heedful.integrations.importers.webarena.chain import Step, steps_of
from heedful.integrations.importers.webarena.page import HEAD, Action, body_of, command_of, marks_in, task_of
from heedful.kernel.digest import sha256_hex
from heedful.observations.record import SourceGrade
from heedful.ports.importer import ImportedItem, ImportProblem, TraceSource

SOURCE = "webarena"
PAGE_MARKUP = "page-markup"
"""The flag of an observation in which the page's own tags stand as text."""
UNSURE = "unsure-step"
"""The flag of words that may be the agent's or a web page's: they count as the page's."""
_TEMPLATE = "            white-space: pre-wrap;\n            word-wrap: break-word;\n"
_TASK = re.compile(r"^(?:\s*<pre>)?(task_id|intent): ", re.MULTILINE)
_TASK_ID = re.compile(r"^(?:\s*<pre>)?task_id: ([^\n]{1,80})$", re.MULTILINE)


class WebArenaPage:
    """WebArena's rendered trajectories. See TraceImporter."""

    @property
    def name(self) -> str:
        """See TraceImporter.name."""
        return SOURCE

    def recognises(self, first_lines: tuple[bytes, ...]) -> bool:
        """See TraceImporter.recognises: the template's own beginning, and a task or a step."""
        text = b"\n".join(line[:8_000] for line in first_lines).decode("utf-8", "replace")
        begins = text.lstrip().startswith("<!DOCTYPE html>") and _TEMPLATE in text
        return begins and (_TASK.search(text) is not None or HEAD in text)

    def read(self, source: TraceSource) -> Iterator[ImportedItem | ImportProblem]:
        """See TraceImporter.read. The page is held in memory, up to DOCUMENT_BYTES_MAX."""
        lines: list[bytes] = []
        size_bytes = 0
        for number, line in enumerate(source.lines(), start=1):
            size_bytes += len(line) + 1
            if size_bytes > DOCUMENT_BYTES_MAX:
                yield ImportProblem(1, "document_too_long", f"the page is longer than {DOCUMENT_BYTES_MAX} bytes")
                return
            if len(line) > LINE_BYTES_MAX:
                yield ImportProblem(number, "line_too_long", f"the line is cut after {LINE_BYTES_MAX} bytes")
            lines.append(line)
        content = b"\n".join(lines)
        if not content.strip():
            return
        text = content.decode("utf-8", "backslashreplace")
        if text.encode("utf-8", "replace") != content:
            yield ImportProblem(1, "encoding_invalid", "the page is not UTF-8; bytes that are not are kept escaped")
        yield from _Page(text, sha256_hex(content)[:16]).items()


class _Page:
    """A page, whose run has the name of its task and of its content: no two runs of a task are one."""

    def __init__(self, text: str, digest: str) -> None:
        self._body = body_of(text)
        task_id = _TASK_ID.search(text[:100_000])
        self._run = Run(RunItems(SOURCE, f"{task_id[1].strip()}-{digest}" if task_id else digest))
        self._line_starts = [match.start() for match in re.finditer("^", text, re.MULTILINE)]

    def items(self) -> Iterator[ImportedItem | ImportProblem]:
        """The task, then each step."""
        text = self._body.text
        steps = steps_of(text)
        head = text[: steps[0].at] if steps else text
        row = self._run.row("task", head, line_number=self._line(0))
        row.text("text", "task", PROMPT, task_of(head))
        yield from row.found
        if not self._body.whole:
            yield ImportProblem(len(self._line_starts), "page_cut", "the page does not end as it should; read as it is")
        call: Call | None = None
        for place, step in enumerate(steps):
            row = self._run.row(f"step-{place}", None, line_number=self._line(step.at))
            row.shared = named("url", step.url)
            self._seen(row, step, call)
            call = _done(row, step) if step.end is not None else None
            if step.end is None:
                row.problem("step_not_whole", "no end of this step fits to the action before; it is kept as page text")
            yield from row.found

    def _line(self, at: int) -> int:
        return max(1, bisect_right(self._line_starts, at + self._body.offset))

    def _seen(self, row: Row, step: Step, call: Call | None) -> None:
        """What the agent saw: the answer to its call, the first time what it was shown."""
        voice = PROGRAM if call is None else ANSWER
        more: dict[str, Any] = {} if call is None else {"derived_from": (call.own,)}
        marks = marks_in(step.observation)
        if marks:
            more["flags"] = (PAGE_MARKUP,)
        if marks and step.end is not None:
            message = f"the observation holds {marks} of the page's own tags as text; they are only text"
            row.problem("page_markup", message)
        seen = named("tool", call.tool) if call is not None else ()
        row.text("observation", "observation", voice, step.observation, attributes=seen, **more)
        if step.end is None or step.end.picture is None:
            return
        media_type, encoded = step.end.picture
        picture = decoded(encoded, media_type)
        if picture is None:
            row.problem("base64_invalid", "the picture is no valid base64; it was kept as it stands")
            row.text("picture", "observation.picture", voice, encoded, **more)
        else:
            row.held("picture", "observation.picture", voice, picture.content, picture.media_type, **more)


def _done(row: Row, step: Step) -> Call:
    """What the model said and did; on the page's word only, where the page may have forged it."""
    assert step.end is not None
    action: Action = step.end.action
    said, did = AGENT, CALL
    more: dict[str, Any] = {}
    if step.unsure:
        said, did, more = PROGRAM, Voice(CALL.type, SourceGrade.TOOL), {"flags": (UNSURE,)}
    row.text("prediction", "agent.text", said, action.prediction, **more)
    command = command_of(action.command)
    tool = command.partition(" ")[0] if command is not None and action.form else "playwright"
    value = {"name": tool, "input": action.command, "form": action.form, "previous": step.end.previous}
    own = row.raw("call", "agent.call", did, value, attributes=named("tool", tool), **more)
    return Call(own, tool)
