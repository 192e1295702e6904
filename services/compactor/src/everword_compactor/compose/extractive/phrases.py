"""Properties of a sentence's words: which are rare, which are facts, and which name people."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import regex

from everword.text.analysis import folded_words
from everword.text.literals import literal_tokens
from everword.text.ranking_record import ENDS_ASKING, message_traits

#: Languages whose frequent words tell little; in others, a word's frequency among the sentences alone decides.
LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pt", "ru")
#: A word this frequent (Zipf scale: powers of ten per billion words) tells nothing, such as `great` in English.
_EVERYDAY = 6.0
#: A word this frequent, or rarer, tells as much as a word can.
_RARE = 3.0
# A name: a capital not at the beginning of a sentence, or more than one capital.
_NAME = regex.compile(r"(?<=[\p{L}\p{N},;:)’'&-] )\p{Lu}[\p{L}\p{M}’'-]+|\b\p{Lu}\p{Lu}+\b")
_DIGIT = regex.compile(r"\p{N}")
_LETTER = regex.compile(r"[\p{L}\p{M}\s]")


@dataclass(frozen=True)
class Wording:
    """The content of a sentence, apart from its order."""

    #: Weights of its words within all sentences, unit length; empty if all are everyday words.
    words: dict[str, float]
    #: Names, numbers and identifiers, in lower case.
    facts: frozenset[str]
    #: Its information content, from 0 to 1.
    information: float


def word_sentences(sentences: Sequence[str], speakers: frozenset[str]) -> list[Wording]:
    """Return the wording of sentences that belong together.

    `speakers` are the words of the names of those who speak, in lower case: to be addressed is no fact.
    """
    counts = [Counter(folded_words(sentence)) for sentence in sentences]
    spread = Counter(word for words in counts for word in words)
    rarity = {
        word: word_weight(word) * math.log1p(len(sentences) / held)
        for word, held in spread.items()
        if word not in speakers
    }
    return [
        _wording(sentence, words, rarity, speakers)
        for sentence, words in zip(sentences, counts, strict=True)
    ]


def _wording(
    sentence: str, counts: Counter[str], rarity: dict[str, float], speakers: frozenset[str]
) -> Wording:
    raw = {word: count * rarity[word] for word, count in counts.items() if rarity.get(word)}
    length = math.sqrt(sum(weight * weight for weight in raw.values()))
    facts = _facts(sentence, speakers)
    told = sum(word_weight(word) for word in counts if word not in speakers) + len(facts)
    return Wording(
        {word: weight / length for word, weight in raw.items()},
        facts,
        (1 - math.exp(-told / 3)) * _manner(sentence),
    )


def _manner(sentence: str) -> float:
    """Return the informativeness of a sentence's form, whatever its words, from 0 to 1."""
    traits = message_traits(sentence)
    # Statements about oneself and about times are asked for later (measured on LoCoMo's evidence).
    manner = (1 + 0.4 * min(1, traits.self_words) + 0.2 * min(1, traits.time_words)) / 1.6
    if traits.flags & ENDS_ASKING:
        manner *= 0.5
    # Single lines of a table or a dump are not informative.
    return manner * min(1.0, 1.5 * len(_LETTER.findall(sentence)) / max(1, len(sentence)))


def _facts(sentence: str, speakers: frozenset[str]) -> frozenset[str]:
    names = (name.lower() for name in _NAME.findall(sentence))
    numbers = (word for word in folded_words(sentence) if _DIGIT.search(word))
    return frozenset(
        {
            *(name for name in names if not _addresses(name, speakers)),
            *numbers,
            *literal_tokens(sentence),
        }
    )


def _addresses(name: str, speakers: frozenset[str]) -> bool:
    """Return whether a name is that of a participant, perhaps shortened."""
    return any(speaker.startswith(name) for speaker in speakers)


def word_weight(word: str) -> float:
    """Return how informative a word is: 0 for everyday words, 1 for rare and unknown ones and for words with digits."""
    if _DIGIT.search(word):
        return 1.0
    frequency = _frequencies().get(word)
    return min(1.0, max(0.0, (_EVERYDAY - frequency) / (_EVERYDAY - _RARE)))


class _Frequencies:
    """The frequencies of 235,000 words, by the hashes of the words: 3 MB, where a dictionary takes 25."""

    def __init__(self, hundredths: dict[int, int]) -> None:
        """`hundredths` has, by hash, by how many hundredths a word's frequency is less than 9."""
        self._hashes = array("q", sorted(hundredths))
        self._hundredths = array("H", (hundredths[key] for key in self._hashes))

    def get(self, word: str) -> float:
        """Return a word's frequency on the Zipf scale; 0 if it is rare."""
        key = hash(word)
        place = bisect_left(self._hashes, key)
        if place == len(self._hashes) or self._hashes[place] != key:
            return 0.0
        return 9 - self._hundredths[place] / 100


@cache
def _frequencies() -> _Frequencies:
    """Return how frequent words are on the Zipf scale, in the language that uses each most."""
    # Imported here because it takes a fifth of a worker's start.
    import wordfreq

    files = wordfreq.available_languages("small")
    found: dict[int, int] = {}
    for language in LANGUAGES:
        # wordfreq's own dictionaries would stay in memory, too. A file lists the words of each frequency, in steps of a
        # hundredth.
        for hundredths, words in enumerate(wordfreq.read_cBpack(str(files[language]))):
            for key in map(hash, words):
                found[key] = min(found.get(key, hundredths), hundredths)
    return _Frequencies(found)
