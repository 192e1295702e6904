"""Reads the fact lines of a model's answer, such as `Rita | job | dentist`, and finds the sentences that state them.

A small model writes many lines that are no facts: questions, small talk, guesses, and facts of the wrong person. A line
that fails a check is dropped, and the model is not asked again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from everword.text.common_words import LANGUAGES_OF
from everword.text.sentences import sentence_and_line_ends
from everword_compactor.sleep.model import SessionMessage
from everword_compactor.sleep.stages import sentence_rules as rules
from everword_compactor.sleep.stages.line_repairs import FactLine, repair_line

#: Share of a value's content words that its message must contain; a value of few words must be there in full.
_LEAST_SHARE, _WHOLE = 0.5, 2
#: A note about a relative that has more words is no fact that lasts.
_NOTE_WORDS = 3
#: Characters that a message may have between the words of a value.
_SLACK_CHARS = 20
_WORD = re.compile(r"[^\W_]+")
_ENDING = re.compile(
    r"(?<=\w{3})(?:[ae]n(?:t|ts|ce|ces)|ings?|ers?|ists?|ed|es|e|s|y|ies|ic|al|ly)$"
)
#: "till I was 16. these days": no number of a list.
_AFTER_NUMBER = re.compile(r"(?<=\w \d)\. (?=[^\W\d])|(?<=\d\d)\. (?=[^\W\d])")
_SELF = frozenset({"", "user", "me", "i", "myself", "we", "us", "self", "speaker", "author"})
#: Third parties without a name, and agents.
_NOBODY_WORDS = """
agent assistant ai bot he she they it him her them you someone somebody everyone people this that before
"""
_NOBODY = frozenset(_NOBODY_WORDS.split())
#: A name has a letter that is not lower case.
_NAME = re.compile(r"[^\W\d_a-zß-ÿ]")
_OWNER = re.compile(r"^(?:(?:the )?user(?:'s|’s) |(?:my|our|the) )", re.IGNORECASE)
#: Attributes that models give to passing remarks.
_PASSING_WORDS = """
action activity advice agreement answer apology appreciation approval asked asks comment concern conversation
current_time decision emotion exclamation expression farewell feedback feeling feelings gratitude greeting help hunger
idea information inquiry joke message mood opinion question quote reaction reason request response sentiment small_talk
status suggestion thanks thirst time today tone topic weather
"""
_PASSING = frozenset(_PASSING_WORDS.split())
_EMPTY_WORDS = """
- no none n/a na unknown null nothing false not_specified unspecified not_mentioned not_stated it this that them him her
he she they there here something someone user agent me us you myself
"""
_NO_VALUES = frozenset(_EMPTY_WORDS.split())
_YES = frozenset({"yes", "true", "y"})
_AFFIRMING = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|exactly|right|correct|true|sure|indeed|that's right|i (?:do|did|am|have)|ja|oui|sí|si)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class StatedFact:
    """A fact line with the message that states it, and the sentence in it."""

    line: FactLine
    message: SessionMessage
    sentence: str
    #: Position of the value's words in the sentence; 0 if they are not in it.
    place: int


def parse_line(written: str) -> FactLine | None:
    """Return the fact of a line; None if it is malformed, about no person, or about the moment of speaking."""
    parts = [" ".join(part.split()) for part in written.split("|")]
    if len(parts) == 4 and parts[0].casefold() in _SELF:
        parts = parts[1:]  # "user | sister | job | dentist"
    if len(parts) == 2 and all(parts):
        if len(parts[1].split()) > _NOTE_WORDS:
            return None
        parts.insert(1, "note")  # "Rita | lactose intolerance"
    if len(parts) != 3:
        return None
    who, attribute, value = parts
    is_guess = value.endswith("?")
    who, attribute = _OWNER.sub("", who), _OWNER.sub("", attribute)
    if who.casefold() in _SELF:
        who, attribute = rules.owner_in(attribute)
    value = value.rstrip("? ").strip('"“”. ')
    folded = "_".join(value.casefold().split())
    if who.casefold() in _NOBODY or not attribute or not folded or folded in _NO_VALUES:
        return None
    if "_".join(attribute.casefold().split()) in _PASSING:
        return None
    if folded in _YES:
        attribute, value = "note", attribute  # "user | vegetarian | yes"
    elif value.casefold() in (who.casefold(), attribute.casefold()):
        return None
    who = "" if who.casefold() in _SELF else who
    is_relation = bool(rules.relation_words(attribute))
    if is_relation and rules.is_relative(value):
        return None  # "user | mother | mum"
    if not who and is_relation and not _NAME.search(value):
        # "user | father | diabetic" is a note about the father; a longer value is usually an event, so it is a guess.
        who, attribute = attribute, "age" if value[0].isdigit() else "note"
        is_guess = is_guess or len(value.split()) > _NOTE_WORDS
    return FactLine(who, attribute, value, is_guess)


def find_statement(
    line: FactLine, said: Sequence[SessionMessage], before: str, shown: str
) -> StatedFact | None:
    """Return a line with the sentence of a user's message that states it; None if none does.

    `before` is what an agent wrote before, of which "Yes, there." confirms a question. `shown` is all text that the
    model saw.
    """
    found = _best_sentence(line, said) or _confirmed(line, said, before)
    if found is None:
        return None
    message, sentence = found
    at = _place(line.value, sentence)
    line = repair_line(line, sentence, at)
    claim = f"{line.attribute} {line.value}"
    if (
        rules.is_staged(message.content)
        or rules.is_quoted(message.content, line.value)
        or rules.is_open_question(sentence)
        or rules.is_untrue(sentence)
        or rules.is_other_number(line.attribute, line.value, sentence)
        or rules.is_negated(sentence, at, claim)
    ):
        return None
    owned = _of_person(line, sentence, at, shown)
    if owned is None:
        return None
    attribute = rules.attribute_at(owned.attribute, sentence, at)
    is_guess = owned.is_guess or (
        rules.is_guess(sentence, at) and not rules.is_introduced(sentence, at)
    )
    owned = replace(owned, attribute=attribute, is_guess=is_guess)
    return StatedFact(owned, message, sentence, at)


def _of_person(line: FactLine, sentence: str, at: int, shown: str) -> FactLine | None:
    """Return a line as a fact of its sentence's person; None if the line names a different one."""
    relation = rules.relation_words(line.attribute)
    if relation and not rules.names_any(relation, shown) and rules.is_english(shown):
        return None
    if relation and rules.is_apart(relation, line.value, sentence):
        return None
    person = rules.person_before(sentence, at)
    named = rules.subject_name(sentence, at)
    if named and not relation and line.about.casefold() != named.casefold():
        # "Arjun turns 40" is no age of the user.
        return replace(line, about=named) if person != "other" else None
    if line.about:
        return _of_third_party(line, sentence, at, shown, person)
    if relation or person in ("", "user"):
        return line
    if person == "other":
        return None
    # "My brother lives in Rome"
    is_named = person in _words(line.attribute) or rules.relation_words(person) & set(
        _words(line.attribute)
    )
    return line if is_named else replace(line, about=person)


def _of_third_party(
    line: FactLine, sentence: str, at: int, shown: str, person: str
) -> FactLine | None:
    words = rules.relation_words(line.about) or set(_words(line.about))
    if re.search(rf"\bthe {re.escape(line.about)}\b", shown, re.IGNORECASE):
        return None  # "the Harbour Voices" are no person
    if not rules.names_any(words, shown) and (
        rules.is_english(shown) or not rules.is_relative(line.about)
    ):
        return None
    line = replace(line, about=rules.canonical_relation(line.about))
    if rules.names_any(words, sentence) or person == "other":
        return line
    if person == "user":
        return replace(line, about="")  # "I live in Porto" is no fact of Rita
    return None if rules.has_name(sentence[:at]) else line


def _best_sentence(
    line: FactLine, said: Sequence[SessionMessage]
) -> tuple[SessionMessage, str] | None:
    """Return the sentence with most words of a value, in a message that has at least half of them."""
    wanted = _content_stems(line.value)
    near = {*_stems(line.about), *_stems(line.attribute)}
    least = len(wanted) if len(wanted) <= _WHOLE else _LEAST_SHARE * len(wanted)
    best: tuple[int, int, SessionMessage, str] | None = None
    for message in said:
        if _count_shared(wanted, message.content) < least:
            continue
        for sentence in split_sentences(message.content):
            score = (_count_shared(wanted, sentence), _count_shared(near, sentence))
            if score[0] and (best is None or score > best[:2]):
                best = (*score, message, sentence)
    return best[2:] if best else None


def _confirmed(
    line: FactLine, said: Sequence[SessionMessage], before: str
) -> tuple[SessionMessage, str] | None:
    """Return the sentence that confirms a value of an agent's question."""
    if not said or not _AFFIRMING.match(said[0].content):
        return None
    wanted = _content_stems(line.value)
    asked = " ".join(each for each in split_sentences(before) if each.endswith("?"))
    if not wanted or _count_shared(wanted, asked) < _LEAST_SHARE * len(wanted):
        return None
    return said[0], split_sentences(said[0].content)[0]


def split_sentences(text: str) -> list[str]:
    sentences, start = [], 0
    ends = {*sentence_and_line_ends(text), *(found.end() for found in _AFTER_NUMBER.finditer(text))}
    for end in sorted(ends):
        if sentence := text[start:end].strip():
            sentences.append(sentence)
        start = end
    return sentences


def _place(value: str, sentence: str) -> int:
    """Return where the words of a value begin in a sentence; 0 if none is there."""
    wanted = _content_stems(value)
    found = [(each.start(), _stem(each[0])) for each in _WORD.finditer(sentence)]
    places = [(at, stem) for at, stem in found if stem in wanted]
    near = len(value) + _SLACK_CHARS
    counts = {
        at: len({stem for other, stem in places if at <= other < at + near}) for at, _ in places
    }
    return max(counts, key=lambda at: (counts[at], -at), default=0)


def is_same(one: str, other: str) -> bool:
    """Return whether one of two values has all words of the other: "a firefighter" and "firefighter of all things"."""
    first, second = _content_stems(one), _content_stems(other)
    return bool(first and second) and (first <= second or second <= first)


def _words(text: str) -> list[str]:
    return [match[0].casefold() for match in _WORD.finditer(text)]


def _stems(text: str) -> set[str]:
    return {_stem(word) for word in _WORD.findall(text)}


def _count_shared(wanted: set[str], text: str) -> int:
    """Return the number of stems that a text has. In scripts without spaces, they are parts of its words."""
    stems, folded = _stems(text), text.casefold()
    return sum(stem in stems or (not stem.isascii() and stem in folded) for stem in wanted)


def _content_stems(value: str) -> set[str]:
    """Return the stems of a value's words without common ones such as `the`; of all words if all are common."""
    words = _words(value)
    content = [word for word in words if word not in LANGUAGES_OF]
    return {_stem(word) for word in content or words}


def _stem(word: str) -> str:
    """Return a word without a common ending, so that `teacher` and `teaches` are alike."""
    stem = _ENDING.sub("", word.casefold())
    return stem[:-1] if stem[-2:-1] == stem[-1:] else stem
