"""Guess the language of single words in Latin letters by their groups of letters.

The guess depends on the word alone, so a word has the same stem in a text and in a question. A linear model over hashed
groups of up to five letters was fitted on the word lists of wordfreq (`scripts/train_word_languages.py`). English wins
close calls, because most words of an unknown language are names.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from zlib import crc32

import numpy as np
import numpy.typing as npt

#: Longer words are blobs; shorter ones are the same in many languages.
_LONGEST, _SHORTEST = 40, 3
#: Numbers of letters in a group.
_SIZES = (1, 2, 3, 4, 5)


class _Model:
    """The weights of groups of letters for each language."""

    def __init__(self) -> None:
        with (files("everword.text") / "word_languages.npz").open("rb") as file:
            data = np.load(file)
            self.weights: npt.NDArray[np.int8] = data["weights"]
            self.bias: npt.NDArray[np.int32] = data["bias"]
            self.languages: list[str] = data["languages"].tolist()
            #: English words that the weights do not recognise.
            self.english = frozenset(str(data["english"]).split())


@cache
def _model() -> _Model:
    return _Model()


def word_language(word: str) -> str:
    """Return the language of a lower-case word in Latin letters, as a name of Snowball; empty if it has no stemmer."""
    model = _model()
    if not _SHORTEST <= len(word) <= _LONGEST or word in model.english:
        return "english"
    groups = letter_groups(word, len(model.weights) - 1)
    scores = model.weights[groups].sum(axis=0, dtype=np.int32) + model.bias
    return model.languages[int(scores.argmax())]


def letter_groups(word: str, mask: int) -> list[int]:
    """Return the numbers of a word's groups of letters, each once; `^` and `$` mark its ends."""
    marked = f"^{word}$"
    groups = [
        marked[place : place + size]
        for size in _SIZES
        for place in range(size == 1, len(marked) - size + (size > 1))
    ]
    return list({crc32(each.encode()) & mask for each in (*groups, f"={marked}")})
