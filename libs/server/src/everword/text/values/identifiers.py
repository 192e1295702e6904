"""Values to copy letter by letter: URLs, e-mail addresses, hashes, versions, paths, names in code, quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

import regex

from everword.text.analysis import UNSPACED
from everword.text.values.dates import find_dates
from everword.text.values.fold_text import WORD, Key, parts_of, row
from everword.text.values.numbers import Readings, digit_runs, number_key

#: A commit hash, or its beginning.
HASH = "hash"
#: A URL without its scheme.
ADDRESS = "address"
_SHORTEST_HASH = 7
_LONGEST_HASH = 64


class ValueKind(StrEnum):
    """The kind of a value."""

    QUOTATION = "quotation"
    URL = "url"
    EMAIL = "email"
    HASH = "hash"
    IDENTIFIER = "identifier"
    DATE = "date"
    TIME = "time"
    NUMBER = "number"
    NAME = "name"


# A letter of a script with spaces: 在2026年 is no identifier.
_L = rf"[\p{{L}}\p{{M}}--[{UNSPACED}]]"
_LN = rf"[\p{{L}}\p{{M}}\p{{N}}_--[{UNSPACED}]]"
# Of seven letters there are words; of eight, hardly.
_HEX = r"(?:(?=[0-9a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,64}|[a-f]{8,64})"
_SEGMENT = rf"(?:{_LN}|[.@+~-]){{1,255}}"
_QUOTATION = (
    r'(?<!\w)"(?P<q1>[^"\n]{1,2000})"(?!\w)|[“„](?P<q2>[^“”„\n]{1,2000})[”“]'
    r"|«(?P<q3>[^«»\n]{1,2000})»|»(?P<q4>[^«»\n]{1,2000})«|[「『](?P<q5>[^「」『』\n]{1,2000})[」』]"
    r"|(?<!`)`(?P<q6>[^`\n]{1,2000})`(?!`)"
    # Not the apostrophes of the '90s, nor those of the kids' room.
    r"|(?<![\w'])'(?=[^\s'0-9])(?P<q7>[^\n]{1,300}?(?<=\S))'(?!\w)"
)
_LITERAL = (
    r"""(?P<url>\b[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s<>"'`«»“”]+)"""
    rf"|(?P<email>(?<![\w@])[\w.+-]{{1,100}}@{_LN}+(?:[.-]{_LN}+)*\.{_L}{{2,}})"
    r"|(?P<uuid>(?i:(?<![\w-])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])))"
    rf"|(?P<hash>(?i:(?<![\w-]){_HEX}(?![\w-]|\.\w)))"
    r"|(?P<version>(?<![\w.])[vV]?[0-9]+(?:\.[0-9]+){2,8}(?:[-+]?[A-Za-z][\w.-]*\w|[-+]?[A-Za-z][0-9]*)?(?!\w)"
    r"|(?<![\w.])[vV][0-9]+(?:\.[0-9]+)*(?!\w))"
    rf"|(?P<path>(?<![\w/.~])(?:{_SEGMENT}|[A-Za-z]:)?(?:[/\\]{_SEGMENT}){{1,40}}/?)"
    rf"|(?P<snake>(?<!{_LN}){_LN}*[^\W_]_+[^\W_]{_LN}*(?:\.{_LN}+)*)"
    rf"|(?P<dotted>(?<![\w.]){_L}(?:{_LN}|-){{0,100}}(?:\.{_LN}(?:{_LN}|-){{0,100}}){{1,20}})"
    rf"|(?P<mixed>(?<!{_LN}){_L}{{1,64}}(?:-{_L}{{1,64}}){{0,6}}-?[0-9]+(?:\.[0-9]+)*(?:-?(?:{_L}|[0-9]))*+(?!{_LN}))"
    rf"|(?P<camel>(?<!{_LN}){_LN}*\p{{Ll}}\p{{Lu}}{_LN}*)"
    r"|(?P<numbered>(?<![\w&/#])#[0-9]+\b)"
)
_ALL = regex.compile(f"{_QUOTATION}|{_LITERAL}", regex.VERSION1)
_LITERALS = regex.compile(_LITERAL, regex.VERSION1)
# No literal holds a space, and most words need no second look.
_TOKEN = re.compile(r"\S+")
_LIKELY = re.compile(r"[0-9_/\\@]|[^\W\d_]\.[^\W\d_]|[a-z][A-Z]|[^\x00-\x7f](?:[A-Z]|[^\x00-\x7f])")
#: A longer run of characters without a space is a blob, in which no identifier is looked for.
_LONGEST_TOKEN = 2_000
_GLUED = rf"[\S--[{UNSPACED}]]"
_BLOB = regex.compile(rf"(?<!{_GLUED}){_GLUED}{{{_LONGEST_TOKEN + 1},}}+", regex.VERSION1)
_HASHES = regex.compile(rf"(?i:(?<![0-9a-z]){_HEX}(?![0-9a-z]))")
_LEFT_OUT = regex.compile(r"\.{3,}|\[[^\]]*\]")
_CAMEL_HUMP = regex.compile(r"(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})")
_MISSING_SPACE = regex.compile(r"\p{L}+\.\p{Lu}\p{Ll}*")
_POINTED = re.compile(r"[0-9]+\.[0-9]+")
_SCHEME = re.compile(r"^[a-zA-Z0-9+.-]+://(?:www\.)?")
_BRACKET = re.compile(r"[\])}>|,;]")
_UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_RATE = regex.compile(r"[0-9.,]+\p{L}+/\p{L}+")
_SLASH = re.compile(r"[/\\]")
_NAMED_NUMBER = re.compile(r"([^0-9]*?)-?([0-9]+)")
_EXTENSION = regex.compile(r"\.\p{L}[\p{L}\p{N}]{0,5}$")
_TRAILING = ".,;:!?-~+@'*_)]}>…"
#: Words before a number that name the same as `#12`.
_NUMBERED_WORDS = (
    "#",
    "pr",
    "mr",
    "pull",
    "issue",
    "issues",
    "request",
    "ticket",
    "bug",
    "task",
    "number",
    "no",
    "nr",
)


def find_identifiers(
    text: str, *, quotations: bool
) -> Iterator[tuple[int, int, ValueKind, str, Readings]]:
    """Yield start, end, kind, text and readings of identifiers. `text` is normalised, with its case kept.

    A quotation is one value, whatever its content.
    """
    for match in _with_quotations(text) if quotations else _literals(text):
        group = match.lastgroup or ""
        written = match[group] if group.startswith("q") else match[0].rstrip(_TRAILING)
        found = _read(group, written)
        if found is not None:
            kind, readings = found
            yield match.start(), match.start() + len(match[0]), kind, written, readings


def _with_quotations(text: str) -> Iterator[regex.Match[str]]:
    start = 0
    for blob in _BLOB.finditer(text):
        yield from _ALL.finditer(text, start, blob.start())
        start = blob.end()
    yield from _ALL.finditer(text, start)


def _literals(text: str) -> Iterator[regex.Match[str]]:
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        if end - start <= _LONGEST_TOKEN and _LIKELY.search(text, start, end):
            yield from _LITERALS.finditer(text, start, end)


def address_keys(written: str) -> set[Key]:
    """Return the keys of a URL, with or without its scheme: the whole, and the part before a bracket."""
    address = _SCHEME.sub("", written)
    pieces = {address, _BRACKET.split(address, maxsplit=1)[0]}
    return {(ADDRESS, piece.rstrip("/" + _TRAILING).casefold()) for piece in pieces}


def identifier_keys(written: str) -> set[Key]:
    """Return further keys for an identifier in a source: its numbers, and itself without a scheme; none for a UUID."""
    if _UUID.fullmatch(written):
        return set()
    keys = digit_runs(written) | address_keys(written)
    versions: list[str] = _POINTED.findall(written)
    return keys | {number_key(*version.split(".")) for version in versions}


def hash_keys(folded: str) -> set[Key]:
    """Return the hashes of a source in lower case, and their beginnings, which name them as well."""
    return {
        (HASH, found[:length])
        for found in set(_HASHES.findall(folded))
        for length in range(_SHORTEST_HASH, len(found) + 1)
    }


def _read(group: str, written: str) -> tuple[ValueKind, Readings] | None:
    whole = frozenset({row(parts_of(written))})
    if group.startswith("q"):
        pieces = [parts_of(piece) for piece in _LEFT_OUT.split(written)]
        rows = frozenset(row(piece) for piece in pieces if piece)
        return (ValueKind.QUOTATION, [rows]) if rows else None
    if group == "url":
        return ValueKind.URL, [frozenset({key}) for key in sorted(address_keys(written))]
    if group == "email":
        return ValueKind.EMAIL, [whole]
    if group == "hash":
        return ValueKind.HASH, [frozenset({(HASH, written.casefold())})]
    readings = _identifier_readings(group, written)
    return (ValueKind.IDENTIFIER, [whole, *readings]) if readings is not None else None


def _identifier_readings(group: str, written: str) -> Readings | None:
    """Return the readings of an identifier other than its text; None if it is not an identifier."""
    if group == "version":
        return _version(written)
    if group == "path":
        return _path(written)
    if group == "dotted":
        return _dotted(written)
    if group == "mixed":
        return _mixed(written)
    if group == "numbered":
        return [frozenset({row([word, written[1:]])}) for word in _NUMBERED_WORDS]
    if group == "camel":
        return [frozenset({row(parts_of(_CAMEL_HUMP.sub(" ", written)))})]
    return []


def _version(written: str) -> Readings | None:
    threes = written[:1].isdigit() and all(len(piece) == 3 for piece in written.split(".")[1:])
    if threes or any(True for _ in find_dates(written)):
        return None  # a number, or a date
    digits = written.lstrip("vV")
    return [frozenset({number_key(*digits.split("."))})] if digits.count(".") < 2 else []


def _path(written: str) -> Readings | None:
    segments = [segment for segment in _SLASH.split(written) if segment]
    if all(segment.replace(".", "").isdigit() for segment in segments):
        return None  # 24/7, 04/18/2026
    if len(segments) == 2 and (segments[0].isdigit() or _RATE.fullmatch(written)):
        return None  # $5/month, 100Mbit/s
    if written.startswith("\\") and len(segments) == 1:
        return None  # an escape, or LaTeX
    if written[0] in "/\\~." or "_" in written or _EXTENSION.search(written):
        return []
    digits = any(character.isdigit() for character in written)
    if len(segments) < 3 and not digits:
        return None  # and/or
    # "red/green/blue" where a source says "red, green and blue".
    return [frozenset((WORD, part) for part in parts_of(written))]


def _dotted(written: str) -> Readings | None:
    segments = [segment for segment in written.split(".") if segment]
    abbreviation = all(len(segment) == 1 for segment in segments)
    numbered = len(segments) == 2 and segments[1].isdigit()
    if len(segments) < 2 or abbreviation or numbered or _MISSING_SPACE.fullmatch(written):
        return None
    return []


def _mixed(written: str) -> Readings:
    letters, digits = _NAMED_NUMBER.match(written).groups()  # type: ignore[union-attr]
    readings: Readings = [frozenset({row([*parts_of(letters), "#", digits])})]
    # mid-2026 and Q3 are about a number; PR-12 and H100 are names.
    if (letters.islower() and "-" in written) or letters == "Q":
        readings.append(frozenset({number_key(digits)}))
    return readings
