"""What is asked of what is known: methods of Memory besides recall."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.interfaces.python.keeping import Keeping
from heedful.service.recalling import scopes as scoping
from heedful.service.recalling import state


class Asking(Keeping):
    """See Memory, which is made of this and more."""

    def scopes(self, scope: Sequence[str] | None = None) -> scoping.ScopesFound:
        """The scopes that hold a record that this principal may see; with `scope`, those that have all its elements.

        Raises:
            InvalidInputError: `scope_malformed`.
        """
        return scoping.scopes(self._session, (scope,) * bool(scope) if isinstance(scope, str) else tuple(scope or ()))

    def state(
        self,
        subject: str,
        property_name: str | None = None,
        *,
        as_of: str | None = None,
        known_at: str | None = None,
        history: bool = False,
        scope: Sequence[str] | None = None,
    ) -> state.States:
        """What is known of the subject: for each property and scope its value, how surely, and what changed it.

        `as_of` is when it held, `known_at` as far as was known then. Without `scope` all that this principal may see
        counts. What is not known is said so (`known` is False), with what to observe next.
        """
        asked = (scope,) * bool(scope) if isinstance(scope, str) else tuple(scope or ())
        return state.state(
            self._session, subject, property_name, as_of=as_of, known_at=known_at, history=history, scope=asked
        )
