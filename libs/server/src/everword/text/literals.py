"""Finds what people look up letter by letter: file names, versions, addresses, error codes, identifiers.

Only these are indexed by trigrams: trigrams of all text would halve the speed of ingest.
"""

from __future__ import annotations

import string

import regex

from everword.text.scanner import kinds_of, kinds_table

# Joined by . / : _ @ # \ or -, with a letter or digit on both sides; or a digit next to a letter.
_LITERAL = regex.compile(r"[\p{L}\p{N}][./:_@#\\-][\p{L}\p{N}]|\p{N}\p{L}|\p{L}\p{N}|\p{Ll}\p{Lu}")
#: Characters that join the parts of a literal.
JOINERS = "./:_@#\\-"
_KINDS = kinds_table(
    {
        string.digits: "0",
        string.ascii_lowercase: "a",
        string.ascii_uppercase: "A",
        JOINERS: "-",
    }
)
_EDGES = " \t\n\r.,;:!?\"'`()[]{}<>…„“”‘’«»*|"
#: Longer tokens are blobs.
_MAX_TOKEN_CHARS = 200
#: Length of the literals stored for a passage.
_MAX_CHARS = 2000


def is_literal(token: str) -> bool:
    """Return whether `token` is looked up verbatim, such as a file name or a version."""
    # Plain words, which nearly all tokens are, need no regular expression: that was half of what an append computes.
    if token.isalpha() and token[1:].islower():
        return False
    return 3 <= len(token) <= _MAX_TOKEN_CHARS and _LITERAL.search(token) is not None


def literal_tokens(text: str) -> list[str]:
    """Return the literal-looking tokens of `text` in lower case, each once, in order."""
    # Plain words, which most texts are, need no closer look: that was a twentieth of what an append computes.
    if text.isascii() and not _may_contain_literal(text):
        return []
    tokens = (token.strip(_EDGES) for token in text.split())
    return list(dict.fromkeys(token.lower() for token in tokens if is_literal(token)))


def _may_contain_literal(text: str) -> bool:
    """Return whether an ASCII text has a digit, a camel hump (`aA`), or two letters joined by one of `JOINERS`."""
    kinds = kinds_of(text, _KINDS)
    return "0" in kinds or "aA" in kinds or "a-a" in kinds.lower()


def literals_of(passage: str) -> str | None:
    """Return the literals under which the trigram arm indexes a passage; None without any."""
    retained = ""
    for token in literal_tokens(passage):
        if len(retained) + len(token) > _MAX_CHARS:
            break
        retained = f"{retained} {token}" if retained else token
    return retained or None
