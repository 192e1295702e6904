"""Words for relations, to detect a message that contradicts the relation in a model's answer."""

from __future__ import annotations

import regex

from everword.people.names import relation_core

#: English words for the same relation; the first of each row is the canonical one.
_ROWS = """
mother mom mum mommy mummy
father dad daddy papa
parent parents
son
daughter
child kid kids children
brother bro
sister sis
sibling twin
aunt auntie
uncle
cousin
niece
nephew
grandmother grandma granny nana
grandfather grandpa granddad
wife
husband
partner spouse
girlfriend
boyfriend
fiance fiancé fiancee fiancée
friend buddy mate pal bestie
colleague coworker co-worker teammate
boss manager supervisor
neighbour neighbor
roommate flatmate housemate
teacher professor tutor
doctor gp
therapist
landlord landlady
"""
_SAME = {word: row.split()[0] for row in _ROWS.strip().splitlines() for word in row.split()}
#: A relation that several words may say.
_GENERAL = {
    "partner": {"wife", "husband", "girlfriend", "boyfriend", "fiance"},
    "parent": {"mother", "father"},
    "child": {"son", "daughter"},
    "sibling": {"brother", "sister"},
}
_WORD = regex.compile(r"\p{L}+(?:-\p{L}+)*")


def contradicts(relation: str, words: str) -> bool:
    """Return whether English words name a different relation, as `my brother` does for a sister.

    Words without a relation, such as those of other languages, contradict nothing.
    """
    core = relation_core(relation)
    said = _SAME.get(core)
    named = {_SAME[word] for word in _WORD.findall(words.casefold()) if word in _SAME}
    if said is None or not named:
        return False
    requested = {said, *_GENERAL.get(said, ())}
    return not named & requested and not any(said in _GENERAL.get(each, ()) for each in named)
