"""The endpoint: vectors by HTTP, from a real server on this machine; whatever goes wrong is told, and never waited for long."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from heedful.adapters.models import openai as endpoint_module
from heedful.adapters.models.openai import BATCH_TEXTS_MAX, OpenAiEmbedder
from heedful.kernel.errors import UnavailableError
from heedful.kernel.vectors import quantise

KEY = "sk-very-secret"


class Endpoint:
    """Answers as `respond` says; keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.respond: Callable[[list[str]], tuple[int, Any]] = lambda texts: (200, answer(texts))
        self.url = ""

    def embedder(self, *, dimensions: int = 3, key: str | None = KEY) -> OpenAiEmbedder:
        return OpenAiEmbedder(url=self.url, name="little", dimensions=dimensions, key=key)


def answer(texts: list[str]) -> dict[str, Any]:
    """A vector a text: how long it is, how many vowels, 1; in a turned order, as endpoints may."""
    rows = [
        {"object": "embedding", "index": index, "embedding": [len(text), sum(c in "aeiou" for c in text), 1.0]}
        for index, text in enumerate(texts)
    ]
    return {"object": "list", "data": rows[::-1], "model": "little", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


@contextmanager
def serving() -> Iterator[Endpoint]:
    endpoint = Endpoint()

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.asked.append(body)
            endpoint.keys.append(self.headers["Authorization"])
            status, told = endpoint.respond(body["input"])
            content = told if isinstance(told, bytes) else json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with suppress(BrokenPipeError):  # who asked did not wait
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as running:
        yield running


def test_an_endpoint_gives_a_vector_for_each_text_in_order(endpoint: Endpoint) -> None:
    """Whatever order it answers in; blanks are not sent, and have no direction."""
    vectors = endpoint.embedder().embed(["aaaa", " ", "b", "\ud800"], purpose="passage")
    assert vectors == (quantise([4, 4, 1]), bytes(3), quantise([1, 0, 1]), quantise([1, 0, 1]))
    assert endpoint.asked[0]["input"] == ["aaaa", "b", "?"]
    assert endpoint.asked[0]["model"] == "little"
    assert endpoint.keys == [f"Bearer {KEY}"]


def test_many_texts_go_in_bounded_calls(endpoint: Endpoint) -> None:
    """No call has more than its limit, and none is lost."""
    texts = [f"t{number}" for number in range(2 * BATCH_TEXTS_MAX + 1)]
    assert len(endpoint.embedder().embed(texts, purpose="passage")) == len(texts)
    assert [len(each["input"]) for each in endpoint.asked] == [BATCH_TEXTS_MAX, BATCH_TEXTS_MAX, 1]


def one_vector(*values: object) -> dict[str, Any]:
    return {"data": [{"index": 0, "embedding": list(values)}]}


@pytest.mark.parametrize(
    "told",
    [
        b"<html>login</html>",
        b"",
        {"data": []},
        {"error": "no such model"},
        one_vector(1.0, 2.0),
        one_vector(1.0, 2.0, "3"),
        one_vector(1.0, None, 3.0),
        one_vector(math.nan, 1.0, 2.0),
        one_vector(1e999, 1.0, 2.0),
        {"data": [{"index": 7, "embedding": [1.0, 2.0, 3.0]}]},
        {"data": [{"index": 0, "embedding": [1.0, 2.0, 3.0]}] * 2},
    ],
)
def test_an_answer_that_is_not_a_vector_for_each_text_is_a_failure(endpoint: Endpoint, told: object) -> None:
    """Never a vector of something else; the key is in no word of it."""
    endpoint.respond = lambda _texts: (200, told)
    with pytest.raises(UnavailableError) as caught:
        endpoint.embedder().embed(["a"], purpose="query")
    assert caught.value.code == "embedder_unavailable"
    assert KEY not in str(caught.value.to_dict())


def test_the_wrong_dimensions_name_the_right_ones(endpoint: Endpoint) -> None:
    """So that the setting can be mended."""
    with pytest.raises(UnavailableError) as caught:
        endpoint.embedder(dimensions=1536).embed(["a"], purpose="query")
    assert caught.value.details["dimensions"] == 3


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_a_refusal_is_a_failure_with_its_status(endpoint: Endpoint, status: int) -> None:
    """A question is asked once: whoever waits for a recall is not made to wait for retries."""
    endpoint.respond = lambda _texts: (status, {"error": {"message": f"no, {KEY}"}})
    with pytest.raises(UnavailableError, match=str(status)) as caught:
        endpoint.embedder().embed(["a"], purpose="query")
    assert KEY not in str(caught.value.to_dict())
    assert len(endpoint.asked) == 1


def test_passages_are_tried_again_and_not_for_ever(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hiccup is got over; an endpoint that stays down is given up."""
    monkeypatch.setattr(endpoint_module, "PASSAGE_RETRIES_MAX", 1)
    endpoint.respond = lambda texts: (503, {}) if len(endpoint.asked) == 1 else (200, answer(texts))
    assert endpoint.embedder().embed(["aaaa"], purpose="passage") == (quantise([4, 4, 1]),)

    endpoint.asked.clear()
    endpoint.respond = lambda _texts: (503, {})
    with pytest.raises(UnavailableError):
        endpoint.embedder().embed(["a"], purpose="passage")
    assert len(endpoint.asked) == 2


def test_where_nobody_listens_or_nobody_answers_in_time_it_is_a_failure(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both end, and say which endpoint."""
    monkeypatch.setattr(endpoint_module, "QUERY_SECONDS_MAX", 0.2)
    silent = threading.Event()
    endpoint.respond = lambda texts: (silent.wait(5), (200, answer(texts)))[1]
    closed = OpenAiEmbedder(url="http://127.0.0.1:9/v1", name="gone", dimensions=3, key=None)
    for embedder in (endpoint.embedder(), closed):
        with pytest.raises(UnavailableError) as caught:
            embedder.embed(["a"], purpose="query")
        assert caught.value.code == "embedder_unavailable"
    silent.set()
