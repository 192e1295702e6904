"""Credentials as people and agents write them into conversations, and similar texts without any.

They are generated, so that no file contains one that a secret scanner of this repository would report.
"""

from __future__ import annotations

import base64
import string
from random import Random
from typing import NamedTuple


class Planted(NamedTuple):
    """A text, and the credential in it."""

    name: str
    secret: str
    text: str


_random = Random(7)
_ALNUM = string.ascii_letters + string.digits


def drawn(count: int, signs: str = _ALNUM) -> str:
    return "".join(_random.choice(signs) for _ in range(count))


def key_lines(kind: str, count: int) -> str:
    body = "\n".join(drawn(64, f"{_ALNUM}+/") for _ in range(count))
    return f"-----BEGIN {kind} KEY-----\n{body}\n-----END {kind} KEY-----"


def jwt() -> str:
    parts = (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890","name":"Emi"}')
    head = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)
    return f"{head}.{drawn(43, f'{_ALNUM}-_')}"


def _tokens() -> dict[str, str]:
    """Return tokens that are recognisable by their own form, by issuer."""
    wide, upper, digits, hexadecimal = (
        f"{_ALNUM}-_",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "0123456789",
        "0123456789abcdef",
    )
    return {
        "AWS": "AKIA" + drawn(16, upper),
        "GitHub": "ghp_" + drawn(36),
        "GitHub fine": f"github_pat_{drawn(22)}_{drawn(59)}",
        "GitLab": "glpat-" + drawn(20),
        "Slack": f"xoxb-{drawn(12, digits)}-{drawn(13, digits)}-{drawn(24)}",
        "Stripe": "sk_" + "live_" + drawn(24),
        "OpenAI": f"sk-proj-{drawn(74, wide)}T3BlbkFJ{drawn(74, wide)}",
        "Anthropic": f"sk-ant-api03-{drawn(93, wide)}AA",
        "Google": "AIza" + drawn(35, wide),
        "Hugging Face": "hf_" + drawn(34, string.ascii_letters),
        "npm": "npm_" + drawn(36),
        "SendGrid": f"SG.{drawn(22, wide)}.{drawn(43, wide)}",
        "DigitalOcean": "dop_v1_" + drawn(64, hexadecimal),
        "JWT": jwt(),
    }


PLANTED = [Planted(name, token, f"Please use {token} for it.") for name, token in _tokens().items()]
_BEARER, _KEY, _LONG = drawn(40), drawn(32), drawn(40, f"{_ALNUM}/+")
_PEM, _OPENSSH = key_lines("RSA PRIVATE", 12), key_lines("OPENSSH PRIVATE", 6)
_BASIC = base64.b64encode(b"emi:Tr0ub4dor&3").decode()
PLANTED += [
    Planted("bearer", _BEARER, f"curl -H 'Authorization: Bearer {_BEARER}' https://api.example.com/v1"),
    Planted("bearer in JSON", _BEARER, f'{{"headers": {{"Authorization": "Bearer {_BEARER}"}}}}'),
    Planted("basic", _BASIC, f"Authorization: Basic {_BASIC}"),
    Planted("private key", _PEM.splitlines()[5], f"my key:\n{_PEM}\nkeep it"),
    Planted("end of a private key", _PEM.splitlines()[-2][:30], f"my key:\n{_PEM}\nkeep it"),
    Planted("OpenSSH", _OPENSSH.splitlines()[3], f"my key:\n{_OPENSSH}\nkeep it"),
    Planted("AWS secret", _LONG, f"aws_secret_access_key = {_LONG}"),
    Planted("key in prose", _KEY, f"my API key is {_KEY}"),
    Planted("header", _KEY, f"X-API-Key: {_KEY}"),
    Planted("client secret", _KEY, f'"client_secret": "{_KEY}"'),
    Planted("in a query", _KEY, f"GET https://api.example.com/v1?access_token={_KEY}&x=1"),
    Planted("password", "hunter2", "password: hunter2"),
    Planted("letters alone", "swordfish", "DB_PASSWORD=swordfish\nDB_HOST=localhost"),
    Planted("JSON", "tiger-9", '{"user": "scott", "password": "tiger-9"}'),
    Planted("nested JSON", "tiger-9", '{"body": "{\\"password\\": \\"tiger-9\\"}"}'),
    Planted("quoted", "let me in 42", 'password: "let me in 42"'),
    Planted("prose", "Sommer2026!", "The wifi password is Sommer2026! and the network is Guest."),
    Planted("gap", "correct-horse-battery", "my password for the admin page is correct-horse-battery"),
    Planted("changed", "Winter2027?", "I changed the root password to Winter2027? today"),
    Planted("backticks", "xY7-plum", "the password is `xY7-plum`, ok?"),
    Planted("German", "Blumenwiese99", "Das Passwort ist Blumenwiese99, bitte merken."),
    Planted("German too", "geheim123", "Mein Kennwort lautet geheim123."),
    Planted("French", "Soleil2024", "Le mot de passe est Soleil2024."),
    Planted("Spanish", "Verano#77", "La contraseña es Verano#77"),
    Planted("Italian", "estate2026X", "La password è estate2026X"),
    Planted("Portuguese", "Praia!2025", "A senha é Praia!2025"),
    Planted("Dutch", "Tulp3n!!", "Het wachtwoord is Tulp3n!!"),
    Planted("Russian", "Zima2026!", "пароль: Zima2026!"),
    Planted("Japanese", "Sakura2026", "パスワードはSakura2026です"),
    Planted("Chinese", "Hong2026kong", "密码是 Hong2026kong"),
    Planted("URL", "s3cr3tpw", "postgres://app:s3cr3tpw@db.internal:5432/orders"),
    Planted("URL without a user", "topsecretredis", "redis://:topsecretredis@10.0.0.5:6379/0"),
    Planted("connection string", "Qwerty!23", "Server=db;User Id=sa;Password=Qwerty!23;"),
    Planted("curl", "pa55w0rd!", "curl --user 'emi:pa55w0rd!' https://example.com/api"),
    Planted("mysql", "Gulp77pass", "mysql -u root -pGulp77pass shop"),
    Planted("option", "kestrel", "deploy --password kestrel --verbose"),
    Planted("cookie", "8f14e45fceea167a", "Set-Cookie: sessionid=8f14e45fceea167a; HttpOnly"),
    Planted("PIN", "4711", "my PIN is 4711"),
    Planted("login", "Frosch!12", "login: admin / Frosch!12"),
]  # fmt: skip

_EVERYDAY = """
Order 550e8400-e29b-41d4-a716-446655440000 has shipped.
Commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke the build, see also 9fceb02.
ISBN 978-3-16-148410-0 and 3161484100
My order number is 302-8841123-9918742 and the tracking number 1Z999AA10123456784.
Look at /usr/local/lib/python3.11/site-packages/everword/text/analysis.py:120
The server is 192.168.178.24 and 2001:0db8:85a3:0000:0000:8a2e:0370:7334 on port 8080
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
https://example.com/articles/2026/04/how-to-choose-a-password-manager?id=8841123&ref=abc123def456
I forgot my password again and had to reset it.
The password is wrong, can you help?
Password: required
My password is too long to remember.
The password must be at least 12 characters.
What's the secret to a good risotto? The secret is patience.
Her secret: lots of butter.
The key is to start early. Key: value pairs are fine.
The token is valid for ten minutes; token count: 4096, max_tokens=2000, next_page_token=CiAKGjBpNDd2Nmp2Zml
The author is Bearer of bad news. Basic income is debated; Basic Authentication is simple.
PR-482 was merged, RFC 9110 says so, CVE-2026-12345 as well.
Flight LX1952 on 2026-04-18, booking reference QZ7K4P
phone +41 44 123 45 67, IBAN CH93 0076 2011 6238 5295 7
emi.tanaka@example.com wrote to bo@example.org
The function get_user_password_hash(user_id) returns None.
password = getpass.getpass()
password = os.environ["DB_PASSWORD"]
api_key = settings.api_key
login(user, password=password, token=token)
const token = await getToken();
secret_key: ${SECRET_KEY}
password: <your password>
password: ********
Use `Authorization: Bearer <token>` in the header.
The passwords are stored with bcrypt, the password is SHA256 hashed.
Das Passwort ist falsch. Das Passwort wurde geändert.
Le mot de passe est incorrect. La contraseña es incorrecta.
He got a pass: 78 points. The pass is closed in winter.
login: see the wiki
Version 3.11.7, build 20260418.1, v2.0.0-rc.4
md5 5d41402abc4b2a76b9719d911017c592 of the file
docker run -u 1000:1000 ghcr.io/acme/app@sha256:6c3c624b58dbbcd3c0dd82b4c53f04194d1247c6eebdaab7c610cf7d66709b3b
Google Doc 1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms, YouTube dQw4w9WgXcQ
Ethereum address 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
req_011CSHoEeqs5C35K2UUqR7Fy is the request id, trace 4bf92f3577b34da6a3ce929d0e0e4736
session_id: 0190163d-8694-739b-aea5-966c26f8ad91
postgres://db.internal:5432/orders
12:30 Emi: did you see the password policy document?
My favorite password manager is Bitwarden; the wifi password is on the fridge.
author: token, keyword: secret
the api key is missing; API key: not set; api_key is None
password: null
password: string
"password": ""
password (optional): the account's password
-----BEGIN CERTIFICATE----- MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ -----END CERTIFICATE-----
"""
#: One text per line.
EVERYDAY = _EVERYDAY.strip().splitlines()
