"""Choose the arms and the ranking question of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from everword.text.values.spellings import respell
from everword_search.passages.vectors import QueryNotEmbedded, QueryVector
from everword_search.ranking.features.compute import RankingQuery
from everword_search.ranking.times.periods import named_periods
from everword_search.retrieval.arms.base import Arm, RankingArm
from everword_search.retrieval.arms.graph import GraphArm
from everword_search.retrieval.arms.lexical import LexicalArm
from everword_search.retrieval.arms.regex import RegexArm
from everword_search.retrieval.arms.semantic import SemanticArm, across_languages, without_floor
from everword_search.retrieval.arms.trigram import query_tokens
from everword_search.retrieval.index.passage_index import PassageIndex
from everword_search.retrieval.model import SearchMode, SearchRequest
from everword_search.retrieval.query.parse_query import BY_WORDS, ParsedQuery
from everword_search.retrieval.query.query import query_literals

#: The only profile with the graph arm; the others need a weight for each arm.
_FOLLOWING = "recall"


@dataclass(frozen=True)
class SearchPlan:
    """The arms and the ranking question of a search."""

    arms: Sequence[Arm]
    #: None if results are in the order of a single arm.
    question: RankingQuery | None = None
    #: Arms that search only the periods named by the question.
    timely: Sequence[RankingArm] = ()


@dataclass(frozen=True)
class QueryWords:
    """The parts of a plan that do not depend on the query's vector."""

    lexical: LexicalArm
    #: None if results are in the order of the lexical arm.
    question: RankingQuery | None


def plan_words(
    request: SearchRequest, parsed: ParsedQuery, index: PassageIndex
) -> QueryWords | None:
    """Return the lexical part of the plan; None if the mode does not search by words."""
    if request.mode not in BY_WORDS:
        return None
    lexical = index.lexical(parsed.analysed.terms, request.explain)
    if request.mode is not SearchMode.HYBRID:
        return QueryWords(lexical, None)
    question = _question(request, parsed)
    # The models compare words other than names. For an author's name alone, only the word index has that author.
    is_name = not len(question.terms.hashes) and bool(parsed.names)
    return QueryWords(lexical, None if is_name else question)


def plan_search(
    request: SearchRequest,
    parsed: ParsedQuery,
    index: PassageIndex,
    words: QueryWords | None,
    vector: QueryVector | QueryNotEmbedded | None,
) -> SearchPlan:
    """Return the plan for the requested mode."""
    if request.mode is SearchMode.REGEX:
        return SearchPlan([RegexArm(index.scope, request.text)])
    if request.mode is SearchMode.TRIGRAM:
        return SearchPlan([index.alike(query_tokens(request.text))])
    if words is None:
        return SearchPlan([_semantic(parsed, index, vector)])
    if request.mode is SearchMode.LEXICAL:
        return SearchPlan([words.lexical])
    literal = index.literal(query_literals(parsed.query))
    if request.profile == _FOLLOWING and isinstance(vector, QueryVector):
        # The ranking counts cosines from the background of each passage's language.
        vector = across_languages(vector)
    arms: list[Arm] = [words.lexical, literal, _semantic(parsed, index, vector)]
    if parsed.settings.has_graph and request.profile == _FOLLOWING:
        arms.append(GraphArm(index.scope))
    return SearchPlan(arms, words.question, _timely(parsed, index, words, vector))


def _timely(
    parsed: ParsedQuery,
    index: PassageIndex,
    words: QueryWords,
    vector: QueryVector | QueryNotEmbedded | None,
) -> Sequence[RankingArm]:
    periods = words.question.periods if words.question else ()
    if not periods:
        return ()
    first, last = min(each.start for each in periods), max(each.end for each in periods)
    within = index.within(first, last)
    lexical = within.lexical(parsed.analysed.terms, False)
    # "What happened last week?" is similar to none of the week's memories, and asks for all of them. "What happened at
    # work last week?" may be similar to only one.
    floorless = without_floor(vector) if isinstance(vector, QueryVector) else vector
    return lexical, _semantic(parsed, within, floorless)


def _semantic(
    parsed: ParsedQuery, index: PassageIndex, vector: QueryVector | QueryNotEmbedded | None
) -> SemanticArm:
    if isinstance(vector, QueryVector):
        return index.semantic(vector, parsed.generation(vector.generation_id))
    return index.semantic(vector, None)


def _question(request: SearchRequest, parsed: ParsedQuery) -> RankingQuery:
    """Return the ranking question, without operators and excluded words."""
    text = respell(" ".join(operand.text for operand in parsed.query.wanted), parsed.spellings)
    analysed, settings = parsed.analysed, parsed.settings
    return RankingQuery.ask(
        text,
        parsed.names | set(parsed.spellings.values()),
        analysed.ignored,
        settings.text_search_config,
        settings.time_zone,
        analysed.has_prefix,
        request.event_periods
        or named_periods(
            text,
            settings.text_search_config,
            request.reference_time or datetime.now(UTC),
            settings.time_zone,
        ),
    )
