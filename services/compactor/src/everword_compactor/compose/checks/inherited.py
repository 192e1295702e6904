"""Values that a node takes over from sources that said them without support of their own."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from everword.text.values.evidence import Value, find_values
from everword_compactor.compose.checks.faithfulness import MAX_OFFENDERS
from everword_compactor.compose.checks.guarded import or_else
from everword_compactor.compose.checks.latex import find_latex
from everword_compactor.compose.checks.tags import strip_tags
from everword_compactor.compose.model import Faithfulness


def with_inherited(found: Faithfulness, content: str, unsupported: Iterable[str]) -> Faithfulness:
    """Return `found` with those of the `unsupported` values that the node says, too.

    Values are compared, not letters: the 2 that a source made up is not the one in 12:30, and 2031-05-17 is
    17 May 2031.
    """
    wanted: Sequence[str] = list(unsupported)
    if not wanted:
        return found
    taken = or_else(wanted, _taken, wanted, content)
    named = list(dict.fromkeys([*found.unsupported, *taken]))[:MAX_OFFENDERS]
    return replace(found, unsupported=named)


def _taken(wanted: Sequence[str], content: str) -> Sequence[str]:
    """Return those of the values that a node says."""
    plain = strip_tags(content)
    values = find_values(plain)
    texts = {_folded(text) for text in (*find_latex(plain), *(value.text for value in values))}
    meanings = {meaning for value in values for meaning in _meanings(value)}
    return [
        text
        for text in wanted
        if _folded(text) in texts or not meanings.isdisjoint(_meanings_of(text))
    ]


def _meanings_of(text: str) -> set[Hashable]:
    """Return what a text means that is one value; a quotation is what it says, and not the values in it."""
    return {
        meaning
        for value in find_values(text)
        if _folded(value.text) == _folded(text)
        for meaning in _meanings(value)
    }


def _meanings(value: Value) -> set[Hashable]:
    return {(value.kind, keys) for keys in value.readings}


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
