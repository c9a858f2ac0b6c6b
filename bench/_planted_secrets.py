"""Secrets of many sorts, in the places where secrets really stand; made from a seed, and nobody's."""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections.abc import Callable

EACH = 20
ALPHANUMERIC = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
URL_SAFE = ALPHANUMERIC + "-_"
HEX = "0123456789abcdef"


class _Made:
    """Secrets that are nobody's."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def body(self, count: int, alphabet: str = ALPHANUMERIC) -> str:
        return "".join(self.rng.choice(alphabet) for _ in range(count))

    def jwt(self) -> str:
        subject = {"sub": self.body(8), "iat": self.rng.randrange(10**9)}
        parts = [json.dumps({"alg": "HS256", "typ": "JWT"}), json.dumps(subject)]
        encoded = [base64.urlsafe_b64encode(each.encode()).decode().rstrip("=") for each in parts]
        return ".".join([*encoded, self.body(43)])

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
        ("npm line", lambda: str(uuid.UUID(int=made.rng.getrandbits(128))), "//registry.npmjs.org/:_authToken=@@"),
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
