"""Masks passwords, keys and tokens in derived text, and in text sent to models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

import regex

from everword.text.credential_patterns import own_spans

if TYPE_CHECKING:
    from kingfisher_sdk import Scanner

#: Replaces a credential.
MARK = "[credential removed]"
#: Largest number of rounds: the rest of a text is searched again, so that masking is idempotent. Most texts need two.
_ROUNDS = 4
# A run that may contain a vendor's token: none is shorter, and most sentences have no such run.
_LONG_RUN = r"[A-Za-z0-9_.~+/=-]{16,}+"
_RUN = regex.compile(_LONG_RUN, regex.VERSION1)
#: For a text of at most this length `re` takes a sixth of the time, without releasing the GIL.
_RUN_OF_SHORT, _SHORT = re.compile(_LONG_RUN), 10_000
_LOADING = Lock()


def mask_credentials(text: str) -> str:
    """Return `text` with a mark in the place of each credential. Threads may call it at once."""
    for _ in range(_ROUNDS):
        spans = find_credentials(text)
        if not spans:
            break
        text = _replaced(text, spans)
    return text


def mask_passage(passage: str, text: str) -> str:
    """Return a passage of `text` with its credentials masked, also those that only the words around it show."""
    start = text.find(passage)
    if start < 0 or passage == text:
        return mask_credentials(passage)
    return _masked_part(passage, start, find_credentials(text))


def mask_parts(parts: Sequence[str]) -> list[str]:
    """Return the parts of a text masked, also where the one before tells of a credential, or it goes on in the next."""
    spans = find_credentials("".join(parts))
    masked, start = list[str](), 0
    for part in parts:
        masked.append(_masked_part(part, start, spans) if spans else part)
        start += len(part)
    return masked


def _masked_part(passage: str, start: int, spans: Sequence[tuple[int, int]]) -> str:
    """Return the passage at `start` of a text without the credentials at `spans` of the text."""
    end = start + len(passage)
    own = [
        (max(first, start) - start, min(last, end) - start)
        for first, last in spans
        if first < end and last > start
    ]
    return mask_credentials(_replaced(passage, own))


def _replaced(text: str, spans: list[tuple[int, int]]) -> str:
    pieces, place = list[str](), 0
    for start, end in spans:
        pieces += [text[place:start], MARK]
        place = end
    return "".join([*pieces, text[place:]])


def find_credentials(text: str) -> list[tuple[int, int]]:
    """Return where credentials stand, in order, none touching another, none reaching into a mark."""
    found: list[tuple[int, int]] = []
    mark = text.find(MARK)
    own = sorted(set(own_spans(text)))
    for start, end in sorted({*own, *_issued_token_spans(_blanked(text, own))}):
        while mark >= 0 and mark + len(MARK) <= start:
            mark = text.find(MARK, mark + len(MARK))
        if mark >= 0:
            end = min(end, mark)
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        elif end > start:
            found.append((start, end))
    return found


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """Return a text of the same length with blanks at `spans`, so that known credentials are not searched again."""
    pieces, place = list[str](), 0
    for start, end in spans:
        if end > place:
            pieces += [text[place : max(place, start)], " " * (end - max(place, start))]
            place = end
    return "".join([*pieces, text[place:]])


def _issued_token_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where tokens stand that the scanner knows by their issuer's form."""
    if not any(map(_is_random_text, _runs(text))):
        return
    encoded = text.encode(errors="replace")
    findings = [finding for finding in _scanner().scan(encoded) if finding.visible]
    places = sorted(
        (each.location["start_offset"], each.location["end_offset"]) for each in findings
    )
    start = before = 0
    for first, last in places:
        # The scanner counts bytes.
        start += len(encoded[before:first].decode(errors="replace"))
        before = first
        yield start, start + len(encoded[first:last].decode(errors="replace"))


def _runs(text: str) -> Iterator[str]:
    """Yield the runs of at least 16 letters, digits and `_.~+/=-`, the only ones that may contain an issued token."""
    if len(text) <= _SHORT:
        yield from (match[0] for match in _RUN_OF_SHORT.finditer(text))
    else:
        yield from (match[0] for match in _RUN.finditer(text, concurrent=True))


def _is_random_text(run: str) -> bool:
    """Return whether a long run is neither a word nor a path of words."""
    return not (run.islower() or run.istitle()) or any(sign.isdigit() for sign in run)


def _scanner() -> Scanner:
    # Loading takes some tenths of a second, and seconds the first time on a machine: once is enough.
    with _LOADING:
        return _load()


@cache
def _load() -> Scanner:
    # Whoever never sees what looks like a token does not pay 45 MB for it.
    from kingfisher_sdk import Scanner

    return Scanner(base64=False)
