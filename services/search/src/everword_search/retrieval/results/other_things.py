"""Recognise that a newer statement names a thing of its own, which the older one and the question do not mention.

After "yoga is at 6", "pilates is at 7 now" changes nothing for a question about yoga.
"""

from __future__ import annotations

import re
from itertools import pairwise

from everword.text.ranking_record import stems_of
from everword_search.retrieval.results.present_questions import PresentQuestion, content_stems

_OWNER = r"(?:the|my|our|his|her|their|a|an)"
_MOVED = r"(?:got |was |were |is |has |have |been |now )*(?:moved|switched|changed|extended|postponed|shifted)"
_BEGINS = r"(?:^|[.!;]\s+)(?:ugh |ok |so |and |btw |oh |hey |fyi |now )*"
#: "the retro is moved", "search switched", but not "boss moved it".
_MOVED_SUBJECT = re.compile(
    rf"{_BEGINS}(?:{_OWNER} )?((?:\w+ ){{0,2}}?\w+) {_MOVED}\b(?! (?:it|me|us|him|her|them|that|this|the|my|our)\b)",
    re.IGNORECASE,
)
#: "pilates is at 7": a thing with a time or a number is not the answer to a question for one.
_SUBJECT = re.compile(
    rf"{_BEGINS}(?:{_OWNER} )?((?:\w+ ){{0,2}}?\w+) (?:is|are|costs?)\b", re.IGNORECASE
)
#: "moved the bikes", "repainted the bedroom".
_OBJECT = re.compile(
    rf"\b(?:moved|changed|switched|(?:re)?painted|swapped|replaced|sold) {_OWNER} "
    r"(?!(?:with|to|for|from|on|at|in|over)\b)((?:\w+ )?\w+)",
    re.IGNORECASE,
)
#: "the rent of the garage", "Dr. Lam for my skin".
_PURPOSE = re.compile(rf"\b(?:of|for) {_OWNER} (\w+)", re.IGNORECASE)
#: Characters after the verb in which the value is.
_NEAR = 14
_CLAUSE_END = re.compile(r"[.,;:!?]")
_PRONOUNS = "i we you he she it they this that these those there one who everything"
_NO_THINGS = frozenset(_PRONOUNS.split())
#: Words before a noun that name no other thing of its kind.
_UNSPECIFIC = frozenset(("new", "old", "same", "next", "other", "whole", "last"))


def names_other_thing(question: PresentQuestion, older: str, newer: str) -> bool:
    """Return whether the newer statement is about a thing that neither the older one nor the question mentions."""
    known = frozenset(stems_of(older, question.config)) | question.words
    things = [found for form in (_MOVED_SUBJECT, _OBJECT) for found in form.findall(newer)]
    if question.answer:
        things += [
            found[1]
            for found in _SUBJECT.finditer(newer)
            if question.answer.search(newer[found.end() :][:_NEAR])
        ]
    return (
        any(_is_other(thing, known, question) for thing in things)
        or _has_other_purpose(question, known, newer)
        or _is_other_compound(question, known, newer)
    )


def _is_other(thing: str, known: frozenset[str], question: PresentQuestion) -> bool:
    words = re.findall(r"\w+", thing.lower())
    if not words or not _NO_THINGS.isdisjoint(words):
        return False
    stems = content_stems(thing, question.config) - _UNSPECIFIC
    return bool(stems) and stems.isdisjoint(known)


def _has_other_purpose(question: PresentQuestion, known: frozenset[str], newer: str) -> bool:
    """Return whether the newer one has a word of the question, but for something unknown: `the rent of the garage`."""
    purposes = content_stems(" ".join(_PURPOSE.findall(newer)), question.config)
    if not purposes or not purposes.isdisjoint(known):
        return False
    return not content_stems(newer, question.config).isdisjoint(question.words)


def _is_other_compound(question: PresentQuestion, known: frozenset[str], newer: str) -> bool:
    """Return whether the newer one has a noun of the question in another compound: `tax deadline`.

    With all words of the question, it is about the same thing.
    """
    content = content_stems(newer, question.config)
    if question.words <= content:
        return False
    nouns = question.words.difference(*question.people)
    return any(
        word in nouns
        and before in content
        and before not in known
        and before not in _UNSPECIFIC
        and not before.isdigit()
        for clause in _CLAUSE_END.split(newer)
        for before, word in pairwise(stems_of(clause, question.config))
    )
