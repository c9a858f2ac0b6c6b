"""What nearly every answer of a moment begins with, read by one statement: models, modes, how many scopes there are."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.adapters.storage.postgres.connection import Session
from heedful.adapters.storage.postgres.statements import Q
from heedful.kernel.ladder import Mode
from heedful.ports.store import ModeSetting, VectorModel


@dataclass(frozen=True, slots=True)
class Opening:
    """A tenant's settings at one moment.

    Attributes:
        models: in order of identity bytes.
        model_ids: model -> its number.
        modes: in order of target type and id.
        scopes: how many have numbers; a scope that had none then has none while there are no more.
    """

    models: tuple[VectorModel, ...]
    model_ids: dict[str, int]
    modes: tuple[ModeSetting, ...]
    scopes: int


def read_opening(session: Session) -> Opening:
    """As the transaction of `session` sees it now."""
    ((scopes, encoded, are_active, model_ids, kinds, targets, modes),) = session.rows(Q["opening"])
    models = [model.decode() for model in encoded]
    return Opening(
        tuple(VectorModel(model, is_active) for model, is_active in zip(models, are_active, strict=True)),
        dict(zip(models, model_ids, strict=True)),
        tuple(
            ModeSetting(kind.decode(), target.decode(), Mode(mode))
            for kind, target, mode in zip(kinds, targets, modes, strict=True)
        ),
        scopes,
    )
