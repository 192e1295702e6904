"""Find the nodes of the graph that a fact or a leaf is about: those whose names occur in it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from everword.graph.labels import label_hash

#: Words of a leaf that are looked at, and words of a label that is looked for.
_MOST_WORDS, _LONGEST = 4_000, 4
_WORD = re.compile(r"[^\W_]+(?:[-.'’&][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?$")
#: Characters between two words that cannot be inside a name.
_BREAK = re.compile(r"[.;:!?\n]")


def hashes_of_text(text: str) -> list[bytes]:
    """Return the hashes of the labels that a text may hold."""
    labels = set[str]()
    run, end = list[str](), 0
    for number, match in enumerate(_WORD.finditer(text)):
        if number >= _MOST_WORDS:
            break
        if _BREAK.search(text, end, match.start()):
            run = []
        end = match.end()
        run = [*run, _POSSESSIVE.sub("", match[0])][-_LONGEST:]
        labels.update(" ".join(run[start:]) for start in range(len(run)))
    return sorted({label_hash(label) for label in labels if len(label) > 1})


def hashes_of_fact(attribute: str, value: str) -> list[bytes]:
    """Return the hashes of the labels that a fact names: its value, and whose attribute it is, as in `ana_employer`."""
    parts = attribute.split("_")
    labels: Iterable[str] = [value, *(" ".join(parts[:end]) for end in range(1, len(parts)))]
    return sorted({label_hash(label) for label in labels})


def names_occur(text: str, names: Iterable[str]) -> bool:
    """Return whether a text has one of some names, as words."""
    return any(
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names if name
    )
