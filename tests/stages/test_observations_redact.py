"""Redaction: what must go, what must stay, and the algebra of both."""

from __future__ import annotations

import hashlib
import json
import random
import string
import subprocess
import sys
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.observations.detectors import DETECTORS, find_tokens
from heedful.observations.redact import redact, redact_bytes, redact_named

RNG = random.Random(20_261_129)
ALPHANUMERIC = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits


def body(count: int, alphabet: str = ALPHANUMERIC) -> str:
    """Random characters; no secret of anybody."""
    return "".join(RNG.choice(alphabet) for _ in range(count))


def pem(kind: str = "RSA ") -> str:
    """A block that looks like a private key."""
    lines = "\n".join(body(64) for _ in range(6))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"


JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + body(43)

TOKENS = {
    "aws-key": "AKIA" + body(16, UPPER),
    "github-token": "ghp_" + body(36),
    "gitlab-token": "glpat-" + body(20),
    "jwt": JWT,
    "openai-key": f"sk-{body(20)}T3BlbkFJ{body(20)}",
    "api-key": "sk-ant-api03-" + "a1" + body(40),
    "sendgrid-key": f"SG.{body(22)}.{body(43)}",
    "slack-token": f"xoxb-{body(12, string.digits)}-{body(12, string.digits)}-{body(24)}",
    "slack-webhook": f"https://hooks.slack.com/services/T{body(8)}/B{body(8)}/{body(24)}",
    "square-secret": "sq0csp-" + body(43),
    "stripe-key": "sk_live_" + body(24),
    "google-key": "AIza" + body(35),
    "huggingface-token": "hf_" + body(34),
    "npm-token": "npm_" + body(36),
    "pypi-token": "pypi-AgEIcHlwaS5vcmc" + body(90),
    "azure-storage-key": f"AccountKey={body(86)}==",
    "digitalocean-token": "dop_v1_" + body(64, "0123456789abcdef"),
    "shopify-token": "shpat_" + body(32, "0123456789abcdef"),
    "age-key": "AGE-SECRET-KEY-1" + body(58, UPPER),
}

NAMED = [
    ("postgres://app:{}@db:5432/shop", "s3cr#t!x", "url-password"),
    ("redis://:{}@cache:6379", "s3cretword", "url-password"),
    ("DB_PASSWORD={}\nPORT=80", "swordfish", "password"),
    ("export API_KEY={}", "abcDEF123456", "secret"),
    ('{{"password": "{}"}}', "hunter2", "password"),
    ('{{"password": "{}"}}', "swordfish", "password"),
    ("password: {}\nuser: ana", "hunter2", "password"),
    ("connect(password='{}', port=1)", "hunter2!", "password"),
    ("host=db user=app password={} port=1", "hunter2", "password"),
    ("mysqldump --password {} --all", "swordfish", "password"),
    ("tool --api-key={} run", "abc123def", "secret"),
    ('["tool", "--password", "{}"]', "swordfish", "password"),
    ("curl -u ana:{} https://x.example", "s3cret", "password"),
    ("Authorization: Bearer {}", "abcdef0123456789abcdef", "authorization"),
    ('"Authorization": "Basic {}"', "YW5hOnNlY3JldA==", "authorization"),
    ("X-Api-Key: {}", "k3y" + "a" * 20, "secret"),
    ("aws_secret_access_key = {}", body(39) + "7", "secret"),
    ("//registry.npmjs.org/:_authToken={}", "1b671a64-40d5-491e-99b0-da01ff1f3341", "secret"),
    ("the wifi password is {} now", "tulip42x", "password"),
    ("测试环境的密码是{}，别外传", "abc12345", "password"),
    ("password: {}", "12345678", "password"),
    ("İ password={}", "hunter2", "password"),
    ("settings.py:12:password = '{}'", "hunter2", "password"),
    ("settings.yml:12:password: {}", "hunter2", "password"),
    ("3:密码是{}", "abc12345", "password"),
    ("口令：{}", "hunter22", "password"),
    ('password="{}"', 'pa\\"ss1word', "password"),
]

KEPT = [
    'password = os.environ["X"]',
    "password = os.environ.get('DB_PASSWORD2')",
    "password: str",
    "password: Optional[str] = None",
    "password: SecretStr",
    "def login(user: str, password: str) -> Token:",
    "token_count = 12",
    '{"input_tokens": 12345, "tokens": 99, "token_type": "page"}',
    "the password policy",
    "password is required",
    "the password must be 8-16 characters",
    "the token is expired",
    "password=password",
    "secret = settings.SECRET_KEY",
    "token = get_token()",
    "if password == other.password:",
    '"password": {"type": "string"}',
    '"secret": "my-secret-name"',
    "secret: /run/secrets/db1",
    "secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:app-AbC123",
    "use --password to set it",
    "--token TOKEN",
    "--password ${PASS}",
    "--token  <token>",
    "with --token authentication fails",
    "PASSWORD=$DB_PASS",
    "PASSWORD=${DB_PASS}",
    "PASSWORD=<your password>",
    'cache_key = "abc:1234567"',
    "https://example.com/a?b=c@d",
    "https://${USER}:${PASSWORD}@host/x",
    "docker://alpine:3.18@sha256:" + "ab" * 32,
    'if "-----BEGIN PRIVATE KEY-----" in text:',
    "密码策略要求每年更换",
    "next_page_token: 1b671a64-40d5-491e-99b0-da01ff1f3341",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:app-AbC123",
    '"AWS::IAM::AccessKey": "150ef5b439192da2"',
    'the password is "unchanged"',
    "PASSWORD=get_password(1)",
    "PASSWORD=/run/secrets/db1",
    "SECRET=OTHER_NAME",
    "secret: 12345678",
    "password = password_2",
    "--password -v2",
    "--password $PASS1",
    "--token",
    "Authorization: Bearer abcdefghijklmnopqrst",
    "curl -u user:password https://x.example",
    "eyJub3QganNvbg.abc.def is not JSON",
    "xAKIAABCDEFGHIJKLMNOP in the middle of a word",
    "task-fading-circle disk-usage risk-adjusted-return-1234567890",
    "4111 1111 1111 1111 and 4111111111111111",
]


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
    "text", ["eyJ" * 200_000, "sk-" * 200_000, "token" + " " * 500_000, "password=" * 50_000, "://a:" * 100_000]
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
        "assert 'detect_secrets.plugins.base' not in sys.modules; redact('x AKIA x');"
        "assert 'detect_secrets.plugins.aws' in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0
