"""The shell's syntax tree: parsing, and checks that the parser read every character as bash does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Tree

from heedful.policy.shell.words import source_text

_BLANKS = b" \t\n"
# Between their children stands text that belongs to them.
_OWN_TEXT = frozenset(
    {
        "string",
        "translated_string",
        "expansion",
        "arithmetic_expansion",
        "heredoc_body",
        "heredoc_redirect",
        "test_command",
        "binary_expression",
        "unary_expression",
        "parenthesized_expression",
        "ternary_expression",
        "postfix_expression",
        "c_style_for_statement",
    }
)
_NOT_WORDS = frozenset({"herestring_redirect", "heredoc_redirect", "ERROR"})
# Nodes that end with their line.
_ONE_LINE = frozenset(
    {"command", "redirected_statement", "file_redirect", "herestring_redirect", "declaration_command", "unset_command"}
)
_BEFORE_COMMENT = frozenset({b"", b" ", b"\t", b"\n", b";", b"&", b"|", b"(", b")", b"`"})
_COMPOUND_STARTS = frozenset({b"{ ", b"{\t", b"{\n", b"(("})
_DESCRIPTOR_ENDS = frozenset(b"%d" % digit for digit in range(10)) | {b"}"}
_BLANK_WITHIN = re.compile(rb"(?<!\\)[ \t\n]")
_TEST = re.compile(rb"\[\[[ \t\n].*[ \t\n]\]\]|\[[ \t][^\n]*[ \t]\]", re.DOTALL)
_ARITHMETIC_TEST = re.compile(r"(\S+)\s+-(?:eq|ne|lt|le|gt|ge)\s+(\S+)")
_SUBSCRIPT_TEST = re.compile(r"\s-[vR]\s+(?![A-Za-z_]\w*\s)")
_CLOSES_ODDLY = re.compile(rb"[<>]&(?:[ \t]|\\\n)*-[^ \t\n]")
_BODY = frozenset({"heredoc_body", "heredoc_end"})
_UNNAMED_WORDS = frozenset({"$", "==", "=~"})
_WRITING = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<>"})
_NOT_A_FILE = re.compile(r"/dev/(null|stdout|stderr|tty|fd/\d+)")
_NETWORK = re.compile(r"/dev/(tcp|udp)/")


@lru_cache(maxsize=1)
def _language() -> Language:
    return Language(tree_sitter_bash.language())


def syntax_tree(source: bytes) -> Tree:
    """The syntax tree of UTF-8 text for bash."""
    return Parser(_language()).parse(source)


def gap_problem(node: Node, children: Sequence[Node], source: bytes) -> str | None:
    """A problem where text between a node's children is more than blanks, or where bash would cut it elsewhere."""
    kind = node.type
    if _is_misread(node, children, source):
        return "unread-text"
    if kind in _OWN_TEXT:
        return None
    is_root = kind == "program"
    is_line = kind in _ONE_LINE
    at = 0 if is_root else node.start_byte
    last: Node | None = None
    for child in children:
        start = child.start_byte
        if start > at:
            problem = _gap(source[at:start], is_line=is_line, is_first=last is None)
            if problem is not None:
                return problem
        elif is_line and last is not None and _would_join(last, child, source):
            return "unread-text"
        if child.type == "comment" and _is_misread(child, (), source):
            return "unread-text"
        # The grammar glues words together at empty backticks.
        if child.type == "``" or (child.type == "word" and _BLANK_WITHIN.search(source, start, child.end_byte)):
            return "unread-text"
        at = child.end_byte
        last = child
    rest = source[at : len(source) if is_root else node.end_byte].replace(b"\\\n", b"")
    return "unread-text" if rest.strip(_BLANKS) else None


def _is_misread(node: Node, children: Sequence[Node], source: bytes) -> bool:
    """True for what the grammar takes for something that bash does not."""
    text = source[node.start_byte : node.end_byte]
    match node.type:
        case "compound_statement":
            return text[:2] not in _COMPOUND_STARTS
        case "test_command":
            return _TEST.fullmatch(text) is None
        case "negated_command":
            return text[1:2] not in (b" ", b"\t", b"\n", b"\\")
        case "simple_expansion" | "variable_assignment":
            return any(left.end_byte != right.start_byte for left, right in pairwise(children))
        case "comment":
            return source[node.start_byte - 1 : node.start_byte] not in _BEFORE_COMMENT
        case "herestring_redirect":
            return children[0].type == "file_descriptor"
        case "heredoc_redirect":
            return children[0].type == "file_descriptor" or _takes_too_much(node, children, source)
        case "file_redirect":
            descriptor = children[0].type == "file_descriptor" and not source_text(children[0], source).isdecimal()
            return descriptor or _CLOSES_ODDLY.search(text) is not None
        case _:
            return False


def _takes_too_much(heredoc: Node, children: Sequence[Node], source: bytes) -> bool:
    """True where the grammar took words from a here-document's body, or from before it, for what they are not."""
    line_end = source.find(b"\n", heredoc.start_byte)
    # It also takes letters before the arrows into them.
    if any(not child.is_named and child.end_byte - child.start_byte != len(child.type) for child in children):
        return True
    return any(0 <= line_end < child.start_byte for child in children if child.type not in _BODY)


def _gap(gap: bytes, *, is_line: bool, is_first: bool) -> str | None:
    if not gap.strip(b" "):
        return None
    joined = gap.replace(b"\\\n", b"")
    if joined.strip(_BLANKS) or (is_line and b"\n" in joined):
        return "unread-text"
    return None if joined or is_first else "joined-line"


def _would_join(left: Node, right: Node, source: bytes) -> bool:
    """True where two parts of a command touch, and bash would read them as one word or cut them elsewhere."""
    if right.type == "file_redirect":
        # Digits before an arrow are a descriptor only where they stand alone.
        has_descriptor = right.children[0].type == "file_descriptor"
        return has_descriptor or source[left.end_byte - 1 : left.end_byte] in _DESCRIPTOR_ENDS
    is_word = [node.is_named or node.type in _UNNAMED_WORDS for node in (left, right)]
    return all(is_word) and right.type not in _NOT_WORDS


def is_plain_test(text: str) -> bool:
    """True for a test that evaluates nothing: no expansion or subscript, and numbers only where bash computes."""
    numbers = [side for pair in _ARITHMETIC_TEST.findall(text) for side in pair]
    return (
        not any(mark in text for mark in "$`")
        and _SUBSCRIPT_TEST.search(text) is None
        and all(side.isdecimal() for side in numbers)
    )


def write_target(redirect: Node, source: bytes) -> str | None:
    """The file (or network address) that a `file_redirect` writes to; None where it writes none."""
    operator = next((child.type for child in redirect.children if not child.is_named), "")
    target = redirect.child_by_field_name("destination")
    if target is None or target.type == "process_substitution":
        return None
    text = source_text(target, source)
    if _NETWORK.search(text):
        return text
    if operator not in _WRITING or (operator == ">&" and (text.isdecimal() or text == "-")):
        return None
    return None if _NOT_A_FILE.fullmatch(text) else text
