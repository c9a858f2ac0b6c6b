"""Pictures and files in a trace: decoded where they stand in it, kept as they stand where they don't."""

from __future__ import annotations

import pytest
from documents import INLINE_PNG, PNG, PNG_STARTS

from heedful.integrations.importers.inline_bytes import blocks_of, decoded


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
        {"type": "image", "source": {"media_type": "image/png", "path": INLINE_PNG}},
        {"type": "image_url", "image_url": {"url": INLINE_PNG}},
        {"type": "input_image", "image_url": INLINE_PNG},
        {"type": "image", "image_urls": [INLINE_PNG]},
        {"type": "image", "data": PNG, "mimeType": "image/png"},
    ],
)
def test_a_picture_is_found_in_every_form_of_block(block: dict[str, object]) -> None:
    """As its bytes, with its media type."""
    found = blocks_of([{"type": "text", "text": "a"}, block, "b"])
    assert (found.text, found.others, found.broken) == ("a\nb", (), 0)
    (picture,) = found.inline
    assert picture.media_type == "image/png"
    assert picture.content.startswith(PNG_STARTS)


@pytest.mark.parametrize(
    ("block", "broken"),
    [
        ({"type": "image", "source": {"media_type": "image/png", "data": "?"}}, 1),
        ({"type": "image", "image_urls": [INLINE_PNG, "data:image/png;base64,?"]}, 1),
        ({"type": "image", "source": {"path": "images/1.png"}}, 0),
        ({"type": "text", "text": 5}, 0),
        ({"type": ["text"], "text": "x"}, 0),
        (7, 0),
    ],
)
def test_what_cannot_be_decoded_is_kept_as_it_stands(block: object, broken: int) -> None:
    """And counted, where it claims to be base64."""
    found = blocks_of([block])
    assert (found.others, found.broken) == ((block,), broken)


def test_a_url_may_hold_plain_text_and_name_any_type() -> None:
    """What is no media type is none here."""
    plain = decoded("data:text/plain,a%20b", None)
    assert plain is not None
    assert (plain.media_type, plain.content) == ("text/plain", b"a b")
    odd = decoded(PNG, "<script>")
    assert odd is not None
    assert odd.media_type == "application/octet-stream"
    assert decoded("", "image/png") is None
