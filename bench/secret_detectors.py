"""Which secret detectors to use: hits on planted secrets, false alarms on ordinary text, cost. For ADR 0003.

Run: python bench/secret_detectors.py [--sites FOLDER]

Every planted secret is made here from a seeded generator; none is anybody's. (Not named secrets.py: a script's own
folder is searched first, and that name is the standard library's.)
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib
import json
import pkgutil
import random
import re
import string
import sysconfig
import time
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path

from heedful.observations.redact import redact

SEED = 20_261_129
EACH = 20
CORPUS_BYTES_MAX = 4_000_000
FILE_CHARACTERS_MAX = 100_000
ALPHANUMERIC = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
URL_SAFE = ALPHANUMERIC + "-_"
HEX = "0123456789abcdef"
WORDS = ["shipping", "the", "release", "waits", "for", "review", "ledger", "sealed", "packet", "under", "every", "gate"]

Find = Callable[[str], Iterable[str]]


class _Made:
    """Secrets that are nobody's."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def body(self, count: int, alphabet: str = ALPHANUMERIC) -> str:
        return "".join(self.rng.choice(alphabet) for _ in range(count))

    def jwt(self) -> str:
        subject = {"sub": self.body(8), "iat": self.rng.randrange(10**9)}
        parts = [json.dumps({"alg": "HS256", "typ": "JWT"}), json.dumps(subject)]
        return (
            ".".join(base64.urlsafe_b64encode(each.encode()).decode().rstrip("=") for each in parts)
            + "."
            + self.body(43)
        )

    def password(self) -> str:
        choice = self.rng.choice
        letters = [choice(string.ascii_letters) for _ in range(7)]
        return "".join([*letters, choice(string.digits), choice(string.digits), choice("!#*+=")])

    def pem(self, kind: str) -> str:
        lines = "\n".join(self.body(64, ALPHANUMERIC + "+/") for _ in range(8))
        return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"


def planted(rng: random.Random) -> list[tuple[str, str, str]]:
    """(sort, text, secret): EACH of every sort, in the places where secrets really stand."""
    made = _Made(rng)
    found = []
    for name, make_secret, frame in [*_known_shapes(made), *_known_places(made)]:
        for _ in range(EACH):
            secret = make_secret()
            found.append((name, frame.replace("@@", secret), secret))
    return found


def _known_shapes(made: _Made) -> list[tuple[str, Callable[[], str], str]]:
    """Sort, maker and surroundings of secrets that are known by how they look."""
    return [
        ("aws id", lambda: "AKIA" + made.body(16, UPPER), "export AWS_ACCESS_KEY_ID=@@"),
        ("aws secret", lambda: made.body(40, ALPHANUMERIC + "/+"), "aws_secret_access_key = @@"),
        ("azure storage", lambda: made.body(86) + "==", "AccountName=x;AccountKey=@@;EndpointSuffix=y"),
        ("discord", lambda: f"M{made.body(23)}.{made.body(6)}.{made.body(27)}", "client.run('@@')"),
        ("github classic", lambda: "ghp_" + made.body(36), "git clone https://@@@github.com/a/b"),
        ("github fine", lambda: f"github_pat_{made.body(22)}_{made.body(59)}", "token @@ was created"),
        ("gitlab", lambda: "glpat-" + made.body(20, URL_SAFE), "PRIVATE-TOKEN: @@"),
        ("jwt", made.jwt, "cookie session=@@; path=/"),
        ("bearer", lambda: made.body(40), "curl -H 'Authorization: Bearer @@' https://api.example"),
        (
            "basic header",
            lambda: base64.b64encode(f"ana:{made.password()}".encode()).decode(),
            "Authorization: Basic @@",
        ),
        ("mailchimp", lambda: made.body(32, HEX) + "-us12", "the key is @@ here"),
        ("npm line", lambda: str(uuid.UUID(int=rng.getrandbits(128))), "//registry.npmjs.org/:_authToken=@@"),
        ("npm token", lambda: "npm_" + made.body(36), "//registry.npmjs.org/:_authToken=@@"),
        ("openai old", lambda: f"sk-{made.body(20)}T3BlbkFJ{made.body(20)}", 'openai.api_key = "@@"'),
        (
            "openai project",
            lambda: f"sk-proj-{made.body(54, URL_SAFE)}{made.body(20)}T3BlbkFJ{made.body(20)}",
            "use @@ for it",
        ),
        ("anthropic", lambda: f"sk-ant-api03-{made.body(93)}AA", "key @@ works"),
        ("google", lambda: "AIza" + made.body(35, URL_SAFE), "https://maps.example/api?key=@@"),
        ("hugging face", lambda: "hf_" + made.body(34), "login(@@)"),
        ("pypi", lambda: "pypi-AgEIcHlwaS5vcmc" + made.body(90, URL_SAFE), "password = @@"),
        ("sendgrid", lambda: f"SG.{made.body(22, URL_SAFE)}.{made.body(43, URL_SAFE)}", "set @@ there"),
        (
            "slack bot",
            lambda: f"xoxb-{made.body(12, string.digits)}-{made.body(12, string.digits)}-{made.body(24)}",
            "SLACK @@ now",
        ),
        (
            "slack hook",
            lambda: f"https://hooks.slack.com/services/T{made.body(8)}/B{made.body(8)}/{made.body(24)}",
            "post to @@ please",
        ),
        ("square", lambda: "sq0csp-" + made.body(43, URL_SAFE), "secret @@ end"),
        ("stripe live", lambda: "sk_live_" + made.body(24), "stripe.api_key = '@@'"),
        ("stripe test", lambda: "sk_test_" + made.body(24), "stripe.api_key = '@@'"),
        ("telegram", lambda: f"{made.body(9, '123456789')}:AA{made.body(33, URL_SAFE)}", "bot @@ started"),
        ("twilio", lambda: "SK" + made.body(32, HEX), "sid @@ and"),
    ]


def _known_places(made: _Made) -> list[tuple[str, Callable[[], str], str]]:
    """The same of secrets that are known by where they stand."""
    return [
        ("pem", lambda: made.pem("RSA "), "here it is:\n@@\nkeep it"),
        ("pem in JSON", lambda: json.dumps(made.pem(""))[1:-1], '{"key": "@@"}'),
        ("openssh", lambda: made.pem("OPENSSH "), "cat id\n@@\n"),
        ("url password", made.password, "postgresql://app:@@@db.internal:5432/shop"),
        ("url word", lambda: made.body(12), "amqp://app:@@@queue.internal/jobs"),
        ("env line", made.password, "DB_PASSWORD=@@\nPORT=8080"),
        ("env word", lambda: made.body(10, string.ascii_lowercase), "DB_PASSWORD=@@\nPORT=8080"),
        ("yaml", made.password, "db:\n  user: app\n  password: @@\n"),
        ("json", made.password, '{"user": "app", "password": "@@"}'),
        ("json in json", made.password, '{"input": "{\\"user\\": \\"app\\", \\"password\\": \\"@@\\"}"}'),
        ("python", made.password, 'client = connect("db", password="@@")'),
        ("flag", made.password, "mysqldump --host db --password @@ --all"),
        ("flag =", made.password, "tool --api-key=@@ run"),
        ("argv JSON", made.password, '["tool", "--password", "@@"]'),
        ("header", lambda: made.body(32), "X-Api-Key: @@"),
        ("prose", made.password, "By the way, the wifi password is @@ if you need it"),
        ("prose zh", made.password, "测试环境的密码是@@，别外传"),
    ]


def ordinary(rng: random.Random, sites: list[Path]) -> dict[str, list[str]]:
    """Text without secrets, in pieces of at most 1 KB."""

    def prose(suffixes: tuple[str, ...]) -> str:
        paths = [path for folder in sites for path in sorted(folder.rglob("*")) if path.suffix in suffixes]
        chosen = [path for path in paths if path.is_file() and "detect_secrets" not in str(path)]
        rng.shuffle(chosen)
        found: list[str] = []
        size = 0
        for path in chosen:
            if size >= CORPUS_BYTES_MAX:
                break
            found.append(path.read_text("utf-8", errors="replace")[:FILE_CHARACTERS_MAX])
            size += len(found[-1])
        return "\n".join(found)[:CORPUS_BYTES_MAX]

    def rows(make: Callable[[], str], count: int) -> str:
        return "\n".join(make() for _ in range(count))

    def hexed(count: int) -> str:
        return "".join(rng.choice(HEX) for _ in range(count))

    # Syllables at random are no language, but they are what a tokenless script looks like to a regular expression.
    han = "今天讨论了部署方案先把数据库备份一遍再说密码策略要求令牌过期口令强度不能外传服务正常"
    texts = {
        "source code": prose((".py",)),
        "licences, docs": prose((".txt", ".md", ".rst")),
        "Chinese": rows(lambda: "".join(rng.choice(han) for _ in range(40)) + "。", 2_000),
        "JSON logs": rows(lambda: json.dumps(_log(rng, hexed)), 2_000),
        "git log": rows(
            lambda: f"commit {hexed(40)}\nMerge: {hexed(7)} {hexed(7)}\n    {' '.join(rng.sample(WORDS, 5))}", 2_000
        ),
        "ids, digests": rows(lambda: f"{uuid.UUID(int=rng.getrandbits(128))} sha256:{hexed(64)} {hexed(32)}", 2_000),
        "numbers": rows(
            lambda: f"{rng.randrange(10**15, 10**16)} {rng.random()} {rng.randrange(10**9)}:{hexed(40)}", 2_000
        ),
        "base64 images": rows(lambda: base64.b64encode(rng.randbytes(3_000)).decode(), 150),
    }
    return {name: [text[at : at + 1024] for at in range(0, len(text), 1024)] for name, text in texts.items()}


def _log(rng: random.Random, hexed: Callable[[int], str]) -> dict[str, object]:
    return {
        "ts": f"2026-11-29T10:{rng.randrange(60):02}:00Z",
        "msg": " ".join(rng.sample(WORDS, 6)),
        "trace_id": hexed(32),
        "tokens": rng.randrange(10_000),
        "input_tokens": rng.randrange(10_000),
        "token_type": "page",
        "next_page_token": str(uuid.UUID(int=rng.getrandbits(128))),
        "cache_key": f"user:{rng.randrange(10**6)}",
        "digest": hashlib.sha256(rng.randbytes(8)).hexdigest(),
    }


def plugins() -> dict[str, Find]:
    """Every plugin of detect-secrets as it would be used on a text, and ours."""
    package = importlib.import_module("detect_secrets.plugins")
    found: dict[str, Find] = {}
    for module_name in sorted(module.name for module in pkgutil.iter_modules(package.__path__)):
        module = importlib.import_module(f"detect_secrets.plugins.{module_name}")
        for name, value in vars(module).items():
            if not isinstance(value, type) or value.__module__ != module.__name__ or not hasattr(value, "secret_type"):
                continue
            denylist = getattr(value, "denylist", None)
            if isinstance(denylist, list | tuple):
                found[name] = _all_of(list(denylist))
            elif name == "KeywordDetector":
                groups = module.QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP
                found[name] = _all_of(list(groups))
            elif name in ("Base64HighEntropyString", "HexHighEntropyString"):
                plugin = value()
                found[name] = _entropy(plugin)
    return found


def _all_of(patterns: list[re.Pattern[str]]) -> Find:
    def find(text: str) -> list[str]:
        return [match[0] for pattern in patterns for match in pattern.finditer(text)]

    return find


def _entropy(plugin: object) -> Find:
    analyze: Callable[[str], Iterable[str]] = plugin.analyze_string  # type: ignore[attr-defined]
    entropy: Callable[[str], float] = plugin.calculate_shannon_entropy  # type: ignore[attr-defined]
    limit: float = plugin.entropy_limit  # type: ignore[attr-defined]

    def find(text: str) -> list[str]:
        return [value for value in analyze(text) if entropy(value) > limit]

    return find


def _heedful(text: str) -> list[str]:
    return [text] if redact(text).redactions else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    here = [Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("stdlib"))]
    parser.add_argument("--sites", type=Path, nargs="+", default=here, help="folders with ordinary text")
    parser.add_argument("--show", action="store_true", help="print what Heedful cuts out of ordinary text")
    arguments = parser.parse_args()
    rng = random.Random(SEED)
    secrets = planted(rng)
    corpora = ordinary(rng, arguments.sites)
    kilobytes = sum(len(piece) for pieces in corpora.values() for piece in pieces) / 1024
    print(f"planted: {len(secrets)} of {len(secrets) // EACH} sorts; ordinary: {kilobytes:.0f} KB")
    print("false alarms are pieces of 1 KB in which something was found\n")
    header = f"{'detector':28}{'planted':>9}{'us/KB':>8}" + "".join(f"{name:>16}" for name in corpora)
    print(header)
    for name, find in {**plugins(), "heedful": _heedful}.items():
        hits = sum(1 for _, text, _ in secrets if any(True for _ in find(text)))
        started = time.perf_counter()
        alarms = {
            corpus: sum(1 for piece in pieces if any(True for _ in find(piece))) for corpus, pieces in corpora.items()
        }
        cost = (time.perf_counter() - started) / kilobytes * 1e6
        print(f"{name:28}{hits:>9}{cost:>8.1f}" + "".join(f"{alarms[corpus]:>16}" for corpus in corpora))
    print()
    _report_misses(secrets)
    _report_speed(corpora)
    if arguments.show:
        for corpus, pieces in corpora.items():
            for piece in pieces:
                redacted = redact(piece)
                for item in redacted.redactions:
                    around = redacted.text[max(0, item.start_character - 60) : item.end_character + 20]
                    print(f"{corpus}: {around!r}")


def _report_misses(secrets: list[tuple[str, str, str]]) -> None:
    missed: dict[str, int] = {}
    for name, text, secret in secrets:
        if secret in redact(text).text:
            missed[name] = missed.get(name, 0) + 1
    print(f"left in the text by heedful: {sum(missed.values())} of {len(secrets)} {missed or ''}")


def _report_speed(corpora: dict[str, list[str]]) -> None:
    for corpus, pieces in corpora.items():
        times = []
        for piece in pieces[:500]:
            started = time.perf_counter()
            redact(piece)
            times.append((time.perf_counter() - started) * 1e6)
        times.sort()
        print(
            f"redact, 1 KB of {corpus}: p50 {times[len(times) // 2]:.1f} us, p95 {times[len(times) * 95 // 100]:.1f} us"
        )


if __name__ == "__main__":
    main()
