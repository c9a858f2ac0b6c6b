"""What one word of a shell command is once its quotes are gone, and whether the shell would still change it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+-][A-Za-z0-9_./:@%+,=-]*")
_GLOB = re.compile(r"[*?]|\[.*\]", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:(?P<bare>\w+)|\{(?P<braced>\w+)(?::?-[^{}]*)?\})")
_DOUBLE_QUOTED_ESCAPE = re.compile(r"\\([$`\"\\]|\n)")
_ANSI_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|.)", re.DOTALL)
_ANSI_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_CODE_POINT_MAX = 0x10FFFF
_HEREDOC_WORD = re.compile(r"(?P<quote>['\"]?)(?P<word>[\w.-]+)(?P=quote)|\\(?P<escaped>[\w.-]+)")
# Stands for a quoted character where only unquoted ones matter.
_QUOTED = "q"
# Node types that are text as it stands there, apart from backslashes.
_UNQUOTED_TYPES = frozenset({"word", "number", "variable_name", "test_operator", "special_variable_name", "==", "=~"})


class Word(NamedTuple):
    """One word.

    Attributes:
        text: without quotes; where the shell would expand it, the best guess that the text itself allows.
        literal: False: the shell may make something else of it, so it proves nothing.
    """

    text: str
    literal: bool


class _Piece(NamedTuple):
    """Part of a word: its text, the same with quoted characters blotted out, and whether it is literal."""

    text: str
    unquoted: str
    literal: bool


def source_text(node: Node, source: bytes) -> str:
    """The text that a node spans, as it was written."""
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def word_of(node: Node, source: bytes, values: Mapping[str, str]) -> Word:
    """The word that a node is. `values` are variables that the same text has given a plain value.

    A path glob is literal only behind a slash (`src/*.py`): before one it could become an option or a subcommand,
    if a file has such a name. Brace expansion, an extended glob and zsh's `=name` are never literal.
    """
    if node.type == "command_name" and node.child_count == 1:
        node = node.children[0]
    if node.type == "word":
        text = source_text(node, source)
        if _PLAIN.fullmatch(text):
            return Word(text, literal=True)
    piece = _piece(node, source, values)
    return Word(piece.text, piece.literal and not _expands(piece.unquoted))


def is_expansion(node: Node) -> bool:
    """True where a whole word is one unquoted variable, which the shell would split at blanks."""
    return node.type in ("simple_expansion", "expansion")


def heredoc_text(redirect: Node, source: bytes) -> tuple[str, bool] | None:
    """What a here-document holds, and whether the shell leaves it as it is.

    None where its end is not exactly where bash would find it, or its delimiter is too odd to tell.
    """
    parts = {child.type: child for child in redirect.children}
    start, body, end = parts.get("heredoc_start"), parts.get("heredoc_body"), parts.get("heredoc_end")
    if start is None or end is None:
        return None
    found = _HEREDOC_WORD.fullmatch(source_text(start, source))
    if found is None or found["word"] == "":
        return None
    word = found["word"] or found["escaped"]
    begins = end.start_byte if body is None else body.start_byte
    # The parser may leave out blanks before the body: it begins at the line after the operator.
    begins = source.rfind(b"\n", 0, begins) + 1
    lines = source[begins : end.end_byte].decode("utf-8", "replace").split("\n")
    if "<<-" in parts:
        lines = [line.lstrip("\t") for line in lines]
    ends_line = source[end.end_byte : end.end_byte + 1] in (b"", b"\n")
    if not ends_line or lines[-1] != word or word in lines[:-1]:
        return None
    text = "\n".join([*lines[:-1], ""]) if len(lines) > 1 else ""
    is_quoted = bool(found["quote"] or found["escaped"])
    return text, is_quoted or not any(character in text for character in "$`\\")


def _expands(unquoted: str) -> bool:
    if any(mark in unquoted for mark in "() \t\n"):
        return True
    if "{" in unquoted and "}" in unquoted and ("," in unquoted or ".." in unquoted):
        return True
    if unquoted.startswith("=") and unquoted not in ("=", "==", "=~"):
        return True
    glob = _GLOB.search(unquoted)
    return glob is not None and "/" not in unquoted[: glob.start()]


def _piece(node: Node, source: bytes, values: Mapping[str, str]) -> _Piece:
    text = source_text(node, source)
    match node.type:
        case "raw_string":
            return _Piece(text[1:-1], _QUOTED * (len(text) - 2), literal=True)
        case "string":
            return _double_quoted(node, text, source, values)
        case "concatenation" | "command_name":
            return _joined(node, source, values)
        case "ansi_c_string":
            return _Piece(_ANSI_ESCAPE.sub(_ansi_character, text[2:-1]), _QUOTED, literal=False)
        case "$":
            return _Piece(text, text, literal=True)
        case kind if kind in _UNQUOTED_TYPES:
            return _unquoted(text)
        case _:
            return _Piece(_with_values(text, values), _QUOTED, literal=False)


def _joined(node: Node, source: bytes, values: Mapping[str, str]) -> _Piece:
    children = node.children
    pieces = [_piece(child, source, values) for child in children]
    gapless = all(left.end_byte == right.start_byte for left, right in pairwise(children))
    # A dollar sign before something else begins what the grammar did not recognise.
    dollar_within = any(child.type == "$" for child in children[:-1])
    literal = gapless and not dollar_within and all(piece.literal for piece in pieces)
    return _Piece("".join(piece.text for piece in pieces), "".join(piece.unquoted for piece in pieces), literal)


def _double_quoted(node: Node, text: str, source: bytes, values: Mapping[str, str]) -> _Piece:
    kept = [child for child in node.children if child.type not in ('"', "string_content", "$")]
    if len(kept) == 1 and kept[0].end_byte - kept[0].start_byte == node.end_byte - node.start_byte - 2:
        shown = _shown_by_cat(kept[0], source)
        if shown is not None:
            return _Piece(shown, _QUOTED * len(shown), literal=True)
    literal = not kept
    inner = text[1:-1] if literal else _with_values(text[1:-1], values)
    unescaped = _DOUBLE_QUOTED_ESCAPE.sub(lambda found: found[1].replace("\n", ""), inner)
    return _Piece(unescaped, _QUOTED * len(unescaped), literal)


def _shown_by_cat(node: Node, source: bytes) -> str | None:
    """What `$(cat <<'END' ...)` stands for: agents write texts of several lines so. None for all else."""
    if node.type != "command_substitution" or node.child_count != 3 or node.children[1].type != "redirected_statement":
        return None
    statement = node.children[1]
    if statement.child_count != 2 or source_text(statement.children[0], source) != "cat":
        return None
    redirect = statement.children[1]
    if {child.type for child in redirect.children} - {"<<", "<<-", "heredoc_start", "heredoc_body", "heredoc_end"}:
        return None
    read = heredoc_text(redirect, source)
    return read[0].rstrip("\n") if read is not None and read[1] else None


def _unquoted(text: str) -> _Piece:
    if "\\" not in text:
        return _Piece(text, text, literal=True)
    kept: list[str] = []
    unquoted: list[str] = []
    escaped = False
    for character in text:
        if escaped:
            escaped = False
            # A backslash before a line's end joins the lines.
            if character != "\n":
                kept.append(character)
                unquoted.append(_QUOTED)
        elif character == "\\":
            escaped = True
        else:
            kept.append(character)
            unquoted.append(character)
    return _Piece("".join(kept), "".join(unquoted), literal=not escaped)


def _with_values(text: str, values: Mapping[str, str]) -> str:
    if not values or "$" not in text:
        return text
    return _VARIABLE.sub(lambda found: values.get(found["bare"] or found["braced"], found[0]), text)


def _ansi_character(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] in "xuU" and len(code) > 1:
        return _character(int(code[1:], 16))
    if code[0] in "01234567":
        return _character(int(code, 8))
    return _ANSI_LETTERS.get(code, code)


def _character(code_point: int) -> str:
    surrogate = 0xD800 <= code_point <= 0xDFFF
    return "\ufffd" if code_point > _CODE_POINT_MAX or surrogate else chr(code_point)
