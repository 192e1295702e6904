"""Recognise English questions that ask for one present value, such as "When is my appointment?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from everword.text.calendar_terms import COUNT_WORDS, MONTH_NAMES, SEASON_MONTHS, WEEKDAY_NAMES
from everword.text.ranking_record import stems_of

_ASKING = re.compile(
    r"^\W*(?:(?:so|and|hey|ok|okay|please|again|btw|remind me|tell me|do you (?:know|remember)|can you tell me)\W+)*"
    r"(?:what|which|who|whom|whose|where|when|how (?:much|many|old|big|often|late|early)|is|are|am|do|does|"
    r"(?:what|who|where|when)['’]?s)\b",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:is|are|am|do|does|can|should|(?:what|who|where|when|how|which)s)\b|['’]s\b",
    re.IGNORECASE,
)
#: A question with one of these asks about the past, a period, a reason, or several values.
_OTHER = re.compile(
    r"\b(?:did|was|were|had|used to|original(?:ly)?|previous(?:ly)?|before|first|earlier|former(?:ly)?|initial(?:ly)?|"
    r"ago|last|yesterday|old|until|back then|over time|change[sd]?|history|been|ever|always|usually|visited|lost|"
    r"happened|said|told|why|in common|how (?:does|do|is|are|can|has|have|long)|"
    r"(?:have (?:i|we|you|they)|has \w+) \w+ed|(?:19|20)\d\d|"
    rf"(?:in|on|during|since) (?:{'|'.join(MONTH_NAMES)}))\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"^\W*(?:what|which)\s+(?:are\b(?!\s+(?:we|you|they|i)\b)|(?:kinds?|types?|sorts?)\b|"
    r"(?:(?!does\b|is\b|do\b|are\b)\w+ )?(?!does\b|is\b)\w+[^s\Wiu]s\b)",
    re.IGNORECASE,
)
_AT_PRESENT = re.compile(
    r"\b(?:now|at the moment|currently|these days|nowadays|at present)\b", re.IGNORECASE
)
#: "Is Anna vegetarian?" asks for no value that could have changed, unless it says so.
_YES_OR_NO = re.compile(
    r"^\W*(?:is|are|am|do|does)\b(?!.*\b(?:still|any ?more|yet)\b)", re.IGNORECASE
)
_TIME_QUESTION = re.compile(
    r"^\W*(?:when|what (?:time|day|date))\b|"
    r"^(?!\W*(?:who|where|which|how much)).*\b(?:date|deadline|what time|what day)\b",
    re.IGNORECASE,
)
_NUMBER_QUESTION = re.compile(
    r"\b(?:how (?:much|many|old|big)|"
    r"phone|number|code|pin|price|rent|size|weight|address|salary|budget|cost|goal|owe)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b\d{1,2}(?:[:.h]\d\d|st|nd|rd|th| ?[ap]m)|"
    r"\b(?:at|by|until|till|from|to|around|before|after|on|the|its|it's|is) \d{1,2}\b|"
    rf"\b(?:(?:{'|'.join(WEEKDAY_NAMES)})s?|{'|'.join((*MONTH_NAMES, *SEASON_MONTHS))}|"
    r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|noon|midnight|morning|evening|tomorrow|tonight|today|weekend|week)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"\d|\b(?:{'|'.join(COUNT_WORDS)}|twenty|thirty|forty|fifty|hundred|thousand)\b", re.IGNORECASE
)
#: Words that identify nothing.
_EMPTY_LINES = (
    "a an the is are am do does i my me we our us you your he she it its they them their his her of to in on at for "
    "with from by and or but what which who whom whose where when how much many s t re ve ll m d im so this that these "
    "those not no still up be there one have has get can will as if just currently current now right whats wheres "
    "whens whos"
)
_EMPTY = frozenset(_EMPTY_LINES.split())
_RELATION_LINES = (
    "brother sister mother father mum mom dad son daughter husband wife partner friend boss aunt uncle grandma grandpa "
    "cousin kids kid girlfriend boyfriend neighbour neighbor landlord teacher parents colleague roommate"
)
_RELATIONS = frozenset(_RELATION_LINES.split())
_NAME = re.compile(r"(?<=\s)[A-Z](?=[^\W\d_A-Z])[^\W\d_]+")
_OWNER = re.compile(r"(\w+)['’]s?\s+\w")
_QUALIFIER = re.compile(
    r"\b(?:at|of|for|in|to|on|from|with)\s+(?:(?:the|my|our|his|her|their|an?)\s+)?(\w+)(?:['’]s?\s+(\w+))?",
    re.IGNORECASE,
)
_NO_OWNERS = frozenset(("what", "who", "where", "when", "how", "it", "that", "there", "let"))


#: Longer texts are no single question.
_MAX_CHARS = 300


@dataclass(frozen=True)
class PresentQuestion:
    """A question for one present value; words are stems without function words."""

    words: frozenset[str]
    #: Names and owners, and relations such as `sister`.
    people: Sequence[frozenset[str]]
    #: Words after a preposition: `cabin` in "the password at the cabin".
    qualifiers: frozenset[str]
    #: Adjacent words: `dentist appointment`.
    pairs: Sequence[tuple[str, str]]
    #: Every answer has a match of this; None if answers have no form of their own.
    answer: re.Pattern[str] | None
    #: Text search configuration of the namespace.
    config: str

    @classmethod
    def read(cls, text: str, config: str) -> PresentQuestion | None:
        """Return the question; None if the text does not ask for one present value."""
        if not _asks_about_present(text):
            return None
        words, relations = (
            content_stems(text, config),
            " ".join(_RELATIONS.intersection(_split(text))),
        )
        owners = [each for each in _OWNER.findall(text) if each.lower() not in _NO_OWNERS]
        names = " ".join([*_NAME.findall(text), *owners])
        qualifiers = " ".join(part for parts in _QUALIFIER.findall(text) for part in parts)
        pairs = [pair for pair in pairwise(stems_of(text, config)) if words.issuperset(pair)]
        return cls(
            words,
            (content_stems(names, config), content_stems(relations, config)),
            content_stems(qualifiers, config),
            pairs,
            _answer_of(text),
            config,
        )


def content_stems(text: str, config: str) -> frozenset[str]:
    """Return the stems of a text's words without function words and numbers."""
    words = " ".join(word for word in _split(text) if word not in _EMPTY and not word.isdigit())
    return frozenset(stems_of(words, config))


def _split(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _asks_about_present(text: str) -> bool:
    return (
        len(text) <= _MAX_CHARS
        and bool(_ASKING.search(text) and _PRESENT.search(text))
        and not any(form.search(text) for form in (_OTHER, _YES_OR_NO))
        and bool(_AT_PRESENT.search(text) or not _SEVERAL.search(text))
    )


def _answer_of(text: str) -> re.Pattern[str] | None:
    if _TIME_QUESTION.search(text):
        return _TIME
    return _NUMBER if _NUMBER_QUESTION.search(text) else None
