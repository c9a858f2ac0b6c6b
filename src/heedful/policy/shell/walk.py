"""The walk over a shell's syntax tree that finds what would run; shell.py is its door."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tree_sitter import Node

from heedful.policy.shell.command import COMMAND_CHARACTERS_MAX, NESTED_TEXTS_MAX, TREE_DEPTH_MAX, ShellCommand
from heedful.policy.shell.found import Found, Parts, crude_commands, problem_before_parsing
from heedful.policy.shell.run import Runner
from heedful.policy.shell.tree import gap_problem, is_plain_test, syntax_tree, write_target
from heedful.policy.shell.variables import is_inert_export, is_inert_local
from heedful.policy.shell.words import Word, heredoc_text, is_expansion, source_text, word_of


def read_text(text: str) -> ShellCommand:
    """See shell.parse_shell."""
    found = Found()
    _walk_text(Word(text, literal=True), found, 0)
    if found.problems:
        for words in crude_commands(text):
            found.guess(words)
    return found.result()


def read_words(words: Sequence[str]) -> ShellCommand:
    """See shell.parse_argv."""
    found = Found()
    if sum(len(word) for word in words) > COMMAND_CHARACTERS_MAX:
        found.problems.add("too-long")
        found.guess(words)
    elif words:
        Runner(found, 0, _walk_text).run([Word(word, literal=True) for word in words], None, None, literal=True)
    return found.result()


def _walk_text(text: Word, found: Found, depth: int) -> None:
    """Walks a text that would be run; where it is not literal, its commands are not either."""
    before = len(found.commands)
    problem = "too-deep" if depth > NESTED_TEXTS_MAX else problem_before_parsing(text.text)
    if problem is None:
        try:
            source = text.text.encode()
        except UnicodeEncodeError:
            problem = "not-text"
        else:
            _Walk(found, depth, source).whole()
    if problem is not None:
        found.problems.add(problem)
    if not text.literal:
        found.doubt_from(before)


class _Walk:
    """One text's walk."""

    def __init__(self, found: Found, depth: int, source: bytes) -> None:
        """A walk that adds to `found`; `depth` counts the texts around this one."""
        self.found = found
        self.source = source
        # Variables that the text gives a plain value, for guessing what an expansion is.
        self.values: dict[str, str] = {}
        # What the command before a pipe prints, and what the last command printed, where the text says so.
        self.piped: Word | None = None
        self.printed: Word | None = None
        self.depth = depth
        self.runner = Runner(found, depth, _walk_text)

    def whole(self) -> None:
        """Walks all of it."""
        root = syntax_tree(self.source).root_node
        if root.has_error:
            self.found.problems.add("syntax-error")
        self.visit(root, 0)

    def visit(self, node: Node, depth: int) -> None:
        """Walks a node and everything below it."""
        if depth > TREE_DEPTH_MAX:
            self.found.problems.add("too-deep")
            return
        children = node.children
        if not children:
            return
        self._check_gaps(node, children)
        match node.type:
            case "command" | "redirected_statement":
                self._statement(node, depth)
            case "pipeline":
                self._pipeline(children, None, depth)
            case "declaration_command" | "unset_command":
                self._declaration(children, depth)
            case _:
                self._note(node, children)
                for child in children:
                    self.visit(child, depth + 1)

    def _note(self, node: Node, children: Sequence[Node]) -> None:
        """Adds what a node means by itself, before what is below it."""
        match node.type:
            case "variable_assignment":
                self._local(node)
            case "test_command" | "c_style_for_statement" | "compound_statement":
                self._evaluation(node, children)
            case "for_statement":
                self._loop_variable(node, children)
            case "file_redirect":
                self._write(node)
            case "heredoc_redirect":
                self._heredoc(node)
            case "command_substitution":
                self._backticks(node, children)
            case _:
                pass

    def _check_gaps(self, node: Node, children: Sequence[Node]) -> None:
        problem = gap_problem(node, children, self.source)
        if problem is not None:
            self.found.problems.add(problem)

    def _statement(self, node: Node, depth: int) -> None:
        parts = Parts(depth + 1)
        self._collect(node, parts)
        self.printed = None
        if parts.words:
            self.printed = self.runner.run(parts.words, parts.stdin, self.piped, literal=parts.literal)
        printed = self.printed
        for child in parts.nested:
            if child.type == "pipeline":
                self._pipeline(child.children, printed, parts.depth)
            else:
                self.visit(child, parts.depth)
        self.printed = printed

    def _collect(self, node: Node, parts: Parts) -> None:
        is_command = node.type == "command"
        for child in node.children:
            match child.type:
                case "command" | "pipeline" | "list" | "negated_command":
                    self._check_gaps(child, child.children)
                    self._collect_body(child, parts)
                case "variable_assignment" if is_command:
                    parts.literal = self._assign(child, is_export=True) and parts.literal
                    parts.nested.extend(child.children)
                case "file_redirect":
                    self._check_gaps(child, child.children)
                    self._write(child)
                    self._destinations(child, parts)
                case "herestring_redirect":
                    self._check_gaps(child, child.children)
                    parts.stdin = word_of(child.children[-1], self.source, self.values)
                    parts.nested.extend(child.children)
                case "heredoc_redirect":
                    self._check_gaps(child, child.children)
                    parts.stdin = self._heredoc(child)
                    self._collect_heredoc(child, parts)
                case "subshell" | "ERROR":
                    parts.nested.append(child)
                case _ if is_command:
                    self._word(child, parts)
                case _:
                    parts.nested.append(child)

    def _collect_body(self, body: Node, parts: Parts) -> None:
        """A redirection behind a list or pipeline belongs to its last command; the parser hangs it on the whole."""
        if body.type == "command":
            self._collect(body, parts)
            return
        parts.depth += 1
        if parts.depth > TREE_DEPTH_MAX:
            self.found.problems.add("too-deep")
            return
        *before, last = body.children
        for child in before:
            if child.is_named:
                self.printed = None
                self.visit(child, parts.depth)
        self.piped = self.printed if body.type == "pipeline" else None
        if last.type in ("command", "pipeline", "list", "negated_command"):
            self._check_gaps(last, last.children)
            self._collect_body(last, parts)
        else:
            parts.nested.append(last)

    def _word(self, node: Node, parts: Parts) -> None:
        word = word_of(node, self.source, self.values)
        inner = node.children[0] if node.type == "command_name" and node.child_count else node
        if is_expansion(inner) and not word.text.startswith("$"):
            parts.words.extend(Word(part, literal=False) for part in word.text.split() or [""])
        else:
            parts.words.append(word)
        if inner.child_count:
            parts.nested.append(inner)

    def _destinations(self, redirect: Node, parts: Parts) -> None:
        """Bash ends a redirection after one word; the parser takes every word behind it for a target."""
        targets = redirect.children_by_field_name("destination")
        closes = any(child.type in (">&-", "<&-") for child in redirect.children)
        for target in targets if closes else targets[1:]:
            self._word(target, parts)
        parts.nested.extend([] if closes else targets[:1])

    def _collect_heredoc(self, redirect: Node, parts: Parts) -> None:
        for at, child in enumerate(redirect.children):
            field_name = redirect.field_name_for_child(at)
            if field_name == "argument":
                self._word(child, parts)
            elif child.type == "file_redirect":
                self._check_gaps(child, child.children)
                self._write(child)
                self._destinations(child, parts)
            elif child.type not in ("heredoc_start", "heredoc_end"):
                parts.nested.append(child)

    def _pipeline(self, children: Sequence[Node], first: Word | None, depth: int) -> None:
        printed = first
        for child in children:
            if child.is_named:
                self.piped, self.printed = printed, None
                self.visit(child, depth + 1)
                printed = self.printed
        self.piped = None

    def _assign(self, node: Node, *, is_export: bool) -> bool:
        """Notes an assignment; True where it changes nothing that a program does."""
        name_node, value_node = node.child_by_field_name("name"), node.child_by_field_name("value")
        name = "" if name_node is None else source_text(name_node, self.source)
        value = Word("", literal=True) if value_node is None else word_of(value_node, self.source, self.values)
        self.values.pop(name, None)
        if value.literal and node.children[1].type == "=":
            self.values[name] = value.text
        if is_export:
            return value.literal and is_inert_export(name, value.text)
        return is_inert_local(name, value.text if value.literal else "")

    def _local(self, node: Node) -> None:
        if not self._assign(node, is_export=False):
            self.found.command([Word(source_text(node, self.source), literal=False)], literal=False)

    def _declaration(self, children: Sequence[Node], depth: int) -> None:
        is_plain = children[0].type in ("local", "readonly", "declare", "typeset") and not any(
            child.type == "word" for child in children
        )
        literal = True
        words = [Word(children[0].type, literal=True)]
        for child in children[1:]:
            words.append(Word(source_text(child, self.source), child.type in ("variable_assignment", "variable_name")))
            if child.type == "variable_assignment":
                literal = self._assign(child, is_export=not is_plain) and literal
                for part in child.children:
                    self.visit(part, depth + 1)
            else:
                self.visit(child, depth + 1)
        self.found.command(words, literal=literal)

    def _evaluation(self, node: Node, children: Sequence[Node]) -> None:
        """Tests and arithmetic are commands too: bash may evaluate what stands in them."""
        text = source_text(node, self.source)
        if any(child.type == "((" for child in children):
            self.found.command([Word("((", literal=True), Word(text, literal=False)], literal=False)
        elif node.type == "test_command":
            literal = is_plain_test(text)
            opening = "[[" if text.startswith("[[") else text[:1]
            self.found.command([Word(opening, literal=True), Word(text, literal)], literal=literal)

    def _loop_variable(self, node: Node, children: Sequence[Node]) -> None:
        variable = node.child_by_field_name("variable")
        name = "" if variable is None else source_text(variable, self.source)
        values = [word_of(child, self.source, self.values) for child in node.children_by_field_name("value")]
        self.values.pop(name, None)
        if len(values) == 1 and values[0].literal:
            self.values[name] = values[0].text
        if not is_inert_local(name, ""):
            self.found.command([Word(children[0].type, literal=True), Word(name, literal=False)], literal=False)

    def _write(self, redirect: Node) -> None:
        target = write_target(redirect, self.source)
        if target is not None:
            self.found.writes.append(target)

    def _heredoc(self, redirect: Node) -> Word | None:
        read = heredoc_text(redirect, self.source)
        if read is None:
            self.found.problems.add("here-document")
            return None
        return Word(*read)

    def _backticks(self, node: Node, children: Sequence[Node]) -> None:
        """Within backticks bash drops backslashes before it reads; the parser does not."""
        text = source_text(node, self.source)
        if children[0].type == "`" and "\\" in text:
            _walk_text(Word(re.sub(r"\\([\\`$])", r"\1", text[1:-1]), literal=False), self.found, self.depth + 1)
