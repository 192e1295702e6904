"""Credentials are masked, and what only looks like one is not."""

from __future__ import annotations

import base64
import string
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from everword.text.credentials import MARK, mask_credentials, mask_parts, mask_passage
from everword.text.passages import split_passages
from support.planted_credentials import EVERYDAY, PLANTED, Planted, drawn, jwt, key_lines

_WIDE = f"{string.ascii_letters}{string.digits}-_"
_HEX, _DIGITS = "0123456789abcdef", string.digits
_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_BASE64 = f"{string.ascii_letters}{string.digits}+/"


def _forms() -> dict[str, tuple[str, str]]:
    """Return a key for each name, and a text with the placeholder {} for the key."""
    basic = base64.b64encode(b"ana:Winter-2031").decode()
    return {
        "AWS temporary": ("ASIA" + drawn(16, _UPPER), "export AWS_ACCESS_KEY_ID={}"),
        "AWS secret in JSON": (drawn(40, _BASE64), '{{"SecretAccessKey": "{}"}}'),
        "AWS session": (drawn(300, _BASE64), "aws_session_token = {}"),
        "GitHub OAuth": ("gho_" + drawn(36), "git remote set-url origin https://oauth2:{}@github.com/a/b"),
        "GitHub server": ("ghs_" + drawn(36), "GITHUB_TOKEN: {}"),
        "GitHub refresh": ("ghr_" + drawn(76), "refresh with {} please"),
        "GitLab trigger": ("glptt-" + drawn(40, _HEX), "trigger it with {}"),
        "Slack user": ("xoxp-" + "-".join(drawn(12, _DIGITS) for _ in range(3)) + f"-{drawn(32, _HEX)}", "slack: {}"),
        "Slack app": (f"xapp-1-A{drawn(10, _UPPER)}-{drawn(13, _DIGITS)}-{drawn(64, _HEX)}", "SLACK_TOKEN={}"),
        "Slack webhook": (f"T{drawn(8, _UPPER)}/B{drawn(10, _UPPER)}/{drawn(24)}", "https://hooks.slack.com/services/{}"),
        "Stripe test": ("sk_" + "test_" + drawn(24), "stripe.api_key = '{}'"),
        "Stripe restricted": ("rk_" + "live_" + drawn(24), "we charge with {}"),
        "Stripe webhook": ("whsec_" + drawn(32), "endpoint secret: {}"),
        "Twilio key": ("SK" + drawn(32, _HEX), "TWILIO_API_KEY={}"),
        "Twilio token": (drawn(32, _HEX), "TWILIO_AUTH_TOKEN={}"),
        "Mailgun": ("key-" + drawn(32, _HEX), "mailgun {} works"),
        "Mailchimp": (drawn(32, _HEX) + "-us12", "mailchimp api key: {}"),
        "Telegram bot": (f"{drawn(9, _DIGITS)}:AA{drawn(33, _WIDE)}", "the bot is {}"),
        "Discord webhook": (drawn(68, _WIDE), f"https://discord.com/api/webhooks/{drawn(18, _DIGITS)}/{{}}"),
        "Shopify": ("shpat_" + drawn(32, _HEX), "Use {} for the shop."),
        "Square": ("sq0atp-" + drawn(22, _WIDE), "square: {}"),
        "PyPI": ("pypi-AgEIcHlwaS5vcmc" + drawn(80, _WIDE), "upload with {}"),
        "Docker Hub": ("dckr_pat_" + drawn(27, _WIDE), "docker login -u ana --password {}"),
        "Databricks": ("dapi" + drawn(32, _HEX), "databricks {}"),
        "Grafana": ("glsa_" + drawn(32) + "_" + drawn(8, _HEX), "grafana {}"),
        "New Relic": ("NRAK-" + drawn(27, string.ascii_uppercase + _DIGITS), "new relic: {}"),
        "Linear": ("lin_api_" + drawn(40), "linear: {}"),
        "Notion": ("ntn_" + drawn(46), "notion token {}"),
        "Vault": ("hvs." + drawn(90, _WIDE), "VAULT_TOKEN={}"),
        "Terraform": (f"{drawn(14)}.atlasv1.{drawn(67, _WIDE)}", 'token = "{}"'),
        "Google OAuth secret": ("GOCSPX-" + drawn(28, _WIDE), "client_secret: {}"),
        "Google OAuth token": ("ya29." + drawn(120, _WIDE), "Bearer {}"),
        "Azure storage": (drawn(86, _BASE64) + "==", "AccountName=a;AccountKey={};EndpointSuffix=x"),
        "Azure SAS": (drawn(43) + "%3D", "https://a.blob.core.windows.net/c/f.txt?sv=2024-11-04&sr=b&sig={}"),
        "JWT in a header": (jwt(), "Authorization: Bearer {}"),
        "MongoDB": ("r4nd0m-Pw", "mongodb+srv://app:{}@cluster0.abcde.mongodb.net/test?retryWrites=true"),
        "AMQP": ("guest-9182", "amqp://svc:{}@rabbit:5672/%2f"),
        "basic URL": ("Tulip.77", "wget https://ana:{}@files.example.com/export.zip"),
        "basic header": (basic, "curl -H 'Authorization: Basic {}' https://example.com"),
        "ODBC": ("Kd8!vbn2", "Driver={{ODBC Driver 18}};Server=db;UID=sa;PWD={};Encrypt=yes"),
        ".pgpass": ("Hx7-lamp", "PGPASSWORD={} psql -h db -U app"),
        "npmrc": ("npm_" + drawn(36), "//registry.npmjs.org/:_authToken={}"),
    }  # fmt: skip


_EC = key_lines("EC PRIVATE", 3)
ISSUED = [
    Planted("EC key", _EC.splitlines()[2], f"my key:\n{_EC}"),
    *(Planted(name, key, text.format(key)) for name, (key, text) in _forms().items()),
]

_DEVELOPERS = """
pwd=/home/emi
cd "$pwd"; pwd = /srv/app/releases/42
pwd: C:\\Users\\emi\\src
PWD=/builds/acme/shop OLDPWD=/builds
OLDPWD=/var/lib/postgresql/18/main
password: <your password>
password: $PASSWORD
password: ***
password: ${DB_PASSWORD:-}
password: {{ vault_db_password }}
password: %(password)s
password: ""
password=YOUR_PASSWORD_HERE
password: changeme
password: [REDACTED]
password_file: /run/secrets/db_password
POSTGRES_PASSWORD_FILE=/run/secrets/postgres-passwd
--password-file ~/.restic-password
passwd: files systemd
root:x:0:0:root:/root:/bin/bash in /etc/passwd
cat /etc/passwd | grep emi
git clone https://github.com/acme/shop.git
git@github.com:acme/shop.git
ssh://git@gitlab.example.com:2222/acme/shop.git
https://user@example.com/path
https://example.com/reset-password?step=2
https://example.com/login?next=/orders/550e8400-e29b-41d4-a716-446655440000
postgresql://localhost:5432/everword
postgres://app:$DB_PASSWORD@db:5432/orders
postgres://user:password@localhost/db
redis://127.0.0.1:6379/0
HEAD is now at 9fceb02d0ae598e95dc970b74767f19372d61af8
sha384 38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b
integrity sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
If-None-Match: "33a64df551425fcc55e4d42a148795d9f25f89d4"
X-Request-Id: 0190163d-8694-739b-aea5-966c26f8ad91
primary key: order_id
foreign key (customer_id) references customers(id)
cache key: orders:2026-04:page-3
sort_key = "created_at_desc_v2"
partition_key: tenant_0042_2026
public key: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl emi@laptop
api_key: ${API_KEY}
API_KEY=$API_KEY make deploy
export TOKEN=$(vault read -field=token secret/ci)
token: <TOKEN>
token = process.env.GITHUB_TOKEN
secretKeyRef: {name: db, key: password}
tokenizer: cl100k_base, tokens: 128000
pass: 212 tests, fail: 0
pass=true retries=3
exit code=0 and status code: 404
the area code is 0441 and the zip code is 26121
pin: numpy==2.1.3
pinned to pin=1.26
Pin: GPIO17
cookie: see the banner
The bearer of this ticket may enter gate 14.
user: emi | role: admin
login: emi / Oldenburg
author = "user:1000"
docker run -u 1000:1000 -p 8080:8080 nginx
mysql -P 3306 -h db -u app -p
mysql -u root -p shop
mysql -A shop
psql -p 5432
curl -u "$USER:$TOKEN" https://api.example.com
ping -c 3 10.0.0.7; rsync -a src/ dst/
"""
#: A text a line.
DEVELOPERS = _DEVELOPERS.strip().splitlines()


KIB = 1024
#: Each is the worst that one of the forms can be given, over and over.
HOSTILE = (
    "a", "a.", "password=", "password ", 'password="', "password is ", "password a1b2c3d4 ", "token ", "bearer ",
    "secret_", "://a:", "-----BEGIN RSA PRIVATE KEY-----", f"-----BEGIN PRIVATE KEY-----\n{'A' * 64}\n", "mysql -p ",
    "pin a ", "login: a/", "cookie: ", "eyJ", "AKIA", "1234567890:AA", "İ", "key-", "pwd=/a", "/api/webhooks/1",
)  # fmt: skip


@pytest.mark.parametrize("planted", [*PLANTED, *ISSUED], ids=lambda planted: planted.name)
def test_mask_credentials_masks_each_credential_and_is_idempotent(planted: Planted) -> None:
    masked = mask_credentials(planted.text)
    assert planted.secret not in masked
    assert MARK in masked
    assert mask_credentials(masked) == masked


def test_mask_credentials_keeps_the_surrounding_text() -> None:
    text = "The wifi password is Sommer2026! and the network is Guest, PR-482."
    assert (
        mask_credentials(text) == f"The wifi password is {MARK} and the network is Guest, PR-482."
    )
    assert (
        mask_credentials('{"password": "tiger-9", "id": 7}') == f'{{"password": "{MARK}", "id": 7}}'
    )
    url = "postgres://app:s3cr3tpw@db.internal:5432/orders"
    assert mask_credentials(url) == f"postgres://app:{MARK}@db.internal:5432/orders"


@pytest.mark.parametrize("text", [*EVERYDAY, *DEVELOPERS])
def test_mask_credentials_keeps_everyday_identifiers(text: str) -> None:
    assert mask_credentials(text) == text


def test_mask_credentials_is_correct_after_multibyte_characters() -> None:
    token = next(planted.secret for planted in PLANTED if planted.name == "GitLab")
    for before in ("äöü 😀 ", "İİİ ", "\ud800 ", "密码 "):
        assert mask_credentials(f"{before}{token} after") == f"{before}{MARK} after"
    assert mask_credentials("İ password: hunter2 after") == f"İ password: {MARK} after"


def test_mask_passage_uses_the_surrounding_text() -> None:
    key = next(planted for planted in PLANTED if planted.name == "private key")
    assert key.secret not in mask_passage(key.secret, key.text)
    assert mask_passage("keep it", key.text) == "keep it"
    assert mask_passage("hunter2 password: hunter2", "elsewhere") == f"hunter2 password: {MARK}"


def test_mask_parts_masks_credentials_split_over_parts() -> None:
    key = key_lines("RSA PRIVATE", 80)
    parts = split_passages(f"Before. {key}\nAfter.")
    masked = mask_parts(parts)
    assert len(masked) == len(parts) > 2
    assert not any(line in part for part in masked for line in key.splitlines())
    assert masked[0].startswith("Before. ")
    assert masked[-1].endswith("After.")
    assert mask_parts(["the password is ", "Perle_4477, ", "ok"]) == [
        "the password is ",
        f"{MARK}, ",
        "ok",
    ]
    assert mask_parts(["Nothing ", "", "here."]) == ["Nothing ", "", "here."]


def test_mask_credentials_is_thread_safe() -> None:
    texts = [planted.text for planted in PLANTED]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(mask_credentials, texts)) == [mask_credentials(text) for text in texts]


@pytest.mark.parametrize("unit", HOSTILE)
def test_mask_credentials_takes_linear_time(unit: str) -> None:
    """Linear: eight times as long takes about eight times as long, where the square would be 64."""
    mask_credentials(PLANTED[0].text)
    short, long = (unit * (size // len(unit)) for size in (8 * KIB, 64 * KIB))

    def taken(text: str) -> float:
        started = time.thread_time()
        mask_credentials(text)
        return time.thread_time() - started

    assert taken(long) < 30 * max(min(taken(short) for _ in range(3)), 0.005)
