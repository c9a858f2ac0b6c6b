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


def planted(rng: random.Random) -> list[tuple[str, str, str]]:
    """(sort, text, secret): EACH of every sort, in the places where secrets really stand."""

    def body(count: int, alphabet: str = ALPHANUMERIC) -> str:
        return "".join(rng.choice(alphabet) for _ in range(count))

    def jwt() -> str:
        parts = [json.dumps({"alg": "HS256", "typ": "JWT"}), json.dumps({"sub": body(8), "iat": rng.randrange(10**9)})]
        return ".".join(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts) + "." + body(43)

    def password() -> str:
        letters = [rng.choice(string.ascii_letters) for _ in range(7)]
        return "".join([*letters, rng.choice(string.digits), rng.choice(string.digits), rng.choice("!#*+=")])

    def pem(kind: str) -> str:
        lines = "\n".join(body(64, ALPHANUMERIC + "+/") for _ in range(8))
        return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"

    makers: dict[str, Callable[[], tuple[str, str]]] = {}

    def sort(name: str, make_secret: Callable[[], str], frame: str) -> None:
        def make() -> tuple[str, str]:
            secret = make_secret()
            return frame.replace("@@", secret), secret

        makers[name] = make

    sort("aws id", lambda: "AKIA" + body(16, UPPER), "export AWS_ACCESS_KEY_ID=@@")
    sort("aws secret", lambda: body(40, ALPHANUMERIC + "/+"), "aws_secret_access_key = @@")
    sort("azure storage", lambda: body(86) + "==", "AccountName=x;AccountKey=@@;EndpointSuffix=y")
    sort("discord", lambda: f"M{body(23)}.{body(6)}.{body(27)}", "client.run('@@')")
    sort("github classic", lambda: "ghp_" + body(36), "git clone https://@@@github.com/a/b")
    sort("github fine", lambda: f"github_pat_{body(22)}_{body(59)}", "token @@ was created")
    sort("gitlab", lambda: "glpat-" + body(20, URL_SAFE), "PRIVATE-TOKEN: @@")
    sort("jwt", jwt, "cookie session=@@; path=/")
    sort("bearer", lambda: body(40), "curl -H 'Authorization: Bearer @@' https://api.example")
    sort("basic header", lambda: base64.b64encode(f"ana:{password()}".encode()).decode(), "Authorization: Basic @@")
    sort("mailchimp", lambda: body(32, HEX) + "-us12", "the key is @@ here")
    sort("npm line", lambda: str(uuid.UUID(int=rng.getrandbits(128))), "//registry.npmjs.org/:_authToken=@@")
    sort("npm token", lambda: "npm_" + body(36), "//registry.npmjs.org/:_authToken=@@")
    sort("openai old", lambda: f"sk-{body(20)}T3BlbkFJ{body(20)}", 'openai.api_key = "@@"')
    sort("openai project", lambda: f"sk-proj-{body(54, URL_SAFE)}{body(20)}T3BlbkFJ{body(20)}", "use @@ for it")
    sort("anthropic", lambda: f"sk-ant-api03-{body(93)}AA", "key @@ works")
    sort("google", lambda: "AIza" + body(35, URL_SAFE), "https://maps.example/api?key=@@")
    sort("hugging face", lambda: "hf_" + body(34), "login(@@)")
    sort("pypi", lambda: "pypi-AgEIcHlwaS5vcmc" + body(90, URL_SAFE), "password = @@")
    sort("sendgrid", lambda: f"SG.{body(22, URL_SAFE)}.{body(43, URL_SAFE)}", "set @@ there")
    sort("slack bot", lambda: f"xoxb-{body(12, string.digits)}-{body(12, string.digits)}-{body(24)}", "SLACK @@ now")
    sort(
        "slack hook", lambda: f"https://hooks.slack.com/services/T{body(8)}/B{body(8)}/{body(24)}", "post to @@ please"
    )
    sort("square", lambda: "sq0csp-" + body(43, URL_SAFE), "secret @@ end")
    sort("stripe live", lambda: "sk_live_" + body(24), "stripe.api_key = '@@'")
    sort("stripe test", lambda: "sk_test_" + body(24), "stripe.api_key = '@@'")
    sort("telegram", lambda: f"{body(9, '123456789')}:AA{body(33, URL_SAFE)}", "bot @@ started")
    sort("twilio", lambda: "SK" + body(32, HEX), "sid @@ and")
    sort("pem", lambda: pem("RSA "), "here it is:\n@@\nkeep it")
    sort("pem in JSON", lambda: json.dumps(pem(""))[1:-1], '{"key": "@@"}')
    sort("openssh", lambda: pem("OPENSSH "), "cat id\n@@\n")
    sort("url password", password, "postgresql://app:@@@db.internal:5432/shop")
    sort("url word", lambda: body(12), "amqp://app:@@@queue.internal/jobs")
    sort("env line", password, "DB_PASSWORD=@@\nPORT=8080")
    sort("env word", lambda: body(10, string.ascii_lowercase), "DB_PASSWORD=@@\nPORT=8080")
    sort("yaml", password, "db:\n  user: app\n  password: @@\n")
    sort("json", password, '{"user": "app", "password": "@@"}')
    sort("json in json", password, '{"input": "{\\"user\\": \\"app\\", \\"password\\": \\"@@\\"}"}')
    sort("python", password, 'client = connect("db", password="@@")')
    sort("flag", password, "mysqldump --host db --password @@ --all")
    sort("flag =", password, "tool --api-key=@@ run")
    sort("argv JSON", password, '["tool", "--password", "@@"]')
    sort("header", lambda: body(32), "X-Api-Key: @@")
    sort("prose", password, "By the way, the wifi password is @@ if you need it")
    sort("prose zh", password, "测试环境的密码是@@，别外传")
    return [(name, *make()) for name, make in makers.items() for _ in range(EACH)]


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
