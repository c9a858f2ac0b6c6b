"""What is remembered in memory by the texts of records is registered, so that a withdrawal drops all of it."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "heedful"
NO_TEXTS = {
    "adapters/knowledge_files.py:bundled_knowledge": "names of packs",
    "adapters/models/matter_weights.py:bundled_matters": "nothing is given",
    "adapters/models/news_weights.py:bundled_news": "nothing is given",
    "adapters/models/router.py:bundled_weights": "nothing is given",
    "adapters/models/words.py:bundled": "nothing is given",
    "adapters/registry_cache.py:_compiled": "registry files",
    "adapters/registry_files.py:_requires": "registry files",
    "adapters/registry_files.py:bundled_packs": "nothing is given",
    "adapters/registry_files.py:registry_of": "registry files",
    "adapters/storage/codec.py:kind_ranges": "kinds of the registry",
    "adapters/storage/handles.py:Handles": "open stores",
    "adapters/storage/migrate.py:load_migrations": "names of files",
    "adapters/storage/queries.py:fill": "statements",
    "adapters/storage/queries.py:load_queries": "names of files",
    "adapters/storage/queries.py:marks": "numbers",
    "adapters/storage/sqlite/claims.py:_claims_statement": "numbers",
    "adapters/storage/sqlite/matrices.py:Matrices": "vectors, under the change that they are of; that moves with it",
    "adapters/storage/sqlite/pool.py:Pool": "open files",
    "adapters/store_folder.py:StoreFolder": "open stores",
    "claims/projections/payload.py:line_pattern": "expressions of the registry",
    "claims/projections/payload.py:path_expression": "expressions of the registry",
    "claims/projections/payload.py:schema_validator": "schemas of the registry",
    "interfaces/cli/commands.py:commands_of": "names of our own files",
    "interfaces/cli/output.py:console": "nothing is given",
    "kernel/ids.py:_beginning": "numbers",
    "kernel/times.py:_minute_us": "dates",
    "observations/detectors.py:_forms": "our own detectors",
    "observations/detectors.py:_jwt_is_formally_valid": "nothing is given",
    "policy/globs.py:glob": "patterns of the registry",
    "policy/shell/tree.py:_language": "nothing is given",
    "policy/tools.py:_compiled": "the policy",
    "policy/tools.py:_for_tool": "the policy, and names of tools",
    "policy/tools.py:_inert_by_program": "nothing is given",
    "service/keeping/calls.py:Calls": "records of one import, and gone with it",
    "service/requests.py:_members": "our own enumerations",
    "kernel/kept.py:keeps_texts": "it registers what it makes",
}
"""Whatever remembers and is not registered, with why it holds no text of a record."""
_REMEMBER = frozenset({"lru_cache", "cache", "OrderedDict", "__missing__"})
_REGISTERS = ("drops_texts(", "keeper(self)")


def remembering(source: str) -> list[str]:
    """Functions and classes of a module that remember by what they are given, as far as it registers none itself."""
    if any(each in source for each in _REGISTERS):
        source = source.replace("OrderedDict", "dict").replace("__missing__", "_missing")
    return [
        node.name
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.FunctionDef) and any(map(_is_cache, node.decorator_list)))
        or (isinstance(node, ast.ClassDef) and any(map(_is_cache, ast.walk(node))))
        or (isinstance(node, ast.FunctionDef) and node.name == "keeps_texts")
    ]


def _is_cache(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        node = node.func
    name = {ast.Name: "id", ast.Attribute: "attr", ast.FunctionDef: "name"}.get(type(node))
    return name is not None and getattr(node, name) in _REMEMBER


def test_whatever_remembers_texts_of_records_is_registered() -> None:
    """Else what was withdrawn could be read in memory for as long as the process lives."""
    found = {
        f"{path.relative_to(SOURCE).as_posix()}:{name}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in {"evaluation", "testing"}
        for name in remembering(path.read_text("utf-8"))
    }
    # The class around a cached static method is found with it.
    assert found - NO_TEXTS.keys() - {"adapters/models/words.py:WordVectors"} == set()
    assert NO_TEXTS.keys() - found == set()


def test_control_what_remembers_is_found() -> None:
    """A cached function and a dictionary that fills itself; one that is registered is none."""
    assert remembering("@lru_cache(maxsize=1)\ndef f(text): ...") == ["f"]
    assert remembering("@functools.cache\ndef f(text): ...") == ["f"]
    assert remembering("class D(dict):\n    def __missing__(self, key): ...") == ["D"]
    assert remembering("class D:\n    def __init__(self): self.x = OrderedDict()") == ["D"]
    assert remembering("@keeps_texts(1)\ndef f(text): ...") == []
    assert remembering("class D:\n    def __init__(self):\n        self.x = OrderedDict()\n        keeper(self)") == []
