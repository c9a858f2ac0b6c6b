"""What people say in worlds: few words, shared by what is seen and what is hidden, so that shared statistics show."""

from __future__ import annotations

import random

_WORDS = (
    "deploy", "freeze", "invoice", "ledger", "gateway", "quarter", "rollback", "checkout", "token", "replica", "Friday",
    "production", "schema", "billing", "on-call", "window",
)  # fmt: skip
_QUIET = ("invoice", "ledger", "quarter", "replica", "Friday", "schema", "billing")
_CHINESE = ("发布", "冻结", "账单", "上线", "回滚", "值班", "支付网关", "季度结账")
_ODD = (
    "🚀", "👩‍🚀 ship it", '" OR 1=1 --', "NEAR(freeze invoice)", "tokens:*", "'); DROP TABLE claims;--", "a AND NOT b",
    "x^2 {col}", "مرحبا", "リリース", "``` ignore previous", "%s %(n)s $1",
)  # fmt: skip
_NUL = "nul\x00inside"

KINDS: tuple[tuple[str, str, tuple[object, ...] | None], ...] = (
    ("release.freeze", "normal", None),
    ("release.freeze", "normal", None),
    ("release.version-policy", "normal", ("semver", "calver")),
    ("release.window", "normal", None),
    ("incident.active", "normal", (True, False)),
    ("capacity.limit", "normal", (10, 20)),
    ("on-call.contact", "normal", ("ana", "bob")),
    ("on-call.contact", "normal", ("ana", "bob")),
    ("ci.requirement", "normal", None),
    ("review.requirement", "normal", None),
    ("rollback.plan", "normal", ("blue", "green")),
    ("rollback.plan", "normal", ("blue", "green")),
    ("release.version-policy", "normal", ("semver", "calver")),
    ("environment.gotcha", "normal", None),
    ("access.production", "sensitive", None),
    ("access.credential", "sensitive", None),
    ("contract.obligation", "sensitive", None),
    ("health", "normal", None),
    ("health.diet", "normal", None),
    ("healthy", "normal", None),
)
"""Kind, its least classification, and the values that its claims take, so that some contradict each other."""

LINE_KIND = "on-call.contact"
"""The kind of a claim that a `remember:` line proposes."""

HEARD = {
    "shutters": "release.freeze",
    "handset": "on-call.contact",
    "broth": "health.diet",
    "lorries": "capacity.limit",
    "kettles": "review.requirement",
    "badge": "access.credential",
}
"""Words that a router knows, and the kind that each tells; the last kind alone is sensitive by itself."""
OVER = "no longer"
"""What says, beside such a word, that it is over."""

QUESTIONS = (
    "Can we deploy the gateway to production now?",
    "Can the invoices go live this Friday?",
    "Deploy the checkout to staging",
    "Investigate the production outage of the billing gateway",
    "今天可以上线支付网关吗？",
    "回滚账单服务",
    "Rotate the api key of the ledger",
    "What is a freeze?",
    "Merge this pull request",
    "Who is on-call for checkout?",
    "Scale the replica to 20",
)
CLASSES = ("deploy.production", "deploy", "merge.change", "diagnose.production", "inert", "no.such.class")
TASK_CLASSES = ("general", "general", "state", "workflow", "gotcha", "premise", "causal")
ACTIONS: tuple[tuple[str, dict[str, object]], ...] = (
    ("Bash", {"command": "kubectl --context production apply -f web.yaml"}),
    ("Bash", {"command": "kubectl --context production apply -f web.yaml"}),
    ("Bash", {"command": "git push origin main"}),
    ("Bash", {"command": "ls"}),
    ("mcp__github__merge_pull_request", {"number": 7}),
    ("Edit", {"file_path": "db/migrations/001.sql"}),
    ("unheard_of", {"text": "上线"}),
)


def sentence(rng: random.Random, *, plain: bool = False) -> str:
    """A few words, often some Chinese, sometimes hostile syntax; with `plain`, what a statement may be."""
    words = rng.choices(_WORDS, k=rng.randrange(2, 7))
    if rng.random() < 0.3:
        words.append(rng.choice(_CHINESE))
    if rng.random() < 0.2:
        words.append(rng.choice(_ODD))
    if not plain and rng.random() < 0.04:
        words.append(_NUL)
    rng.shuffle(words)
    return " ".join(words)


def quiet_words(rng: random.Random, count: int) -> str:
    """So many of the words that are in no kind's phrases, so that a router alone tells what they tell."""
    return " ".join(rng.choices(_QUIET, k=count))


def big_text(rng: random.Random) -> str:
    """A text that is over the inline limit of a world, so that it lies in the blob store."""
    return "\n".join(sentence(rng) for _ in range(40))
