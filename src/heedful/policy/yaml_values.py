"""YAML text -> plain values, with the line of each: YAML 1.2 core scalars, no surprises of YAML 1.1.

`on`, `off`, `yes`, `no` and dates stay texts. Duplicate keys, keys that are no texts, tags, and documents that grow
beyond their limits (aliases of aliases) are problems, never silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

DOCUMENT_CHARACTERS_MAX = 1_000_000
VALUES_MAX = 100_000
DEPTH_MAX = 24

_INTEGER_DIGITS_MAX = 19

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"[-+]?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, object] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_NUMBER_STARTS = frozenset("0123456789+-")

Path = tuple[str | int, ...]


class _Untagged:
    """A resolver that leaves every scalar's type to `_scalar` below: the usual one is slow, and is YAML 1.1."""

    def descend_resolver(self, current_node: object, current_index: object) -> None:
        """Nothing: no path is resolved."""

    def ascend_resolver(self) -> None:
        """Nothing."""

    def resolve(self, kind: object, value: object, implicit: object) -> str:  # noqa: ARG002
        """The tag of a value that names none."""
        return ""


class _PythonLoader(_Untagged, yaml.SafeLoader):
    """Used where PyYAML was built without libyaml."""


class _LibyamlLoader(_Untagged, yaml.CSafeLoader):
    """The C parser, about ten times as fast."""


_load = _LibyamlLoader if yaml.__with_libyaml__ else _PythonLoader


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something wrong in the text itself: 1-based line, path, stable code, message."""

    line: int
    path: Path
    code: str
    message: str


@dataclass(slots=True)
class _Reading:
    """What has been read so far; `path` is where we are."""

    flaws: list[Flaw] = field(default_factory=list)
    path: list[str | int] = field(default_factory=list)
    values: int = 0
    stopped: bool = False

    def flaw(self, node: yaml.Node, code: str, message: str, *below: str) -> None:
        self.flaws.append(Flaw(node.start_mark.line + 1, (*self.path, *below), code, message))


def read_yaml(text: str) -> tuple[object, yaml.Node | None, tuple[Flaw, ...]]:
    """The document's value, its node tree (for `line_of`), and every flaw; (None, None, flaws) where it has no form."""
    if len(text) > DOCUMENT_CHARACTERS_MAX:
        message = f"the document has {len(text)} characters; at most {DOCUMENT_CHARACTERS_MAX} are read"
        return None, None, (Flaw(1, (), "yaml_too_large", message),)
    try:
        root = _load(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        flaw = Flaw(mark.line + 1 if mark else 1, (), "yaml_malformed", str(error.problem or error.context)[:200])
        return None, None, (flaw,)
    except (yaml.YAMLError, UnicodeError) as error:
        return None, None, (Flaw(1, (), "yaml_malformed", str(error).split("\n", 1)[0][:200]),)
    except RecursionError:
        return None, None, (Flaw(1, (), "yaml_too_deep", f"values lie more than {DEPTH_MAX} deep"),)
    if root is None:
        return {}, None, ()
    reading = _Reading()
    value = _value(root, reading)
    return value, root, tuple(reading.flaws)


def line_of(root: yaml.Node | None, path: Path) -> int:
    """The 1-based line where that value's key (or the item) stands; of the nearest value above where it is missing."""
    node, line = root, 1
    for step in path:
        found = next(((key, child) for name, key, child in _children(node) if name == step), None)
        if found is None:
            break
        line, node = found[0].start_mark.line + 1, found[1]
    return line


def _children(node: yaml.Node | None) -> Iterator[tuple[str | int, yaml.Node, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        for key, child in node.value:
            yield str(key.value), key, child
    elif isinstance(node, yaml.SequenceNode):
        for index, child in enumerate(node.value):
            yield index, child, child


def _value(node: yaml.Node, reading: _Reading) -> object:
    reading.values += 1
    if reading.values > VALUES_MAX or len(reading.path) > DEPTH_MAX:
        _stop(node, reading)
    if reading.stopped:
        return None
    if node.tag:
        reading.flaw(node, "yaml_tag", f"the tag {node.tag[:60]!r} is not read")
        return None
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    return _sequence(node, reading) if isinstance(node, yaml.SequenceNode) else _mapping(node, reading)


def _stop(node: yaml.Node, reading: _Reading) -> None:
    if not reading.stopped:
        reading.stopped = True
        too_deep = len(reading.path) > DEPTH_MAX
        limit = f"more than {DEPTH_MAX} deep" if too_deep else f"more than {VALUES_MAX} values"
        code = "yaml_too_deep" if too_deep else "yaml_too_large"
        reading.flaw(node, code, f"{limit}, aliases counted as often as they are used")


def _scalar(node: yaml.ScalarNode) -> object:
    text: str = node.value
    if node.style:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _NUMBER_STARTS:
        if _INTEGER.fullmatch(text):
            return int(text) if len(text) < _INTEGER_DIGITS_MAX else text
        if _NUMBER.fullmatch(text):
            return float(text)
    return text


def _sequence(node: yaml.Node, reading: _Reading) -> list[object]:
    path = reading.path
    path.append(0)
    found: list[object] = []
    for index, child in enumerate(node.value):
        path[-1] = index
        found.append(_value(child, reading))
    path.pop()
    return found


def _mapping(node: yaml.Node, reading: _Reading) -> dict[str, object]:
    path = reading.path
    found: dict[str, object] = {}
    for key_node, child in node.value:
        key = _scalar(key_node) if isinstance(key_node, yaml.ScalarNode) and not key_node.tag else None
        if not isinstance(key, str):
            reading.flaw(key_node, "yaml_key", "a key must be a text; put quotes around a number or true")
            continue
        if key in found:
            reading.flaw(key_node, "yaml_duplicate_key", f"the key {key[:80]!r} is here twice", key)
            continue
        path.append(key)
        found[key] = _value(child, reading)
        path.pop()
    return found
