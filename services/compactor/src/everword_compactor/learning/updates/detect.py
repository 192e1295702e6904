"""Detects that a message corrects or updates earlier ones, without a language model.

An update has a cue ("turns out", "now", "moved to"), shares its topic with the earlier message, and has another value
of the same kind, or names an ended value ("not the 14th", "sold the Volvo"). Questions, guesses and additions update
nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache

from everword.text.analysis import folded_words
from everword.text.statements.clauses import stem
from everword_compactor.compose.extractive.phrases import word_weight
from everword_compactor.learning.updates import patterns
from everword_compactor.learning.updates.clauses import (
    LEAST_WEIGHT,
    MAX_CHARS,
    NAME_WEIGHT,
    Clause,
    is_topical,
    matching_word,
    read_clauses,
    topic_around,
    topic_of,
)
from everword_compactor.learning.updates.patterns import cues
from everword_compactor.learning.updates.values import Value, differs

#: Longer messages tell of many things.
_SHORT_CHARS = 300
#: Weight of shared topic words of a certain update.
_LEAST_CERTAIN = 0.3
_MOST_NUMBERS = 2
#: A longer message does more than to update another one; only its days and times are compared.
_CHAT_CHARS = 400
#: Earlier messages that a correction without a topic can be about.
_NEARBY = 12
#: A message updates few others; more candidates share a topic that is too wide.
_MOST_UPDATES = 4
#: Kinds of values that a correction without a topic replaces, and a postponement.
_BY_CORRECTION, _BY_RESCHEDULING = ("day", "time", "code", "number"), ("day", "time")
_NUMBERS = ("number", "code")
#: A word in more messages than these counts less.
_COMMON = 3
#: Weight of the shared topic words that an update needs, by evidence; without a cue, also their share of the topic.
_LEAST_SHARED, _SHARED_WITH_NUMBER, _SHARED_WITH_END = 0.28, 0.36, 0.3
_WITHOUT_VALUE, _WITHOUT_CUE, _SAME_FRAME = 0.8, 1.2, 0.7


class UpdateKind(IntEnum):
    """How a message changes what an earlier one says; as in the table `message_corrections`."""

    REPLACED = 1
    CORRECTED = 2
    RESTORED = 3


@dataclass(frozen=True)
class Update:
    """The update of an earlier message, by its place among the candidates."""

    place: int
    kind: UpdateKind
    #: The outdated value and the current one; empty if unknown.
    value: str
    current: str
    #: Weight of the topic words that both share.
    shared: float


@dataclass(frozen=True)
class _Claim:
    """A statement that may update earlier messages: a value, an ended word, or only a topic."""

    kind: UpdateKind
    topic: Mapping[str, float]
    value: Value | None = None
    word: str = ""
    has_cue: bool = True
    #: True if the cue is in the clause of the value.
    is_direct: bool = True
    reschedules: bool = False
    #: True if a neighbouring clause has a cue of a change.
    near_change: bool = False
    #: True if its clause names no topic of its own.
    refers: bool = False
    #: Number of a verb with one value at a time; 0 for others.
    single: int = 0


def may_update(text: str, asked: str = "") -> bool:
    """Return whether a message may update earlier ones; `asked` is the question that it answers."""
    if not _has_sign(text[:MAX_CHARS].lower()):
        return False
    return any(
        each.has_cue or each.single or _is_date(each.value) or (each.value and each.value.heads)
        for each in _claims(text, asked)
    )


def _has_sign(low: str) -> bool:
    """Return whether a text has a cue, a number or a day at all; most have none, and their clauses need not be read."""
    forms = (patterns.SIGN, patterns.TAKEN_OVER, patterns.SINGLE, patterns.ENDING)
    kinds = ("correction", "reschedule", "change", "restoring")
    return any(form.search(low) for form in forms) or any(cues(kind).search(low) for kind in kinds)


def topic_words(text: str) -> list[str]:
    """Return the topic words of a message, the most informative first."""
    words = {word for clause in read_clauses(text) for word in folded_words(clause.text)}
    found = {word: word_weight(word) for word in words if is_topical(word)}
    naming = [word for word, weight in found.items() if weight >= LEAST_WEIGHT]
    return sorted(naming, key=lambda word: (-found[word], word))


def find_updates(new: str, earlier: Sequence[str], asked: str = "") -> list[Update]:
    """Return the certain updates that a user's message makes; `earlier` are messages stored before it, the latest last.

    `asked` is the question that the message answers; empty if there is none. A wrong update hides the
    current value, so a message must be short, ask nothing, and replace a day, a time, a number or a code.
    """
    if len(new) > _SHORT_CHARS or "?" in new or _is_list(new):
        return []
    found = _find_candidates(new, earlier, asked)
    return [
        each
        for each in found
        if (each.shared >= _LEAST_CERTAIN or each.kind == UpdateKind.CORRECTED)
        and len(earlier[each.place]) <= _SHORT_CHARS
        and not _is_list(earlier[each.place])
        and _is_exact(each.current, new)
        # A value that is current again has no outdated one.
        and (each.kind == UpdateKind.RESTORED or _is_exact(each.value, earlier[each.place]))
    ]


def _is_list(text: str) -> bool:
    """Return whether a text has many numbers, such as a table or a calculation, whose values are no statements."""
    values = [value for clause in read_clauses(text) for value in clause.values]
    return sum(value.kind in _NUMBERS for value in values) > _MOST_NUMBERS


def _is_exact(written: str, text: str) -> bool:
    """Return whether a text has this value as a day, a time, a number or a code."""
    values = [value for clause in read_clauses(text) for value in clause.values]
    return any(value.text == written and value.kind in _BY_CORRECTION for value in values)


def _find_candidates(new: str, earlier: Sequence[str], asked: str) -> list[Update]:
    claims = _claims(new, asked)
    common = Counter[str]()
    for text in earlier:
        common.update({word for clause in read_clauses(text) for word in clause.topic})
    found = []
    for place, text in enumerate(earlier):
        if len(text) > MAX_CHARS:
            continue
        updates = [each for claim in claims for each in _updates(place, claim, text, common)]
        if updates:
            found.append(max(updates, key=_rank))
    found.sort(key=lambda each: each.shared, reverse=True)
    return found[:_MOST_UPDATES] or _nearest(claims, earlier)


def _rank(update: Update) -> tuple[bool, bool, float]:
    """Return the order of updates of one message: those that compare values first, a change before no change."""
    return bool(update.current), update.kind != UpdateKind.RESTORED, update.shared


@lru_cache(maxsize=4096)
def _claims(text: str, asked: str) -> tuple[_Claim, ...]:
    """Return the statements of a message that may update earlier messages."""
    clauses = read_clauses(text)
    if asked and clauses:
        first = clauses[0]
        corrects = first.corrects or patterns.NO.match(first.text) is not None
        topic = {**topic_of(asked), **first.topic}
        clauses = (replace(first, topic=topic, corrects=corrects), *clauses[1:])
    claims = (claim for number in range(len(clauses)) for claim in _of_clause(clauses, number))
    is_short = len(text) <= _CHAT_CHARS
    return tuple(each for each in claims if is_short or (each.is_direct and _is_date(each.value)))


def _of_clause(clauses: Sequence[Clause], number: int) -> Iterator[_Claim]:
    clause = clauses[number]
    beside = clauses[max(0, number - 2) : number + 2]
    denied = {word for each in beside for word in (*each.ended, *each.denied)}
    said = [value for each in beside for value in each.values]
    denies_value = any(_says(value, word) for value in said for word in denied)
    corrects = denies_value or any(each.corrects for each in beside)
    reschedules = any(each.reschedules for each in beside)
    near_change = any(each.changes for each in beside)
    is_direct = clause.corrects or clause.reschedules or clause.changes or denies_value
    kind = UpdateKind.CORRECTED if corrects else UpdateKind.REPLACED
    topic = topic_around(clauses, number)
    refers = not clause.topic or patterns.REFERRING.search(clause.text) is not None
    if patterns.TAKEN_OVER.search(clause.text):
        yield _Claim(kind, topic)
    for value in clause.values:
        if any(_says(value, word) for word in denied):
            continue
        # Places are named in passing; "actually" in another clause says nothing of them.
        elsewhere = reschedules or (value.kind != "place" and corrects)
        has_cue = is_direct or elsewhere
        yield _Claim(
            *(kind, topic, value, "", has_cue, is_direct, reschedules, near_change, refers),
            clause.single,
        )
    # "no soy for her" ends something only next to a correction or change.
    gone = [*clause.ended, *(clause.denied if corrects or near_change else ())]
    for words, of_kind in ((gone, kind), (clause.restored, UpdateKind.RESTORED)):
        for word in words:
            names = is_topical(word) and word_weight(word) > 0
            if names or _is_value(word, said):
                yield _Claim(of_kind, topic, word=word, refers=refers)


def _is_date(value: Value | None) -> bool:
    return value is not None and value.kind in ("day", "time")


def _is_value(word: str, values: Sequence[Value]) -> bool:
    return any(_says(value, word) for value in values)


def _says(value: Value, word: str) -> bool:
    return value.text.lower().startswith(word)


def _updates(place: int, claim: _Claim, text: str, common: Mapping[str, int]) -> Iterator[Update]:
    """Yield the updates that a claim makes to an earlier message."""
    clauses = read_clauses(text)
    for number, old in enumerate(clauses):
        around = topic_around(clauses, number)
        if claim.value is not None:
            yield from _of_values(place, claim, claim.value, old, around, common)
        elif not claim.word:
            shared = _shared_weight(claim.topic, old.topic, common)
            if shared >= _WITHOUT_VALUE:
                yield Update(place, claim.kind, "", "", shared)
        elif matching_word(stem(claim.word), old.topic) or _is_value(claim.word, old.values):
            shared = _shared_weight(claim.topic, around, common)
            if shared >= _SHARED_WITH_END:
                ended = "" if claim.kind == UpdateKind.RESTORED else claim.word
                yield Update(place, claim.kind, ended, "", shared)


def _of_values(
    place: int,
    claim: _Claim,
    new: Value,
    old: Clause,
    around: Mapping[str, float],
    common: Mapping[str, int],
) -> Iterator[Update]:
    of_kind = [each for each in old.values if each.kind == new.kind]
    if not of_kind:
        return
    shared = _shared_weight(claim.topic, around, common)
    same = next((each for each in of_kind if each.key == new.key), None)
    if same is not None:
        if claim.has_cue and shared >= _LEAST_SHARED:
            yield Update(place, UpdateKind.RESTORED, "", same.text, shared)
        return
    for value in of_kind:
        if differs(new, value) and _is_same_topic(claim, new, old, value, around, shared):
            yield Update(place, claim.kind, value.text, new.text, shared)


def _is_same_topic(
    claim: _Claim,
    new: Value,
    old: Clause,
    value: Value,
    around: Mapping[str, float],
    shared: float,
) -> bool:
    """Return whether an earlier value is of the same thing as the new one."""
    if claim.single and claim.single == old.single and shared >= NAME_WEIGHT:
        return True
    if new.kind in _NUMBERS and new.heads & value.heads & around.keys():
        # "size 31", "size 33": both have the same neighbouring word.
        return shared >= (_LEAST_SHARED if claim.has_cue or claim.near_change else NAME_WEIGHT)
    if claim.has_cue:
        return shared >= (_SHARED_WITH_NUMBER if new.kind in _NUMBERS else _LEAST_SHARED)
    return _is_date(new) and shared >= max(_WITHOUT_CUE, _SAME_FRAME * sum(around.values()))


def _nearest(claims: Sequence[_Claim], earlier: Sequence[str]) -> list[Update]:
    """Return the update of the latest message with a value that a correction without a topic excludes."""
    for claim in [each for each in claims if each.refers]:
        for place in range(len(earlier) - 1, max(-1, len(earlier) - 1 - _NEARBY), -1):
            for clause in read_clauses(earlier[place]):
                for value in clause.values:
                    if _is_excluded(value, claim):
                        current = claim.value.text if claim.value else ""
                        return [Update(place, claim.kind, value.text, current, 0.0)]
    return []


def _is_excluded(value: Value, claim: _Claim) -> bool:
    is_correction = claim.kind == UpdateKind.CORRECTED
    if claim.value is None:
        is_named = bool(claim.word) and _says(value, claim.word)
        return is_correction and is_named and value.kind in _BY_CORRECTION
    kinds = _BY_CORRECTION if is_correction else _BY_RESCHEDULING if claim.reschedules else ()
    return value.kind in kinds and differs(claim.value, value)


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
