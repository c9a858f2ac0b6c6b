"""Printed: what a tool itself gave, where an agent's program has put a frame of its own around it."""

from __future__ import annotations

import re
from typing import Any

import msgspec

_MARKED = re.compile(r"<returncode>-?\d{1,6}</returncode>\n<output>\n?(.*?)\n?</output>\s*", re.DOTALL)
"""mini-SWE-agent. A long output stands in other marks, as head and tail, and stays as it is."""
_HEADED = re.compile(
    r"(?:Chunk ID: \S{1,40}\n)?"
    r"(?:Exit code: -?\d{1,6}\nWall time: [^\n]{1,40}\n|Wall time: [^\n]{1,40}\nProcess exited with code -?\d{1,6}\n)"
    r"(?:Original token count: \d{1,12}\n)?Output:\n"
)
"""Codex. A head that tells how many lines there were in all stands before an output of which some are left out."""
_WITH_METADATA = frozenset({"output", "metadata"})
_OF_A_CALL = frozenset({"call_id", "tool", "name", "is_error", "exit_code", "output"})
_SCREEN = "New Terminal Output:\n"
"""Terminus. Before a screen that holds what was there already stands another head."""
_PROMPT_ENDS = ("$", "#", "%", ">")


def printed(text: str) -> str:
    """The output within the frame; the text as it is where none of those that are known is around all of it.

    Every frame begins before the output and is matched from there, so what a program prints can't move its edge.
    """
    if text.startswith(('{"output"', '{"call_id"', '{"exit_code"', '{"is_error"')):
        return _in_object(text)
    if text.startswith("<returncode>"):
        marked = _MARKED.fullmatch(text)
        return text if marked is None else marked[1]
    if text.startswith(("Chunk ID: ", "Exit code: ", "Wall time: ")):
        return _HEADED.sub("", text, count=1) if _HEADED.match(text) else text
    return text


def typed_command(keystrokes: str) -> str | None:
    """The command that these keys make a terminal run; None where they are not one whole line and its end."""
    command = keystrokes.removesuffix("\n")
    return command if command.strip() and command != keystrokes and command.isprintable() else None


def on_screen(text: str, command: str) -> str | None:
    """What the command printed on a terminal, between the line that it was typed on and the next prompt.

    None where that is not all that stands there: it is still running, or something else has printed too.
    """
    lines = text.removeprefix(_SCREEN).strip().split("\n") if text.startswith(_SCREEN) else []
    prompt = lines[0].rstrip().removesuffix(command.strip()).rstrip() if len(lines) > 1 else ""
    is_typed = bool(prompt) and prompt.endswith(_PROMPT_ENDS) and lines[0].rstrip() != prompt
    if not is_typed or lines[-1].rstrip() != prompt or any(line.startswith(prompt) for line in lines[1:-1]):
        return None
    return "\n".join(lines[1:-1])


def _in_object(text: str) -> str:
    """Codex's `{"output": ..., "metadata": {...}}`, and the payload of an event: an output beside its call's id."""
    try:
        fields: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text
    if not isinstance(fields, dict) or "output" not in fields:
        return text
    output = fields["output"]
    if fields.keys() == _WITH_METADATA and isinstance(fields["metadata"], dict):
        return output if isinstance(output, str) else text
    if ("call_id" in fields or "tool" in fields) and fields.keys() <= _OF_A_CALL:
        return output if isinstance(output, str) else msgspec.json.encode(output).decode()
    return text
