"""Made-up secrets and ordinary text, for the tests of redaction."""

from __future__ import annotations

import random
import string

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
    "heedful-permit": f"heedful_permit_1.eyJ{'aB1_-' * 140}.{'z9-_X' * 8}abc",
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

AWS_KEYS = [
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY",
    "/LYGCFzQ4JX1ofR4WssUeqDs/v9FTeLZCxfjGIHe",
    "/UVVQcOKLiyukyfewTATY/xfI0nUFMGJCVPTQDUz",
    "hIEJeuRjXvwPZHfsQPkfldpQN/rpdBRnVMejOVjt",
    "v3kJ9QmXbZ0pLrTnWcYdAeFgHiKuVoSx1B2C4D5E",
    "KeyPassTokenQz81hXcVbNmLkJhGfDsApOiUyTr2",
]
"""Of the form of AWS, made up: like a path, without a digit, like a version, like a name."""

KEY_NAMES = (
    *(
        "aws_secret_access_key",
        "AWS_SECRET_ACCESS_KEY",
        "SecretAccessKey",
        "secretAccessKey",
        "secret_key",
        "SECRET_KEY",
    ),
    *("secretKey", "secret-key", "aws.secretAccessKey", "minio_secret_key", "Secret access key"),
)

KEY_PLACES = {
    "ini": "[default]\n{name} = {key}\nregion = eu-west-1",
    "env": "{name}={key}\n",
    "shell": 'export {name}="{key}"; run',
    "yaml": "aws:\n  {name}: {key}\n  region: x",
    "yaml quoted": "{name}: '{key}'",
    "yaml block": "{name}: |\n  {key}\nnext: 1",
    "yaml folded": '"{name}": >-\n    {key}\n',
    "json": '{{"{name}": "{key}", "n": 1}}',
    "json, tight": '{{"{name}":"{key}"}}',
    "json in json": '{{\\"{name}\\": \\"{key}\\"}}',
    "python": "client({{'{name}': '{key}'}})",
    "terraform": '{name} = "{key}"',
    "xml": "<Credentials><{name}>{key}</{name}></Credentials>",
    "table": "| {name} | {key} |",
    "columns": "{name}\t{key}\tshared",
    "command": "aws configure set {name} {key}",
    "docker": "ENV {name} {key}",
    "name and value": '{{"name": "{name}", "value": "{key}"}}',
    "kubernetes": "- name: {name}\n  value: {key}\n",
}
"""Where such a key stands, by its name; in YAML, JSON, environments, tables, commands."""

KEPT = [
    "The secret key is rotated every quarter; ask the platform team for a secret access key.",
    "Set AWS_SECRET_ACCESS_KEY in the environment, never in a file.",
    "aws_secret_access_key is read from the profile",
    "Never write a secret_key into a manifest: use secretKeyRef.",
    "secretKeyRef:\n  name: web\n  key: secret_key",
    "secret_key: \"{{ lookup('env', 'SECRET_KEY') }}\"",
    "secret_key: !vault |",
    "secret_key: ${SECRET_KEY}",
    "secret_key = os.getenv('SECRET_KEY')",
    "SECRET_KEY=$(cat /run/secrets/key)",
    "aws_secret_access_key = <your secret access key>",
    "aws_secret_access_key = ****************",
    '"SecretAccessKey": {"type": "string"}',
    '"SecretAccessKey": null',
    "<SecretAccessKey/> <SecretAccessKey>string</SecretAccessKey>",
    "| secret_key | the key that signs sessions | required |",
    "secret_key  string  required",
    "aws configure set aws_secret_access_key VALUE",
    '{"name": "SECRET_KEY", "value": "required"}',
    '{"name": "secret_key", "valueFrom": {"secretKeyRef": {"name": "web-1", "key": "secret_key"}}}',
    "- name: SECRET_KEY\n  valueFrom:\n    secretKeyRef: {name: web1}",
    "secret_key: /run/secrets/django_secret_key",
    "secretKey: projects/my-project/secrets/web/versions/latest",
    "the signing key SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8",
    "the secret key 3f786850e387550fdab836ed7e6dc881de23001b was rotated",
    "private key getSecretFromVaultOrEnvironment",
    "service account key: see the runbook",
    "access key AKIA was rotated",
    "秘密访问密钥每季度轮换一次",
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
    "--api-key API_KEY",
    '"nextBackwardToken": "b/31132629274945519779805322857203735586714454643391594505"',
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
