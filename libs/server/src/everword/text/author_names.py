"""The words that name authors: stored with each message, and recognised in questions.

A question that names an author asks for that author's messages; its topic is in the other words.
"""

from __future__ import annotations

from collections.abc import Collection

import regex

from everword.text.analysis import folded_words, is_single_character_word, words_of
from everword.text.calendar_terms import MONTH_NAMES

#: Words that do not distinguish authors: roles, words between names, and names that are mostly other words.
_NOBODY = frozenset(
    {
        *("user", "assistant", "system", "tool", "human", "ai", "bot"),
        *("the", "and", "of"),
        # In a question they are rather when than who.
        *MONTH_NAMES,
        "will",
    }
)
# A word of a text, with the apostrophe of "James' house".
_WORD = regex.compile(r"[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{N}\p{M}]+)*(?:['’](?!\w))?")


def name_words(text: str) -> set[str]:
    """Return the lower-case words of an author's name, or those of a question that may name one.

    Roles, numbers and single letters name no author.
    """
    return {word for word in folded_words(text) if _may_name(word)}


def without_names(text: str, names: Collection[str]) -> str:
    """Return `text` without words that are names, possessive or not; unchanged if no other word would be left."""
    if not names:
        return text
    rest = _WORD.sub(lambda word: "" if _is_name(word[0], names) else word[0], text)
    return " ".join(rest.split()) if words_of(rest) else text


def _may_name(word: str) -> bool:
    if word in _NOBODY or not any(character.isalpha() for character in word):
        return False
    return len(word) > 1 or is_single_character_word(word)


def _is_name(word: str, names: Collection[str]) -> bool:
    parts = folded_words(word)
    if len(parts) > 1 and parts[-1] == "s":
        del parts[-1]
    # The O of O'Brien alone is not a name.
    return any(part in names for part in parts) and all(
        part in names or (len(part) == 1 and part != parts[-1]) for part in parts
    )
