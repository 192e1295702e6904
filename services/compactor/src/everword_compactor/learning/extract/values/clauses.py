"""Values of several words with a verb: habits, plans of travel, ailments."""

from __future__ import annotations

from everword_compactor.learning.extract.lexicon import WORDS
from everword_compactor.learning.extract.model import TokenizedSentence
from everword_compactor.learning.extract.values.measures import when
from everword_compactor.learning.extract.values.names import place
from everword_compactor.learning.extract.values.read_value import (
    ARTICLES,
    MARKS,
    VAGUE,
    Read,
    ends,
    low,
)
from everword_compactor.learning.extract.values.tastes import of_kind

_UNITS = frozenset(
    {"day", "morning", "evening", "night", "week", "weekend", "month", "year", "summer", "winter"}
)
#: After "I", they begin no habit.
_NO_HABITS = (
    WORDS["auxiliaries"]
    | WORDS["unreal"]
    | WORDS["unsaid"]
    | WORDS["subjectless"]
    | WORDS["no_habits"]
)
#: Words of another clause, or of something that was mentioned before.
_NOT_IN_HABITS = (
    MARKS
    | WORDS["pronouns"]
    | frozenset(
        {"n't", "not", "never", "if", "when", "there", "this", "that", "something", "stuff"}
    )
)
_PARTS_OF_DAYS = frozenset({"mornings", "afternoons", "evenings", "nights"})
#: Requests to an assistant: "I want to plan a week in Lisbon in September".
_NO_AIMS = frozenset(
    {
        *(
            "plan",
            "organise",
            "organize",
            "book",
            "find",
            "know",
            "ask",
            "talk",
            "get",
            "see",
            "discuss",
        ),
        *("check", "cook", "make", "schedule", "arrange", "prepare", "write", "understand", "hear"),
        *("celebrate", "try"),
    }
)
_LONGEST_HABIT, _LONGEST_AIM = 10, 12
_MONTHS_AWAY = WORDS["months"] | frozenset({"spring", "summer", "autumn", "fall", "winter"})


def habit(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a regular activity, up to and including the words for its frequency: `run 5k every morning`."""
    first = low(sentence, at)
    if (
        first in _NO_HABITS | ARTICLES
        or not first.isalpha()
        or first.endswith("ed")
        or len(first) < 2
    ):
        return None
    for place_ in range(at + 1, min(at + _LONGEST_HABIT, len(sentence.tokens))):
        end = _frequency_end(sentence, place_)
        if end:
            return [sentence.slice(at, end)], end
        if low(sentence, place_) in _NOT_IN_HABITS:
            return None
    return None


def _frequency_end(sentence: TokenizedSentence, at: int) -> int:
    """Return the position after `every day`, `twice a week` or `on Mondays and Fridays`; 0 if none begins here."""
    first, second = low(sentence, at), low(sentence, at + 1)
    if first in {"every", "each"} and low(sentence, at - 1) not in WORDS["prepositions"]:
        at += second in {"single", "other", "second"}
        second = low(sentence, at + 1)
        is_adverb = low(sentence, at + 2) != "'s" and second in _UNITS | WORDS["weekdays"]
        return at + 2 if is_adverb else 0
    times = first in {"once", "twice"} or second in {"times", "days", "nights", "hours"}
    if times:
        at += first not in {"once", "twice"}
        return (
            at + 3
            if low(sentence, at + 1) in {"a", "per"} and low(sentence, at + 2) in _UNITS
            else 0
        )
    if first == "on" and second in WORDS["weekdays"] and low(sentence, at + 2) in _PARTS_OF_DAYS:
        return at + 3
    start = at + (first == "on")
    if not _is_weekly(low(sentence, start)) or (start == at and first.startswith("week")):
        return 0
    end = start + 1
    while low(sentence, end) in {",", "and"} and _is_weekly(low(sentence, end + 1)):
        end += 2
    return end


def _is_weekly(word: str) -> bool:
    return word.removesuffix("s") in WORDS["weekdays"] | {"weekend", "weekday"} and word.endswith(
        "s"
    )


def trip(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a journey with its time: `flying to Porto on 3 March`, `moving to Halifax in September`."""
    if low(sentence, at) not in WORDS["going"]:
        return None
    start = at + 1 + (low(sentence, at + 1) in {"back", "over", "out", "up", "down"})
    found = place(sentence, start + 1) if low(sentence, start) == "to" else None
    if found is None:
        return None
    end = found[1]
    if low(sentence, end) == "in" and low(sentence, end + 1) in _MONTHS_AWAY:
        return [sentence.slice(at, end + 2)], end + 2
    if low(sentence, end) in {"next", "this"} and low(sentence, end + 1) in _UNITS | _MONTHS_AWAY:
        return [sentence.slice(at, end + 2)], end + 2
    dated = when(sentence, end + (low(sentence, end) == "on") + (low(sentence, end + 1) == "the"))
    return ([sentence.slice(at, dated[1])], dated[1]) if dated else None


def aim(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an intention with its time, which is no wish for an answer: `be under 85 kilos by Christmas`."""
    if low(sentence, at) in _NO_AIMS:
        return None
    for end in range(at + 1, min(at + _LONGEST_AIM, len(sentence.tokens))):
        first, second = low(sentence, end), low(sentence, end + 1)
        if first in _NOT_IN_HABITS:
            return None
        is_month = first in {"by", "before", "in"} and second in _MONTHS_AWAY | {
            "christmas",
            "easter",
        }
        is_next = first in {"next", "this"} and second in {
            "year",
            "summer",
            "spring",
            "winter",
            "autumn",
        }
        if is_month or is_next:
            return [sentence.slice(at, end + 2)], end + 2
    return None


def ailment(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a part of the body that is not well: `bad knee`."""
    is_bad = low(sentence, at) in WORDS["ailing"] and low(sentence, at + 1) in WORDS["body_parts"]
    return ([sentence.slice(at, at + 2)], at + 2) if is_bad and ends(sentence, at + 2) else None


def marital(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a marital status, but not `married to the job` or `engaged in a debate`."""
    found = of_kind("marital")(sentence, at)
    following = [low(sentence, found[1] + n) for n in range(2)] if found else []
    is_figure = following[:1] == ["to"] and following[1] in VAGUE | {"the", "an"}
    return None if is_figure or following == ["in", "a"] else found


def condition(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an illness, but not `anxiety about the exam`."""
    found = of_kind("conditions")(sentence, at)
    passing = {"about", "over", "sign", "from", "attack", "level", "levels", "moon", "rising"}
    return None if found and low(sentence, found[1]) in passing else found


def organ_trouble(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a lasting illness that is named by its organ: `thyroid problem`."""
    is_named = low(sentence, at) in WORDS["organs"] and low(sentence, at + 1) in WORDS["troubles"]
    return ([sentence.slice(at, at + 2)], at + 2) if is_named else None


def open_hobby(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a hobby with the words before it: `open water swimming`."""
    known = WORDS["hobbies"] | WORDS["games"] | WORDS["instruments"]
    for end in range(at + 1, min(at + 4, len(sentence.tokens) + 1)):
        term = sentence.tokens[end - 1].low
        if term in MARKS | VAGUE:
            return None
        if term in known and ends(sentence, end):
            return [sentence.slice(at, end)], end
    return None


def hobby_since(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a hobby up to the time since which it is done: `singing alto with the Harbour Voices since 2021`."""
    if low(sentence, at) not in WORDS["hobbies"] | {"playing"}:
        return None
    for end in range(at + 1, min(at + _LONGEST_HABIT, len(sentence.tokens))):
        term, following = low(sentence, end), low(sentence, end + 1)
        if term in MARKS | WORDS["pronouns"] | {"and", "for"}:
            return None
        if term == "since":
            is_time = following in WORDS["months"] or following[:2] in {"19", "20"}
            return ([sentence.slice(at, end)], end) if is_time and end > at + 1 else None
    return None
