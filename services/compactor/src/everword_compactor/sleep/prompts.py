"""How a model sees messages and facts, and how words that it quotes are found in the message again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from everword.domain.times import write_minute
from everword_compactor.compose.llm.split_drafts import split_text
from everword_compactor.jobs.questions import Records, halves
from everword_compactor.sleep.model import (
    ASSISTANT_ROLE,
    KnownFact,
    Observation,
    Quote,
    SessionMessage,
    SleepSession,
)

#: Characters of a record around the text, about.
_FRAME_CHARS = 120
#: A message that is not longer is never shown in parts.
_LEAST_PART_CHARS = 400
_QUOTES = '"“”'
_SPACES = re.compile(r"\s+")
#: Quotation marks and punctuation that models replace by variants.
_MARKS = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "…": "...", "–": "-", "—": "-"})


def message_record(
    message: SessionMessage, time_zone: str, text: str | None = None
) -> dict[str, Any]:
    """Return the record of a message for a model, which cites it by `n`. `text` is a part of a long message."""
    record: dict[str, Any] = {
        "n": message.seq,
        "time": write_minute(message.occurred_at, ZoneInfo(time_zone)),
        "who": "agent" if message.role == ASSISTANT_ROLE else "user",
        "name": message.author,
        "text": message.content if text is None else text,
    }
    if text is not None:
        record["part_of_a_message"] = True
    return {name: value for name, value in record.items() if value != ""}


def fact_record(fact: KnownFact, number: int) -> dict[str, Any]:
    """Return the record of a fact for a model, which cites it by `fact`."""
    return {
        "fact": number,
        "about": fact.key.subject,
        "attribute": fact.key.attribute,
        "value": fact.value,
        "since": fact.first_seen_at.date().isoformat(),
    }


def portions(
    session: SleepSession, budget_chars: int, time_zone: str
) -> Iterator[list[dict[str, Any]]]:
    """Yield the session's messages as records, in as many portions as needed; none is left out or cut.

    A message longer than a portion is split into parts, each in a portion of its own.
    """
    batch: list[dict[str, Any]] = []
    used = 0
    for message in session.shown:
        size = len(message.content) + _FRAME_CHARS
        if batch and used + size > budget_chars:
            yield batch
            batch, used = [], 0
        if size > budget_chars:
            for part in _parts(message.content, budget_chars - _FRAME_CHARS):
                yield [message_record(message, time_zone, part)]
            continue
        batch.append(message_record(message, time_zone))
        used += size
    if batch:
        yield batch


def halve_messages(records: Records, name: str = "text") -> Sequence[Records]:
    """Return two halves of messages, or of a long one; empty if nothing can be shown in parts.

    `name` is the field of a record with the text.
    """
    if len(records) != 1:
        return halves(records)
    (record,) = records
    if len(record[name]) <= _LEAST_PART_CHARS:
        return []
    parts = split_text(record[name], 2)
    return [[{**record, name: part, "part_of_a_message": True}] for part in parts]


def _parts(text: str, maximum: int) -> Sequence[str]:
    """Return a text in parts of at most `maximum` characters, which together are the text."""
    waiting, parts = [text], []
    while waiting:
        piece = waiting.pop()
        halves = split_text(piece, 2) if len(piece) > maximum else [piece]
        if len(halves) == 1:
            parts.append(piece)
        else:
            waiting += reversed(halves)
    return parts


def cut_text(text: str, maximum: int, at: int) -> str:
    """Return the words of a text around a position, in at most `maximum` characters."""
    if len(text) <= maximum:
        return text
    start = max(0, min(at - maximum // 2, len(text) - maximum))
    cut = text[start : start + maximum]
    if start:
        cut = cut.partition(" ")[2] or cut
    if start + maximum < len(text):
        cut = cut.rpartition(" ")[0] or cut
    return cut.strip()


def find_quote(session: SleepSession, seq: int, words: str) -> Quote | None:
    """Return words quoted from a person's message, as written there; None if they are not in it.

    Spaces and the shape of quotation marks may differ from the message's; nothing else.
    """
    message = next((each for each in session.said if each.seq == seq), None)
    requested = _SPACES.sub(" ", words).strip()
    if message is None or not requested.strip(_QUOTES + " "):
        return None
    # A model may put its own marks around a quotation.
    bare = requested[1:-1] if requested[0] in _QUOTES and requested[-1] in _QUOTES else requested
    found = _pattern(requested).search(message.content) or _pattern(bare).search(message.content)
    if found is None or not found[0].strip():
        return None
    return Quote(
        message.id, session.conversation.id, message.seq, message.occurred_at, found[0].strip()
    )


def find_words(session: SleepSession, observation: Observation, words: str) -> Quote | None:
    """Return the first quote of `words` in the messages of an observation."""
    found = (find_quote(session, quote.seq, words) for quote in observation.quotes)
    return next((quote for quote in found if quote is not None), None)


def _pattern(words: str) -> re.Pattern[str]:
    pieces = ["".join(map(_letter, word)) for word in words.split(" ")]
    return re.compile(r"\s+".join(pieces))


def _letter(letter: str) -> str:
    plain = letter.translate(_MARKS)
    if plain == '"':
        return '["“”]'
    if plain == "'":
        return "['‘’]"
    if plain == "-":
        return "[-–—]"
    return re.escape(letter)
