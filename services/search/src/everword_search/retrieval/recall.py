"""Rank by the learned models: the candidates of the arms and their neighbouring turns.

A memory's score depends on the query, on the memory and on the two turns before and after it; its evidence also depends
on the names in its conversation. Neither depends on the namespace's statistics or on the other candidates, so both are
the same among 500 memories and among 1,000,000. There are these exceptions:

- Of a memory with more than `MAX_PARTS` passages, a later passage is read only if an arm has it among its best `POOL`;
  the memory is judged by the passages that were read.
- The set of candidates: in a namespace of more than 10,000 passages that is not cached, words that occur in more than
  5 % of the passages are not used if rarer words of the query find enough. In the cache, cosines are exact to .002.
- A memory that says the same as several better ones has a lower score.
- Hashes of whole words cannot match a prefix or a single CJK character. The lexical arm's score, which depends on the
  namespace's statistics, then counts like a literal match.

At most `RESULTS` memories are results, so pages end with them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from everword.db.arrays import uuids_of
from everword.domain.calibration import DECIDING
from everword.text.ranking_record import IN_DOCUMENT, ONLY_HEADING, OTHER_LANGUAGE
from everword_search.kernels.arrays import Floats, Ints
from everword_search.passages.candidates import Candidates
from everword_search.passages.ranked_memories import RankedMemories, Window
from everword_search.ranking.features.compute import PoolFeatures, RankingQuery, describe
from everword_search.ranking.features.pool import Pool, build_pool
from everword_search.ranking.models.match import match_log_odds
from everword_search.ranking.models.ranker import (
    REPEATED_WEIGHT,
    Ranker,
    lower_scores,
    unlearned_score,
)
from everword_search.ranking.own_statements import long_answer_handicap
from everword_search.ranking.redundancy import REDUNDANT_WEIGHT, find_redundant
from everword_search.ranking.times.periods import admit_best_outside, closeness
from everword_search.ranking.words.answer_types import asked_type
from everword_search.retrieval.arms.base import RankingArm, SearchArm
from everword_search.retrieval.arms.graph import GraphArm
from everword_search.retrieval.arms.semantic import SemanticArm, without_dissimilar
from everword_search.retrieval.coverage import measure_coverage
from everword_search.retrieval.hits import FoundHits, RankedHit, ScorePart
from everword_search.retrieval.index.passage_index import PassageIndex
from everword_search.retrieval.runner import TIME_SHARE, Runner

#: Candidates taken from each arm; all of them get features. Keeping only the 150 with the best sums of scores changes
#: nothing in a single conversation, but loses .027 of recall@10 among 100,000 unrelated messages.
POOL = 150
#: Turns on either side of a found memory that become candidates. An answer may share no word with the question.
NEAR = 1
#: Maximum results: the best candidates by the weighted sum. Trees for all candidates would take a third of a search.
RESULTS = 200
#: Turns on either side that a score uses.
CONTEXT = 2
#: Score added to a memory from a period that the question names, in the models' unit.
PERIOD_WEIGHT = 8.0
#: By how much a memory from outside of the period must match better than all inside to be on the first page.
OUTSIDE_HANDICAP = 3.0
#: Score added to a memory that names a thing of the asked type. With 3, single-hop questions lose .004 of recall@10.
ANSWER_WEIGHT = 2.5
#: Weight of a document part's similarity to the query, in addition to the models, which were trained on chats.
DOCUMENT_MEANING_WEIGHT = 1.0
#: Similarity at which it changes nothing, in standard deviations from the background: about the median of answers.
DOCUMENT_MEANING = 4.0
#: Leading passages of a long memory that are read in addition to the found ones.
MAX_PARTS = 12


@dataclass(frozen=True)
class RecallInputs:
    """The candidates of a query with the models' inputs."""

    pool: Pool
    #: Mask of the memories that may be results.
    wanted: npt.NDArray[np.bool_]
    described: PoolFeatures
    literals: Floats
    #: Share of the query that is literals.
    literal_share: float
    #: Candidates of each arm.
    views: Mapping[SearchArm, RankedMemories]
    #: Score added to each memory for a period that the question names.
    timely: Floats
    #: Score added to each memory that names a thing of the type that the question asks for.
    typed: Floats
    #: Amount subtracted from the score of the assistant's long answers if the question is about the user.
    long_answers: Floats
    #: Hashes of the question's words.
    asked: npt.NDArray[np.uint32]


@dataclass(frozen=True)
class RecallRanking:
    """The inputs of the ranking that are fixed for a query."""

    ranker: Ranker
    question: RankingQuery
    index: PassageIndex
    #: Arms that search only the periods named by the question.
    timely: Sequence[RankingArm] = ()
    #: True if hits include the models' features.
    explain: bool = False


async def rank_by_recall(
    runner: Runner,
    arms: Sequence[RankingArm],
    ranking: RecallRanking,
    window: Window,
    graph: GraphArm | None = None,
) -> FoundHits:
    """Return the hits in `window`, best first, including memories that `graph` finds. Raises ArmFailed."""
    judged = await _judge(runner, arms, ranking, graph)
    if judged is None:
        return FoundHits([])
    scores = _scores(judged, ranking.ranker)
    passages = judged.pool.passages.passage_ids[judged.described.best]
    order = np.lexsort((-passages, -scores))[: np.count_nonzero(scores >= 0)]
    listed = order[scores[order] >= window.min_score]
    page = listed[_follows(scores, passages, window)[listed]]
    if window.min_match == -math.inf:
        page = page[: window.limit]
    # Evidence costs as much as ranking, so it is computed only for results that are shown or filtered by it.
    told = page if window.min_match == -math.inf else listed
    evidence, match = _judgement(judged, ranking.ranker, np.union1d(order[:DECIDING], told))
    page = page[~(match[page] < window.min_match)][: window.limit]
    listed = listed[~(match[listed] < window.min_match)]
    deciding = map(_finite, evidence[order[:DECIDING]].tolist())
    known_of = passages, evidence, match
    hits = _hits(judged, page, scores, known_of, ranking.explain)
    best = order[:DECIDING]
    coverage = measure_coverage(
        judged.pool, judged.wanted, judged.described, ranking.question, best
    )
    if window.after:
        first: Sequence[RankedHit] = ()
    elif np.array_equal(page[: len(best)], best):
        first = hits[: len(best)]
    else:
        first = _hits(judged, best, scores, known_of, explain=False)
    known = tuple(each for each in deciding if each is not None)
    return FoundHits(
        hits, known, first, coverage, partial(_ranked, judged, listed, scores, passages)
    )


def _ranked(judged: RecallInputs, listed: Ints, scores: Floats, passages: Ints) -> RankedMemories:
    sources = judged.pool.heads(judged.pool.passages.source_ids)
    return RankedMemories(passages[listed], sources[listed], scores[listed], scores[listed])


def _scores(judged: RecallInputs, ranker: Ranker) -> Floats:
    """Return the score of each memory that is a result; -1 for the others."""
    rows = np.flatnonzero(judged.wanted)
    features, literals = judged.described.features, judged.literals
    handicaps = (
        handicap(judged.pool, features["de"]) + judged.long_answers - judged.timely - judged.typed
    )
    plain = np.zeros(judged.pool.size)
    plain[rows] = ranker.plain.score(features.of(rows))
    if len(rows) > RESULTS:
        rough = np.round(plain[rows] + unlearned_score(literals[rows], handicaps[rows]), 9)
        # A stable sort breaks ties the same way on every page, so that the set of results stays the same.
        rows = np.sort(rows[np.argsort(-rough, kind="stable")[:RESULTS]])
    scores = np.full(judged.pool.size, -1.0)
    scores[rows] = ranker.rank(features.of(rows), literals[rows], handicaps[rows], plain[rows])
    timely = judged.timely[rows]
    if timely.any():
        inside = timely >= PERIOD_WEIGHT
        timeless = lower_scores(scores[rows], timely + OUTSIDE_HANDICAP * ~inside)
        scores[rows] = admit_best_outside(scores[rows], timeless, inside)
    return _without_redundancy(judged, scores)


def _without_redundancy(judged: RecallInputs, scores: Floats) -> Floats:
    """Return the scores, lower for memories that say the same as better ones."""
    best = judged.described.best
    ranked = np.lexsort((-judged.pool.passages.passage_ids[best], -scores))
    ranked = ranked[: np.count_nonzero(scores >= 0)]
    redundant = ranked[find_redundant(judged.pool.passages.records, best[ranked], judged.asked)]
    scores[redundant] = lower_scores(scores[redundant], np.full(len(redundant), REDUNDANT_WEIGHT))
    return scores


def _judgement(judged: RecallInputs, ranker: Ranker, rows: Ints) -> tuple[Floats, Floats]:
    """Return the evidence and the log-odds of a match for the memories in `rows`; NaN for the others."""
    evidence, match = np.full(judged.pool.size, np.nan), np.full(judged.pool.size, np.nan)
    features, literals = judged.described.features.of(rows), judged.literals[rows]
    evidence[rows] = ranker.judge(features, literals, judged.literal_share)
    alike = judged.literal_share * literals
    match[rows] = match_log_odds(features, evidence[rows], alike)
    return evidence, match


def _follows(scores: Floats, passages: Ints, window: Window) -> npt.NDArray[np.bool_]:
    """Return a mask of the memories that come after the previous page."""
    if not window.after:
        return np.full(len(scores), True)
    score, passage_id = window.after[:2]
    # If the last memory's score now differs in its last digits, its current score counts.
    here: list[float] = scores[(passages == passage_id) & (scores >= 0)].tolist()
    last = (here or [score])[0]
    return np.asarray((scores < last) | ((scores == last) & (passages < passage_id)))


async def _judge(
    runner: Runner, arms: Sequence[RankingArm], ranking: RecallRanking, graph: GraphArm | None
) -> RecallInputs | None:
    """Return the candidates of a query with their features; None if there are none. Raises ArmFailed."""
    question = ranking.question
    # A prefix is matched by the lexical arm alone, so its exact scores are needed.
    window = Window(limit=POOL, spare=POOL, rough=not question.has_prefix)
    # Arms with custom plans run first, so that the plan mode changes only once.
    views = {
        arm.name: await runner.rank(arm, window, TIME_SHARE)
        for arm in sorted(arms, key=lambda arm: arm.generic_plans)
    }
    # Among many matches, those of the period need not be among the best, so it is searched separately.
    then = [
        await runner.rank(arm, window, TIME_SHARE) for arm in ranking.timely if runner.may_run(arm)
    ]
    if graph:
        graph.begin_at(list(views.values()))
        if runner.may_run(graph):
            views[graph.name] = RankedMemories.of(await runner.find(graph, window, TIME_SHARE))
    found = [*views.values(), *then]
    if not any(len(each.passage_ids) for each in found):
        return None
    passages = await ranking.index.candidates(runner, found, NEAR + CONTEXT, MAX_PARTS)
    if passages is None:
        return None  # The memories were erased since.
    cosines = np.full(len(passages.passage_ids), np.nan)
    alike = dict(views)
    for arm in arms:
        if arm.name is SearchArm.TRIGRAM and len(views[arm.name].source_ids) >= POOL:
            # More memories match than were requested. Each one's similarity must not depend on the number of others, so
            # score all candidates.
            ids = uuids_of(np.unique(passages.source_ids))
            alike[arm.name] = RankedMemories.of(await runner.score(arm, ids, TIME_SHARE))
        if isinstance(arm, SemanticArm):
            is_other = passages.records.flags & OTHER_LANGUAGE > 0
            cosines = await runner.deviations(arm, passages.passage_ids, is_other, TIME_SHARE)
            others = [each for each in found if each is not views[arm.name]]
            passages = without_dissimilar(passages, cosines, others)
    absent = await _absent_names(runner, ranking, passages)
    pool = build_pool(passages, cosines, absent)
    literals = _literals(pool, alike, question)
    # The arm that matches a prefix scores the whole query.
    share = 1.0 if question.has_prefix else question.terms.literal_share
    timely = PERIOD_WEIGHT * closeness(pool.heads(pool.passages.moments), question.periods)
    return RecallInputs(
        pool,
        _candidate_mask(pool),
        describe(pool, question),
        literals,
        share,
        views,
        timely,
        _typed_scores(pool, question),
        long_answer_handicap(pool, question.text),
        question.terms.hashes,
    )


def _typed_scores(pool: Pool, question: RankingQuery) -> Floats:
    """Return the score added to each memory that names a thing of the type that the question asks for."""
    asked = asked_type(question.text, question.config)
    if asked is None:
        return np.zeros(pool.size)
    named = pool.any(asked.named_in(pool.passages.records))
    return np.where(named, np.float64(ANSWER_WEIGHT), np.float64(0))


async def _absent_names(runner: Runner, ranking: RecallRanking, passages: Candidates) -> Floats:
    """Return, for each passage, how many unknown names of the question its conversation never mentions.

    The conversation is hardly about such a person. Memories outside conversations, such as parts of a document, mention
    a name if one of those among the candidates does.
    """
    strangers = ranking.question.terms.strangers
    if not strangers:
        return np.zeros(len(passages.passage_ids))
    absent = len(strangers) - await ranking.index.mentions(runner, passages, strangers)
    outside = ranking.index.outside_conversations(passages)
    if outside.any():
        terms, said = ranking.question.terms, passages.records.terms_of(outside)
        missing = [
            not any(
                (said == spelling[place]).any() for spelling in (terms.hashes, *terms.spellings)
            )
            for place in np.flatnonzero(terms.unknown)
        ]
        absent[outside] = min(len(strangers), sum(missing))
    return absent


def _candidate_mask(pool: Pool) -> npt.NDArray[np.bool_]:
    """Return a mask of the memories that may be results: found ones and their neighbours, if the filter admits them."""
    return pool.near(pool.any(pool.passages.found), NEAR) & pool.any(pool.passages.wanted)


def handicap(pool: Pool, meanings: Floats) -> Floats:
    """Return the amount subtracted from each memory's score (log-odds).

    The models were trained on single messages. A summary of n messages has an n-th of the chance per message, hence log
    n; and one that only quotes its messages ranks after them. So does a heading without text: an answer below it has
    its words, too. Parts of documents are long and their questions share few words with them, so `meanings`, the
    similarities to the query, count more.
    """
    stands_for = np.maximum(1.0, pool.heads(pool.passages.stands_for))
    flags = pool.heads(pool.passages.records.flags)
    repeats = pool.heads(pool.passages.repeats) | (flags & ONLY_HEADING > 0)
    dissimilar = DOCUMENT_MEANING - np.nan_to_num(meanings, nan=DOCUMENT_MEANING)
    in_document = flags & IN_DOCUMENT > 0
    return np.asarray(
        np.log(stands_for)
        + REPEATED_WEIGHT * repeats
        + DOCUMENT_MEANING_WEIGHT * dissimilar * in_document
    )


def _finite(value: float) -> float | None:
    """Return the value, or None if it is not finite."""
    return value if math.isfinite(value) else None


def _literals(
    pool: Pool, views: Mapping[SearchArm, RankedMemories], question: RankingQuery
) -> Floats:
    """Return each memory's similarity of letters, for matches that only an arm can score."""
    trusted = {SearchArm.TRIGRAM} | ({SearchArm.LEXICAL} if question.has_prefix else set())
    heads = pool.heads(pool.passages.source_ids)
    alike = np.zeros(pool.size)
    for arm in trusted & views.keys():
        places = views[arm].places_of(heads)
        found = places >= 0
        alike[found] = np.maximum(alike[found], views[arm].scores[places[found]])
    return alike


def _hits(
    judged: RecallInputs,
    page: Ints,
    scores: Floats,
    known_of: tuple[Ints, Floats, Floats],
    explain: bool,
) -> list[RankedHit]:
    """Return the memories of a page as hits.

    `known_of` has the best passage, the evidence and the log-odds of a match of each memory.
    """
    passages, evidence, match = known_of
    source_ids = judged.pool.heads(judged.pool.passages.source_ids)[page]
    ids = uuids_of(source_ids)
    # The models are not additive, so the arms' scores are reported with a weight of 0.
    parts: list[list[ScorePart]] = [[] for _ in ids]
    for arm in sorted(judged.views):
        view = judged.views[arm]
        places = view.places_of(source_ids)
        rows = np.flatnonzero(places >= 0)
        raws, said = view.raws[places[rows]].tolist(), view.scores[places[rows]].tolist()
        for row, raw, score in zip(rows.tolist(), raws, said, strict=True):
            parts[row].append(ScorePart(arm, raw, score, 0.0))
    columns = zip(
        ids,
        passages[page].tolist(),
        scores[page].tolist(),
        parts,
        evidence[page].tolist(),
        match[page].tolist(),
        page.tolist(),
        strict=True,
    )
    return [
        RankedHit(
            id_,
            passage_id,
            score,
            [score, passage_id],
            tuple(said),
            tuple(term for view in judged.views.values() for term in view.terms.get(id_, ())),
            evidence=_finite(told),
            match=_finite(about),
            features=_features(judged, index) if explain else {},
        )
        for id_, passage_id, score, said, told, about, index in columns
    ]


def _features(judged: RecallInputs, index: int) -> dict[str, float]:
    return {name: float(values[index]) for name, values in judged.described.features.items()}
