"""Ranks by the learned models: what the arms find, and the turns next to it.

A memory's score depends on the query, on itself and on the two turns before and after it; its evidence also on which
names its conversation mentions. Neither depends on the statistics of the namespace, so that they are the same among 500
memories and among 1,000,000, nor on which other candidates there are, with three exceptions:

- Of a memory of more than `MAX_PARTS` passages, a later one is read only where an arm has it among its best `POOL`; the
  memory is judged by the passages that were read.
- Letters that are alike count by the trigram arm's score, which is the memory's own, but only among that arm's best
  `POOL`.
- Where the query has a prefix or a lone character, hashes of whole words cannot tell what matches. Then the lexical
  arm's score counts in the same way: it rests on the statistics of the namespace.

The pool has a bounded size, so pages end with it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import numpy.typing as npt

from everword.db.pool import STATEMENT_CAP_S
from everword.domain.calibration import DECIDING
from everword.domain.deadline import remaining
from everword.v1.memory_pb2 import MEMORY_KIND_MESSAGE
from everword_search.arms.base import RankingArm, Window
from everword_search.arms.semantic import SemanticArm
from everword_search.model import Candidate, Found, Hit, ScorePart, SearchArm
from everword_search.ranking.arrays import Floats, Ints
from everword_search.ranking.features import Described, Question, describe
from everword_search.ranking.pool import Pool, build_pool
from everword_search.ranking.ranker import REPEATED_WEIGHT, Ranker
from everword_search.ranking.store import Candidates, find_mentions, read_candidates
from everword_search.runner import TIME_SHARE, Runner
from everword_search.store import Scope, limit_time

#: Candidates taken from each arm.
POOL = 150
#: Turns on either side of what was found that become candidates too: an answer may hold no word of the question.
NEAR = 1
#: Turns on either side that a score looks at.
CONTEXT = 2
#: Passages of a long memory that are looked at beside those that were found.
MAX_PARTS = 12

#: What each arm says of one memory.
Views = Mapping[SearchArm, Candidate]


@dataclass(frozen=True)
class Judged:
    """The candidates of a query, and what the models are given of each."""

    pool: Pool
    #: Whether a memory may be a result.
    wanted: npt.NDArray[np.bool_]
    described: Described
    literals: Floats
    views: Mapping[UUID, Views]


@dataclass(frozen=True)
class Ranking:
    """What a query is ranked with."""

    ranker: Ranker
    question: Question
    #: Whether hits carry what the models were given.
    explain: bool = False


async def rank_by_recall(
    runner: Runner, arms: Sequence[RankingArm], scope: Scope, ranking: Ranking, window: Window
) -> Found:
    """Return the hits in `window`, best first. Raises ArmFailed."""
    judged = await _judge(runner, arms, scope, ranking.question)
    if judged is None:
        return Found([])
    scores, passages = _scores(judged, ranking.ranker), _best_passages(judged)
    order = np.lexsort((-passages, -scores))[: judged.wanted.sum()]
    page = order[_follows(scores, passages, window)[order]]
    if window.min_evidence == -math.inf:
        page = page[: window.limit]
    # Only what is told or filtered by is judged: it costs as much as ranking.
    evidence = _evidence(judged, ranking.ranker, np.union1d(order[:DECIDING], page))
    page = page[~(evidence[page] < window.min_evidence)][: window.limit]
    deciding = (_known(evidence[index]) for index in order[:DECIDING])
    hits = [
        _hit(judged, index, scores[index], passages[index], evidence[index], ranking.explain)
        for index in page
    ]
    return Found(hits, tuple(each for each in deciding if each is not None))


def _scores(judged: Judged, ranker: Ranker) -> Floats:
    """Return the score of each memory that may be a result; the others come last."""
    rows = np.flatnonzero(judged.wanted)
    scores = np.full(judged.pool.size, -1.0)
    features = _chosen(judged.described.features, rows)
    scores[rows] = ranker.rank(features, judged.literals[rows], handicap(judged.pool)[rows])
    return scores


def _evidence(judged: Judged, ranker: Ranker, rows: Ints) -> Floats:
    """Return the evidence for some memories; NaN for the others."""
    evidence = np.full(judged.pool.size, np.nan)
    features = _chosen(judged.described.features, rows)
    evidence[rows] = ranker.judge(features, judged.literals[rows])
    return evidence


def _chosen(features: Mapping[str, Floats], rows: Ints) -> dict[str, Floats]:
    return {name: values[rows] for name, values in features.items()}


def _follows(scores: Floats, passages: Ints, window: Window) -> npt.NDArray[np.bool_]:
    """Return which memories come after the page before, and score enough."""
    follows = scores >= window.min_score
    if window.after:
        score, passage_id, *_ = window.after
        follows &= (scores < score) | ((scores == score) & (passages < passage_id))
    return follows


async def _judge(
    runner: Runner, arms: Sequence[RankingArm], scope: Scope, question: Question
) -> Judged | None:
    """Return the candidates of a query with their features; None without any. Raises ArmFailed."""
    found = {
        arm.name: await runner.find(arm, Window(limit=POOL, spare=POOL), TIME_SHARE) for arm in arms
    }
    views: dict[UUID, dict[SearchArm, Candidate]] = {}
    for name, candidates in found.items():
        for candidate in candidates:
            views.setdefault(candidate.source_id, {})[name] = candidate
    if not views:
        return None
    passages = await _read(runner, scope, views)
    if passages is None:
        return None  # erased since they were found
    cosines: dict[int, float] = {}
    for arm in arms:
        if isinstance(arm, SemanticArm):
            cosines = await runner.deviations(arm, passages.passage_ids, TIME_SHARE)
    absent = await _absent_names(runner, scope, question, passages)
    pool = build_pool(passages, cosines, question.config, absent)
    literals = _literals(pool, views, question)
    return Judged(pool, _wanted(pool, views), describe(pool, question), literals, views)


async def _read(runner: Runner, scope: Scope, views: Mapping[UUID, Views]) -> Candidates | None:
    passage_ids = {candidate.passage_id for view in views.values() for candidate in view.values()}
    parameters = {
        "source_ids": list(views),
        "passage_ids": sorted(passage_ids),
        "turn": MEMORY_KIND_MESSAGE,
        "reach": NEAR + CONTEXT,
        "max_parts": MAX_PARTS,
    }
    await limit_time(runner.conn, remaining(STATEMENT_CAP_S) * TIME_SHARE)
    return await read_candidates(runner.conn, scope, parameters)


async def _absent_names(
    runner: Runner, scope: Scope, question: Question, passages: Candidates
) -> dict[UUID | None, int]:
    """Return how many names of the question each conversation never mentions: it can hardly be about them."""
    strangers = question.terms.strangers
    if not strangers:
        return {}
    conversations = set(passages.conversation_ids)
    mentions = await find_mentions(
        runner.conn,
        scope.namespace_id,
        question.config,
        strangers,
        sorted(each for each in conversations if each),
    )
    found = Counter(mention.conversation_id for mention in mentions)
    return {each: len(strangers) - (found[each] if each else 0) for each in conversations}


def _wanted(pool: Pool, views: Mapping[UUID, Views]) -> npt.NDArray[np.bool_]:
    """Return which memories are candidates: what was found and what is next to it, if the filter lets it through."""
    found = np.array([each in views for each in pool.heads(pool.passages.source_ids)], bool)
    near = found.copy()
    for distance in range(1, NEAR + 1):
        for shift in (-distance, distance):
            near |= pool.neighbour(found.astype(float), shift) > 0
    passes = np.array(pool.passages.wanted, bool)
    through = np.logical_or.reduceat(passes, pool.starts) if len(passes) else passes
    return near & through


def _best_passages(judged: Judged) -> Ints:
    """Return the ids of the passages that memories are shown by: the best of each, the first of equal ones."""
    pool, values = judged.pool, judged.described.passages
    ids = np.array(pool.passages.passage_ids, np.int64)
    if pool.size == len(ids):
        return ids
    memory = np.zeros(len(ids), np.int64)
    memory[pool.starts] = 1
    best_first = np.lexsort((-values, np.cumsum(memory)))
    return ids[best_first[pool.starts]]


def handicap(pool: Pool) -> Floats:
    """Return what is taken from each memory's score, a logarithm: nothing, but for summaries.

    The models were fitted to messages, one of which is to be read. Of n messages that a summary stands for, each has an
    n-th of its chance to be that one; and what repeats them comes after them.
    """
    stands_for = np.maximum(1.0, pool.numbers(pool.passages.stands_for))
    return np.log(stands_for) + REPEATED_WEIGHT * pool.numbers(pool.passages.repeats)


def _known(evidence: np.float64) -> float | None:
    """Return evidence that can be told."""
    return float(evidence) if np.isfinite(evidence) else None


def _literals(pool: Pool, views: Mapping[UUID, Views], question: Question) -> Floats:
    """Return how alike the letters of each memory are, as far as only an arm can tell."""
    trusted = {SearchArm.TRIGRAM} | ({SearchArm.LEXICAL} if question.has_prefix else set())
    alike = {
        source_id: max(each[arm].score for arm in trusted & each.keys())
        for source_id, each in views.items()
        if trusted & each.keys()
    }
    return np.array([alike.get(each, 0.0) for each in pool.heads(pool.passages.source_ids)])


def _hit(
    judged: Judged,
    index: int,
    score: np.float64,
    passage_id: np.int64,
    evidence: np.float64,
    explain: bool,
) -> Hit:
    source_id = judged.pool.passages.source_ids[judged.pool.starts[index]]
    views = judged.views.get(source_id, {})
    # The models are no sums: what the arms say is told, and weighs nothing by itself.
    parts = tuple(ScorePart(arm, view.raw, view.score, 0.0) for arm, view in views.items())
    features = (
        {name: float(values[index]) for name, values in judged.described.features.items()}
        if explain
        else {}
    )
    return Hit(
        source_id,
        int(passage_id),
        float(score),
        [float(score), int(passage_id)],
        parts,
        tuple(term for view in views.values() for term in view.terms),
        evidence=_known(evidence),
        features=features,
    )
