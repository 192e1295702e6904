"""Reads statements about a person by a pronoun: "my partner is called Grace, she's a chef".

A pronoun is resolved to a relative or friend with a name earlier in the message. The words after the pronoun are then
read as a sentence about that person. Nothing is read if two people fit the pronoun, or if another name comes between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from everword_compactor.learning.extract.lexicon import NO_NAMES, SOFTWARE, WORDS
from everword_compactor.learning.extract.model import Token, TokenizedSentence

_GENDERS = {"she": "she", "her": "she", "he": "he", "his": "he", "who": ""}
_OWN = frozenset({"my", "our"})
#: Words and punctuation after which a pronoun begins a statement.
_BEFORE = frozenset({",", "and", "but", ";", ":", "(", "-"})
#: Verbs after a name that begin a statement about that person: "…, Bilal does design".
_SAID_OF = WORDS["said_of"]
#: Maximum distance in words between a relation ("sister") and the name.
_NEAR = 4


@dataclass(frozen=True)
class _Person:
    """A relative, friend or colleague of the author."""

    #: The name, or the relation if there is no name: ("my", "mum").
    words: tuple[str, ...]
    #: `she` or `he`; empty if unknown.
    gender: str


def statements_about_others(
    sentence: TokenizedSentence, before: Sequence[TokenizedSentence]
) -> Iterator[TokenizedSentence]:
    """Yield the statements about other people in a sentence, with pronouns replaced by names.

    `before` are the earlier sentences of the message.
    """
    if sentence.is_question or sentence.is_small:
        return
    tokens = sentence.tokens
    lows = [token.low for token in tokens]
    for at, token in enumerate(tokens):
        leading = lows[:at]
        if (WORDS["unsaid"] | WORDS["unreal"]) & set(leading):
            return
        begins = all(low in WORDS["openers"] for low in leading) or leading[-1] in _BEFORE
        if not begins or at + 1 >= len(tokens):
            continue
        if token.low in _GENDERS:
            person = _find_person(token.low, (*before, _part(sentence, 0, at)))
            if person:
                yield _about(sentence, at, person)
        elif at and token.is_capital and lows[at + 1] in _SAID_OF:
            yield _part(sentence, at, len(tokens))


def _part(sentence: TokenizedSentence, begin: int, end: int) -> TokenizedSentence:
    if begin >= end:
        return replace(sentence, tokens=())
    return replace(sentence, tokens=sentence.tokens[begin:end], text=sentence.slice(begin, end))


def _about(sentence: TokenizedSentence, at: int, person: _Person) -> TokenizedSentence:
    pronoun = sentence.tokens[at]
    rest = _part(sentence, at, len(sentence.tokens))
    named = [Token(word, word.lower(), pronoun.start, pronoun.end) for word in person.words]
    if pronoun.low in {"her", "his"}:
        named.append(Token("'s", "'s", pronoun.end, pronoun.end))
    return replace(rest, tokens=(*named, *rest.tokens[1:]))


def _find_person(pronoun: str, sentences: Sequence[TokenizedSentence]) -> _Person | None:
    """Resolve a pronoun to a person; None if no person or several fit."""
    found: list[_Person] = []
    for sentence in sentences:
        others = set(range(len(sentence.tokens)))
        for at in range(len(sentence.tokens)):
            person, used = _person_at(sentence, at)
            if person is None:
                continue
            others -= used
            if person not in found:
                found.append(person)
        if any(_is_another_name(sentence, at) for at in others):
            return None
    gender = _GENDERS[pronoun]
    fitting = [each for each in found if not gender or each.gender in ("", gender)]
    # "Who" belongs to the last name.
    if pronoun == "who":
        return found[-1] if found and _ends_with(sentences[-1], found[-1]) else None
    return fitting[0] if len(fitting) == 1 else None


def _ends_with(sentence: TokenizedSentence, person: _Person) -> bool:
    lows = [token.low for token in sentence.tokens if token.low != ","]
    return lows[-1:] == [person.words[-1].lower()]


def _person_at(sentence: TokenizedSentence, at: int) -> tuple[_Person | None, set[int]]:
    """Return the relative or friend whose relation ("sister") is at a position, and the positions of the words used."""
    tokens = sentence.tokens
    low = tokens[at].low
    kin = WORDS["kin"] | WORDS["relative"] | WORDS["colleague"]
    if low not in kin or not _OWN & {each.low for each in tokens[max(0, at - 3) : at]}:
        return None, set()
    gender = "she" if low in WORDS["she"] else "he" if low in WORDS["he"] else ""
    place = at + 1
    while place < min(at + _NEAR, len(tokens)) and not _is_name(tokens[place]):
        if tokens[place].low not in {"is", "'s", "name", "called", "named", ","}:
            break
        place += 1
    if place < len(tokens) and _is_name(tokens[place]):
        return _Person((tokens[place].text,), gender), {at, place}
    # "Ana is my sister", "Ana, my sister".
    named = next((n for n in range(max(0, at - _NEAR), at) if _is_name(tokens[n])), None)
    if named is not None and tokens[named + 1].low in {"is", "'s", ","}:
        return _Person((tokens[named].text,), gender), {at, named}
    is_only = low in WORDS["only_kin"]
    return (_Person(("my", tokens[at].text), gender) if is_only else None), {at}


def _is_name(token: Token) -> bool:
    return token.is_capital and token.text.isalpha() and token.low not in _NO_NAME


_NO_NAME = NO_NAMES | SOFTWARE | WORDS["places"] | WORDS["openers"] | WORDS["pronouns"]


def _is_another_name(sentence: TokenizedSentence, at: int) -> bool:
    """Return whether the word at a position may be the name of another person."""
    return (
        at > 0
        and _is_name(sentence.tokens[at])
        and sentence.tokens[at - 1].low
        not in {
            *WORDS["prepositions"],
            "the",
            "near",
        }
    )
