"""The content words of a question and their weights, for comparison with passages."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from everword.text.analysis import folded_words, words_of
from everword.text.literals import literal_tokens
from everword.text.ranking_record import stems_of, term_hash
from everword.text.stemming import plain_spellings
from everword.text.word_languages import word_language
from everword_search.kernels.compiled import MOST_WORDS
from everword_search.ranking.times.dates import MONTHS
from everword_search.ranking.words.frequencies import zipf
from everword_search.ranking.words.proper_names import may_be_name

#: Maximum content words of a query; later ones are ignored.
MAX_TERMS = MOST_WORDS
#: Maximum unknown names that are looked up in conversations.
MAX_UNAUTHENTICATED = 8

#: Words that ask for a number.
_AMOUNTS = ("much", "many")
#: Fragments of contractions after an apostrophe.
_REMNANTS = frozenset({"s", "t", "d", "ll", "re", "ve", "m"})
#: A text with a larger share of German words is German; names do not count as German.
_GERMAN_SHARE = 0.35
_TOKEN = re.compile(r"[^\W\d_](?:[^\W\d_]|['’])*|[.?!]")
_POSSESSIVE = re.compile(r"['’]s$")


@dataclass(frozen=True)
class QueryTerms:
    """The content words of a query; arrays have one element per distinct word, in the order of the query."""

    hashes: npt.NDArray[np.uint32]
    #: Hashes with accented words in their first spelling without accents, and in their second one; empty without any.
    spellings: tuple[npt.NDArray[np.uint32], ...]
    #: Weight of each word from its frequency in the language; equal in every namespace.
    weights: npt.NDArray[np.float64]
    #: Number of each pair of words that are adjacent in the query, in either order; -1 for other pairs.
    pairs: npt.NDArray[np.int64]
    #: Words that look like names but belong to no author, in lower case without accents, and a mask of the elements
    #: from such words.
    strangers: tuple[str, ...]
    unknown: npt.NDArray[np.bool_]
    #: Hashes of the authors' names in the query.
    names: npt.NDArray[np.uint32]
    #: Weighted share of the words that are parts of literals, such as file names; from 0 to 1.
    literal_share: float
    #: Mask of words that state the topic. Numbers and months state a time, and "how much" asks for a number.
    tells_what: npt.NDArray[np.bool_]

    @property
    def total(self) -> float:
        return float(self.weights.sum())

    def share_absent(self, held: int) -> float:
        """Return the weighted share of the topic words that are absent.

        `held` has a bit set for each element that is present.
        """
        absent = np.array([not held >> place & 1 for place in range(len(self.hashes))], bool)
        total = float(self.weights[self.tells_what].sum())
        return float(self.weights[absent & self.tells_what].sum()) / total if total else 0.0


def query_terms(
    text: str, names: frozenset[str], ignored: frozenset[str], config: str
) -> QueryTerms:
    """Return the content words of `text`.

    `names` are the words of the text that name authors; `ignored` are words that text search does not index, in lower
    case. If a query has only function words, these are used.
    """
    unknown_here = unknown_names(text, names, ignored, config)
    # Texts with accents are found by the plain spelling as well, but not the other way round.
    plain = ((plain_spellings(word) or [word])[0] for word in unknown_here)
    strangers = tuple(dict.fromkeys(plain))[:MAX_UNAUTHENTICATED]
    unknown = {stem for word in unknown_here for stem in stems_of(word, config)}
    content = _content(text, names, ignored, config) or _content(text, names, frozenset(), config)
    weights: dict[str, float] = {}
    for stem, weight in content:
        weights[stem] = max(weight, weights.get(stem, 0.0))
    retained = list(weights)[:MAX_TERMS]
    named = sorted(set(folded_words(text)) & names)
    no_matter = _no_matter(config)
    return QueryTerms(
        _hashes(retained),
        _spellings(text, retained, config),
        np.array([weights[stem] for stem in retained], np.float64),
        _pairs([stem for stem, _ in content], retained),
        strangers,
        np.array([stem in unknown for stem in retained], bool),
        _hashes(stem for name in named for stem in stems_of(name, config)),
        _literal_share(text, ignored, config),
        np.array([not stem.isdigit() and stem not in no_matter for stem in retained], bool),
    )


@lru_cache(maxsize=32)
def _no_matter(config: str) -> frozenset[str]:
    """Return the stems of words that do not state a question's topic."""
    return frozenset(stem for word in (*MONTHS, *_AMOUNTS) for stem in stems_of(word, config))


def _literal_share(text: str, ignored: frozenset[str], config: str) -> float:
    """Return the value of `QueryTerms.literal_share`.

    Names count as ordinary words here, because they may be literals.
    """
    literals = literal_tokens(text)
    if not literals:
        return 0.0
    named = dict(_content(" ".join(literals), frozenset(), frozenset(), config))
    content = _content(text, frozenset(), ignored, config)
    told = dict(content or _content(text, frozenset(), frozenset(), config))
    if not told:
        return 1.0  # The text has only remnants, such as "s.t".
    return sum(told[stem] for stem in told if stem in named) / sum(told.values())


def unknown_names(
    text: str, names: frozenset[str], ignored: frozenset[str], config: str
) -> list[str]:
    """Return the capitalised words of `text` that may be names of unknown persons, in lower case.

    Words at the start of a sentence, authors' names, months, and words that text search does not index are excluded;
    the latter could not be found in any conversation. German words in a German text are excluded, because German
    capitalises all nouns.
    """
    found: list[str] = []
    begins = True
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in ".?!":
            begins = True
            continue
        word = _POSSESSIVE.sub("", token)
        lower = word.lower()
        has_capital = len(word) > 1 and word[0].isupper() and not word.isupper()
        is_known = lower in names or lower in ignored or lower in MONTHS or lower.startswith("i'")
        if has_capital and not begins and not is_known and may_be_name(lower, config):
            found.append(lower)
        begins = False
    return [word for word in found if not _is_german_noun(word, text)] if found else found


def _is_german_noun(word: str, text: str) -> bool:
    if word_language(word) == "english":
        return False  # as most names are
    languages = [word_language(each.lower()) for each in _TOKEN.findall(text) if len(each) > 2]
    return languages.count("german") > _GERMAN_SHARE * len(languages)


def _content(
    text: str, names: frozenset[str], ignored: frozenset[str], config: str
) -> list[tuple[str, float]]:
    """Return the stems of the content words in order, each with its weight."""
    content: list[tuple[str, float]] = []
    for token in words_of(text):
        if token.lower() in ignored:
            continue
        for word in folded_words(token):
            if word in names or word in ignored or word in _REMNANTS:
                continue
            weight = weight_of(zipf(word, config))
            content += [(stem, weight) for stem in stems_of(word, config)]
    return content


def _pairs(stems: Sequence[str], kept: Sequence[str]) -> npt.NDArray[np.int64]:
    place = {stem: index for index, stem in enumerate(kept)}
    numbers = np.full((len(kept), len(kept)), -1, np.int64)
    number = 0
    for first, second in pairwise(stem for stem in stems if stem in place):
        if first != second and numbers[place[first], place[second]] < 0:
            numbers[place[first], place[second]] = numbers[place[second], place[first]] = number
            number += 1
    return numbers


def weight_of(frequency: float) -> float:
    """Return half the natural logarithm of a word's rarity relative to the most frequent words, at least 0.2."""
    return max(0.2, (8.0 - frequency) * math.log(10) / 2)


def _spellings(text: str, kept: Sequence[str], config: str) -> tuple[npt.NDArray[np.uint32], ...]:
    """Return the hashes of the kept stems for each spelling without accents; other stems are the same in all."""
    plain = {
        stem: [each for other in plain_spellings(word) for each in stems_of(other, config)]
        for word in folded_words(text)
        for stem in stems_of(word, config)
    }
    most = max((len(plain.get(stem, ())) for stem in kept), default=0)
    return tuple(
        _hashes(
            [stem, *plain.get(stem, ())][min(number, len(plain.get(stem, ())))] for stem in kept
        )
        for number in range(1, most + 1)
    )


def _hashes(stems: Iterable[str]) -> npt.NDArray[np.uint32]:
    return np.array([term_hash(stem) for stem in stems], np.uint32)
