"""Analysis of a topic's text: labels it may name, speakers it refers to, words it shares with relations. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from everword.graph.labels import Anchor, label_hash
from everword.text.common_words import LANGUAGES_OF, language_of

_WORD = re.compile(r"[^\W_]+(?:[-.'’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
_FIRST_PERSON = frozenset(
    ["i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "i'm", "i've", "i'll", "i'd"]
)
_SECOND_PERSON = frozenset(["you", "your", "yours", "yourself"])
#: Words of the query that are examined, and words of the longest label that is looked up.
_MOST_WORDS, _LONGEST = 256, 6
#: Letters that two forms of a word must share at least.
_STEM = 4


@dataclass(frozen=True)
class Topic:
    """A query to the graph."""

    text: str

    @cached_property
    def words(self) -> list[str]:
        found = _WORD.findall(self.text)[:_MOST_WORDS]
        return [_POSSESSIVE.sub("", word.replace("’", "'")) for word in found]

    @cached_property
    def telling(self) -> frozenset[str]:
        """The content words, in lower case."""
        folded = {word.casefold() for word in self.words}
        plain = {word for word in folded if self._is_common(word)}
        return frozenset(folded - plain - _FIRST_PERSON - _SECOND_PERSON - {""})

    @cached_property
    def language(self) -> str:
        return language_of(word.casefold() for word in self.words) or "en"

    @property
    def speakers(self) -> frozenset[Anchor]:
        """The anchors that the query may refer to by pronouns."""
        folded = {word.casefold() for word in _WORD.findall(self.text.replace("’", "'"))}
        own = {Anchor.USER} if folded & _FIRST_PERSON else set[Anchor]()
        return frozenset(own | ({Anchor.ME} if folded & _SECOND_PERSON else set()))

    def names(self) -> list[bytes]:
        """Return the hashes of labels that the query may name, longer labels first."""
        labels = dict.fromkeys(
            " ".join(self.words[start : start + length])
            for length in range(_LONGEST, 0, -1)
            for start in range(len(self.words) - length + 1)
            if length > 1 or self._may_name(self.words[start])
        )
        return list(dict.fromkeys(label_hash(label) for label in labels))

    def shared(self, *texts: str) -> int:
        """Return how many content words of the query occur in the texts, in any form."""
        words = {
            word.casefold() for text in texts for word in _WORD.findall(text.replace("_", " "))
        }
        return sum(any(share_word_form(word, other) for other in words) for word in self.telling)

    def _may_name(self, word: str) -> bool:
        # "it" is no name, but "IT" may be one.
        return not self._is_common(word.casefold()) or (word.isupper() and len(word) > 1)

    def _is_common(self, word: str) -> bool:
        return self.language in LANGUAGES_OF.get(word, ())


def share_word_form(one: str, other: str) -> bool:
    """Return whether two words may be forms of one word, such as works, worked and working."""
    if one == other:
        return True
    shorter = min(len(one), len(other))
    return (
        shorter >= _STEM
        and one[: max(_STEM, shorter - 2)] == other[: max(_STEM, shorter - 2)]
        and abs(len(one) - len(other)) <= 4
    )


def label_likeness(one: Iterable[str], other: Iterable[str]) -> float:
    """Return the similarity of two sets of names from 0 to 1: the best Jaccard index of trigrams of any two names."""
    grams, others = [_trigrams(name) for name in one], [_trigrams(name) for name in other]
    return max((_jaccard(a, b) for a in grams for b in others), default=0.0)


def _trigrams(name: str) -> frozenset[str]:
    words: Sequence[str] = [word.casefold() for word in _WORD.findall(name)]
    padded = [f"  {word} " for word in words]
    return frozenset(word[at : at + 3] for word in padded for at in range(len(word) - 2))


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0
