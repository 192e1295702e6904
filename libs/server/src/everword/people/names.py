"""Decides whether two names mean the same person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import regex

from everword.text.case_folding import fold_case, fold_forms
from everword.text.values.spellings import is_same_name

_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*")
_TITLES = frozenset({"dr", "mr", "mrs", "ms", "miss", "prof", "professor", "sir", "herr", "frau"})
#: Relations that never change: two people of one name with different ones are different people.
_KIN = frozenset(
    {
        *("mother", "father", "parent", "mom", "mum", "dad", "son", "daughter", "child"),
        *("brother", "sister", "sibling", "twin", "aunt", "uncle", "cousin", "niece", "nephew"),
        *("grandmother", "grandfather", "grandma", "grandpa", "grandson", "granddaughter"),
    }
)
_SAME_KIN = {
    "mom": "mother",
    "mum": "mother",
    "dad": "father",
    "grandma": "grandmother",
    "grandpa": "grandfather",
}
_FORMER = frozenset({"ex", "former", "late", "old", "deceased"})


@dataclass(frozen=True)
class KnownPerson:
    """A known person, with all spellings of the name."""

    id: UUID
    names: Sequence[str]
    relation: str


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, without titles."""
    words = tuple(match[0] for match in _WORD.finditer(fold_forms(name)))
    return tuple(word for word in words if word not in _TITLES) or words


def find_person(name: str, relation: str, known: Sequence[KnownPerson]) -> UUID | None:
    """Return the known person that a name means, if any.

    An equal name is preferred to a similar spelling, and that to the first or last name alone. An ambiguous name means
    no person, unless the relation decides.
    """
    possible = [each for each in known if may_be_one(relation, each.relation)]
    for is_it in (_is_equal, _is_spelling_variant, _is_part):
        found = [each for each in possible if any(is_it(name, other) for other in each.names)]
        if len(found) > 1 and relation:
            found = [each for each in found if _core(each.relation) == _core(relation)] or found
        if len(found) == 1:
            return found[0].id
        if found:
            return None
    return None


def may_be_one(first: str, second: str) -> bool:
    """Return whether two relations may be of the same person: a friend may become a wife, but a sister no colleague."""
    first, second = _core(first), _core(second)
    return not first or not second or first == second or not {first, second} & _KIN


def relation_core(relation: str) -> str:
    """Return a relation in lower case without a prefix for its end: `wife` for `ex-wife`."""
    return _core(relation)


def is_former(relation: str) -> bool:
    """Return whether a relation is in the past by its own words, such as `ex-wife`."""
    words = fold_case(relation).replace("-", " ").split()
    return bool(words) and words[0] in {"ex", "former"}


def _core(relation: str) -> str:
    words = [word for word in fold_case(relation).replace("-", " ").split() if word not in _FORMER]
    return _SAME_KIN.get(words[-1], words[-1]) if words else ""


def _is_equal(first: str, second: str) -> bool:
    return words_of(first) == words_of(second)


def _is_spelling_variant(first: str, second: str) -> bool:
    one, other = words_of(first), words_of(second)
    return len(one) == len(other) and all(map(_is_similar_name, one, other))


def _is_part(first: str, second: str) -> bool:
    """Return whether one name is the first or the last word of the other."""
    short, long = sorted((words_of(first), words_of(second)), key=len)
    if len(short) != 1 or len(long) < 2:
        return False
    return _is_similar_name(short[0], long[0]) or _is_similar_name(short[0], long[-1])


def _is_similar_name(first: str, second: str) -> bool:
    return first == second or is_same_name(first, second)
