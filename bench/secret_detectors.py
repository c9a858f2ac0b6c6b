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
import sysconfig
import time
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path

from _planted_secrets import EACH, HEX, planted

from heedful.observations.redact import redact

SEED = 20_261_129
CORPUS_BYTES_MAX = 4_000_000
FILE_CHARACTERS_MAX = 100_000
WORDS = ["shipping", "the", "release", "waits", "for", "review", "ledger", "sealed", "packet", "under", "every", "gate"]

Find = Callable[[str], Iterable[str]]


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
