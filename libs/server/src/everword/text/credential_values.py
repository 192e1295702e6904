"""Checks that tell a credential from a placeholder, a name in code, or a word about passwords."""

from __future__ import annotations

from itertools import pairwise

import regex

_FLAGS = regex.IGNORECASE | regex.VERSION1

_PLACEHOLDER = regex.compile(
    r"[<\[{(&]|\$[({\w]|%[({sd]|\*{3}|\.{3}|…|x{4}|change[-_ ]?me|placeholder|redacted|"
    r"(?:your|my|test|example|sample|dummy|fake|some|new|old|current|wrong|right|valid|invalid|user|admin|hashed|"
    r"secure|strong|default|the)?[-_ ]*+"
    r"(?:passwor[dt]s?|passwd|passphrase|pass|secret|api[-_]?key|token|key)?(?:[-_ ]?(?:hash|here|field|123|\d))?$",
    _FLAGS,
)
_IN_CODE = regex.compile(
    r"[a-z_][\w.]*+[(\[]|[a-z_]\w*+(?:\.[a-z_]\w*+)++$|https?://|[\w.]*+(?:environ|getenv|process\.env)",
    _FLAGS,
)
_PATH = regex.compile(r"~?(?:/[\w.-]++){2,}+/?$|~?/[a-z]++/?$", _FLAGS)
_ALGORITHM = regex.compile(
    r"(?:sha|md|base|utf|argon|oauth|x|aes|rsa|hs|rs|http)-?\d++\w{0,4}", _FLAGS
)
_JOINED = regex.compile(r"\p{L}++(?:[-_.]\p{L}++){2,}+")
_INNER_SIGN = regex.compile(r"[\p{L}\p{N}][!#$%&*+=?@^~]++[\p{L}\p{N}]")
_SETTING = regex.compile(r"(?:^|\s)[A-Z0-9_]++=$")
_WORDS = """
required optional string str text bytes char varchar number int integer bool boolean object any none null nil undefined
true false yes no not set unset empty missing wrong incorrect invalid valid correct expired changed reset forgotten lost
unknown hidden protected encrypted hashed masked stored saved enabled disabled needed there here this that same default
prompt input field value policy manager hash falsch richtig geändert vergessen abgelaufen ungültig incorrecte incorrecta
incorrecto errato sbagliata vergeten onjuist неверный self args const let var return await type email username minlength
maxlength
"""
_NO_VALUE = frozenset(_WORDS.split())
_ENDS = ".,;:)]}"
#: Letters alone that are a password, and no short word of a form.
_SHORTEST_WORD = 5


def trimmed(value: str) -> str:
    """Return a value without the punctuation that ends its sentence or bracket."""
    return value.rstrip(_ENDS)


def is_password(value: str) -> bool:
    """Return whether a value may be a password: not a placeholder, name in code, path, or word about passwords."""
    return (
        any(sign.isalnum() for sign in value)
        and value.lower() not in _NO_VALUE
        and not _PLACEHOLDER.match(value)
        and not _IN_CODE.match(value)
        and not _PATH.match(value)
    )


def is_blank(value: str) -> bool:
    """Return whether the password of a URL is only a placeholder."""
    return value[0] in "<[{$%*(" or value.lower() in {
        "password",
        "passwd",
        "pass",
        "pwd",
        "pw",
        "xxx",
    }


def looks_like_password(value: str) -> bool:
    """Return whether a word in a sentence looks like a password: digits, signs, odd capitals, or several parts."""
    if len(value) < 4 or not is_password(value) or _ALGORITHM.fullmatch(value):
        return False
    if not any(sign.isalpha() for sign in value):
        return len(value) >= 6 and value.isdigit()
    odd = any(low.islower() and high.isupper() for low, high in pairwise(value))
    return (
        odd
        or any(sign.isdigit() for sign in value)
        or _JOINED.fullmatch(value) is not None
        or _INNER_SIGN.search(value) is not None
    )


def is_drawn(value: str, shortest: int) -> bool:
    """Return whether a value looks random: letters and digits, or, if long, capitals among small letters."""
    if len(value) < shortest or not is_password(value):
        return False
    letters = [sign for sign in value if sign.isalpha()]
    if any(sign.isdigit() for sign in value):
        return len(letters) >= 2
    return len(value) >= 20 and not value.islower() and not value.isupper()


def ends_its_line(match: regex.Match[str]) -> bool:
    """Return whether letters after `password:` end their line, as a value does; after `=`, only those of a setting
    count.
    """
    value, sign = trimmed(match["value"]), match["sign"]
    before = match.string[max(0, match.start() - 40) : match.end("sign")]
    if "=" in sign and not _SETTING.search(before):
        return False
    after = match.string[match.end() : match.end() + 2].lstrip(" \r")
    return len(value) >= _SHORTEST_WORD and after[:1] in ("", "\n")
