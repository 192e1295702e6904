"""The words by which authors are named: kept when somebody speaks, and found in questions.

A question that names an author says whose words it means; what it is about are its other words.
"""

from __future__ import annotations

from collections.abc import Collection

import regex

from everword.text.analysis import folded_words, is_lone, words_of
from everword.text.calendar_terms import MONTH_NAMES

#: Roles, what stands between names, and names that are mostly other words: these tell no author from another.
_NOBODY = frozenset(
    {
        *("user", "assistant", "system", "tool", "human", "ai", "bot"),
        *("the", "and", "of"),
        # In a question they are rather when than who.
        *MONTH_NAMES,
        "will",
    }
)
# A word as it stands in a text, with the apostrophe of "James' house".
_WORD = regex.compile(r"[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{N}\p{M}]+)*(?:['’](?!\w))?")


def name_words(text: str) -> set[str]:
    """Return the words, in lower case, by which an author of this name is named, or that may name one in a question.

    Roles, numbers and single letters name nobody.
    """
    return {word for word in folded_words(text) if _may_name(word)}


def without_names(text: str, names: Collection[str]) -> str:
    """Return `text` without the words that are names, possessive or not; as it is where nothing else would be left."""
    if not names:
        return text
    rest = _WORD.sub(lambda word: "" if _is_name(word[0], names) else word[0], text)
    return " ".join(rest.split()) if words_of(rest) else text


def _may_name(word: str) -> bool:
    if word in _NOBODY or not any(character.isalpha() for character in word):
        return False
    return len(word) > 1 or is_lone(word)


def _is_name(word: str, names: Collection[str]) -> bool:
    parts = folded_words(word)
    if len(parts) > 1 and parts[-1] == "s":
        del parts[-1]
    # The O of O'Brien is no name by itself.
    return any(part in names for part in parts) and all(
        part in names or (len(part) == 1 and part != parts[-1]) for part in parts
    )
