"""Detects that a message corrects or updates earlier ones, without a language model.

An update has a cue ("turns out", "now", "moved to"), shares its topic with the earlier message, and has another value
of the same kind: a day, a time, a number or a code. Questions, guesses and additions update nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from everword.text.analysis import folded_words
from everword.text.statements.clauses import stem
from everword_compactor.compose.extractive.phrases import word_weight
from everword_compactor.learning.updates import patterns
from everword_compactor.learning.updates.clauses import (
    LEAST_WEIGHT,
    MAX_CHARS,
    ReadClause,
    is_topical,
    matching_word,
    read_clauses,
    topic_around,
    topic_of,
)
from everword_compactor.learning.updates.patterns import cues
from everword_compactor.learning.updates.values import StatedValue, differs

#: A message with more numbers is a table or a calculation, whose values are no statements.
_MOST_NUMBERS = 2
#: Earlier messages that a correction without a topic can be about.
_NEARBY = 12
#: A message updates few others; more candidates share a topic that is too wide.
_MOST_UPDATES = 4
_NUMBERS = ("number", "code")
#: A word in more messages than these counts less.
_COMMON = 3
#: Weight of the shared topic words that an update needs, by evidence.
_LEAST_SHARED, _SHARED_WITH_NUMBER = 0.3, 0.36
#: Minimum share of an earlier clause's topic that a claim has in common with it to replace a code, which may also name
#: a thing in a statement about something else: "the disk of the primary was full on db-3".
_LEAST_COVERED = 0.35


class UpdateKind(IntEnum):
    """How a message changes what an earlier one says; as in the table `message_corrections`."""

    REPLACED = 1
    CORRECTED = 2
    RESTORED = 3


@dataclass(frozen=True)
class MessageUpdate:
    """The update of an earlier message, by its place among the candidates."""

    place: int
    kind: UpdateKind
    #: The outdated value, empty if the current one was restored, and the current value.
    value: str
    current: str
    #: Weight of the topic words that both share.
    shared: float


@dataclass(frozen=True)
class _Claim:
    """A value in a message, which may update earlier messages."""

    kind: UpdateKind
    topic: Mapping[str, float]
    value: StatedValue
    has_cue: bool
    #: True if a neighbouring clause has a cue of a change.
    near_change: bool
    #: True if its clause names no topic of its own.
    refers: bool


def may_update(text: str, asked: str = "") -> bool:
    """Return whether a message may update earlier ones; `asked` is the question that it answers."""
    if len(text) > MAX_CHARS or not _has_sign(text.lower()):
        return False
    clauses = read_clauses(text)
    return _may_state(text, clauses) and any(
        each.has_cue or each.near_change for each in _claims(clauses, asked)
    )


def _may_state(text: str, clauses: Sequence[ReadClause]) -> bool:
    """Return whether a message is short, and no list of numbers: only such messages update others, or are updated."""
    if len(text) > MAX_CHARS:
        return False
    values = [value for clause in clauses for value in clause.values]
    return sum(value.kind in _NUMBERS for value in values) <= _MOST_NUMBERS


def _has_sign(low: str) -> bool:
    """Return whether a text has a cue, a number or a day at all; most have none, and their clauses need not be read."""
    kinds = ("correction", "reschedule", "change")
    return bool(patterns.SIGN.search(low)) or any(cues(kind).search(low) for kind in kinds)


def topic_words(text: str) -> list[str]:
    """Return the topic words of a message, the most informative first."""
    words = {word for clause in read_clauses(text) for word in folded_words(clause.text)}
    found = {word: word_weight(word) for word in words if is_topical(word)}
    naming = [word for word, weight in found.items() if weight >= LEAST_WEIGHT]
    return sorted(naming, key=lambda word: (-found[word], word))


def find_updates(new: str, earlier: Sequence[str], asked: str = "") -> list[MessageUpdate]:
    """Return the updates that a user's message makes; `earlier` are messages stored before it, the latest last.

    `asked` is the question that the message answers; empty if there is none. A wrong update hides a statement that is
    still true. Therefore, only short messages without a question count, in which a day, a time, a number or a code
    replaces another one.
    """
    clauses = read_clauses(new)
    if "?" in new or not _may_state(new, clauses):
        return []
    claims = _claims(clauses, asked)
    read = [read_clauses(text) for text in earlier]
    common = Counter[str]()
    for each in read:
        common.update({word for clause in each for word in clause.topic})
    statements = [
        each if _may_state(text, each) else () for text, each in zip(earlier, read, strict=True)
    ]
    found = []
    for place, old in enumerate(statements):
        updates = [each for claim in claims for each in _updates(place, claim, old, common)]
        if updates:
            found.append(max(updates, key=_rank))
    found.sort(key=lambda each: each.shared, reverse=True)
    return found[:_MOST_UPDATES] or _nearest(claims, statements)


def _rank(update: MessageUpdate) -> tuple[bool, float]:
    """Return the order of updates of one message: a change before no change."""
    return update.kind != UpdateKind.RESTORED, update.shared


def _claims(clauses: Sequence[ReadClause], asked: str) -> tuple[_Claim, ...]:
    """Return the statements of a message that may update earlier messages."""
    if asked and clauses:
        first = clauses[0]
        corrects = first.corrects or patterns.NO.match(first.text) is not None
        topic = {**topic_of(asked), **first.topic}
        clauses = [replace(first, topic=topic, corrects=corrects), *clauses[1:]]
    return tuple(claim for number in range(len(clauses)) for claim in _of_clause(clauses, number))


def _of_clause(clauses: Sequence[ReadClause], number: int) -> Iterator[_Claim]:
    clause = clauses[number]
    nearby = clauses[max(0, number - 2) : number + 2]
    denied = {word for each in nearby for word in (*each.ended, *each.denied)}
    said = [value for each in nearby for value in each.values]
    # "Moved from db-3 to db-7" is a change; the earlier statement was no mistake.
    left = set() if clause.changes or any(each.reschedules for each in nearby) else denied
    denies_value = any(_says(value, word) for value in said for word in left)
    corrects = denies_value or any(each.corrects for each in nearby)
    reschedules = any(each.reschedules for each in nearby)
    near_change = any(each.changes for each in nearby)
    has_cue = corrects or reschedules or clause.changes
    kind = UpdateKind.CORRECTED if corrects else UpdateKind.REPLACED
    topic = topic_around(clauses, number)
    refers = not clause.topic or patterns.REFERRING.search(clause.text) is not None
    for value in clause.values:
        if not any(_says(value, word) for word in denied):
            yield _Claim(kind, topic, value, has_cue, near_change, refers)


def _says(value: StatedValue, word: str) -> bool:
    return value.text.lower().startswith(word)


def _updates(
    place: int, claim: _Claim, clauses: Sequence[ReadClause], common: Mapping[str, int]
) -> Iterator[MessageUpdate]:
    """Yield the updates that a claim makes to an earlier message."""
    new = claim.value
    for number, old in enumerate(clauses):
        of_kind = [each for each in old.values if each.kind == new.kind]
        if not of_kind:
            continue
        around = topic_around(clauses, number)
        shared = _shared_weight(claim.topic, around, common)
        same = next((each for each in of_kind if each.key == new.key), None)
        if same is not None:
            if claim.has_cue and shared >= _LEAST_SHARED:
                yield MessageUpdate(place, UpdateKind.RESTORED, "", same.text, shared)
            continue
        if new.kind == "code" and _reports_event(clauses, number, claim):
            continue
        for value in of_kind:
            if differs(new, value) and _is_same_topic(claim, value, old, around, shared):
                yield MessageUpdate(place, claim.kind, value.text, new.text, shared)


def _reports_event(clauses: Sequence[ReadClause], number: int, claim: _Claim) -> bool:
    """Return whether a clause tells of an event, such as an incident; only a correction changes its place."""
    nearby = clauses[max(0, number - 1) : number + 2]
    has_event = any(cues("event").search(each.text) for each in nearby)
    return has_event and claim.kind != UpdateKind.CORRECTED


def _is_same_topic(
    claim: _Claim,
    value: StatedValue,
    clause: ReadClause,
    around: Mapping[str, float],
    shared: float,
) -> bool:
    """Return whether an earlier value is of the same thing as the new one."""
    new = claim.value
    if new.kind in _NUMBERS and new.heads & value.heads & around.keys():
        # "gate 7", "now gate 9": both have the same neighbouring word.
        return (claim.has_cue or claim.near_change) and shared >= _LEAST_SHARED
    if new.kind == "code" and _covered(claim, value, clause) < _LEAST_COVERED:
        return False
    return claim.has_cue and shared >= (
        _SHARED_WITH_NUMBER if new.kind in _NUMBERS else _LEAST_SHARED
    )


def _covered(claim: _Claim, value: StatedValue, clause: ReadClause) -> float:
    """Return the weighted share of a clause's topic, without the value itself, that a claim has in common with it."""
    parts = {stem(word) for word in folded_words(value.text)}
    own = {word: weight for word, weight in clause.topic.items() if word not in parts}
    total = sum(own.values())
    covered = sum(weight for word, weight in own.items() if matching_word(word, claim.topic))
    return covered / total if total else 1.0


def _nearest(
    claims: Sequence[_Claim], earlier: Sequence[Sequence[ReadClause]]
) -> list[MessageUpdate]:
    """Return the update of the latest message with a value that a correction without a topic excludes."""
    for claim in [each for each in claims if each.refers]:
        for place in range(len(earlier) - 1, max(-1, len(earlier) - 1 - _NEARBY), -1):
            for clause in earlier[place]:
                for value in clause.values:
                    if _is_excluded(value, claim):
                        return [MessageUpdate(place, claim.kind, value.text, claim.value.text, 0.0)]
    return []


def _is_excluded(value: StatedValue, claim: _Claim) -> bool:
    return claim.kind == UpdateKind.CORRECTED and differs(claim.value, value)


def _shared_weight(
    topic: Mapping[str, float], other: Mapping[str, float], common: Mapping[str, int]
) -> float:
    total = 0.0
    for word, weight in topic.items():
        match = matching_word(word, other)
        heavier = max(weight, other[match]) if match else 0.0
        if heavier >= LEAST_WEIGHT:
            total += heavier * min(1.0, _COMMON / max(1, common.get(match, 1)))
    return total
