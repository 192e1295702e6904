"""Brings texts into the form in which they are compared: one writing of each letter and digit, and words in parts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

import regex

from everword.text.analysis import UNSPACED

#: Something that can be looked up among what the sources say, such as ("number", "1000").
Key = tuple[str | int, ...]
#: Kind of the keys that stand for parts in a row.
ROW = "row"
#: Kind of the keys that stand for a part alone.
WORD = "word"

_REPLACED = str.maketrans(
    {
        **dict.fromkeys("’‘ʼ＇", "'"),
        **dict.fromkeys("‐‑−", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff"),
        **{power: f" {digit}" for digit, power in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    }
)
_FOREIGN_DIGIT = regex.compile(r"[\p{Nd}--[0-9]]", regex.VERSION1)
# An underscore is a part, so that `search_files` is not the words "search files"; other marks only part.
_PART = regex.compile(
    rf"[{UNSPACED}]|[\p{{L}}\p{{M}}--[{UNSPACED}]]+|\p{{N}}+|_|#(?=\p{{N}})", regex.VERSION1
)


def normalise(text: str) -> str:
    """Return `text` with one writing of each letter, digit, space, apostrophe and hyphen; its case is kept."""
    # İ is the one letter whose small form is longer; places in a text must hold in both cases.
    plain = unicodedata.normalize("NFKC", text.translate(_REPLACED)).replace("İ", "I")
    return str(_FOREIGN_DIGIT.sub(lambda match: str(unicodedata.decimal(match[0])), plain))


def parts_of(normalised: str) -> list[str]:
    """Return runs of letters and of digits in order, in lower case; of unspaced scripts each character."""
    return list(_PART.findall(normalised.casefold()))


def row(parts: Iterable[str]) -> Key:
    return ROW, *parts


def found_rows(wanted: Iterable[Key], texts: Iterable[Sequence[str]]) -> set[Key]:
    """Return those of the `wanted` rows whose parts stand next to each other in one of the `texts`.

    Walks a tree of the rows from each part on, which takes as long as the texts are, whatever the number of rows.
    """
    tree: dict[str, object] = {}
    for key in wanted:
        node = tree
        for part in key[1:]:
            node = node.setdefault(str(part), {})  # type: ignore[assignment]
        node[""] = key
    found: set[Key] = set()
    for parts in texts:
        for start, part in enumerate(parts):
            if part in tree:
                found |= _rows_from(parts, start, tree)
    return found


def _rows_from(parts: Sequence[str], start: int, tree: dict[str, object]) -> set[Key]:
    found: set[Key] = set()
    node: object = tree
    # A slice would copy the rest of the text each time.
    for at in range(start, len(parts)):
        node = node.get(parts[at]) if isinstance(node, dict) else None
        if node is None:
            break
        if "" in node:
            found.add(node[""])
    return found
