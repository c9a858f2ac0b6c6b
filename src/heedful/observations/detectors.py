"""Tokens that are known by their own form: the chosen plugins of detect-secrets, and a few forms that it lacks.

Which plugins, and why: docs/adr/0003-choose-the-secret-detectors.md; `bench/secret_detectors.py` prints the figures.
Importing the plugins costs about half a second (they import an HTTP client), so each module is imported when a text
first holds one of its prefixes. Ordinary text never imports any.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

TOKEN_CHARACTERS_MAX = 4_096
"""A token is looked for in this many characters from its prefix; what goes on beyond that is cut with it."""

Cut = tuple[int, int, str]
"""Start and end, in characters, of what must go, and the detector's name."""

_RUN = re.compile(r"[A-Za-z0-9_=-]*")
_REST = re.compile(r"[A-Za-z0-9_-]*")
_JWT_REST = re.compile(r"[A-Za-z0-9_=+/.-]*")


@dataclass(frozen=True, slots=True)
class TokenDetector:
    """One sort of token.

    Attributes:
        name: as it stands in `[redacted:<name>]`.
        mark: the end of every prefix, begun by a character that is rare in prose, so that looking for it is cheap.
        prefixes: how such a token starts; case matters.
        plugin: module of `detect_secrets.plugins` and its class, or None where `form` is ours.
        form: regular expression of the whole token, matched at the prefix.
        evidence: where the form is documented.
    """

    name: str
    mark: str
    prefixes: tuple[str, ...]
    plugin: tuple[str, str] | None
    form: str
    evidence: str


def _plugin(name: str, mark: str, prefixes: str, module: str, class_name: str) -> TokenDetector:
    return TokenDetector(name, mark, tuple(prefixes.split()), (module, class_name), "", "detect-secrets 1.5")


def _ours(name: str, mark: str, prefixes: str, form: str, evidence: str) -> TokenDetector:
    return TokenDetector(name, mark, tuple(prefixes.split()), None, form, evidence)


DETECTORS: tuple[TokenDetector, ...] = (
    # Without the keys of AWS's own documentation, which end in a word.
    _ours(
        "aws-key",
        "IA",
        "AKIA ASIA ABIA",
        r"A[KSB]IA(?![0-9A-Z]{9}EXAMPLE)[0-9A-Z]{16}",
        "detect-secrets 1.5; docs.aws.amazon.com: IAM identifiers",
    ),
    _plugin("aws-key", "CCA", "ACCA", "aws", "AWSKeyDetector"),
    _plugin("aws-key", "3T", "A3T", "aws", "AWSKeyDetector"),
    _plugin("azure-storage-key", "Key=", "AccountKey=", "azure_storage_key", "AzureStorageKeyDetector"),
    # 36 characters, as detect-secrets has it; one that was cut short or has grown since gives no less away.
    _ours(
        "github-token",
        "_",
        "ghp_ gho_ ghu_ ghs_ ghr_",
        r"gh[pousr]_[A-Za-z0-9_]{30,255}",
        "docs.github.com: token formats",
    ),
    _plugin(
        "gitlab-token",
        "-",
        "glpat- gldt- glft- glsoat- glrt- glcbt- glimt- glptt- glagent- gloas-",
        "gitlab_token",
        "GitLabTokenDetector",
    ),
    _plugin("gitlab-token", "R1348941", "GR1348941", "gitlab_token", "GitLabTokenDetector"),
    _plugin("jwt", "J", "eyJ", "jwt", "JwtTokenDetector"),
    _plugin("openai-key", "-", "sk-", "openai", "OpenAIDetector"),
    _plugin("pypi-token", "-", "pypi-", "pypi_token", "PypiTokenDetector"),
    _plugin("sendgrid-key", "G.", "SG.", "sendgrid", "SendGridDetector"),
    _plugin("slack-token", "-", "xoxa- xoxb- xoxp- xoxo- xoxs- xoxr-", "slack", "SlackDetector"),
    _plugin("slack-webhook", "/hooks.", "https://hooks.", "slack", "SlackDetector"),
    _plugin("square-secret", "-", "sq0csp-", "square_oauth", "SquareOAuthDetector"),
    _plugin("stripe-key", "_", "sk_live_ rk_live_", "stripe", "StripeDetector"),
    _ours("github-token", "_", "github_pat_", r"github_pat_\w{22,255}", "docs.github.com: fine-grained tokens"),
    # A run of twenty without a dash, with a digit in it: class names such as `sk-fading-circle` have none.
    _ours(
        "api-key",
        "-",
        "sk-",
        r"sk-(?:[a-z0-9]{1,12}-){0,4}(?=[A-Za-z_-]{0,200}[0-9])[A-Za-z0-9_]{20}[\w-]*",
        "keys of Anthropic, OpenRouter, DeepSeek and others",
    ),
    _ours("google-key", "Iza", "AIza", r"AIza[\w-]{35}", "cloud.google.com: API keys"),
    _ours("google-key", "-", "GOCSPX-", r"GOCSPX-[\w-]{28}", "cloud.google.com: OAuth client secrets"),
    _ours("huggingface-token", "_", "hf_", r"hf_[A-Za-z0-9]{30,64}", "huggingface.co: user access tokens"),
    _ours("npm-token", "_", "npm_", r"npm_[A-Za-z0-9]{36}", "docs.npmjs.com: access tokens"),
    _ours(
        "stripe-key", "_", "sk_test_ rk_test_ whsec_", r"(?:[sr]k_test_|whsec_)[A-Za-z0-9+/=]{16,}", "docs.stripe.com"
    ),
    _ours("slack-token", "-", "xapp- xoxe-", r"(?:xapp|xoxe)-[\w-]{20,}", "api.slack.com: token types"),
    _ours("digitalocean-token", "_", "dop_v1_ doo_v1_ dor_v1_", r"do[por]_v1_[a-f0-9]{64}", "docs.digitalocean.com"),
    _ours("shopify-token", "_", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", "shopify.dev"),
    # Whoever keeps what `judge` answered keeps no permit with it.
    _ours(
        "heedful-permit",
        "_",
        "heedful_permit_",
        r"heedful_permit_1\.[A-Za-z0-9_-]{100,}\.[A-Za-z0-9_-]{43}",
        "heedful.gate.permit",
    ),
    _ours("age-key", "-", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[A-Z0-9]{58}", "age-encryption.org/v1"),
)


@functools.cache
def _forms(detector: TokenDetector) -> tuple[re.Pattern[str], ...]:
    if detector.plugin is None:
        return (re.compile(detector.form),)
    module = importlib.import_module(f"detect_secrets.plugins.{detector.plugin[0]}")
    return tuple(getattr(module, detector.plugin[1]).denylist)


@functools.cache
def _jwt_is_formally_valid() -> Callable[[str], bool]:
    module = importlib.import_module("detect_secrets.plugins.jwt")
    valid: Callable[[str], bool] = module.JwtTokenDetector.is_formally_valid
    return valid


def _by_mark() -> dict[str, tuple[tuple[str, TokenDetector], ...]]:
    pairs: dict[str, list[tuple[str, TokenDetector]]] = {}
    for detector in DETECTORS:
        for prefix in detector.prefixes:
            pairs.setdefault(detector.mark, []).append((prefix, detector))
    return {mark: tuple(found) for mark, found in pairs.items()}


_BY_MARK = _by_mark()


def _marks() -> re.Pattern[str]:
    """Every mark that ends a prefix. Branches start with a literal, so that the search skips by character set."""
    branches = []
    for mark, pairs in _BY_MARK.items():
        prefixes = sorted({prefix for prefix, _ in pairs}, key=lambda prefix: (len(prefix), prefix))
        grouped = ("|".join(map(re.escape, group)) for _, group in itertools.groupby(prefixes, key=len))
        behind = "|".join(f"(?<={group})" for group in grouped)
        branches.append(f"{re.escape(mark)}(?:{behind})")
    return re.compile("|".join(branches))


_MARKS = _marks()


def may_hold_token(text: str) -> bool:
    """False where `find_tokens` finds none: not one prefix is there."""
    return _MARKS.search(text) is not None


def find_tokens(text: str) -> Iterator[Cut]:
    """Every token of a known form, in order of its place; none overlaps another.

    A prefix counts only where a word can start: not inside a longer run of letters and digits, such as base64.
    Linear in the length of the text: a run of characters is tried from its first prefix only.
    """
    done = 0
    for found in _MARKS.finditer(text):
        if found.start() < done:
            continue
        end = found.end()
        run_end = 0
        for prefix, detector in _BY_MARK[found[0]]:
            start = end - len(prefix)
            if start < done or not text.startswith(prefix, start) or not _starts_word(text, start):
                continue
            token_end = _token_end(detector, text, start)
            if token_end is not None:
                yield start, token_end, detector.name
                run_end = token_end
                break
            if detector.mark in "-J":
                # These forms have no upper length: a later start in the same run fails as well.
                run_end = _run_end(text, end)
        done = max(done, run_end)


def _run_end(text: str, start: int) -> int:
    found = _RUN.match(text, start)
    return found.end() if found else start


def _starts_word(text: str, start: int) -> bool:
    if start == 0:
        return True
    before = text[start - 1]
    if not (before.isascii() and before.isalnum()):
        return True
    # An escaped line end in JSON (`\nghp_...`) or a percent-encoded character is no part of the word.
    return text[max(start - 2, 0) : start] in ("\\n", "\\r", "\\t") or text[max(start - 3, 0) : start - 2] == "%"


def _token_end(detector: TokenDetector, text: str, start: int) -> int | None:
    bound = min(len(text), start + TOKEN_CHARACTERS_MAX)
    for form in _forms(detector):
        found = form.match(text, start, bound)
        if found is None:
            continue
        if detector.name != "jwt":
            rest = _REST.match(text, found.end())
            return rest.end() if rest else found.end()
        if not _jwt_is_formally_valid()(found[0]):
            continue
        rest = _JWT_REST.match(text, found.end())
        end = rest.end() if rest else found.end()
        return end - 1 if text[end - 1] == "." else end
    return None
