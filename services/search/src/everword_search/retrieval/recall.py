"""Ranks by the learned models: what the arms find, and the turns next to it.

A memory's score depends on the query, on itself and on the two turns before and after it; its evidence also on which
names its conversation mentions. Neither depends on the statistics of the namespace, so that they are the same among 500
memories and among 1,000,000, nor on which other candidates there are, with these exceptions:

- Of a memory of more than `MAX_PARTS` passages, a later one is read only where an arm has it among its best `POOL`; the
  memory is judged by the passages that were read.
- Which memories are candidates at all: in a namespace of more than 10,000 passages that is not in memory, words that
  one in twenty passages holds find none where rarer ones of the query find enough. In memory, its cosines are told to
  .002.
- Where the query has a prefix or a lone character, hashes of whole words cannot tell what matches. Then the lexical
  arm's score counts in the same way: it rests on the statistics of the namespace.

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
from everword_search.kernels.arrays import Floats, Ints
from everword_search.passages.candidates import Candidates
from everword_search.passages.ranked import Ranked, Window
from everword_search.ranking.features.compute import Described, RankingQuery, describe
from everword_search.ranking.features.pool import Pool, build_pool
from everword_search.ranking.models.ranker import REPEATED_WEIGHT, Ranker, beside
from everword_search.ranking.times.periods import closeness
from everword_search.retrieval.arms.base import RankingArm, SearchArm
from everword_search.retrieval.arms.graph import GraphArm
from everword_search.retrieval.arms.semantic import SemanticArm
from everword_search.retrieval.coverage import measure_coverage
from everword_search.retrieval.hits import FoundHits, RankedHit, ScorePart
from everword_search.retrieval.index.passage_index import PassageIndex
from everword_search.retrieval.runner import TIME_SHARE, Runner

#: Candidates taken from each arm. All of them are looked at closely: to keep but the 150 with the best sums of scores
#: changes nothing in a conversation by itself, and loses .027 of recall@10 among 100,000 messages of others.
POOL = 150
#: Turns on either side of what was found that become candidates too: an answer may hold no word of the question.
NEAR = 1
#: Candidates that are results: the best by the weighted sum. Trees for all of them would take a third of a search.
RESULTS = 200
#: Turns on either side that a score looks at.
CONTEXT = 2
#: What a memory gains that happened when the question says, in the unit of the models.
PERIOD_WEIGHT = 8.0
#: Passages of a long memory that are looked at beside those that were found.
MAX_PARTS = 12


@dataclass(frozen=True)
class Judged:
    """The candidates of a query, and what the models are given of each."""

    pool: Pool
    #: Whether a memory may be a result.
    wanted: npt.NDArray[np.bool_]
    described: Described
    literals: Floats
    #: How much of the query those are about.
    literal_share: float
    #: What each arm found.
    views: Mapping[SearchArm, Ranked]
    #: What speaks for each memory because it happened when the question says.
    timely: Floats


@dataclass(frozen=True)
class RecallRanking:
    """The parts that a query is ranked with."""

    ranker: Ranker
    question: RankingQuery
    index: PassageIndex
    #: What looks into the time that the question names, and nowhere else.
    timely: Sequence[RankingArm] = ()
    #: Whether hits carry what the models were given.
    explain: bool = False


async def rank_by_recall(
    runner: Runner,
    arms: Sequence[RankingArm],
    ranking: RecallRanking,
    window: Window,
    graph: GraphArm | None = None,
) -> FoundHits:
    """Return the hits in `window`, best first; what `graph` leads to is among them. Raises ArmFailed."""
    judged = await _judge(runner, arms, ranking, graph)
    if judged is None:
        return FoundHits([])
    scores = _scores(judged, ranking.ranker)
    passages = judged.pool.passages.passage_ids[judged.described.best]
    order = np.lexsort((-passages, -scores))[: np.count_nonzero(scores >= 0)]
    listed = order[scores[order] >= window.min_score]
    page = listed[_follows(scores, passages, window)[listed]]
    if window.min_evidence == -math.inf:
        page = page[: window.limit]
    # Only what is told or filtered by is judged: it costs as much as ranking.
    told = page if window.min_evidence == -math.inf else listed
    evidence = _evidence(judged, ranking.ranker, np.union1d(order[:DECIDING], told))
    page = page[~(evidence[page] < window.min_evidence)][: window.limit]
    listed = listed[~(evidence[listed] < window.min_evidence)]
    deciding = map(_known, evidence[order[:DECIDING]].tolist())
    hits = _hits(judged, page, scores, passages, evidence, ranking.explain)
    best = order[:DECIDING]
    coverage = measure_coverage(
        judged.pool, judged.wanted, judged.described, ranking.question, best
    )
    if window.after:
        first: Sequence[RankedHit] = ()
    elif np.array_equal(page[: len(best)], best):
        first = hits[: len(best)]
    else:
        first = _hits(judged, best, scores, passages, evidence, explain=False)
    known = tuple(each for each in deciding if each is not None)
    return FoundHits(
        hits, known, first, coverage, partial(_ranked, judged, listed, scores, passages)
    )


def _ranked(judged: Judged, listed: Ints, scores: Floats, passages: Ints) -> Ranked:
    sources = judged.pool.heads(judged.pool.passages.source_ids)
    return Ranked(passages[listed], sources[listed], scores[listed], scores[listed])


def _scores(judged: Judged, ranker: Ranker) -> Floats:
    """Return the score of each memory that is a result; -1 for the others."""
    rows = np.flatnonzero(judged.wanted)
    handicaps = handicap(judged.pool) - judged.timely
    features, literals = judged.described.features, judged.literals
    plain = np.zeros(judged.pool.size)
    plain[rows] = ranker.plain.score(features.of(rows))
    if len(rows) > RESULTS:
        rough = np.round(plain[rows] + beside(literals[rows], handicaps[rows]), 9)
        # Of equal ones the first in order: a result must be one on every page.
        rows = np.sort(rows[np.argsort(-rough, kind="stable")[:RESULTS]])
    scores = np.full(judged.pool.size, -1.0)
    scores[rows] = ranker.rank(features.of(rows), literals[rows], handicaps[rows], plain[rows])
    return scores


def _evidence(judged: Judged, ranker: Ranker, rows: Ints) -> Floats:
    """Return the evidence for some memories; NaN for the others."""
    evidence = np.full(judged.pool.size, np.nan)
    features = judged.described.features.of(rows)
    evidence[rows] = ranker.judge(features, judged.literals[rows], judged.literal_share)
    return evidence


def _follows(scores: Floats, passages: Ints, window: Window) -> npt.NDArray[np.bool_]:
    """Return which memories come after the page before."""
    follows = np.full(len(scores), True)
    if window.after:
        score, passage_id, *_ = window.after
        # Where it is told apart from the page before by other digits, it is the same memory all the same.
        here: list[float] = scores[(passages == passage_id) & (scores >= 0)].tolist()
        [score, *_] = [*here, score]
        follows &= (scores < score) | ((scores == score) & (passages < passage_id))
    return follows


async def _judge(
    runner: Runner, arms: Sequence[RankingArm], ranking: RecallRanking, graph: GraphArm | None
) -> Judged | None:
    """Return the candidates of a query with their features; None without any. Raises ArmFailed."""
    question = ranking.question
    # What a prefix matches only the arm can tell, so its scores have to be what they are.
    window = Window(limit=POOL, spare=POOL, rough=not question.has_prefix)
    # Those that are planned again come first: how statements are planned then changes once.
    views = {
        arm.name: await runner.rank(arm, window, TIME_SHARE)
        for arm in sorted(arms, key=lambda arm: arm.generic_plans)
    }
    # Among much that answers, what happened then need not be among the best.
    then = [
        await runner.rank(arm, window, TIME_SHARE) for arm in ranking.timely if runner.may_run(arm)
    ]
    if graph:
        graph.begin_at(list(views.values()))
        if runner.may_run(graph):
            views[graph.name] = Ranked.of(await runner.find(graph, window, TIME_SHARE))
    found = [*views.values(), *then]
    if not any(len(each.passage_ids) for each in found):
        return None
    passages = await ranking.index.candidates(runner, found, NEAR + CONTEXT, MAX_PARTS)
    if passages is None:
        return None  # it was erased since
    cosines = np.full(len(passages.passage_ids), np.nan)
    alike = dict(views)
    for arm in arms:
        if arm.name is SearchArm.TRIGRAM and len(views[arm.name].source_ids) >= POOL:
            # More are alike than were asked for: how alike a memory is must not depend on how many others are.
            ids = uuids_of(np.unique(passages.source_ids))
            alike[arm.name] = Ranked.of(await runner.score(arm, ids, TIME_SHARE))
        if isinstance(arm, SemanticArm):
            cosines = await runner.deviations(arm, passages.passage_ids, TIME_SHARE)
    absent = await _absent_names(runner, ranking, passages)
    pool = build_pool(passages, cosines, absent)
    literals = _literals(pool, alike, question)
    # A prefix is matched by the arm of words, with all else that is asked.
    share = 1.0 if question.has_prefix else question.terms.literal_share
    timely = PERIOD_WEIGHT * closeness(pool.heads(pool.passages.moments), question.periods)
    return Judged(pool, _wanted(pool), describe(pool, question), literals, share, views, timely)


async def _absent_names(runner: Runner, ranking: RecallRanking, passages: Candidates) -> Floats:
    """Return how many names of the question each passage's conversation never mentions: it can hardly be about them."""
    strangers = ranking.question.terms.strangers
    if not strangers:
        return np.zeros(len(passages.passage_ids))
    return len(strangers) - await ranking.index.mentions(runner, passages, strangers)


def _wanted(pool: Pool) -> npt.NDArray[np.bool_]:
    """Return which memories are candidates: what was found and what is next to it, if the filter lets it through."""
    return pool.near(pool.any(pool.passages.found), NEAR) & pool.any(pool.passages.wanted)


def handicap(pool: Pool) -> Floats:
    """Return what is taken from each memory's score, a logarithm: nothing, but for summaries.

    The models were fitted to messages, one of which is to be read. Of n messages that a summary stands for, each has an
    n-th of its chance to be that one; and what repeats them comes after them.
    """
    stands_for = np.maximum(1.0, pool.heads(pool.passages.stands_for))
    return np.log(stands_for) + REPEATED_WEIGHT * pool.heads(pool.passages.repeats)


def _known(evidence: float) -> float | None:
    """Return evidence that can be told."""
    return evidence if math.isfinite(evidence) else None


def _literals(pool: Pool, views: Mapping[SearchArm, Ranked], question: RankingQuery) -> Floats:
    """Return how alike the letters of each memory are, as far as only an arm can tell."""
    trusted = {SearchArm.TRIGRAM} | ({SearchArm.LEXICAL} if question.has_prefix else set())
    heads = pool.heads(pool.passages.source_ids)
    alike = np.zeros(pool.size)
    for arm in trusted & views.keys():
        places = views[arm].places_of(heads)
        found = places >= 0
        alike[found] = np.maximum(alike[found], views[arm].scores[places[found]])
    return alike


def _hits(
    judged: Judged, page: Ints, scores: Floats, passages: Ints, evidence: Floats, explain: bool
) -> list[RankedHit]:
    """Return the memories of a page as hits."""
    source_ids = judged.pool.heads(judged.pool.passages.source_ids)[page]
    ids = uuids_of(source_ids)
    # The models are no sums: what the arms say is told, and weighs nothing by itself.
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
            evidence=_known(told),
            features=_features(judged, index) if explain else {},
        )
        for id_, passage_id, score, said, told, index in columns
    ]


def _features(judged: Judged, index: int) -> dict[str, float]:
    return {name: float(values[index]) for name, values in judged.described.features.items()}
