"""The share of the true top ten that the arms find: exhaustive BM25 and exhaustive cosines, in SQL by the owner."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

from everword.bench.metrics import percentile
from everword.bench.speed.bench_stack import BenchStack
from everword.bench.speed.corpus import tag_of
from everword.bench.speed.row import Floor, Row
from everword.bench.speed.searches import MODES, search
from everword.bench.speed.stub import vector
from everword.client import Client
from everword.text.lexemes import analyse

TOP = 10
#: BM25 as `everword_search.ranking.bm25` has it.
K1, B = 0.9, 0.4
#: Seconds. Exhaustive searches of a million messages take seconds each; after this time, the queries so far count.
MAX_WAIT_SECONDS = 240.0
EXHAUSTIVE = "exhaustive search in SQL"

_BM25 = """
WITH asked AS MATERIALIZED (
    SELECT unnest(%(lexemes)s::text[]) AS lexeme
), corpus AS MATERIALIZED (
    SELECT count(*)::float8 AS passages, avg(lexeme_count)::float8 AS mean FROM memories
     WHERE namespace_id = %(namespace_id)s
), postings AS MATERIALIZED (
    SELECT m.id, m.source_id, m.lexeme_count::float8 AS length, u.lexeme, cardinality(u.positions)::float8 AS tf
      FROM memories m CROSS JOIN LATERAL unnest(m.lexemes) AS u
     WHERE m.namespace_id = %(namespace_id)s
       AND m.lexemes @@ (SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery FROM asked)
       AND u.lexeme IN (SELECT lexeme FROM asked)
), terms AS (
    SELECT lexeme, ln(1 + (passages - count(*) + 0.5) / (count(*) + 0.5)) AS idf
      FROM postings, corpus GROUP BY lexeme, passages
), passages AS (
    SELECT id, source_id, sum(idf * tf * (%(k1)s + 1) / (tf + %(k1)s * (1 - %(b)s + %(b)s * length / mean))) AS raw
      FROM postings JOIN terms USING (lexeme), corpus GROUP BY id, source_id
)
SELECT source_id::text FROM passages GROUP BY source_id
 ORDER BY round(max(raw)::numeric, 9) DESC FETCH FIRST %(top)s ROWS WITH TIES
"""
_COSINE = """
SELECT source_id::text FROM (
    SELECT m.source_id, 1 - (v.embedding <=> %(vector)s::halfvec) AS cosine
      FROM memory_vectors_{generation} v JOIN memories m USING (namespace_id)
     WHERE namespace_id = %(namespace_id)s AND m.id = v.memory_id
       AND (%(tags)s::text[] IS NULL OR m.tags && %(tags)s)) AS all_of_them
 WHERE cosine > %(least)s
 GROUP BY source_id ORDER BY round(max(cosine)::numeric, 5) DESC FETCH FIRST %(top)s ROWS WITH TIES
"""


@dataclass
class Shares:
    """The share of the true top that each query got, and what both sides took."""

    each: list[float] = field(default_factory=list)
    search_ms: list[float] = field(default_factory=list)
    exhaustive_ms: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return sum(self.each) / len(self.each) if self.each else 1.0

    def details(self) -> dict[str, Any]:
        return {
            "share": round(self.mean, 5),
            "queries": len(self.each),
            "search_p50_ms": round(percentile(self.search_ms, 0.5) or 0.0, 3),
            "exhaustive_p50_ms": round(percentile(self.exhaustive_ms, 0.5) or 0.0, 3),
        }


@dataclass(frozen=True)
class ExactResults:
    """The results of exhaustive searches of one namespace."""

    conn: psycopg.Connection
    namespace_id: int
    generation: int
    #: Cosines up to here mean nothing to the semantic arm.
    floor: float

    @classmethod
    def of(cls, conn: psycopg.Connection, namespace: str) -> ExactResults:
        row = conn.execute(
            "SELECT n.id, g.id, coalesce(g.background_mean, 0.1) + coalesce(g.background_deviation, 0.1)"
            "  FROM namespaces n, model_generations g WHERE n.name = %s AND g.state = 'active'",
            [namespace],
        ).fetchone()
        assert row is not None
        # Nothing but the exact scan: the index may miss some, and the planner could take it.
        conn.execute("SET enable_indexscan = off")
        return cls(conn, *row)

    def lexical(self, query: str) -> list[str]:
        """Return the ids of the ten best by BM25, including ties with the tenth."""
        lexemes = analyse(query, "english").lexemes
        given = {
            "lexemes": lexemes,
            "namespace_id": self.namespace_id,
            "k1": K1,
            "b": B,
            "top": TOP,
        }
        return [id_ for (id_,) in self.conn.execute(_BM25.encode(), given)]

    def semantic(self, query: str, tags: list[str] | None) -> list[str]:
        """Return the ids of the ten nearest in a scope, including ties with the tenth."""
        statement = _COSINE.replace("{generation}", str(self.generation))
        given = {
            "vector": str([float(value) for value in vector(query)]),
            "namespace_id": self.namespace_id,
            "tags": tags,
            "least": self.floor,
            "top": TOP,
        }
        return [id_ for (id_,) in self.conn.execute(statement.encode(), given)]


async def lexical(
    bench: BenchStack, client: Client, namespace: str, scale: int, queries: Sequence[str]
) -> Row:
    shares = Shares()
    started = time.monotonic()
    mode = MODES["search_lexical"]
    with bench.connect() as conn:
        truth = ExactResults.of(conn, namespace)
        for query in queries:
            if time.monotonic() - started > MAX_WAIT_SECONDS:
                break
            begun = time.perf_counter()
            true = truth.lexical(query)
            between = time.perf_counter()
            found = [each.memory.id for each in (await search(client, query, mode)).results]
            _add(shares, true, found, begun, between)
    details = shares.details()
    return Row("lexical_exact_1m", scale, shares.mean, "share", Floor(1.0, EXHAUSTIVE), details)


async def semantic(
    bench: BenchStack,
    client: Client,
    namespace: str,
    scale: int,
    scopes: Sequence[int],
    queries: Sequence[str],
) -> Row:
    """Return the recall in the scope with the lowest one; the last scope is the whole namespace."""
    by_scope: dict[str, Shares] = {}
    with bench.connect() as conn:
        truth = ExactResults.of(conn, namespace)
        for scope in (*scopes, scale):
            tags = [tag_of(scope)] if scope < scale else []
            by_scope[str(scope)] = await _recall(client, truth, tags, queries)
    worst = min(shares.mean for shares in by_scope.values())
    details = {"scopes": {scope: shares.details() for scope, shares in by_scope.items()}}
    return Row("semantic_recall", scale, worst, "share", Floor(1.0, EXHAUSTIVE), details)


async def _recall(
    client: Client, truth: ExactResults, tags: list[str], queries: Sequence[str]
) -> Shares:
    shares = Shares()
    mode = MODES["search_semantic"]
    started = time.monotonic()
    for query in queries:
        if time.monotonic() - started > MAX_WAIT_SECONDS:
            break
        # So that the vector is at hand.
        await search(client, query, mode, tags)
        begun = time.perf_counter()
        true = truth.semantic(query, tags or None)
        between = time.perf_counter()
        found = [each.memory.id for each in (await search(client, query, mode, tags)).results]
        _add(shares, true, found, begun, between)
    return shares


def _add(
    shares: Shares, true: Sequence[str], found: Sequence[str], begun: float, between: float
) -> None:
    ended = time.perf_counter()
    if not true:
        return
    hits = len(set(true) & set(found[:TOP]))
    shares.each.append(hits / min(TOP, len(true)))
    shares.exhaustive_ms.append(1000 * (between - begun))
    shares.search_ms.append(1000 * (ended - between))
