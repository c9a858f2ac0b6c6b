"""What comes in: the methods of Memory that keep something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Unpack

from heedful.bootstrap import App
from heedful.service.keeping import remember, remember_many
from heedful.service.keeping.import_ import ImportReport, import_trace
from heedful.service.keeping.statements import RememberFields, RememberTexts
from heedful.service.session import Session


class Keeping:
    """See Memory, which is made of this and more."""

    _app: App
    _session: Session

    def remember(
        self, content: str | bytes, *, scope: Sequence[str] | None = None, **fields: Unpack[RememberFields]
    ) -> remember.Remembered:
        """What was kept, and the claims that were proposed of it.

        With `kind`, a claim of that kind is proposed. RememberTexts says what each field means, and its default.
        """
        return remember.remember(self._session, content, scope=self._scope(scope), texts=RememberTexts(**fields))

    def remember_many(
        self,
        items: Iterable[str | bytes | remember_many.RememberItem],
        *,
        scope: Sequence[str] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> tuple[remember_many.Answer, ...]:
        """What was kept of each item, in their order, all durable; many times as fast as one `remember` after another.

        An item is a text, bytes, or a mapping with `content` and the arguments of `remember`. An answer is a
        `Remembered`, or a `NotRemembered` for an item that `remember` would have raised an error for: it keeps no other
        item from being kept. `progress` is told how many are done, after each transaction.

        Raises:
            InvalidInputError: `items_too_many`; nothing was kept.
        """
        return remember_many.remember_many(
            self._session, items, scope=self._scope(scope), progress=progress or (lambda _done: None)
        )

    def import_trace(
        self,
        file: str | Path,
        *,
        scope: Sequence[str] | None = None,
        again: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> ImportReport:
        """What a transcript held and what became of it. `progress` is told bytes done, of twice the file's size.

        What was erased of it stays away, but with `again`, which takes the right to erase.
        """
        importer, source = self._app.trace(Path(file))
        return import_trace(
            self._session,
            importer,
            source,
            scope=self._scope(scope),
            progress=progress or (lambda _done: None),
            again=again,
        )

    def _scope(self, scope: Sequence[str] | None) -> tuple[str, ...]:
        if scope is None:
            return self._app.default_scope
        return (scope,) * bool(scope) if isinstance(scope, str) else tuple(scope)
