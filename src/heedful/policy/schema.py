"""The JSON Schema (draft 2020-12) of a registry document; packs/registry.schema.json is this, written out.

A document holds any of nine sections. Entries are keyed by id, so that a pack can be split over files and an
entry of a pack can be overridden by name. `python -m heedful.policy.schema` prints the file's text.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from heedful.policy.schema_parts import entries, text
from heedful.policy.schema_projectors import PROJECTOR
from heedful.policy.schema_sections import ACTION_CLASS, BRIDGE, ENTITY, KIND, PACK, POLICY, TOOL
from heedful.policy.schema_workflows import WORKFLOW

SECTIONS = (
    "pack",
    "action_classes",
    "kinds",
    "entities",
    "bridges",
    "projectors",
    "workflows",
    "tools",
    "shell_tools",
    "policy",
)
"""Top-level keys, in the order in which they are shown."""

REGISTRY_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://heedful.dev/registry.schema.json",
    "title": "Heedful registry document",
    "description": "Part of a registry: vocabulary, bridges, tool patterns and policy. Any section may be left out.",
    "type": "object",
    "properties": {
        "pack": PACK,
        "action_classes": entries(ACTION_CLASS, "What requests are about to decide, by dotted id."),
        "kinds": entries(KIND, "What claims are about, by dotted id."),
        "entities": entries(ENTITY, "Things that requests name, by id."),
        "bridges": entries(BRIDGE, "Reviewed rules from action classes to kinds, by id."),
        "projectors": entries(PROJECTOR, "Rules that read states out of tools' output, by id."),
        "workflows": entries(WORKFLOW, "Reviewed orders of steps, by id."),
        "tools": entries(TOOL, "Patterns over tool calls, by id."),
        "shell_tools": {
            "type": "object",
            "description": "Tool name -> the argument that holds its shell command.",
            "additionalProperties": text("The argument's name."),
        },
        "policy": POLICY,
    },
    "additionalProperties": False,
}


def schema_text() -> str:
    """The schema as it stands in packs/registry.schema.json."""
    return json.dumps(REGISTRY_SCHEMA, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
