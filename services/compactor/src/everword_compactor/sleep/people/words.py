"""Helpers of the stages other than facts: observations as records for a model, and quotes as evidence."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import regex

from everword.people.model import MessageWords
from everword.text.values.evidence import Evidence, find_values
from everword_compactor.compose.checks.guarded_composer import or_else
from everword_compactor.sleep.model import Observation, Quote

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
#: Not the first word of a sentence.
_CAPITALISED = regex.compile(r"(?<=[^.!?\s]\s+)\p{Lu}[\p{L}\p{M}'’]*")


def observation_record(observation: Observation, number: int) -> dict[str, Any]:
    """Return the record of an observation for a model, which cites it by `o`."""
    record = {
        "o": number,
        "time": observation.said_at.isoformat(timespec="minutes"),
        "about": observation.about,
        "text": observation.text,
        "hypothesis": observation.hypothesis,
        "quotes": [quote.text for quote in observation.quotes],
    }
    return {name: value for name, value in record.items() if value not in ("", False)}


def said_of(quote: Quote) -> MessageWords:
    """Return a quote as evidence."""
    return MessageWords(quote.message_id, quote.conversation_id, quote.text, quote.said_at)


def invented(text: str, sources: Iterable[str], times: Iterable[datetime] = ()) -> list[str]:
    """Return the values of a text, such as numbers and names, that no source says."""
    said = list(sources)
    missing = or_else(["cannot be checked"], _missing, text, said, list(times))
    return list(dict.fromkeys([*missing, *unsupported_names(text, said)]))


def unsupported_names(text: str, sources: Iterable[str]) -> list[str]:
    """Return capitalised words, except the first of a text, that no source contains.

    The language of a few words is unknown, so that they are compared as written.
    """
    known = {word for source in sources for word in _WORD.findall(source.casefold())}
    return [
        match[0]
        for match in _CAPITALISED.finditer(text)
        if not known.intersection(_readings(match[0].casefold()))
    ]


def _readings(word: str) -> set[str]:
    """Return a word, and its form without the ending of a genitive or a plural."""
    return {word, word.removesuffix("'s"), word.removesuffix("’s"), word.removesuffix("s")}


def _missing(text: str, sources: list[str], times: list[datetime]) -> list[str]:
    known = Evidence(sources, times)
    return [value.text for value in known.missing(find_values(text))]
