"""The ends of German, Dutch and Scandinavian compounds, which a question may name alone.

`Krankenversicherung` is also found by `Versicherung`. A word is a compound if it consists of two common words of its
language, joined by one of a few endings.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from zlib import crc32

from everword.text.word_languages import word_language

#: Letters of a compound, and of its first and last part, at least.
SHORTEST_COMPOUND = 9
_FIRST, _LAST = 4, 5
_JOINTS = ("", "s", "n", "en", "es", "er", "e")


@cache
def _parts() -> dict[str, frozenset[int]]:
    """Return the hashes of common words by language (`scripts/train_word_languages.py`)."""
    # Imported here, because services without work do not need it.
    import numpy as np

    with (files("everword.text") / "compound_parts.npz").open("rb") as file:
        data = np.load(file)
        return {language: frozenset(data[language].tolist()) for language in data.files}


def compound_ends(word: str) -> list[str]:
    """Return the longest common word at the end of a lower-case compound, if it is one."""
    if not SHORTEST_COMPOUND <= len(word) <= 40 or not word.isalpha():
        return []
    known = _parts().get(word_language(word))
    if not known:
        return []
    for place in range(_FIRST, len(word) - _LAST + 1):
        if crc32(word[place:].encode()) in known and _is_first(word[:place], known):
            return [word[place:]]
    return []


def _is_first(part: str, known: frozenset[int]) -> bool:
    """Return whether a part is a common word, with or without a joint."""
    return any(
        part.endswith(joint)
        and len(part) - len(joint) >= _FIRST
        and crc32(part.removesuffix(joint).encode()) in known
        for joint in _JOINTS
    )
