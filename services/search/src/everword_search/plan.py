"""Decides what a search runs: the arms of its mode, what they look at, and the question that is ranked by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from everword_search.arms.base import Arm
from everword_search.arms.frequent import FrequentWords
from everword_search.arms.large import LargeScopes
from everword_search.arms.regex import RegexArm
from everword_search.arms.semantic import SemanticArm
from everword_search.arms.trigram import TrigramArm, literals_asked_for, tokens_asked_for
from everword_search.arms.tsvector import TsvectorArm
from everword_search.model import SearchMode, SearchRequest
from everword_search.query_embedder import QueryNotEmbedded, QueryVector
from everword_search.ranking.features import Question
from everword_search.store import Scope
from everword_search.understand import Understood

#: Passages of a namespace from which on it pays to know its frequent words.
LARGE = 10_000


@dataclass(frozen=True)
class Plan:
    """What a search runs."""

    #: With what the query demands.
    scope: Scope
    arms: Sequence[Arm]
    #: None where one arm's order is asked for.
    question: Question | None = None


def plan_search(
    scope: Scope,
    request: SearchRequest,
    understood: Understood,
    vector: QueryVector | QueryNotEmbedded | None,
    frequent: FrequentWords,
    large_scopes: LargeScopes,
) -> Plan:
    """Return what the mode that is asked for runs."""
    if request.mode is SearchMode.REGEX:
        return Plan(scope, [RegexArm(scope, request.text)])
    if request.mode is SearchMode.TRIGRAM:
        return Plan(scope, [TrigramArm(scope, tokens_asked_for(request.text))])
    if request.mode is SearchMode.SEMANTIC:
        return Plan(scope, [_semantic(scope, understood, vector, large_scopes)])
    # What a query demands holds for every arm.
    scope = replace(scope, constraint=understood.analysed.constraint)
    large = understood.passages > LARGE
    terms = understood.analysed.terms
    lexical = TsvectorArm(scope, terms, request.explain, frequent if large else None)
    if request.mode is SearchMode.LEXICAL:
        return Plan(scope, [lexical])
    literal = TrigramArm(scope, literals_asked_for(understood.query))
    arms = [lexical, literal, _semantic(scope, understood, vector, large_scopes)]
    return Plan(scope, arms, _question(understood))


def _semantic(
    scope: Scope,
    understood: Understood,
    vector: QueryVector | QueryNotEmbedded | None,
    large_scopes: LargeScopes,
) -> SemanticArm:
    generation = (
        understood.generation(vector.generation_id) if isinstance(vector, QueryVector) else None
    )
    return SemanticArm(scope, vector, generation, understood.passages, large_scopes)


def _question(understood: Understood) -> Question:
    """Return what is asked for, without operators and what is excluded."""
    text = " ".join(operand.text for operand in understood.query.wanted)
    analysed, settings = understood.analysed, understood.settings
    has_prefix = any(term.prefix is not None for term in analysed.terms)
    return Question.ask(
        text,
        understood.names,
        analysed.ignored,
        settings.text_search_config,
        settings.time_zone,
        has_prefix,
    )
