"""Likes, things and moods, and lists of values."""

from __future__ import annotations

from everword_compactor.learning.extract.lexicon import WORDS, is_meant
from everword_compactor.learning.extract.model import TokenizedSentence
from everword_compactor.learning.extract.values.read_value import (
    ARTICLES,
    VAGUE,
    Read,
    Slot,
    ends,
    low,
    phrase,
)

#: "I love jazz lately": words that end a like.
_AFTER_A_TASTE = WORDS["after_a_taste"] | {",", ";"}


def mood(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a mood, unless the next words change its meaning: `tired`."""
    found = of_kind("moods")(sentence, at)
    following = low(sentence, found[1]) if found else ""
    is_whole = following in {"", ","} or following in WORDS["after_a_mood"]
    return found if is_whole else None


def thing(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a thing: up to three words."""
    found = phrase(sentence, at, 3)
    if found is None or low(sentence, at) in ARTICLES | VAGUE:
        return None
    return found


def things(sentence: TokenizedSentence, at: int) -> Read | None:
    return open_list(sentence, at, thing)


def word(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read one or two words, if the sentence ends after them, or `,`, `;` or a word like `lately` follows."""
    end = at
    while end < min(at + 2, len(sentence.tokens)) and not ends(sentence, end):
        if sentence.tokens[end].low in VAGUE | ARTICLES:
            return None
        end += 1
    if end > at and not sentence.tokens[at].text[:1].isalnum():
        return None
    if end == at + 1 and low(sentence, at) in WORDS["bare_doings"]:
        return None
    if low(sentence, at) in WORDS["tasting"]:
        return None  # "I love peonies and hate carnations"
    whole = end == len(sentence.tokens) or low(sentence, end) in _AFTER_A_TASTE
    return ([sentence.slice(at, end)], end) if end > at and whole else None


def doing(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an activity with its object: `making desserts`, `exploring old towns and castles`."""
    first = low(sentence, at)
    unfit = first in VAGUE | WORDS["no_doings"] or low(sentence, at + 1) == "sure"
    if not first.endswith("ing") or len(first) < 6 or unfit:
        return None
    end = at + 1
    while end < min(at + 6, len(sentence.tokens)) and (
        not ends(sentence, end) or low(sentence, end) == "the"
    ):
        if low(sentence, end) in (VAGUE | ARTICLES) - {"the"} or low(sentence, end).endswith(
            "selves"
        ):
            return None
        end += 1
    if end == at + 1 or not ends(sentence, end) or low(sentence, end) in {"this", "that", "these"}:
        return None
    retained = sentence.slice(at, end)
    is_part = low(sentence, end - 1) in WORDS["prepositions"] or retained.lower() == "spending time"
    return None if is_part else ([retained], end)


def allergen(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read an allergen, unless it is a joke."""
    found = thing(sentence, at + (low(sentence, at) == "the"))
    words = found[0][0].lower().split() if found else ()
    # Weekdays are in the singular.
    joked = {*words, *(each.removesuffix("s") for each in words)} & (
        WORDS["no_allergens"] | WORDS["weekdays"]
    )
    return None if joked else found


def tastes(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read likes: `jazz` and `hiking`, but `sci-fi and action films` as one."""
    found = open_list(sentence, at, word)
    if found is None or len(found[0]) != 2:
        return found
    one, two = found[0]
    joined = sentence.slice(at, found[1])
    return (
        ([joined], found[1]) if " " in two and not one.endswith("s") and " " not in one else found
    )


def plain_tastes(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read likes of another person, and no name: "Ross loves Emily"."""
    return (
        None
        if at < len(sentence.tokens) and sentence.tokens[at].is_capital
        else tastes(sentence, at)
    )


def favourite(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a favourite: up to five words, or a title."""
    start = at + 1 if low(sentence, at) in {"a", "an", "the"} else at
    if low(sentence, start) in VAGUE | {"my", "probably", "definitely", "when", "not", "either"}:
        return None
    if low(sentence, start).endswith("ing") and low(sentence, start) not in WORDS["hobbies"]:
        return None
    return phrase(sentence, start, 5, capitals=True)


def of_kind(kind: str) -> Slot:
    """Return a slot that reads a word of a kind, or two."""

    def read(sentence: TokenizedSentence, at: int) -> Read | None:
        for length in (3, 2, 1):
            end = at + length
            if end > len(sentence.tokens):
                continue
            term = sentence.slice(at, end)
            if term.lower() in WORDS[kind] and is_meant(sentence.tokens[at]):
                return [term], end
        return None

    return read


def hobby(sentence: TokenizedSentence, at: int) -> Read | None:
    """Read a hobby, and no chore: `running`, not `running some errands`."""
    term, following = low(sentence, at), low(sentence, at + 1)
    alone = ends(sentence, at + 1) and following not in (ARTICLES | VAGUE) - {"these"}
    if following == "for" and low(sentence, at + 2) in {
        "those",
        "these",
        "my",
        "your",
        "it",
        "them",
    }:
        return None
    weekly = following.endswith("s") and following.removesuffix("s") in WORDS["weekdays"]
    return ([term], at + 1) if term in WORDS["hobbies"] and (alone or weekly) else None


def list_of(sentence: TokenizedSentence, at: int, one: Slot) -> Read | None:
    """Read values that follow each other: `Redis, Kafka and Celery`."""
    values: list[str] = []
    end = at
    while found := one(sentence, at):
        values += found[0]
        end = at = found[1]
        while low(sentence, at) in {",", "and", "or", "some", "a", "little", "bit", "of"}:
            at += 1
        if at == end:
            break
    return (values, end) if values else None


def open_list(sentence: TokenizedSentence, at: int, one: Slot) -> Read | None:
    """Read a list of values in free words: `nuts, shellfish and cats`.

    A phrase after a comma is often no value, as in `hazelnuts, seriously, pen in the blue bag`. It is one before an
    `and`, or if only single words follow.
    """
    read: list[Read] = []
    listed, joined = 0, False
    while found := one(sentence, at):
        listed = len(read) if joined else listed
        read.append(found)
        end = at = found[1]
        joined = False
        while low(sentence, at) in {",", "and", "or", "some", "a", "little", "bit", "of"}:
            joined = joined or low(sentence, at) in {"and", "or"}
            at += 1
        if at == end:
            break
    is_whole = bool(read) and read[-1][1] == len(sentence.tokens)
    if is_whole and not any(" " in value for values, _ in read[1:] for value in values):
        listed = len(read) - 1
    retained = read[: listed + 1]
    said = [
        value for values, _ in retained for value in values if value.lower() not in WORDS["asides"]
    ]
    return (said, retained[-1][1]) if said else None


def several(one: Slot) -> Slot:
    return lambda sentence, at: list_of(sentence, at, one)
