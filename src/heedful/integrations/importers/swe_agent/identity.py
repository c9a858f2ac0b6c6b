"""The name of a run that its trajectory does not name."""

from __future__ import annotations

from typing import Any

from heedful.integrations.importers.json_rows import JsonObject
from heedful.integrations.importers.run_rows import digest_of, list_of, object_of


def run_name(document: JsonObject, history: list[Any]) -> str:
    """A digest of the history up to the first id that an API gave out, or of the whole document where there is none.

    Two runs of one task begin alike, so the beginning alone does not tell them apart; such an id does, and a longer
    copy of the same trajectory begins with it too. Without one, a longer copy counts as another run.
    """
    for place, message in enumerate(history):
        fields = object_of(message)
        if fields.get("is_demo"):
            continue
        given = object_of(object_of(fields.get("extra")).get("response")).get("id")
        calls = [object_of(call).get("id") for call in list_of(fields.get("tool_calls"))]
        if any(isinstance(each, str) and each for each in (given, *calls)):
            return digest_of(history[: place + 1])
    return digest_of(document)
