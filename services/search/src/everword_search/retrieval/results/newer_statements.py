"""Find newer statements that probably replace older ones, for a question about the present.

Search ranks "dentist on the 14th" before "they called, moved me to the 21st" if the question asks for the dentist. A
pair is found among the first results only, and only if the newer statement suggests a change and has to do with the
older one, so that few other questions are affected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from everword.domain.memory_kinds import MemoryKind
from everword.text.ranking_record import stems_of
from everword.v1.memory_pb2 import ROLE_USER
from everword_search.ranking.words.frequencies import zipf
from everword_search.records.store import MemoryRow
from everword_search.retrieval.results.change_cues import adds_something, measure_change
from everword_search.retrieval.results.other_things import names_other_thing
from everword_search.retrieval.results.present_questions import PresentQuestion, content_stems

#: Results among which an older and a newer statement are searched.
_OLDER, _NEWER = 2, 10
#: Maximum words of a statement, and of a newer one without words in common with the question or the older one. Of
#: longer messages, a phrase says little about the whole.
_MOST_OLDER, _MOST_NEWER, _MOST_UNRELATED = 60, 32, 18
#: A word of at most this Zipf frequency that both have relates them, as `Corsa` does.
_RARE = 5.4
#: Points for a rare word in common, for a word of the question, for a pronoun, and for a value of the requested form,
#: and those lost by each rank and by an addition; a pair needs `_NEEDED`.
_LINK, _ASKED, _PRONOUN, _FORM, _RANK = 2.0, 1.0, 0.5, 1.0, 0.15
_CHANGE, _ADDITION = 1.0, 2.0
_NEEDED = 0.5
#: Rare words in common with which two statements are about the same thing, whatever else they name.
_SURELY_RELATED = 2
#: Later statements, best first, that need no words in common with the question or the older statement.
_MOST_UNLINKED = 2
#: Stems of units, which relate no statements.
_UNITS = frozenset(("euro", "dollar", "pound", "percent", "hour", "minut", "day", "week", "month"))
_REFERRING = re.compile(r"\b(?:it|its|it's|they|them|he|she|him|her)\b", re.IGNORECASE)
_SPEAKER = re.compile(r"\b(?:i|i'm|im|i've|ive|my|me)\b", re.IGNORECASE)
#: Words before a noun that name no other thing of its kind: "new code".
_UNSPECIFIC = frozenset(("new", "old", "same", "next", "other", "whole"))
#: "New link" is news for a question about the link; "the tablet one" is no answer to one about the phone.
_NEW = re.compile(r"\bnew (\w+)", re.IGNORECASE)
_SUCH_ONE = re.compile(r"\bthe (\w+) one\b", re.IGNORECASE)
#: A report of an event stays true: "the disk of the primary was full on db-3" after the primary moved.
_EVENT = re.compile(
    r"\b(?:incidents?|outages?|crash(?:ed)?|failures?|failed|errors?|alerts?|happened|occurred)\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[.!,:;].*\?", re.DOTALL)


@dataclass(frozen=True)
class NewerStatement:
    """A message that probably replaces an older one."""

    older: MemoryRow
    newer: MemoryRow


@dataclass(frozen=True)
class _ReadStatement:
    """A statement with its words."""

    row: MemoryRow
    rank: int
    text: str
    length: int
    stems: frozenset[str]


def find_newer_statements(
    question: PresentQuestion, ranked: Sequence[MemoryRow]
) -> list[NewerStatement]:
    """Return the pairs among the first results, best first; each older statement has at most one newer one."""
    statements = [
        each
        for rank, row in enumerate(ranked[:_NEWER])
        if (each := _read(row, rank, question)) is not None
    ]
    pairs = []
    for older in statements:
        if older.rank < _OLDER and not _EVENT.search(older.text):
            scored = [
                (_points(question, older, each, place), each)
                for place, each in enumerate(_later(older, statements))
            ]
            points, best = max(scored, key=lambda each: each[0], default=(-1.0, older))
            if points >= _NEEDED:
                pairs.append(NewerStatement(older.row, best.row))
    return pairs


def _read(row: MemoryRow, rank: int, question: PresentQuestion) -> _ReadStatement | None:
    """Return a user's short statement with a value of the requested form; None if the memory is none."""
    if row.kind != MemoryKind.MESSAGE or row.role != ROLE_USER or row.automated:
        return None
    text = row.content
    if row.content_truncated or (question.answer and not question.answer.search(text)):
        return None
    # "boat trip, ok?" states a plan.
    if text.rstrip().endswith("?") and not _CLAUSE_END.search(text):
        return None
    length = len(text.split())
    if length > _MOST_OLDER:
        return None
    return _ReadStatement(row, rank, text, length, content_stems(text, question.config))


def _later(older: _ReadStatement, statements: Sequence[_ReadStatement]) -> Iterator[_ReadStatement]:
    """Yield the later statements that the same people could have made about the same thing."""
    for each in statements:
        if (
            each.row.occurred_at > older.row.occurred_at
            and each.length <= _MOST_NEWER
            and not each.text.rstrip().endswith("?")
            and _is_near(older.row, each.row)
        ):
            yield each


def _is_near(older: MemoryRow, newer: MemoryRow) -> bool:
    """Return whether two messages are of one conversation, author or subject.

    In an open channel, a stranger's message elsewhere changes nothing.
    """
    return (
        (older.conversation_id is not None and older.conversation_id == newer.conversation_id)
        or (older.subject == newer.subject != "")
        or (older.author == newer.author != "")
    )


def _points(
    question: PresentQuestion, older: _ReadStatement, newer: _ReadStatement, place: int
) -> float:
    """Return how probably the newer statement replaces the older one; negative if it hardly does."""
    asked = newer.stems & question.words
    restates = question.answer is not None and asked and asked >= older.stems & question.words
    shared = (older.stems & newer.stems) - question.words
    links = sum(
        zipf(word, question.config) <= _RARE
        for word in shared - _UNITS
        # Two appointments on Fridays have nothing else in common.
        if question.answer is None or not question.answer.search(word)
    )
    change = measure_change(newer.text)
    if not question.words.isdisjoint(stems_of(" ".join(_NEW.findall(newer.text)), question.config)):
        change = 1.0
    if not (change or restates):
        return -1.0
    if not links and not older.stems & question.words:
        return -1.0
    if links < _SURELY_RELATED and _is_about_other(question, older, newer):
        return -1.0
    if not links and (asked - older.stems or names_other_thing(question, older.text, newer.text)):
        return -1.0
    if not links and not asked and (newer.length > _MOST_UNRELATED or place >= _MOST_UNLINKED):
        return -1.0
    points = _LINK * links + _ASKED * len(asked) + _CHANGE * change - _RANK * newer.rank
    points -= _ADDITION if adds_something(newer.text) else 0.0
    points += _PRONOUN if _REFERRING.search(newer.text) else 0.0
    return points + (_FORM if question.answer else 0.0)


def _is_about_other(
    question: PresentQuestion, older: _ReadStatement, newer: _ReadStatement
) -> bool:
    """Return whether the newer statement is about another person or thing than the older one.

    The older one names the person, the place or the kind of thing that the question asks about, and the newer one has
    something else instead.
    """
    asked = newer.stems & question.words
    if any(
        word not in _UNSPECIFIC and word in newer.stems - older.stems
        for word in stems_of(" ".join(_SUCH_ONE.findall(newer.text)), question.config)
    ):
        return True
    if asked or _SPEAKER.search(newer.text):
        for people in question.people:
            named = people & older.stems
            if named and not named & newer.stems:
                return True
        # If the question names a person, others do not speak for that person.
        author = content_stems(older.row.author, question.config)
        if author & question.words and newer.row.author != older.row.author:
            return True
    qualifiers = question.qualifiers & older.stems & question.words
    if len(asked) > 1 and qualifiers and not qualifiers & newer.stems:
        return True
    words = stems_of(newer.text, question.config)
    for first, second in question.pairs:
        if first in older.stems and first not in newer.stems and second in words:
            before = words[max(0, words.index(second) - 1)]
            if before != second and before in newer.stems and before not in _UNSPECIFIC:
                return True
    return False
