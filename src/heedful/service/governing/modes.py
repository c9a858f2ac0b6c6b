"""Modes: what is switched off, shadowed, advised or enforced now; set by people, in the ledger, at once everywhere."""

from __future__ import annotations

from heedful.bridges.approval import with_pending_in_shadow
from heedful.bridges.registry import Registry
from heedful.bridges.request import PRE_ROUTER, Modes
from heedful.kernel.errors import InvalidInputError
from heedful.kernel.ids import ActionClassId, BridgeId
from heedful.kernel.ladder import Mode
from heedful.ledger.events import RegistryModeSet
from heedful.observations.names import shown
from heedful.ports.store import ModeSetting, Reading
from heedful.service.governing.approve_bridge import pending_now
from heedful.service.requests import reason_text
from heedful.service.session import Session

BRIDGE = "bridge"
ACTION_CLASS = "action-class"


def modes_now(reading: Reading, registry: Registry) -> Modes:
    """The modes that were set at run time; where none was, the registry's own hold, and the pre-router enforces.

    A bridge that waits for an approval is at most in shadow, whatever was set.
    """
    settings = reading.modes()
    modes = Modes(
        bridges={BridgeId(each.target_id): each.mode for each in settings if each.target_type == BRIDGE},
        action_classes={
            ActionClassId(each.target_id): each.mode for each in settings if each.target_type == ACTION_CLASS
        },
        pre_router=next((each.mode for each in settings if each.target_type == PRE_ROUTER), Mode.ENFORCE),
    )
    return with_pending_in_shadow(modes, registry, pending_now(reading, registry))


def set_mode(session: Session, target: str, mode: str | None, reason: str) -> ModeSetting | None:
    """The setting as it stands now, or None where it was taken back.

    `target` is a bridge id, an action class id, or `pre-router`. The next request of every process obeys it.

    Raises:
        ForbiddenError: `principal_may_not`.
        InvalidInputError: `mode_unknown`, `mode_target_unknown`, `mode_target_ambiguous`, and those of `reason_text`.
    """
    session.require("set_mode")
    target_type = _target_type(session.registry, target)
    chosen = _mode(mode)
    event = RegistryModeSet(target_type, target, chosen, session.principal, reason_text(reason))
    session.store.write(lambda writing: session.append(writing, [event]))
    return None if chosen is None else ModeSetting(target_type, target, chosen)


def _mode(text: str | None) -> Mode | None:
    if text is None:
        return None
    try:
        return Mode(text)
    except ValueError as error:
        raise InvalidInputError(
            "mode_unknown",
            f"no mode {shown(text, 40)!r}",
            next_step=f"modes are: {', '.join(Mode)}; `default` takes a setting back",
            details={"field": "mode"},
        ) from error


def _target_type(registry: Registry, target: str) -> str:
    if target == PRE_ROUTER:
        return PRE_ROUTER
    is_bridge = BridgeId(target) in registry.bridges
    is_class = ActionClassId(target) in registry.vocabulary.action_classes
    if is_bridge and is_class:
        raise InvalidInputError(
            "mode_target_ambiguous",
            f"{target} is a bridge and an action class",
            next_step="rename one of them in the registry",
            details={"field": "target"},
        )
    if not is_bridge and not is_class:
        raise InvalidInputError(
            "mode_target_unknown",
            f"no bridge or action class {shown(target)!r}",
            next_step="`heedful registry show` lists them",
            details={"field": "target"},
        )
    return BRIDGE if is_bridge else ACTION_CLASS
