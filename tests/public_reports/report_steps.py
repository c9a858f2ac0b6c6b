"""The steps of a case, run in a store. What they must give is asserted by the tests, sentence by sentence."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from typing import Any
from unittest import mock

import apsw
from report_cases import Case, Place, Step, place_of, waits_for
from report_store import ReportStore, message_row

from heedful.evidence.packet import Packet
from heedful.interfaces.cli.main import main
from heedful.kernel.errors import HeedfulError
from heedful.kernel.ladder import Classification
from heedful.kernel.scope import parse_scope
from heedful.ports.rows import StoredRecord
from heedful.service.keeping.import_ import ImportReport


@dataclass(slots=True)
class Answer:
    """What came of one step.

    Attributes:
        awaits: what the step, or a part of it, lacks; None: all of it ran.
        error: what it was refused or failed with; None: it was done.
        texts: of its rows, in order.
        outcomes: of a step of many writes: `ok`, or the code of each error.
    """

    step: Step
    awaits: str | None = None
    error: HeedfulError | None = None
    texts: tuple[str, ...] = ()
    packet: Packet | None = None
    stored: tuple[StoredRecord, ...] = ()
    report: ImportReport | None = None
    outcomes: tuple[str, ...] = ()

    @property
    def code(self) -> str | None:
        """The stable code of its error."""
        return None if self.error is None else self.error.code


@dataclass(slots=True)
class Steps:
    """Runs steps in `store`."""

    store: ReportStore

    def run(self, case: Case) -> list[Answer]:
        """The answer to each step, in order."""
        answers: list[Answer] = []
        for step in case.steps:
            answers.append(self._answer(step, answers))
            answers[-1].awaits = waits_for(step)
        return answers

    def _answer(self, step: Step, before: list[Answer]) -> Answer:
        if waits_for(step) is not None and step["op"] != "write_via":
            return Answer(step)
        verbs: dict[str, Callable[[Step, Place], Answer]] = {
            "write": self._write,
            "write_many": self._write_many,
            "write_batch": self._write_batch,
            "write_via": self._write_via,
            "search": self._search,
            "list": self._list,
            "get": self._get,
            "delete": self._delete,
            "delete_scope": self._delete_scope,
            "import_line": self._import_line,
            "export": self._export,
            "list_scopes": self._list_scopes,
            "parallel": self._parallel,
            "reopen_store": self._reopen,
            "inject_failure": self._break_full_text,
            "hold_lock": lambda each, _place: Answer(each),
        }
        held = [each.step for each in before if each.step["op"] == "hold_lock"]
        hinder = nullcontext()
        if step["op"] == "parallel" and held:
            hinder = self.store.locked(float(held[-1]["seconds"]))  # type: ignore[assignment]
        elif step["op"] == "write" and "inject_failure" in step:
            hinder = self.store.locked()  # type: ignore[assignment]
        try:
            with hinder:
                return verbs[step["op"]](step, place_of(step.get("do", step).get("scope")))
        except HeedfulError as error:
            return Answer(step, error=error)

    def _write(self, step: Step, place: Place) -> Answer:
        memory = self.store.memory(place.tenant)
        memory.remember(step["text"], scope=place.scope, attributes=step.get("meta"), source_ref=step.get("id"))
        return Answer(step, texts=(step["text"],))

    def _attempt(self, text: str, place: Place) -> str:
        try:
            self._write({"text": text}, place)
        except HeedfulError as error:
            return error.code
        return "ok"

    def _write_many(self, step: Step, place: Place) -> Answer:
        for number in range(step["n"]):
            self._write(step | {"text": step["text"].replace("{i}", str(number))}, place)
        return Answer(step)

    def _write_batch(self, step: Step, place: Place) -> Answer:
        return Answer(step, outcomes=tuple(self._attempt(text, place) for text in step["texts"]))

    def _write_via(self, step: Step, _place: Place) -> Answer:
        """Each text through each door that is built; the batch and the import also carry a text that is whole."""
        place, texts = place_of("t1/ana"), step["texts"]
        outcomes = [self._attempt(text, place) for text in texts]
        outcomes += [self._attempt(text, place) for text in (*texts, "whole in the batch")]
        outcomes += [command_line(self.store, "remember", text, "--scope=user:ana", "--json") for text in texts]
        file = self.store.folder / "texts.jsonl"
        rows = [message_row(f"t{place}", text) for place, text in enumerate([*texts, "whole in the import"])]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        report = self.store.memory().import_trace(file, scope=place.scope)
        outcomes += [problem.code for problem in report.problems] + ["ok"] * report.admitted
        return Answer(step, outcomes=tuple(outcomes), report=report)

    def _parallel(self, step: Step, place: Place) -> Answer:
        texts = [step["do"]["text"].replace("{i}", str(number)) for number in range(step["n"])]
        with ThreadPoolExecutor(step["n"]) as pool:
            return Answer(step, outcomes=tuple(pool.map(lambda text: self._attempt(text, place), texts)))

    def _search(self, step: Step, place: Place) -> Answer:
        memory = self.store.memory(place.tenant)
        packet = memory.recall(step["query"], scope=place.scope, attributes=step.get("filters"))
        return Answer(step, texts=tuple(item.text for item in packet.items)[: step.get("k")], packet=packet)

    def _list(self, step: Step, place: Place) -> Answer:
        stored = self.store.records(place, step.get("filters"))
        return Answer(step, texts=tuple(each.record.content or "" for each in stored), stored=stored)

    def _delete(self, step: Step, place: Place) -> Answer:
        with self.store.app.session(tenant=place.tenant).store.read() as reading:
            found = reading.record_by_source(step["id"], parse_scope(place.scope), Classification.NORMAL)
        assert found is not None
        self.store.memory(place.tenant).forget(record=found.record.record_id)
        return Answer(step)

    def _delete_scope(self, step: Step, place: Place) -> Answer:
        self.store.memory(place.tenant).forget(scope=place.scope)
        return Answer(step)

    def _get(self, step: Step, place: Place) -> Answer:
        if step["id"] == "<id>":
            found: StoredRecord | None = self.store.records(place_of("t1/ana"))[0]
        else:
            with self.store.app.session(tenant=place.tenant).store.read() as reading:
                where = parse_scope(place.scope)
                found = reading.record_by_source(step["id"], where, Classification.NORMAL)
        assert found is not None
        shown, _evidence = self.store.memory(place.tenant).show(found.record.record_id)
        assert isinstance(shown, StoredRecord)
        return Answer(step, texts=(shown.record.content or "",), stored=(shown,))

    def _import_line(self, step: Step, place: Place) -> Answer:
        """The case's line, and one that is whole after it: a trace is recognised by one row with all its fields."""
        file = self.store.folder / "line.jsonl"
        file.write_text(f"{step['raw']}\n{json.dumps(message_row('after', 'the line after'))}\n", "utf-8")
        report = self.store.memory(place.tenant).import_trace(file, scope=("user:ana",))
        return Answer(step, report=report)

    def _list_scopes(self, step: Step, place: Place) -> Answer:
        """Something is kept in each scope that is given; those that have the elements which are asked for."""
        memory = self.store.memory(place.tenant)
        for given in step["given"]:
            memory.remember("likes figs", scope=place_of(given).scope)
        found = memory.scopes([f"user:{name}" for name in step["suffix"]])
        return Answer(step, texts=tuple(",".join(each) for each in found.scopes))

    def _export(self, step: Step, place: Place) -> Answer:
        """The whole tenant's ledger; its texts are the lines of the file."""
        file = self.store.folder / "export.jsonl"
        self.store.memory(place.tenant).export_ledger(file)
        return Answer(step, texts=tuple(file.read_bytes().decode("utf-8").splitlines()))

    def _reopen(self, step: Step, _place: Place) -> Answer:
        self.store.reopen()
        return Answer(step)

    def _break_full_text(self, step: Step, _place: Place) -> Answer:
        """A real fault: a table that full text reads is taken from under the open store."""
        assert step["leg"] == "lexical"
        connection = apsw.Connection(str(self.store.database()))
        connection.execute("ALTER TABLE search_pending RENAME TO search_pending_lost")
        connection.close()
        return Answer(step)


def command_line(store: ReportStore, *arguments: str) -> str:
    """`ok`, or the code of the error that the command gave, as JSON; in this process, by its entry point."""
    output = TextIOWrapper(BytesIO(), "utf-8")
    with (
        mock.patch.dict("os.environ", store.environment()),
        mock.patch.object(sys, "argv", ["heedful", *arguments]),
        mock.patch.object(sys, "stdout", output),
    ):
        try:
            main()
        except SystemExit as end:
            if not end.code:
                return "ok"
    answer: dict[str, Any] = json.loads(output.buffer.getvalue())
    return str(answer["error"]["code"])
