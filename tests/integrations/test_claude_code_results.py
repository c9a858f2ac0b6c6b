"""Tool calls, tool results, pictures and documents: linked, decoded, and each taken once."""

from __future__ import annotations

import base64
import json

import pytest
from transcripts import agent, answer, call, read, text, user

from heedful.observations.record import RecordType, SourceGrade, Subject


def test_a_tool_call_is_canonical_json_about_its_file() -> None:
    """Name and input; a path that is a name is a subject, a shell command has none."""
    blocks = [call("t1", "Edit", file_path="/a/b.py", new="x"), call("t2", "Bash", command="cat /a/b.py")]
    edit, shell = read(agent("a1", None, 1, *blocks)).items
    assert edit.type is RecordType.TOOL_CALL
    assert edit.content == b'{"input":{"file_path":"/a/b.py","new":"x"},"name":"Edit"}'
    assert edit.subjects == (Subject("file", "/a/b.py"),)
    assert shell.subjects == ()
    assert dict(edit.attributes)["tool_use_id"] == "t1"


def test_a_tool_result_is_linked_with_its_call_and_taken_once() -> None:
    """Its text, its tool, its error mark; the repetition beside it is not a second item, its numbers are kept."""
    rows = [
        agent("a1", None, 1, call("t1", "Read", file_path="/a.py")),
        user(
            "u1",
            "a1",
            2,
            [answer("t1", "line", is_error=True)],
            toolUseResult={"file": {"content": "line"}, "lines": 1},
        ),
    ]
    result = read(*rows).items[1]
    found = dict(result.attributes)
    assert (result.type, result.content) == (RecordType.TOOL_RESULT, b"line")
    assert (found["tool_use_id"], found["tool"], found["is_error"]) == ("t1", "Read", True)
    assert (found["result.lines"], found["result_fields_dropped"]) == (1, 1)
    assert result.subjects == (Subject("file", "/a.py"),)


def test_no_text_of_a_tools_answer_becomes_an_attribute() -> None:
    """Attributes are not searched for secrets as content is; only a few words such as a status are kept."""
    answers = {"stdout": "password=hunter2", "status": "completed", "url": "https://u:p@h.test"}
    result = read(user("u1", None, 1, [answer("t1", "password=hunter2")], toolUseResult=answers)).items[0]
    assert "hunter2" not in str(result.attributes)
    assert "h.test" not in str(result.attributes)
    assert dict(result.attributes)["result.status"] == "completed"


@pytest.mark.parametrize(
    ("said", "count"),
    [("line", 1), ("Error: line", 1), ("the whole line", 1), ("something else", 2), ("", 1), (None, 1)],
)
def test_an_answer_that_says_something_else_is_kept_beside_the_result(said: str | None, count: int) -> None:
    """Only a repetition is left out."""
    result = read(user("u1", None, 1, [answer("t1", "line")], toolUseResult=said))
    assert len(result.of_kind("user.tool_result") + result.of_kind("user.tool_use_result")) == count


def test_an_answer_without_a_tool_result_is_kept_raw() -> None:
    """Nothing else of the row holds it."""
    assert "user.tool_use_result" in read(user("u1", None, 1, "x", toolUseResult={"a": 1})).kinds()


PNG = b"\x89PNG\r\n\x1a\n\x00\x01\xff"


def image(content: str, media: object = "image/png") -> dict[str, object]:
    return {"type": "image", "source": {"type": "base64", "media_type": media, "data": content}}


def test_a_picture_is_bytes_once_though_the_row_repeats_it() -> None:
    """Decoded, with its media type; the text beside it is a result of its own."""
    encoded = base64.b64encode(PNG).decode()
    repeated = {"type": "image", "file": {"base64": encoded}}
    rows = [agent("a1", None, 1, call("t1", "Read", file_path="/a.png"))]
    content = [text("seen"), image(encoded), image(encoded)]
    rows.append(user("u1", "a1", 2, [answer("t1", content), image(encoded)], toolUseResult=repeated))
    words, picture = read(*rows).items[1:]
    assert words.content == b"seen"
    assert (picture.content, picture.media_type) == (PNG, "image/png")
    assert dict(picture.attributes)["tool_use_id"] == "t1"
    assert picture.type is RecordType.TOOL_RESULT


def test_a_persons_picture_is_a_document_of_their_message() -> None:
    """Data that they showed, not words that they said."""
    words, picture = read(user("u1", None, 1, [text("see"), image(base64.b64encode(PNG).decode())])).items
    assert (words.grade, picture.grade) == (SourceGrade.USER, SourceGrade.DOCUMENT)
    assert picture.content == PNG


@pytest.mark.parametrize("media", [None, 5, "text/html; charset=x\r\n", "../x"])
def test_a_media_type_that_is_none_is_not_passed_on(media: object) -> None:
    """The bytes are kept under the type of unknown bytes."""
    (picture,) = read(user("u1", None, 1, [image(base64.b64encode(PNG).decode(), media)])).items
    assert picture.media_type == "application/octet-stream"


@pytest.mark.parametrize("encoded", ["!!!", "AAA", "é"])
def test_a_picture_that_cannot_be_decoded_is_kept_raw_with_a_problem(encoded: str) -> None:
    """Its block stands as it came."""
    result = read(user("u1", None, 1, [image(encoded)]))
    assert result.codes() == ["base64_invalid"]
    assert json.loads(result.items[0].content) == image(encoded)


def test_a_document_by_address_or_as_text_is_kept() -> None:
    """Text as text, an address as it stands."""
    by_text = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}}
    by_address = {"type": "document", "source": {"type": "url", "url": "https://example.test/a.pdf"}}
    first, second = read(user("u1", None, 1, [by_text, by_address])).items
    assert (first.content, first.grade) == (b"words", SourceGrade.DOCUMENT)
    assert json.loads(second.content) == by_address


@pytest.mark.parametrize("content", [None, "", [], [text("")], {"odd": 1}, 5])
def test_a_tool_result_without_text_is_still_a_result(content: object) -> None:
    """That the tool said nothing is evidence too."""
    (item,) = read(user("u1", None, 1, [answer("t1", content)])).items
    assert item.kind == "user.tool_result"
    assert item.flags == ("call-missing",)


def test_what_is_no_text_in_a_tool_result_is_kept_beside_it() -> None:
    """A reference to another tool, and a picture that stands without its bytes."""
    content = [{"type": "tool_reference", "tool_name": "Glob"}, {"type": "image", "source": {"type": "file"}}]
    result = read(user("u1", None, 1, [answer("t1", content)]))
    assert result.kinds() == ["unknown:tool_reference", "user.tool_result.image"]
    assert [json.loads(item.content) for item in result.items] == content


def test_a_result_of_odd_content_beside_one_that_is_text_keeps_both() -> None:
    """What can't be read as text or blocks stays as it came."""
    whole = answer("t1", {"odd": 1})
    result = read(user("u1", None, 1, [whole, answer("t2", "ok")]))
    assert json.loads(result.items[0].content) == whole
    assert result.text(1) == "ok"
