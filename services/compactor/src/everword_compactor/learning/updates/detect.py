"""Detects that a message corrects or updates earlier ones, without a language model.

An update has a cue ("turns out", "now", "moved to"), shares its topic with the earlier message, and has another value of
the same kind, or names what has ended ("not the 14th", "sold the Volvo"). Questions, guesses and additions update
nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from importlib.resources import files

import regex

from everword.text.analysis import folded_words
from everword.text.statements.clauses import iter_sentences, stem
from everword_compactor.compose.extractive.phrases import word_weight
from everword_compactor.learning.updates.values import Value, differs, find_values

_TEXT = files("everword_compactor.learning.updates").joinpath("cues.txt")
#: Longer messages are texts of their own, such as pasted ones.
MAX_CHARS = 1200
#: A longer message does more than to update another one; only its days and times are compared.
_CHAT_CHARS = 400
#: Earlier messages that a correction without a topic can be about.
_NEARBY = 12
#: A message updates few others; more candidates share a topic that is too wide.
_MOST_UPDATES = 4
#: Kinds of values that a correction without a topic replaces, and a postponement.
_BY_CORRECTION, _BY_RESCHEDULING = ("day", "time", "code", "number"), ("day", "time")
#: Clauses before and after a value that name its topic.
_AROUND = 2
_LEAST_WEIGHT = 0.2
#: Weight of a name, which may be a frequent word of some language.
_NAME_WEIGHT = 0.6
#: Messages with a word before it counts less.
_COMMON = 3
#: Weight of the shared topic that an update needs; without a cue, also the share of the earlier clauses' topic.
_LEAST_SHARED, _SHARED_WITH_NUMBER, _SHARED_WITH_END = 0.28, 0.4, 0.4
_WITHOUT_CUE, _SAME_FRAME = 1.2, 0.7
#: Letters of a word that may be shortened.
_PREFIX = 4
_NAME = regex.compile(r"(?<=[\p{L}\p{N},;:)] )\p{Lu}[\p{Ll}\p{M}’'-]+")
_REFERRING = regex.compile(r"\b(?:it|its|it's|that|thats|that's|this|number|time|date)\b")
_CLAUSE_END = regex.compile(
    r"[,;:()]\s|\s[–—-]+\s|\s(?=(?:but|because|bc|so|and|then|cause|cuz)\s)"
)
_DETERMINERS = (
    r"(?:(?:the|my|our|his|her|their|that|those|this|a|an|thing|stuff|what i said|about|taking|using|with|eating|"
    r"drinking|going|doing|on|at|in|from|to|of)\s+)*"
)
#: Something that is not so any more; after a negation, the words are an encouragement ("don't quit").
_ENDING = regex.compile(
    r"(?<!\b(?:not|never|don't|dont|won't|didn't)\s)\b(?:instead of|no longer|no more|sold|dropped|ditched|"
    r"scrap(?:ped)?|(?:took|taken|came|come|went|go|going|get|got|is|are)(?:\s\p{L}+){0,2}\soff|stopped|replaced|returned|cancell?ed|allergic to|got rid of|done with|left|quit|forget(?=\s(?:what|about|the)))\s+"
    rf"{_DETERMINERS}(?P<word>[\p{{L}}\p{{N}}]+(?:[.:-][\p{{L}}\p{{N}}]+)*)"
)
_DENIED = regex.compile(
    rf"^(?:(?:and|but|so)\s)?(?:not|no)\s+{_DETERMINERS}(?P<word>[\p{{L}}\p{{N}}]+(?:[.:-][\p{{L}}\p{{N}}]+)*)"
)
_ENDED = regex.compile(
    r"(?P<word>[\p{L}\p{N}]+)\s+(?:fell through|is off|is gone|is out|was wrong|is wrong|is closed|broke down|died|"
    r"is cancell?ed|got cancell?ed|no longer|(?:isn'?t|ain'?t|aren'?t|doesn'?t|don'?t|won'?t)\b(?=.*\b(?:anymore|any more)))"
)


class UpdateKind(IntEnum):
    """How a message changes what an earlier one says."""

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
    #: Weight of the topic that both share.
    shared: float


@dataclass(frozen=True)
class _Clause:
    """A clause that is neither asked nor guessed."""

    text: str
    values: Sequence[Value]
    #: Weights of topic words by stem.
    topic: Mapping[str, float]
    corrects: bool
    reschedules: bool
    changes: bool
    #: Words and values that it says have ended, or are current again.
    ended: Sequence[str]
    denied: Sequence[str]
    restored: Sequence[str]


@dataclass(frozen=True)
class _Claim:
    """What a message says that may update others."""

    value: Value | None
    word: str
    kind: UpdateKind
    has_cue: bool
    #: Whether the cue is in the clause of the value.
    is_direct: bool
    reschedules: bool
    topic: Mapping[str, float]


@cache
def _words(kind: str) -> Sequence[str]:
    lines = (line.partition(":") for line in _TEXT.read_text(encoding="utf-8").splitlines())
    return [word for name, _, words in lines if name == kind for word in words.split()]


@cache
def _cues(kind: str) -> regex.Pattern[str]:
    found = sorted((word.replace("_", r"\s+") for word in _words(kind)), key=len, reverse=True)
    return regex.compile(rf"(?<![\p{{L}}\p{{N}}'])(?:{'|'.join(found)})(?![\p{{L}}\p{{N}}'])")


@cache
def _empty() -> frozenset[str]:
    return frozenset(_words("empty"))


@lru_cache(maxsize=4096)
def _clauses(text: str) -> tuple[_Clause, ...]:
    plain = text[:MAX_CHARS].replace("’", "'")
    return tuple(
        _clause(each) for sentence in iter_sentences(plain) for each in _asserted(sentence)
    )


def _asserted(sentence: str) -> Iterator[str]:
    """Yield the clauses of a sentence that are neither asked nor guessed."""
    clauses = [each.strip() for each in _CLAUSE_END.split(sentence) if each and each.strip()]
    for number, clause in enumerate(clauses):
        asked = number == len(clauses) - 1 and sentence.rstrip().endswith("?")
        if not asked and not _cues("unreal").search(clause.lower()):
            yield clause


def _clause(text: str) -> _Clause:
    low = text.lower()
    adds = _cues("addition").search(low) is not None
    return _Clause(
        low,
        find_values(text),
        _topic(text),
        _cues("correction").search(low) is not None,
        not adds and _cues("reschedule").search(low) is not None,
        not adds and _cues("change").search(low) is not None,
        [match["word"] for form in (_ENDING, _ENDED) for match in form.finditer(low)],
        [match["word"] for match in _DENIED.finditer(low)],
        [
            word
            for match in _cues("restoring").finditer(low)
            for word in folded_words(low[match.end() :])[:3]
        ],
    )


def _topic(text: str) -> dict[str, float]:
    found = {}
    names = {match[0].lower() for match in _NAME.finditer(text)}
    for word in folded_words(text):
        if len(word) > 1 and word not in _empty() and not word.isdigit():
            weight = max(word_weight(word), _NAME_WEIGHT if word in names else 0.0)
            if weight > 0:
                found[stem(word)] = weight
    return found


def _around(clauses: Sequence[_Clause], number: int) -> dict[str, float]:
    near = clauses[max(0, number - _AROUND) : number + _AROUND + 1]
    return {word: weight for each in near for word, weight in each.topic.items()}


@lru_cache(maxsize=4096)
def _claims(text: str) -> tuple[_Claim, ...]:
    """Return what a message says that may update others, with values that it denies left out."""
    clauses = _clauses(text)
    claims = (claim for number in range(len(clauses)) for claim in _clause_claims(clauses, number))
    return tuple(
        each
        for each in claims
        if len(text) <= _CHAT_CHARS or (each.is_direct and _is_date(each.value))
    )


def _clause_claims(clauses: Sequence[_Clause], number: int) -> Iterator[_Claim]:
    clause = clauses[number]
    beside = clauses[max(0, number - 2) : number + 2]
    denied = {word for each in beside for word in (*each.ended, *each.denied)}
    denies_value = any(
        _says(value, word) for each in beside for value in each.values for word in denied
    )
    corrects = denies_value or any(each.corrects for each in beside)
    reschedules = any(each.reschedules for each in beside)
    kind = UpdateKind.CORRECTED if corrects else UpdateKind.REPLACED
    has_cue = corrects or reschedules or clause.changes
    topic = _around(clauses, number)
    for value in clause.values:
        if not any(_says(value, word) for word in denied):
            # Places are named in passing; "actually" in another clause says nothing of them.
            is_direct = clause.corrects or clause.reschedules or clause.changes or denies_value
            is_cued = (is_direct or reschedules) if value.kind == "place" else has_cue
            yield _Claim(value, "", kind, is_cued, is_direct, reschedules, topic)
    # "no soy for her" ends something only beside a correction or change.
    gone = [
        *clause.ended,
        *(clause.denied if corrects or any(each.changes for each in beside) else ()),
    ]
    for words, of_kind in ((gone, kind), (clause.restored, UpdateKind.RESTORED)):
        for word in words:
            if word not in _empty() and word_weight(word) >= _LEAST_WEIGHT:
                yield _Claim(None, word, of_kind, True, True, False, topic)


def _is_date(value: Value | None) -> bool:
    return value is not None and value.kind in ("day", "time")


def _says(value: Value, word: str) -> bool:
    return value.text.lower().startswith(word)


def may_update(text: str) -> bool:
    """Return whether a message may update earlier ones."""
    return any(each.has_cue or _is_date(each.value) for each in _claims(text))


def topic_words(text: str) -> list[str]:
    """Return the topic words of a message, the most informative first."""
    words = {word for clause in _clauses(text) for word in folded_words(clause.text)} - _empty()
    found = {word: word_weight(word) for word in words if len(word) > 1 and not word.isdigit()}
    return sorted(
        (each for each in found if found[each] >= _LEAST_WEIGHT), key=lambda each: -found[each]
    )


def find_updates(new: str, earlier: Sequence[str]) -> list[Update]:
    """Return the updates that a user's message makes; `earlier` are messages stored before it, the latest last."""
    claims = _claims(new)
    common = Counter(
        word for text in earlier for word in {w for c in _clauses(text) for w in c.topic}
    )
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


def _updates(place: int, claim: _Claim, text: str, common: Mapping[str, int]) -> Iterator[Update]:
    clauses = _clauses(text)
    for number, old in enumerate(clauses):
        around = _around(clauses, number)
        if claim.value is None:
            if not _matching(stem(claim.word), old.topic):
                if not any(_says(each, claim.word) for each in old.values):
                    continue
            shared = _shared_weight(claim.topic, around, common)
            if shared >= _SHARED_WITH_END:
                is_restored = claim.kind == UpdateKind.RESTORED
                yield Update(place, claim.kind, "" if is_restored else claim.word, "", shared)
            continue
        for value in old.values:
            if value.kind != claim.value.kind:
                continue
            shared = _shared_weight(claim.topic, around, common)
            if value.key == claim.value.key:
                if claim.has_cue and shared >= _LEAST_SHARED:
                    yield Update(place, UpdateKind.RESTORED, "", value.text, shared)
            elif differs(claim.value, value) and _is_same_topic(claim, around, shared):
                if not any(
                    (o.kind, o.key) == (claim.value.kind, claim.value.key) for o in old.values
                ):
                    yield Update(place, claim.kind, value.text, claim.value.text, shared)


def _is_same_topic(claim: _Claim, around: Mapping[str, float], shared: float) -> bool:
    kind = claim.value.kind if claim.value else ""
    if claim.has_cue:
        return shared >= (_SHARED_WITH_NUMBER if kind in ("number", "code") else _LEAST_SHARED)
    return kind in ("day", "time") and shared >= max(
        _WITHOUT_CUE, _SAME_FRAME * sum(around.values())
    )


def _nearest(claims: Sequence[_Claim], earlier: Sequence[str]) -> list[Update]:
    """Return the update of the latest message with a value that a correction without a topic excludes."""
    for claim in claims:
        kinds = _BY_CORRECTION if claim.kind == UpdateKind.CORRECTED else _BY_RESCHEDULING
        refers = claim.kind == UpdateKind.CORRECTED or claim.reschedules
        if claim.value is None or not refers or claim.value.kind not in kinds:
            continue
        for place in range(len(earlier) - 1, max(-1, len(earlier) - 1 - _NEARBY), -1):
            for old in _clauses(earlier[place]):
                for value in old.values:
                    if differs(claim.value, value):
                        return [Update(place, claim.kind, value.text, claim.value.text, 0.0)]
    return []


def _shared_weight(
    topic: Mapping[str, float], other: Mapping[str, float], common: Mapping[str, int]
) -> float:
    total = 0.0
    for word, weight in topic.items():
        match = _matching(word, other)
        if match:
            heavier = max(weight, other[match])
            if heavier >= _LEAST_WEIGHT:
                total += heavier * min(1.0, _COMMON / max(1, common.get(match, 1)))
    return total


def _matching(word: str, topic: Mapping[str, float]) -> str:
    """Return the word of a topic that matches, such as `mongodb` for `mongo`; empty if there is none."""
    if word in topic:
        return word
    if len(word) < _PREFIX:
        return ""
    near = (
        each
        for each in topic
        if len(each) >= _PREFIX and (each.startswith(word) or word.startswith(each))
    )
    return next(near, "")
