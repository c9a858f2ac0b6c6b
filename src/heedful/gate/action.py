"""ActionRequest: a tool call that an agent proposes. What its caller claims about it is not an input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.digest import sha256_hex
from heedful.kernel.ids import PrincipalId, RunId
from heedful.kernel.scope import Scope


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """A proposed tool call.

    Attributes:
        tool: the tool's name.
        args: its arguments, JSON values.
        text: what the agent says that it is about; may add a class, never takes one away.
        scope: never empty.
        run_id: the run that the call is part of; a workflow's steps are looked for in it.
    """

    tool: str
    args: Mapping[str, object]
    text: str
    principal: PrincipalId
    scope: Scope
    run_id: RunId | None = None

    @property
    def digest(self) -> str:
        """Hex SHA-256 of the canonical tool, arguments, principal and scope: the same action, the same digest.

        The run is part of it where one is named, so that an approval in one run is none in another.
        """
        action = {
            "tool": self.tool,
            "args": dict(self.args),
            "principal": self.principal,
            "scope": list(self.scope.elements),
        }
        return sha256_hex(canonical_bytes(action if self.run_id is None else action | {"run": self.run_id}))
