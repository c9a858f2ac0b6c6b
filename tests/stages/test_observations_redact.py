"""Redaction: what must go, what must stay, and the algebra of both."""

from __future__ import annotations

import hashlib
import json
import string
import subprocess
import sys
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from observation_builders import candidate, judge
from redaction_samples import ALPHANUMERIC, AWS_KEYS, KEPT, KEY_NAMES, KEY_PLACES, NAMED, RNG, TOKENS, body, pem

from heedful.observations.admit import Admission
from heedful.observations.detectors import DETECTORS, find_tokens
from heedful.observations.redact import redact, redact_bytes, redact_named


@pytest.mark.parametrize("detector", TOKENS)
def test_a_token_of_a_known_form_is_cut_whole(detector: str) -> None:
    """The token goes, the words around it stay, and the redaction names its place and sort."""
    token = TOKENS[detector]
    redacted = redact(f"before {token} after")
    assert redacted.text == f"before [redacted:{detector}] after"
    (cut,) = redacted.redactions
    assert redacted.text[cut.start_character : cut.end_character] == f"[redacted:{detector}]"
    assert cut.detector == detector


@pytest.mark.parametrize("detector", TOKENS)
def test_a_token_is_cut_inside_json_after_an_escaped_line_end(detector: str) -> None:
    """`\\n` in a JSON text is no part of the word that follows."""
    assert TOKENS[detector] not in redact(json.dumps({"out": f"x\n{TOKENS[detector]}\ny"})).text


@pytest.mark.parametrize("detector", TOKENS)
def test_a_form_that_is_too_short_is_no_token(detector: str) -> None:
    """The control: the prefix alone is an ordinary word."""
    prefix = next(prefix for known in DETECTORS if known.name == detector for prefix in known.prefixes)
    assert not list(find_tokens(f"the {prefix} prefix"))


@pytest.mark.parametrize(("frame", "secret", "detector"), NAMED)
def test_a_secret_is_known_by_what_stands_beside_it(frame: str, secret: str, detector: str) -> None:
    """Only the value goes: names, users and hosts stay readable."""
    redacted = redact(frame.format(secret))
    assert redacted.text == frame.format(f"[redacted:{detector}]")


@pytest.mark.parametrize("place", KEY_PLACES)
def test_a_secret_key_goes_whatever_it_looks_like(place: str) -> None:
    """Like a path, without a digit, like a name: beside any of its names; and nothing but the key goes."""
    for name in KEY_NAMES:
        for key in AWS_KEYS:
            text = KEY_PLACES[place].format(name=name, key=key)
            assert redact(text).text == text.replace(key, "[redacted:secret]"), text


def test_of_random_keys_hardly_one_stays() -> None:
    """One of 64 begins like a path; of those one in four stayed once."""
    keys = ["/" + body(39, ALPHANUMERIC + "+/") for _ in range(1_000)]
    left = [key for key in keys if key in redact(f"aws_secret_access_key = {key}").text]
    assert len(left) <= 1, left
    assert [key for key in keys if redact_named("aws_secret_access_key", key).text == key] == []


@pytest.mark.parametrize("between", [",", "\t", ":", " ", '","', "\n"])
def test_the_secret_behind_an_access_key_id_goes_with_it(between: str) -> None:
    """As in the file that AWS gives out; a digest behind one stays (the control)."""
    key = TOKENS["aws-key"]
    text = f"Access key ID,Secret access key\n{key}{between}{AWS_KEYS[1]}\n"
    told = redact(text).text
    assert (key in told, AWS_KEYS[1] in told) == (False, False)
    digest = hashlib.sha256(b"x").hexdigest()
    assert digest in redact(f"{key}{between}{digest}").text


def test_json_inside_json_is_read_too() -> None:
    """Tool input is often JSON in a JSON text; its quotes are escaped, more than once."""
    inner = json.dumps({"user": "app", "password": "swordfish"})
    for depth in range(4):
        assert "swordfish" not in redact(inner).text, depth
        inner = json.dumps({"input": inner})


@pytest.mark.parametrize("text", KEPT)
def test_ordinary_code_and_prose_stay_as_they_are(text: str) -> None:
    """Talking about secrets is no secret; nor is code that handles them."""
    assert redact(text).text == text
    assert redact(text).redactions == ()


def test_ids_and_digests_are_never_cut() -> None:
    """UUIDs, SHA-256, git hashes, tool ids, card-like numbers: long and random, and needed."""
    for _ in range(300):
        ids = [
            str(uuid.UUID(int=RNG.getrandbits(128))),
            hashlib.sha256(RNG.randbytes(8)).hexdigest(),
            hashlib.sha1(RNG.randbytes(8), usedforsecurity=False).hexdigest(),
            hashlib.md5(RNG.randbytes(8), usedforsecurity=False).hexdigest(),
            "toolu_01" + body(22),
            body(16, string.digits),
        ]
        for text in ids:
            for frame in ("{}", "commit {}", '"id": "{}"', "digest=sha256:{}", "token: {}", "trace_token={}"):
                if text.startswith("toolu") and "token" in frame:
                    continue
                framed = frame.format(text)
                assert redact(framed).text == framed


def test_a_private_key_goes_from_its_first_line_to_its_last() -> None:
    """All lines of it, in plain text, in JSON, and where the end is missing."""
    key = pem()
    assert redact(f"a\n{key}\nb").text == "a\n[redacted:private-key]\nb"
    assert redact(json.dumps({"k": key})).text == '{"k": "[redacted:private-key]"}'
    assert redact(key[:200] + "\n").text.startswith("[redacted:private-key]")
    two = redact(f"{key}\nbetween\n{pem('EC ')}")
    assert two.text == "[redacted:private-key]\nbetween\n[redacted:private-key]"


def test_many_first_lines_of_keys_take_linear_time() -> None:
    """No last line is looked for again and again: 2 MB of first lines are read in seconds."""
    text = "-----BEGIN PRIVATE KEY-----\n" * 70_000
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "eyJ" * 200_000,
        "sk-" * 200_000,
        "token" + " " * 500_000,
        "password=" * 50_000,
        "://a:" * 100_000,
        "secret_key " * 50_000,
        "<secret_key>" * 50_000,
        "secret_key: |\n" * 40_000,
        "AKIA" * 150_000,
        'secret_key", "value' * 30_000,
    ],
)
def test_hostile_repetition_takes_linear_time(text: str) -> None:
    """Half a megabyte made to make a search start over is read in seconds, and holds no secret."""
    assert len(redact(text).text) <= 2 * len(text)


def test_a_combining_mark_is_not_left_alone() -> None:
    """A secret ends where its last visible character ends."""
    token = TOKENS["github-token"]
    assert redact(f"{token}\u0301 x").text == "[redacted:github-token] x"


def test_a_field_name_makes_its_value_a_secret() -> None:
    """And an ordinary name does not."""
    assert redact_named("db_password", "swordfish").text == "[redacted:password]"
    assert redact_named("note", "swordfish").text == "swordfish"
    assert redact_named("note", TOKENS["aws-key"]).text == "[redacted:aws-key]"


def test_bytes_are_redacted_by_exact_forms_only() -> None:
    """A key in a binary file goes; bytes that merely look like a password line stay."""
    content = b"\xff\xfe\x00" + TOKENS["github-token"].encode() + b"\x00password=hunter2\xff"
    redacted = redact_bytes(content)
    assert redacted.content == b"\xff\xfe\x00[redacted:github-token]\x00password=hunter2\xff"
    (cut,) = redacted.redactions
    assert redacted.content[cut.start_character : cut.end_character] == b"[redacted:github-token]"
    assert redact_bytes(b"\xff\xfe").content == b"\xff\xfe"


PIECES = st.sampled_from(
    [
        *TOKENS.values(),
        *(frame.format(secret) for frame, secret, _ in NAMED),
        *KEPT,
        pem(),
        "[redacted:password]",
        "aws ",
    ]
)
MIXED = st.builds(
    str.join, st.sampled_from(["", " ", "\n", ":", "="]), st.lists(st.one_of(PIECES, st.text(max_size=30)), max_size=8)
)


@settings(max_examples=300, deadline=None)
@given(MIXED)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    """What is stored is never redacted further, and its marks are not named again."""
    once = redact(text)
    again = redact(once.text)
    assert again.text == once.text
    assert again.redactions == ()


@settings(max_examples=300, deadline=None)
@given(MIXED)
def test_redactions_stand_where_they_say(text: str) -> None:
    """In order, apart, each on its mark; the text grows by at most 32 characters for each."""
    redacted = redact(text)
    place = 0
    for cut in redacted.redactions:
        assert place <= cut.start_character < cut.end_character <= len(redacted.text)
        assert redacted.text[cut.start_character : cut.end_character] == f"[redacted:{cut.detector}]"
        place = cut.end_character
    assert len(redacted.text) <= len(text) + 32 * len(redacted.redactions)


@settings(max_examples=300, deadline=None)
@given(st.lists(MIXED, max_size=4))
def test_attributes_are_cut_as_each_would_be_alone(values: list[str]) -> None:
    """They are searched together first: none may hide a secret of its neighbour's."""
    given_values = tuple((f"field{place}", value[:1_000]) for place, value in enumerate(values))
    answer = judge(candidate(attributes=given_values))
    assert isinstance(answer, Admission)
    assert answer.record.attributes == tuple((name, redact_named(name, value).text) for name, value in given_values)


@settings(max_examples=200, deadline=None)
@given(st.text(), st.sampled_from(sorted(TOKENS)), st.text())
def test_a_token_between_any_texts_is_cut(before: str, detector: str, after: str) -> None:
    """Whatever stands around it, Unicode and controls included, as long as a space does."""
    assert TOKENS[detector] not in redact(f"{before} {TOKENS[detector]} {after}").text


def test_the_body_of_a_putty_key_is_cut() -> None:
    """Its public part and its check sum stay."""
    text = f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n{body(64)}\n{body(20)}\nPrivate-MAC: ab12"
    expected = "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2[redacted:private-key]\nPrivate-MAC: ab12"
    assert redact(text).text == expected


def test_a_mark_is_no_name_of_what_follows_it() -> None:
    """`[redacted:password]: text` does not make a secret of the text."""
    text = "[redacted:password]: hunter2 and [redacted:github-token] = abcdefgh12345678"
    assert redact(text).text == text


def test_ordinary_text_does_not_import_the_detectors() -> None:
    """Half a second of imports is paid by the first text that holds a prefix, and by no other."""
    script = (
        "import sys; from heedful.observations.redact import redact; redact('I like tea, password policy, token: 12');"
        "assert 'detect_secrets.plugins.base' not in sys.modules; redact('x glpat-x x');"
        "assert 'detect_secrets.plugins.gitlab_token' in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0
