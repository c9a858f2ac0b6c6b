"""Documents -> Registry, or every problem that stands in its way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from heedful.bridges.index import PhraseBooks
from heedful.bridges.known import Knowledge, no_knowledge
from heedful.bridges.malformed import malformed_values
from heedful.bridges.merge import merge_documents
from heedful.bridges.projecting import Projectors
from heedful.bridges.references import unknown_references
from heedful.bridges.registry import Registry
from heedful.bridges.shape import bridges_of, vocabulary_of
from heedful.bridges.workflows import workflows_of
from heedful.kernel.canonical import canonical_bytes
from heedful.kernel.digest import sha256_hex
from heedful.kernel.ids import Revision
from heedful.policy.parse import Problem, parse_documents, sorted_problems
from heedful.policy.read import policy_of


@dataclass(frozen=True, slots=True)
class RegistryProblems:
    """Why there is no registry: each problem once, by file and line."""

    problems: tuple[Problem, ...]


def build_registry(
    documents: Iterable[tuple[str, str]], knowledge: Callable[[], Knowledge] = no_knowledge
) -> Registry | RegistryProblems:
    """The registry of these `(name, YAML text)` documents.

    A document's folder tells its pack. Its revision is the SHA-256 of the canonical JSON of what the documents say:
    their order and split, the order of keys, and comments do not change it; nor does `knowledge`, which reads the table
    that comes with a release. What only `check_registry` finds (an effect above its cap, an example that does not fire)
    does not keep a registry from being built.
    """
    parsed, problems = parse_documents(documents)
    merged, clashes = merge_documents(parsed)
    found = (*problems, *clashes, *malformed_values(merged), *unknown_references(merged))
    return RegistryProblems(sorted_problems(found)) if found else registry_of(merged.body, knowledge)


def registry_from_body(body_json: str) -> Registry:
    """The registry that was kept under its revision: equal to the one that `build_registry` made."""
    return registry_of(msgspec.json.decode(body_json))


def registry_of(body: Mapping[str, Any], knowledge: Callable[[], Knowledge] = no_knowledge) -> Registry:
    """The registry of a merged body that has no problems."""
    return registry_of_canonical(body, canonical_bytes(body), knowledge)


def registry_of_canonical(
    body: Mapping[str, Any],
    body_bytes: bytes,
    knowledge: Callable[[], Knowledge] = no_knowledge,
    books: PhraseBooks | None = None,
) -> Registry:
    """The same where the body's canonical bytes are known already, and perhaps its phrases."""
    return Registry(
        revision=Revision(sha256_hex(body_bytes)),
        vocabulary=vocabulary_of(body),
        bridges=bridges_of(body),
        policy=policy_of(body["policy"], body["tools"], body["shell_tools"]),
        packs={name: pack["version"] for name, pack in sorted(body["packs"].items())},
        body_json=body_bytes.decode(),
        workflows=workflows_of(body),
        homes={
            name: frozenset(pack["dimensions"]) for name, pack in sorted(body["packs"].items()) if "dimensions" in pack
        },
        load_knowledge=knowledge,
        # A body that was kept before there were projectors has none.
        projectors=Projectors(body.get("projectors", {})),
        books=books,
    )
