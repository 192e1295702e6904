"""Reads the clauses of a message: their values, their topic and their cues of updates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from everword.text.analysis import folded_words
from everword.text.statements.clauses import iter_sentences, stem
from everword.text.values.calendar_words import MONTHS, WEEKDAY_NAMES
from everword_compactor.compose.extractive.phrases import word_weight
from everword_compactor.learning.updates import patterns
from everword_compactor.learning.updates.patterns import cues
from everword_compactor.learning.updates.values import StatedValue, find_values

#: Characters of a message that is read; longer messages say many things.
MAX_CHARS = 300
#: A word of less weight names no topic.
LEAST_WEIGHT = 0.2
#: Weight of a name, which may be a frequent word of some language.
NAME_WEIGHT = 0.6
#: Clauses before and after a value that name its topic.
_AROUND = 2
#: Letters of a word that may be shortened.
_PREFIX = 4


@dataclass(frozen=True)
class ReadClause:
    """A clause that is neither asked nor guessed."""

    #: In lower case.
    text: str
    values: Sequence[StatedValue]
    #: Weights of topic words by stem.
    topic: Mapping[str, float]
    #: True if the clause has a cue of a correction, of a plan's new time, or of a change.
    corrects: bool
    reschedules: bool
    changes: bool
    #: Words and values that have ended, and that it denies.
    ended: Sequence[str]
    denied: Sequence[str]


def read_clauses(text: str) -> tuple[ReadClause, ...]:
    plain = text[:MAX_CHARS].replace("’", "'")
    return tuple(_read(each) for sentence in iter_sentences(plain) for each in _asserted(sentence))


def _asserted(sentence: str) -> Iterator[str]:
    """Yield the clauses of a sentence that are neither asked nor guessed."""
    parts = patterns.CLAUSE_END.split(sentence)
    clauses = [each.strip() for each in parts if each and each.strip()]
    for number, clause in enumerate(clauses):
        asked = number == len(clauses) - 1 and sentence.rstrip().endswith("?")
        if not asked and not cues("unreal").search(clause.lower()):
            yield clause


def _read(text: str) -> ReadClause:
    low = text.lower()
    adds = cues("addition").search(low) is not None
    # In chats, "*Thursday" corrects a word of the message before.
    is_marked = low.startswith("*") or low.endswith("*")
    is_denial = patterns.SHORT_DENIAL.match(low) is not None
    return ReadClause(
        low,
        find_values(text),
        topic_of(text),
        is_marked or is_denial or cues("correction").search(low) is not None,
        not adds and cues("reschedule").search(low) is not None,
        not adds and cues("change").search(low) is not None,
        _named(low, patterns.ENDING, patterns.ENDED),
        _named(low, patterns.DENIED, patterns.FROM),
    )


def _named(low: str, *forms: regex.Pattern[str]) -> list[str]:
    return [match["word"] for form in forms for match in form.finditer(low)]


def topic_of(text: str) -> dict[str, float]:
    """Return the weights of a text's topic words by stem."""
    found = {}
    names = {match[0].lower() for match in patterns.NAME.finditer(text)}
    for word in folded_words(text):
        if is_topical(word):
            weight = max(word_weight(word), NAME_WEIGHT if word in names else 0.0)
            if weight > 0:
                found[stem(word)] = weight
    return found


def is_topical(word: str) -> bool:
    is_value = word[:1].isdigit() or word in MONTHS or word in WEEKDAY_NAMES
    return len(word) > 1 and not is_value and word not in patterns.words("empty")


def topic_around(clauses: Sequence[ReadClause], number: int) -> dict[str, float]:
    """Return the topic of a clause and its neighbours."""
    near = clauses[max(0, number - _AROUND) : number + _AROUND + 1]
    return {word: weight for each in near for word, weight in each.topic.items()}


def matching_word(word: str, topic: Mapping[str, float]) -> str:
    """Return the word of a topic that matches, such as `mongodb` for `mongo`; empty if there is none."""
    if word in topic:
        return word
    if len(word) < _PREFIX:
        return ""
    long = (each for each in topic if len(each) >= _PREFIX)
    return next((each for each in long if each.startswith(word) or word.startswith(each)), "")
