"""Small registries for the tests of the cache, and files of the cache that are sound, or say something else."""

from __future__ import annotations

from pathlib import Path

from heedful.adapters.registry_cache import CACHE_FILE, _header, _key_of
from heedful.adapters.registry_files import registry_of
from heedful.bridges.compiled import compiled_bytes
from heedful.bridges.index import books_of
from heedful.bridges.registry import Registry

SMALL = """
action_classes:
  cook:
    description: Something is cooked.
    phrases: {en: [cook ... dinner], zh: [做...饭]}
    on_no_bridge: retrieve
kinds:
  food.allergy:
    description: What someone must not eat.
    form: constraint
    cardinality: many
    comparator: text
    risk: high
    phrases: {en: [allergic to], zh: [过敏]}
    applies_to: [cook]
bridges:
  cook.allergy:
    from: [cook]
    activates: [food.allergy]
    effect: ask
    risk: high
    authority: maintainer-approved
    evidence: a test
    source_opened: true
    reason: It could make someone ill.
    owner: tests
    examples: {must_fire: [{tool: Bash, args: {number: 7}}]}
"""
DOCUMENTS = (("own.yaml", SMALL),)
OTHER = (("own.yaml", SMALL.replace("effect: ask", "effect: notice")),)


def whole(registry: Registry) -> tuple[object, ...]:
    """All that a registry says, its lookups with it."""
    index = registry.index
    for book in (index.class_phrases, index.entity_phrases, index.kind_phrases, index.kind_ends):
        book.read_whole()
    return registry, books_of(index), index.bridges_from, index.links, index.request_fields


def forged(documents: tuple[tuple[str, str], ...], content: bytes) -> bytes:
    """A cache file of these documents that says something else: its key and digest are right."""
    key = _key_of(documents)
    assert key is not None
    return _header(key, content) + content


def compiled(documents: tuple[tuple[str, str], ...]) -> bytes:
    """What is kept of these documents."""
    content = compiled_bytes(registry_of(documents))
    assert content is not None
    return content


def put(folder: Path, content: bytes) -> Path:
    """The file of the cache, with this content."""
    folder.mkdir(exist_ok=True)
    (folder / CACHE_FILE).write_bytes(content)
    (folder / CACHE_FILE).chmod(0o600)
    return folder / CACHE_FILE
