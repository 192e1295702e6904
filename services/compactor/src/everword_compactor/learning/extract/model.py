"""Claims and tokens of a message, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Modality(Enum):
    """How something is said."""

    STATEMENT = auto()
    #: "I think that …": a guess.
    HYPOTHESIS = auto()
    #: "… no more". The value is empty where the words name none.
    RETRACTION = auto()
    #: "No, I meant …": a claim made a moment ago was wrong from the beginning.
    CORRECTION = auto()


@dataclass(frozen=True)
class SpokenClaim:
    """A claim of a message about its author."""

    attribute: str
    value: str
    modality: Modality
    #: The sentence, word for word.
    quote: str
    #: The wrong value that a correction replaces.
    wrong: str = ""
    #: Kind of the value, as named in `slots`.
    slot: str = ""
    #: The words around it that may say since when it holds, or until when.
    around: str = ""
    #: True for an event, such as a move or a purchase.
    happens: bool = False


@dataclass(frozen=True)
class Token:
    """A word, a part of one such as `n't`, or a mark."""

    text: str
    #: In small letters.
    low: str
    start: int
    end: int

    @property
    def is_capital(self) -> bool:
        return self.text[:1].isupper() and self.low != "i"


@dataclass(frozen=True)
class TokenizedSentence:
    """The tokens of a sentence, without the marks at its end."""

    tokens: tuple[Token, ...]
    text: str
    is_question: bool
    #: True for a text without capitals, in which names are recognised differently.
    is_small: bool

    def slice(self, begin: int, end: int) -> str:
        """Return the words of tokens as they stand."""
        first = self.tokens[0].start
        return self.text[self.tokens[begin].start - first : self.tokens[end - 1].end - first]
