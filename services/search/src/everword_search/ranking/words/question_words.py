"""The content words of a question, by which the sentences of a long text are compared with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from everword.text.analysis import folded_words
from everword.text.common_words import LANGUAGES_OF
from everword.text.ranking_record import TIMES, stems_of
from everword_search.ranking.features.terms import weight_of
from everword_search.ranking.words.frequencies import language_of, zipf


@dataclass(frozen=True)
class QuestionWords:
    """The stems of a question's content words, each with a weight that is higher for rarer words."""

    weights: Mapping[str, float]
    config: str

    @classmethod
    def of(cls, text: str, config: str) -> QuestionWords:
        """Return the content words of a text; `config` is the text search configuration."""
        language, weights = language_of(config), dict[str, float]()
        for word in folded_words(text):
            if language not in LANGUAGES_OF.get(word, ()):
                weight = weight_of(zipf(word, config))
                weights |= dict.fromkeys(stems_of(word, config), weight)
        return cls(weights, config)

    def without_times(self) -> QuestionWords:
        """Return the words without those that name a time, such as `week`."""
        times = frozenset(stem for word in TIMES for stem in stems_of(word, self.config))
        weights = {stem: each for stem, each in self.weights.items() if stem not in times}
        return replace(self, weights=weights)

    def found_in(self, text: str) -> frozenset[str]:
        """Return the stems of the question that a text contains."""
        return frozenset(self.weights).intersection(stems_of(text, self.config))

    def weight(self, stems: Iterable[str]) -> float:
        return sum(self.weights[stem] for stem in stems)
