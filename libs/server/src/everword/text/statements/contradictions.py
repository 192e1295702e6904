"""Finds clauses of a text that state something of the wrong subject, or the contrary of its sources.

These are rules without understanding: a clause is compared with the clauses of the sources that share its words. It
counts as misstated only if one of them clearly contradicts it and none agrees, so that paraphrases pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import regex

from everword.text.analysis import folded_words
from everword.text.statements.clauses import (
    Clause,
    clauses,
    is_same_denied,
    iter_sentences,
    stems_of,
)
from everword.text.statements.obeyed_orders import find_obeyed_sentences
from everword.text.statements.sources import (
    Measured,
    SourceStatement,
    StatedSource,
    Statements,
    measured,
)
from everword.text.values.fold_text import normalise

#: Share of a clause's known words that another clause needs to be about the same subject.
_SAME_SUBJECT = 0.5
_SAME_STATEMENT = 0.6
#: A clause that shares nearly as many words may be the one that is meant.
_NEARLY = 0.75
_IF = regex.compile(
    r"\b(?:if|whether|unless|would|should|could|might|(?<![0-9] )may(?! [0-9])|maybe|perhaps"
    r"|wenn|falls|ob|würde|könnte|vielleicht|si|peut-être"
    r"|quizás|se|forse|talvez|als|misschien)\b"
)
#: "Don't send it before Friday" and "send it only after Friday" say the same.
_LIMITS = regex.compile(r"\b(?:only|before|until|till|except|unless)\b")
#: "I want him to move" does not say that he moves.
_WISHED = regex.compile(r"\b(?:want|ask|tell|told|need|urg|beg)\w* (?:\w+ )?\w+ to\b")
#: "Paula suggested selling the car": a proposal is its speaker's own, though it says "we".
_PROPOSES = regex.compile(
    r"\b(?:suggest|propos|recommend|ask|want|prefer|offer|promis|said|says|think|thought|argu|insist|demand|warn|complain)"
)
_COUNTED = regex.compile(r"[0-9] (?:\p{L}+ )?(\p{L}{3,})")
_POSSESSIVE = regex.compile(r"'(?:s\b)?")
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:'s?)?")
#: Number of words in which the actor of a clause is searched: "Then Bo merged", "- Dr. Wu asked".
_SUBJECT_WITHIN = 4


def find_contradicted_clauses(text: str, sources: Statements) -> Iterator[str]:
    """Yield the clauses of a text that its sources contradict, as they are written."""
    for sentence in iter_sentences(normalise(text)):
        for clause in clauses(sentence):
            if clause.asks or len(clause.words) < 1:
                continue
            if (
                _belongs_to_other_subject(clause, sources)
                or _is_attributed_wrongly(clause, sources)
                or _is_contrary(clause, sources)
            ):
                yield clause.text


def _belongs_to_other_subject(clause: Clause, sources: Statements) -> bool:
    """Return whether a value of the clause belongs to another subject: near its words there is only a
    different value.
    """
    values = measured(clause.text)
    # "300 copies" is about copies as much as any other number of them.
    counted = stems_of(" ".join(_COUNTED.findall(clause.text.lower())))
    known = sources.known(clause.words - counted)
    if not values or not known:
        return False
    nearest = sources.nearest(known)
    # If one of several values is stated about the same subject, the clause does not exchange them.
    if len(values) > 1 and any(known & sources.around(value, clause.text) for value in values):
        return False
    return any(
        _is_anothers(value, clause.text, values, known, nearest, sources) for value in values
    )


def _is_anothers(
    value: Measured,
    written: str,
    values: frozenset[Measured],
    known: frozenset[str],
    nearest: list[tuple[int, SourceStatement]],
    sources: Statements,
) -> bool:
    own = sources.around(value, written)
    if not own:
        return False
    alongside = known & own
    for _, statement in nearest:
        others = {other for other in statement.measured if other[0] == value[0]}
        if not others or others & values:
            continue
        there = known & statement.around
        if there - own and not alongside - there and len(there) >= _SAME_SUBJECT * len(known):
            return True
    return False


def _is_attributed_wrongly(clause: Clause, sources: Statements) -> bool:
    """Return whether the clause attributes to one person a statement of another about themselves."""
    subject = _subject(clause, sources.names)
    if not subject:
        return False
    named = sources.names.intersection(folded_words(clause.text))
    words = sources.known(clause.words - stems_of(" ".join(named)))
    shares = [(len(words & each.around), each) for _, each in sources.nearest(words)]
    if not shares:
        return False
    most = max(share for share, _ in shares)
    if most < max(2, _SAME_SUBJECT * len(words)) and not most == len(words) == 1:
        return False
    proposes = _PROPOSES.search(clause.text.lower()) is not None
    for share, each in shares:
        about = each.speakers | each.spoken
        if named & about and share > most / 2:
            return False
        if share == most and not (each.says_i or (each.says_we and proposes)):
            return False
    return True


def _subject(clause: Clause, names: set[str]) -> str:
    """Return the first name of a clause if it begins with one, and not with something of theirs."""
    for match in list(_WORD.finditer(clause.text.lower()))[:_SUBJECT_WITHIN]:
        if match[0] in names:
            return str(match[0])
        if _POSSESSIVE.sub("", match[0]) in names:
            return ""
    return ""


def _is_contrary(clause: Clause, sources: Statements) -> bool:
    """Return whether the sources negate the clause's statement, or the other way round."""
    words = sources.known(clause.words)
    if len(words) < 2 or _IF.search(clause.text.lower()):
        return False
    shares = [(len(words & each.named_words), each) for _, each in sources.nearest(words)]
    if not shares:
        return False
    most = max(share for share, _ in shares)
    if most < max(2, _SAME_STATEMENT * len(clause.words)):
        return False
    return all(
        _denies_the_same(clause, each.clause) for share, each in shares if share >= _NEARLY * most
    )


def _denies_the_same(clause: Clause, said: Clause) -> bool:
    """Return whether one of two clauses denies the other one's statement."""
    if said.denied == clause.denied or said.asks:
        return False
    one, other = clause.text.lower(), said.text.lower()
    if _IF.search(other) or _WISHED.search(other) or _LIMITS.search(one) or _LIMITS.search(other):
        return False
    return is_same_denied(one, other) if clause.denied else is_same_denied(other, one)


def misstatements(text: str, sources: Iterable[StatedSource]) -> list[str]:
    """Return the clauses of a text that its sources contradict, and the sentences that one of them ordered."""
    said = list(sources)
    obeyed = list(find_obeyed_sentences(text, (source.text for source in said)))
    return obeyed + list(find_contradicted_clauses(text, Statements(said)))
