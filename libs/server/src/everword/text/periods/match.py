"""The input of a grammar rule's function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from everword.text.periods.lexicon import Token
from everword.text.periods.spans import Clock, Span


@dataclass(frozen=True)
class Match:
    """The tokens that a rule's pattern matched, and their neighbours."""

    tokens: Sequence[Token]
    preceding: Token | None
    following: Token | None
    clock: Clock
    language: str

    def __getitem__(self, tags: str) -> Any:
        """Return the value of the first token with one of these tags."""
        return next(each.value for each in self.tokens if each.tag in tags)

    def has(self, tags: str) -> bool:
        return any(each.tag in tags for each in self.tokens)

    def number(self, tags: str) -> int:
        return int(self[tags])

    def name(self, tags: str) -> str:
        return str(self[tags])

    def only(self, tags: str) -> Match:
        """Return the match with only the tokens of some tags."""
        return replace(self, tokens=[each for each in self.tokens if each.tag in tags])

    def with_time(self, span: Span, tags: str) -> Match:
        """Return the match with only the tokens of some tags, and a time after them."""
        last = self.tokens[-1]
        found = Token("X", span, last.start, last.end, last.text)
        return replace(self, tokens=[*self.only(tags).tokens, found])

    @property
    def times(self) -> list[Span]:
        return [each.value for each in self.tokens if each.tag == "X"]


#: Returns the time that matched tokens name; None if they name none. May raise ValueError, LookupError, OverflowError.
Builder = Callable[[Match], Span | None]
