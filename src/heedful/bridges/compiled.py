"""A registry, compiled: its canonical body and its phrases as bytes, from which it is made without reading YAML."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from heedful.bridges.build import registry_of_canonical
from heedful.bridges.index import PhraseBooks, books_of
from heedful.bridges.known import Knowledge, no_knowledge
from heedful.bridges.registry import Registry
from heedful.bridges.words import Phrasebook

# Neither JSON text has a line end in it: both encoders escape one.
_BETWEEN = b"\n"
_decode_body = msgspec.json.Decoder(dict[str, object]).decode
_Kept = tuple[dict[str, msgspec.Raw], dict[str, msgspec.Raw]]
_decode_books = msgspec.json.Decoder(tuple[_Kept, _Kept, _Kept, _Kept]).decode


def compiled_bytes(registry: Registry) -> bytes | None:
    """The registry as bytes; None where it could not be had back from them equal.

    So it is with a whole number beyond 2**53 - 1, which canonical bytes hold as a text.
    """
    books = books_of(registry.index)
    content = registry.body_json.encode() + _BETWEEN + _encoded(books)
    again = registry_of_compiled(content)
    again_books = books_of(again.index)
    for book in _in_order(again_books):
        book.read_whole()
    return content if again == registry and again_books == books else None


def registry_of_compiled(content: bytes, knowledge: Callable[[], Knowledge] = no_knowledge) -> Registry:
    """The registry that these bytes were made of, and nothing of it is checked: they must be `compiled_bytes`' own.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: they are not, in some of the ways in which that shows.
    """
    body_bytes, _, kept = content.partition(_BETWEEN)
    books = PhraseBooks(*(Phrasebook({**stems}, {**characters}) for stems, characters in _decode_books(kept)))
    return registry_of_canonical(_decode_body(body_bytes), body_bytes, knowledge, books)


def _encoded(books: PhraseBooks) -> bytes:
    return msgspec.json.encode([(book.by_stem, book.by_character) for book in _in_order(books)])


def _in_order(books: PhraseBooks) -> tuple[Phrasebook, Phrasebook, Phrasebook, Phrasebook]:
    return books.classes, books.entities, books.kinds, books.ends
