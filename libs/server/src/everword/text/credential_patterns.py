"""Patterns of credentials in conversations, which the rules of code scanners miss.

A pattern is tried only at its keywords, and its repetitions are possessive or bounded, so that any text takes time
linear in its length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import regex

from everword.text.credential_values import (
    ends_its_line,
    is_blank,
    is_drawn,
    is_password,
    looks_like_password,
    trimmed,
)

_WORDS = """
password passwd passphrase passcode pwd passwort kennwort contraseña contrasena senha wachtwoord lösenord adgangskode
passord salasana hasło heslo jelszó parolă şifre пароль κωδικός סיסמה パスワード 暗証番号 密码 密碼 口令 비밀번호 암호
"""
_PASSWORDS = (
    *_WORDS.split(),
    *("mot de passe", "palavra-passe", "كلمة المرور", "mật khẩu", "kata sandi"),
)
_QUOTES = r"[\\\"'`“”„«»‘’*]{0,4}+"
_SIGN = r"[ \t]*+(?::|=>|=|：)[ \t]*+"
_QUOTED = r"\\*+[\"'`“„«‘](?P<quoted>[^\\\"'`“”„«»‘’\n]{3,200}+)\\*+[\"'`”“»’]"
# Words that link a password to its name.
_IS = (
    r"(?:[:=は为為은는이가是]|が|(?<!\p{Latin})(?:is|was|are|to|equals|ist|lautet|war|est|es|è|é|jest|je|är|er|on|это)"
    r"(?=[ \t:]))"
)
# A word of a sentence; in a script without spaces, the following word is no part of it.
_BARE = r"(?P<value>[\p{Latin}\p{Cyrillic}\p{Greek}\p{Nd}!#$%&*+\-/=?@^_~|.:;(){}]{3,128}+)"
_BASE64 = r"[A-Za-z0-9+/=]"
_KEY = regex.compile(
    r"(?:api|access|private|secret|account|signing|encryption|license|subscription|master)[-_ ]?key$|[?&]key$"
)
_TOKEN = regex.compile(
    r"(?<!(?:page|next|sync|cursor|continuation|consistency|max)[-_ ]?)(?:token|secret)$"
)
_COUNTED = regex.compile(r"[ \t]++\p{L}")
_NAME_CHARS = 48
_COMMANDS = ("mysql", "mariadb", "sshpass", "redis-cli")
#: Largest distance of a command and its password, which are on one line.
_COMMAND_CHARS = 200


@dataclass(frozen=True)
class _Form:
    """A way in which credentials are written."""

    #: In lower case: the pattern begins behind one of them.
    words: Sequence[str]
    pattern: regex.Pattern[str]
    is_credential: Callable[[regex.Match[str]], bool]


def _field(match: regex.Match[str]) -> bool:
    """Return whether the value of `password=…` may be one; names in code and types are not."""
    quoted, value = match["quoted"], trimmed(match["value"] or "")
    if match["sign"] is None:
        return looks_like_password(quoted or value) or (
            _is_flag(match) and is_password(quoted or value)
        )
    if quoted:
        return is_password(quoted)
    return is_password(value) and (not value.isalpha() or ends_its_line(match))


def _short_field(match: regex.Match[str]) -> bool:
    """Return whether the value of `pass: …` may be one: `pass: 212 tests` is a count."""
    counts = (match["value"] or "").isdigit() and _COUNTED.match(match.string, match.end())
    return not counts and _field(match)


def _is_flag(match: regex.Match[str]) -> bool:
    """Return whether the word is the name of an option, as in `--password …`."""
    before = match.string[max(0, match.start() - _NAME_CHARS) : match.start()]
    return bool(before) and before.rpartition(" ")[2].startswith("--")


def _states_password(match: regex.Match[str]) -> bool:
    """Return whether `the password is …` reveals one."""
    quoted = match["quoted"]
    if quoted:
        return is_password(quoted) and " " not in quoted
    return looks_like_password(trimmed(match["value"]))


def _drawn(shortest: int) -> Callable[[regex.Match[str]], bool]:
    return lambda match: is_drawn(trimmed(match["value"]), shortest)


def _token(match: regex.Match[str]) -> bool:
    """Return whether `api_key: …` reveals one: a secret key, or a token that is no position in a list."""
    name = match.string[max(0, match.start() - _NAME_CHARS) : match.start()].lower()
    requested = _KEY if name.endswith("key") else _TOKEN
    return requested.search(name) is not None and is_drawn(trimmed(match["value"]), 12)


def _is_argument_of(*commands: str) -> Callable[[regex.Match[str]], bool]:
    """Return a check whether a value is given to one of these commands, on the same line."""

    def given(match: regex.Match[str]) -> bool:
        line = match.string[max(0, match.start() - _COMMAND_CHARS) : match.start()]
        words = line.rpartition("\n")[2].lower().split()
        return is_password(match["value"]) and any(word.startswith(commands) for word in words)

    return given


def _short_option(match: regex.Match[str]) -> bool:
    """Return whether `-p…` is a password: `-P` is a port, and `mysql -p` with a space is followed by a database."""
    before = match.string[max(0, match.start() - _COMMAND_CHARS) : match.start()]
    asks = match.string[match.start()] in " \t" and not _is_argument_of("sshpass")(match)
    return not asks and before.rstrip()[-1].islower() and _is_argument_of(*_COMMANDS)(match)


def _always(match: regex.Match[str]) -> bool:
    return True


def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.IGNORECASE | regex.VERSION1)


_FORMS = (
    _Form(
        ["-----begin "],
        _compiled(
            r"(?<=(?P<value>-----BEGIN ))(?:[A-Z0-9]{1,20}+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            rf"(?:(?:[\s>|]|\\[nr])*+(?:{_BASE64}{{24,}}+|(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n\\]*+"
            rf"|{_BASE64}{{1,24}}+(?=\s*+(?:\\[nr])*+-----END)))*+"
            r"(?:(?:[\s>|]|\\[nr])*+-----END (?:[A-Z0-9]{1,20}+ ){0,4}PRIVATE KEY(?: BLOCK)?-----)?+"
        ),
        _always,
    ),
    # scheme://user:password@host
    _Form(
        ["://"],
        _compiled(r"[^\s/@:\"'<>]{0,128}+:(?P<value>[^\s/@\"'<>]{1,256}+)@(?=[^\s@])"),
        lambda match: not is_blank(match["value"]),
    ),
    _Form(
        ["authorization"],
        _compiled(
            rf"{_QUOTES}\s*+[:=]\s*+{_QUOTES}"
            r"(?:(?:bearer|basic|token|apikey|digest|negotiate|bot|key)\s++)?+(?P<value>[\w.~+/=:-]{6,8192}+)"
        ),
        _drawn(6),
    ),
    _Form(["bearer "], _compiled(r"(?<!\w.{7})\s*+(?P<value>[\w.~+/=:-]{8,8192}+)"), _drawn(8)),
    _Form(
        ["cookie"],
        _compiled(
            rf"{_QUOTES}\s*+:\s*+{_QUOTES}(?P<value>[^\s=;:\"']{{1,128}}+=[^\n\"'\\]{{8,8192}}+)"
        ),
        _always,
    ),
    # DB_PASSWORD=…, "password": "…", --password …
    _Form(
        _PASSWORDS,
        _compiled(
            rf"(?!\p{{Latin}}){_QUOTES}(?:(?P<sign>{_SIGN})|[ \t]++)"
            rf"(?:{_QUOTED}|(?P<value>[^\s\\\"'`<>,;&|，。、]{{3,256}}+))"
        ),
        _field,
    ),
    _Form(
        ["pass", "pw"],
        _compiled(
            rf"(?<![\p{{L}}\p{{N}}](?:pass|pw)){_QUOTES}(?P<sign>{_SIGN})"
            rf"(?:{_QUOTED}|(?P<value>[^\s\\\"'`<>,;&|，。、]{{3,256}}+))"
        ),
        _short_field,
    ),
    # The password for the wifi is …
    _Form(
        _PASSWORDS,
        _compiled(
            rf"(?:[ \t]++(?!{_IS})[^\s.:;!?=,\"'`]{{1,30}}+){{0,6}}+[ \t]*+{_IS}[ \t:]*+(?:{_QUOTED}|{_BARE})"
        ),
        _states_password,
    ),
    # api_key: …, my access token is …, ?token=…
    _Form(
        ["key", "token", "secret"],
        _compiled(
            rf"(?![\p{{L}}\p{{N}}_-]){_QUOTES}(?:{_SIGN}|[ \t]++(?:{_IS}[ \t]++)?+){_QUOTES}"
            r"(?P<value>[\w.~+/=$!@#%^*-]{12,8192}+)"
        ),
        _token,
    ),
    _Form(
        ["sig=", "signature=", "auth=", "code="],
        _compiled(
            r"(?<=[?&](?:x-amz-|x-goog-)?(?:sig|signature|auth|code)=)(?P<value>[\w.~+/=%-]{12,8192}+)"
        ),
        _drawn(12),
    ),
    _Form(
        [
            "pin",
            "otp",
            "verification code",
            "security code",
            "one-time code",
            "login code",
            "access code",
            "door code",
        ],
        _compiled(
            r"(?<!\w(?:pin|otp))(?:[- ]code)?+(?:[ \t]++(?!is\b|ist\b|lautet\b)[^\s.:;!?=,]{1,30}+){0,3}+"
            r"[ \t]*+(?:is\b|ist\b|lautet\b|:|=)[ \t]*+(?P<value>\d{4,8}+)(?!\w)"
        ),
        _always,
    ),
    # login: admin / …
    _Form(
        ["login", "logins", "credentials", "creds", "zugang", "anmeldung", "user", "username"],
        _compiled(
            r"[ \t]*+[:=][ \t]*+[^\s/|,;:]{1,64}+[ \t]*+[/|][ \t]*+(?P<value>[^\s/|,;]{4,128}+)"
        ),
        lambda match: looks_like_password(trimmed(match["value"])),
    ),
    _Form(
        [" -p", " -a "],
        _compiled(r"[ \t]?+[\"']?+(?P<value>[^\s\"'`\\]{3,128}+)"),
        _short_option,
    ),
    _Form(
        [" -u", " --user"],
        _compiled(r"[ \t=]?+[\"']?+[^\s:\"']{1,64}+:(?P<value>[^\s\"'`\\]{3,128}+)"),
        _is_argument_of("curl", "wget", "http"),
    ),
    # Tokens that scanners report only together with a second one, or do not know.
    _Form(
        ["akia", "asia"],
        _compiled(
            r"(?<=(?<![A-Za-z0-9])(?-i:(?P<value>AKIA|ASIA)))(?-i:[A-Z2-7]{16})(?![A-Za-z0-9])"
        ),
        _always,
    ),
    _Form(["hf_"], _compiled(r"(?<=(?<!\w)(?P<value>hf_))[A-Za-z0-9]{30,60}+(?!\w)"), _always),
    _Form(["nrak-"], _compiled(r"(?<=(?<!\w)(?P<value>NRAK-))[A-Z0-9]{27}(?!\w)"), _always),
    _Form(["key-"], _compiled(r"(?<=(?<![\w-])(?P<value>key-))[0-9a-f]{32}(?!\w)"), _always),
    _Form(["/api/webhooks/"], _compiled(r"\d{15,22}/(?P<value>[\w-]{60,90}+)"), _always),
    _Form([":aa"], _compiled(r"(?<=(?<!\w)\d{8,10}:(?P<value>AA))[\w-]{33}(?![\w-])"), _always),
)
#: Their values begin in the word that they are looked for by, and end where the pattern does.
_WHOLE = frozenset({"-----begin ", "akia", "hf_", "nrak-", "key-", ":aa"})


def own_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the positions of credentials in `text` by these patterns; they may overlap."""
    # One letter whose small form is two characters would move all places.
    lower = text.replace("İ", "I").lower()
    for form in _FORMS:
        for word in form.words:
            place = lower.find(word)
            while place >= 0:
                end = place + len(word)
                match = form.pattern.match(text, end)
                if match is not None:
                    end = max(end, match.end())
                    if form.is_credential(match):
                        yield _span(match, whole=form.words[0] in _WHOLE)
                place = lower.find(word, end)


def _span(match: regex.Match[str], whole: bool) -> tuple[int, int]:
    """Return where the value stands that a pattern found."""
    groups = match.groupdict()
    if groups.get("quoted"):
        return match.start("quoted"), match.end("quoted")
    start = match.start("value")
    return start, match.end() if whole else start + len(trimmed(match["value"]))
