"""What the sections of the registry schema are made of: texts, words, lists, records."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

DOTTED_ID = r"^[a-z][a-z0-9-]*(\.[a-z0-9][a-z0-9-]*)*$"
"""Ids of classes, kinds, entities, bridges and tool patterns; a dot leads to a descendant."""
PRINCIPAL_ID = r"^[a-z][a-z0-9_-]*:\S(.*\S)?$"
SCOPE_ELEMENT = r"^[a-z][a-z0-9_-]*:\S(.*\S)?$"

FORMS = (
    "fact", "state", "preference", "plan", "event", "inference", "constraint", "workflow", "gotcha", "premise",
)  # fmt: skip
RISKS = ("low", "medium", "high")
CLASSIFICATIONS = ("normal", "sensitive", "restricted")
SEVERITIES = ("low", "medium", "high", "critical")
MODES = ("off", "shadow", "advise", "enforce")
ROLES = ("owner", "reviewer", "operator", "agent", "auditor")
EVIDENCE_LABELS = (
    "sufficient", "sufficient-after-expansion", "insufficient", "stale", "revoked", "human-review-required",
)  # fmt: skip
TEXT_CHARACTERS_MAX = 2_000
LIST_ITEMS_MAX = 500
DENIED_KINDS_MAX = 64  # each is compared with every row that a search looks at


def text(description: str, **more: object) -> Schema:
    """A text that is not empty."""
    return {"type": "string", "description": description, "minLength": 1, "maxLength": TEXT_CHARACTERS_MAX} | more


def one_of(values: tuple[str, ...], description: str) -> Schema:
    """One of these words."""
    return {"type": "string", "description": description, "enum": list(values)}


def texts(description: str, *, items_min: int = 0, **item: object) -> Schema:
    """A list of texts."""
    return {
        "type": "array",
        "description": description,
        "items": text("One of them.", **item),
        "minItems": items_min,
        "maxItems": LIST_ITEMS_MAX,
    }


def ids(description: str, *, items_min: int = 0) -> Schema:
    """A list of dotted ids."""
    return texts(description, items_min=items_min, pattern=DOTTED_ID)


def flag(description: str) -> Schema:
    """True or false."""
    return {"type": "boolean", "description": description}


def whole(description: str, least: int) -> Schema:
    """A whole number."""
    return {"type": "integer", "description": description, "minimum": least}


def record(description: str, properties: Schema, required: tuple[str, ...] = ()) -> Schema:
    """A mapping with these keys and no others."""
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def entry(description: str, properties: Schema, required: tuple[str, ...]) -> Schema:
    """An entry of a section: with `override: true` it names only what it changes in another document's entry."""
    override = flag("True: this changes an entry of another document; fields that are not named stay.")
    shape = record(description, {**properties, "override": override})
    shape["if"] = {"type": "object", "properties": {"override": {"const": True}}, "required": ["override"]}
    shape["else"] = {"required": list(required)}
    return shape


def entries(shape: Schema, description: str) -> Schema:
    """A section: id -> entry."""
    return {
        "type": "object",
        "description": description,
        "propertyNames": {"pattern": DOTTED_ID, "maxLength": 128},
        "additionalProperties": shape,
    }


def phrases(what: str) -> Schema:
    """Phrases by language."""
    return {
        "type": "object",
        "description": f"Language code -> {what}. `...` stands for a few words between.",
        "additionalProperties": texts("Phrases; plural, -ing and -ed forms are found too."),
    }
