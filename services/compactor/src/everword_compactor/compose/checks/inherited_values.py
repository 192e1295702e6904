"""Values that a node takes over from sources that said them without support of their own."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from everword.text.case_folding import fold_spaces
from everword.text.statements.clauses import Clause, clause_of, clauses, iter_sentences
from everword.text.values.evidence import Value, find_values
from everword.text.values.fold_text import normalise
from everword_compactor.compose.checks.faithfulness import MAX_OFFENDERS
from everword_compactor.compose.checks.guarded_composer import or_else
from everword_compactor.compose.checks.latex import find_latex
from everword_compactor.compose.checks.tags import strip_tags
from everword_compactor.compose.model import Faithfulness

#: Smallest number of words, without numbers and very common words, that make a clause distinctive.
_LEAST_WORDS = 2


def with_inherited(found: Faithfulness, content: str, unsupported: Iterable[str]) -> Faithfulness:
    """Return `found` with the `unsupported` values and clauses that the node repeats.

    Values are compared by meaning: the invented 2 is not the one in 12:30, and 2031-05-17 is 17 May 2031. A clause is
    repeated if one of the node's has all its words and values, and the same negations.
    """
    requested: Sequence[str] = list(unsupported)
    if not requested:
        return found
    taken = or_else(requested, _contained_values, requested, content)
    named = list(dict.fromkeys([*found.unsupported, *taken]))[:MAX_OFFENDERS]
    return replace(found, unsupported=named)


def _contained_values(wanted: Sequence[str], content: str) -> Sequence[str]:
    """Return those of the values and clauses that a node says."""
    plain = strip_tags(content)
    said = [clause for sentence in iter_sentences(normalise(plain)) for clause in clauses(sentence)]
    values = find_values(plain)
    texts = {fold_spaces(text) for text in (*find_latex(plain), *(value.text for value in values))}
    meanings = {meaning for value in values for meaning in _value_meanings(value)}
    return [
        text
        for text in wanted
        if fold_spaces(text) in texts
        or not meanings.isdisjoint(_text_values(text))
        or _repeats_clause(clause_of(normalise(text)), said)
    ]


def _repeats_clause(clause: Clause, clauses: Sequence[Clause]) -> bool:
    if len(clause.words) < _LEAST_WORDS:
        return False
    values = _values_in(clause.text)
    return any(
        clause.words <= other.words
        and clause.denied == other.denied
        and values <= _values_in(other.text)
        for other in clauses
    )


def _values_in(text: str) -> set[Hashable]:
    return {meaning for value in find_values(text) for meaning in _value_meanings(value)}


def _text_values(text: str) -> set[Hashable]:
    """Return the meanings of a text that is one value; a quotation is compared as a whole."""
    return {
        meaning
        for value in find_values(text)
        if fold_spaces(value.text) == fold_spaces(text)
        for meaning in _value_meanings(value)
    }


def _value_meanings(value: Value) -> set[Hashable]:
    return {(value.kind, keys) for keys in value.readings}
