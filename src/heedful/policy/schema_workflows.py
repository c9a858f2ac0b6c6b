"""The `workflows` section of the registry schema."""

from __future__ import annotations

from heedful.policy.schema_parts import DOTTED_ID, MODES, SCOPE_ELEMENT, Schema, entry, one_of, phrases, record, text

STEPS_MAX, PRECONDITIONS_MAX, EXCEPTIONS_MAX, SUBJECTS_MAX = 50, 20, 50, 8
_DATE = r"^\d{4}-\d{2}-\d{2}"


def _list(description: str, item: Schema, items_max: int, *, items_min: int = 0) -> Schema:
    return {
        "type": "array",
        "description": description,
        "items": item,
        "minItems": items_min,
        "maxItems": items_max,
    }


_ELEMENT = text("One of them, `type:id`.", pattern=SCOPE_ELEMENT)

_ENVIRONMENT = {
    **record(
        "Where it holds, and nowhere else.",
        {
            "scope": _list("Scope elements that the request must have.", _ELEMENT, SUBJECTS_MAX, items_min=1),
            "subjects": _list("Subjects that the request must name.", _ELEMENT, SUBJECTS_MAX, items_min=1),
        },
    ),
    "minProperties": 1,
}

_PROOF = {
    **record(
        "The one way to prove it.",
        {
            "verification": text("Action class of which a current verification must have passed.", pattern=DOTTED_ID),
            "state": record(
                "What a claim in force must say.",
                {
                    "kind": text("The claim's kind, or one above it.", pattern=DOTTED_ID),
                    "subject": text("Its subject; left out: any."),
                    "property": text("Its property; left out: any."),
                    "value": {"type": ["string", "number", "boolean"], "description": "Its value."},
                },
                ("kind", "value"),
            ),
            "approval": {"const": True, "description": "A person's approval of the very call."},
        },
    ),
    "minProperties": 1,
    "maxProperties": 1,
}

_STEP = record(
    "One call.",
    {
        "tool": text("The tool's name."),
        "input": {"type": "object", "description": "Its arguments; {{name}} stands for what differs."},
        "expected_effect": text("What it should do, one sentence."),
        "verification": record(
            "How one sees that it did.",
            {
                "query": text("What to ask."),
                "tool": text("Of which tool."),
                "expected": text("What the answer has to be."),
                "verifies": text(
                    "Action class that the verification names; the intent's by default.", pattern=DOTTED_ID
                ),
            },
            ("expected",),
        ),
    },
    ("tool", "input", "expected_effect", "verification"),
)

WORKFLOW = entry(
    "A reviewed order of steps for one intent in one environment; shown step by step, never run.",
    {
        "description": text("What it does, one sentence."),
        "intent": record(
            "What it is for.",
            {
                "class": text("The action class, with what is below it.", pattern=DOTTED_ID),
                "phrases": phrases("how people ask for it besides the class's phrases"),
            },
            ("class",),
        ),
        "environment": _ENVIRONMENT,
        "preconditions": _list(
            "What must hold before any step that executes.",
            record("One of them.", {"text": text("What must hold."), "proof": _PROOF}, ("text", "proof")),
            PRECONDITIONS_MAX,
        ),
        "steps": _list("The calls, in order.", _STEP, STEPS_MAX, items_min=1),
        "exceptions": _list(
            "What to do where something goes otherwise.",
            record(
                "One of them.", {"when": text("What is seen."), "response": text("What to do.")}, ("when", "response")
            ),
            EXCEPTIONS_MAX,
        ),
        "owner": text("Who answers for it."),
        "reviewed_at": text("The date from which it is current.", pattern=_DATE),
        "expires_at": text("The date from which it is not.", pattern=_DATE),
        "authority": one_of(("domain-policy", "maintainer-approved", "public-reference"), "Whose word it is."),
        "evidence": _list("Where it was learnt: record ids, titles, addresses.", text("One of them."), 500),
        "mode": one_of(MODES, "The mode that it ships in; advise by default."),
    },
    ("description", "intent", "environment", "steps", "owner", "reviewed_at", "expires_at", "authority"),
)
