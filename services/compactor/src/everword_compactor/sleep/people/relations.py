"""Words for relations: what a message calls somebody must not be another relation than a model says."""

from __future__ import annotations

import regex

from everword.people.names import relation_core

#: Words that name the same relation, in English; of each row the first stands for all.
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
    """Tell whether English words name another relation than is said, as `my brother` does of a sister.

    What names none, as words of other languages, contradicts nothing.
    """
    core = relation_core(relation)
    said = _SAME.get(core)
    named = {_SAME[word] for word in _WORD.findall(words.casefold()) if word in _SAME}
    if said is None or not named:
        return False
    wanted = {said, *_GENERAL.get(said, ())}
    return not named & wanted and not any(said in _GENERAL.get(each, ()) for each in named)
