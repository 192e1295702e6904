"""Guess the language of single words in Latin letters.

The guess depends on the word alone, so a word has the same stem in a text and in a question. The model is linear over
hashed groups of up to five letters (character n-grams), trained on the word lists of wordfreq by
`scripts/train_word_languages.py`. If two languages are close, English is chosen, because most such words are names.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

#: Letters. Longer words are encoded data, and shorter words are the same in many languages; both count as English.
_LONGEST, _SHORTEST = 40, 3
#: Letters of the longest group.
_LONGEST_GROUP = 5
#: Words whose languages are kept: the word index and `is_english` ask for the same words.
_REMEMBERED = 16_384


class _Model:
    """The weights of groups of letters for each language."""

    def __init__(self) -> None:
        # Imported here, because services without work do not need it.
        import numpy as np

        with (files("everword.text") / "word_languages.npz").open("rb") as file:
            data = np.load(file)
            self.weights: npt.NDArray[np.int8] = data["weights"]
            self.bias: npt.NDArray[np.int32] = data["bias"]
            self.languages: list[str] = data["languages"].tolist()
            #: English words for which the weights give another language.
            self.english = frozenset(str(data["english"]).split())


@cache
def _model() -> _Model:
    return _Model()


@lru_cache(maxsize=_REMEMBERED)
def word_language(word: str) -> str:
    """Return Snowball's name of a lower-case Latin word's language; empty if Snowball has no stemmer for it."""
    model = _model()
    if not _SHORTEST <= len(word) <= _LONGEST or word in model.english:
        return "english"
    groups = letter_groups(word, len(model.weights) - 1)
    scores = model.weights[groups].sum(axis=0, dtype="int32") + model.bias
    return model.languages[int(scores.argmax())]


def letter_groups(word: str, mask: int) -> list[int]:
    """Return the distinct row numbers (hashes) of a word's groups of letters; `^` and `$` mark the word's ends."""
    letters = [letter.encode() for letter in f"^{word}$"]
    last = len(letters) - 1
    rows = {crc32(f"=^{word}$".encode()) & mask}
    for start in range(last):
        # The hash of a group continues that of its beginning.
        hashed = crc32(letters[start])
        if start:
            rows.add(hashed & mask)
        for letter in letters[start + 1 : start + _LONGEST_GROUP]:
            hashed = crc32(letter, hashed)
            rows.add(hashed & mask)
    return list(rows)
