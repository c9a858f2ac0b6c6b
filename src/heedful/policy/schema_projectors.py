"""The section of the registry schema that projectors have."""

from __future__ import annotations

from heedful.policy.schema_parts import DOTTED_ID, Schema, entry, record, text, texts, whole

ASSURANCES = ("inferred", "reported", "verified")
PROJECTED_TYPES = (
    "message", "observation", "tool_call", "tool_result", "action", "verification", "human_note", "document",
)  # fmt: skip
GRADES = ("system", "operator", "user", "agent", "tool", "document")
NAME = r"^[a-z][a-z0-9_]*$"

_SCALAR: Schema = {"type": ["string", "number", "boolean"], "description": "A value.", "maxLength": 200}


def _one_of(values: tuple[str, ...], description: str) -> Schema:
    return {"type": "string", "description": description, "enum": list(values)}


def _named(description: str, value: str) -> Schema:
    return {
        "type": "object",
        "description": description,
        "propertyNames": {"pattern": NAME, "maxLength": 64},
        "additionalProperties": text(value),
    }


_LINE: Schema = record(
    "A regular expression, and the value where it matches.",
    {"match": text("A regular expression on one line."), "value": text("The value's template there.")},
    ("match",),
)

_STATE: Schema = {
    "subject": text("Of the state."),
    "property": text("Of the state."),
    "value": _SCALAR,
    "assurance": _one_of(ASSURANCES, "Of the state."),
    "valid_from": text("When it begins to hold: ISO 8601."),
}

_EXAMPLE = record(
    "An output, and a state that it gives, or does not give.",
    {
        "tool": text("The tool's name."),
        "command": text("The shell command."),
        "args": {"type": "object", "description": "Other arguments of the call."},
        "output": {"type": "string", "description": "What the tool gave.", "maxLength": 20_000},
        "failed": {"type": "boolean", "description": "True: the call failed; false by default."},
        "type": _one_of(PROJECTED_TYPES, "The record's type; tool_result by default."),
        "grade": _one_of(GRADES, "On whose word the record stands; tool by default."),
        "scope": texts("The record's scope; project:example by default."),
        "after_seconds": whole("So long after the observation the state does, or does not, hold.", 0),
        **_STATE,
    },
    ("output",),
)

PROJECTOR = entry(
    "A rule that reads states out of a tool's output. It proposes; it never activates.",
    {
        "description": text("What it reads, one sentence."),
        "authority": text("Where the form of that output is documented: title, address."),
        "owner": text("Who answers for it."),
        "tools": texts("Globs on a tool's name or on a simple command of a shell tool; `*` alone: any.", items_min=1),
        "record_types": {
            **texts("Types of record that it reads; tool_result and observation by default.", items_min=1),
            "items": _one_of(PROJECTED_TYPES, "A type."),
        },
        "kind": text("The kind of the states, of form state.", pattern=DOTTED_ID),
        "schema": {"type": "object", "description": "JSON Schema (2020-12) that a JSON payload must meet."},
        "each": text("JMESPath: the things in the payload; left out: the payload is one thing."),
        "jmespath": _named("Name -> JMESPath on each thing.", "A JMESPath expression."),
        "pattern": {
            "type": ["string", "array"],
            "description": "A regular expression on one line of text, or a list of them: the first that matches tells.",
            "minLength": 1,
            "maxLength": 2_000,
            "minItems": 1,
            "maxItems": 50,
            "items": _LINE,
        },
        "call": _named("Name -> regular expression with one group, searched in the command.", "A regular expression."),
        "defaults": _named("Name -> what it is where nothing else gives it.", "A text."),
        "subject": text("Template: `deployment:{name}`."),
        "property": text("Template: what of the subject."),
        "value": text("Template; `{name}` alone keeps a number or boolean."),
        "values": {
            "type": "object",
            "description": "Text of the value -> the value that is stated. What is not here states nothing.",
            "additionalProperties": _SCALAR,
            "minProperties": 1,
        },
        "failures": texts("Values that say that something failed: a call that failed gives no others."),
        "environment": text("Template: put behind the subject where the record's scope does not say it."),
        "assurance": _one_of(ASSURANCES, "verified: it reads verifications too; inferred: agents' words alone."),
        "valid_from": text("Template of a time: since when it holds; the observation's by default."),
        "expires_seconds": whole("So long after the observation the state is taken to hold.", 1),
        "examples": record(
            "Outputs that must, and must not, give a state; `heedful registry check` runs them.",
            {
                "must": {"type": "array", "description": "Each gives this state.", "items": _EXAMPLE},
                "must_not": {"type": "array", "description": "None gives this state, or any.", "items": _EXAMPLE},
            },
        ),
    },
    ("description", "authority", "owner", "tools", "kind", "subject", "property", "value"),
)
