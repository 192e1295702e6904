"""Words of a query, marked in the text that was found."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markupsafe import Markup, escape

#: Endings that a word may have in a text and not in a query, or the other way round.
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ies|ed|es|s|y)$")
_MOST_WORDS = 40


def words_of(query: str) -> list[str]:
    """Return the words of a query to mark, without punctuation and very common words."""
    words = re.findall(r"[\w.@/-]*\w", query)
    return [word for word in words if len(word) > 3 or not word.islower()][:_MOST_WORDS]


def highlight(text: str, words: Iterable[str]) -> Markup:
    """Return a text with words marked that begin as one of `words` does, and are not much longer."""
    stems = sorted({_ENDING.sub("", word.lower()) for word in words}, key=len, reverse=True)
    if not stems:
        return escape(text)
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, stems))})\w{{0,3}}(?!\w)"
    parts: list[Markup] = []
    end = 0
    for found in re.finditer(pattern, text, re.IGNORECASE):
        parts += [escape(text[end : found.start()]), Markup("<mark>{}</mark>").format(found[0])]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])
