"""BM25 as computed by Postgres, compared with a reference in plain Python over the same lexemes."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio

from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from support.corpus import Corpus, moment, sample_corpus

pytestmark = pytest.mark.asyncio(loop_scope="module")
K1, B = 0.9, 0.4


@dataclass(frozen=True)
class Passage:
    """A passage as indexed."""

    source_id: str
    #: Positions by lexeme.
    lexemes: dict[str, list[int]]
    automated: bool
    author: str
    month_day: tuple[int, int]

    @property
    def length(self) -> int:
        return sum(len(positions) for positions in self.lexemes.values())


@dataclass(frozen=True)
class Reference:
    """A corpus with its passages, scored in Python."""

    corpus: Corpus
    passages: list[Passage] = field(repr=False)

    def frequency(self, passage: Passage, term: str) -> int:
        if term.endswith("*"):
            beginning = term[:-1]
            return sum(len(p) for lex, p in passage.lexemes.items() if lex.startswith(beginning))
        return len(passage.lexemes.get(term, []))

    def scores(
        self, terms: Iterable[str], wanted: Callable[[Passage], bool] = lambda passage: True
    ) -> dict[str, tuple[float, float]]:
        """Return BM25 and its share of the maximum by memory, for passages of the filter that contain a term."""
        count = len(self.passages)
        mean = sum(passage.length for passage in self.passages) / count
        idf = {}
        for term in terms:
            df = sum(self.frequency(passage, term) > 0 for passage in self.passages)
            idf[term] = math.log(1 + (count - df + 0.5) / (df + 0.5))
        best: dict[str, tuple[float, float]] = {}
        for passage in self.passages:
            raw = 0.0
            for term, weight in idf.items():
                tf = self.frequency(passage, term)
                raw += weight * tf * (K1 + 1) / (tf + K1 * (1 - B + B * passage.length / mean))
            if raw and wanted(passage):
                share = raw / (sum(idf.values()) * (K1 + 1))
                best[passage.source_id] = max((raw, share), best.get(passage.source_id, (0.0, 0.0)))
        return best


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reference(postgres_url: str) -> AsyncIterator[Reference]:
    async with sample_corpus(postgres_url) as corpus:
        with corpus.stack.database.connect() as conn:
            rows = conn.execute(
                "SELECT source_id::text, automated, author, extract(month FROM occurred_at)::int, "
                "       extract(day FROM occurred_at)::int, "
                "       ARRAY(SELECT lexeme FROM unnest(lexemes)), "
                "       ARRAY(SELECT array_to_json(positions)::text FROM unnest(lexemes)) "
                "  FROM memories"
            ).fetchall()
        yield Reference(
            corpus,
            [
                Passage(
                    source_id=source_id,
                    lexemes={
                        lexeme: [int(n) for n in positions.strip("[]").split(",")]
                        for lexeme, positions in zip(names, places, strict=True)
                    },
                    automated=automated,
                    author=author,
                    month_day=(month, day),
                )
                for source_id, automated, author, month, day, names, places in rows
            ],
        )


async def found(reference: Reference, query: str, **fields: Any) -> dict[str, tuple[float, float]]:
    """Return raw score and score of all hits of a query."""
    results: list[pb.SearchResult] = []
    token = ""
    while True:
        response = await reference.corpus.search(
            query, explain=True, page_size=200, page_token=token, **fields
        )
        results += response.results
        token = response.next_page_token
        if not token:
            break
    scores = [(result.score, result.memory.id) for result in results]
    assert [score for score, _ in scores] == sorted((s for s, _ in scores), reverse=True)
    assert len({id_ for _, id_ in scores}) == len(scores)
    return {result.memory.id: (result.explanation.parts[0].raw, result.score) for result in results}


def check(got: dict[str, tuple[float, float]], expected: dict[str, tuple[float, float]]) -> None:
    assert expected
    assert got.keys() == expected.keys()
    for memory_id, scores in expected.items():
        assert got[memory_id] == pytest.approx(scores, abs=1e-6)


def on_purpose(passage: Passage) -> bool:
    return not passage.automated


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("When is the migration to PostgreSQL?", ["migrat", "postgresql"]),
        ("postgres", ["postgr"]),
        ("rollback rollbacks rolling back", ["rollback", "roll", "back"]),
        (
            "What did Mara decide about the cutover on Thursday",
            ["mara", "decid", "cutov", "thursday"],
        ),
        ("orders zebra quantum", ["order", "zebra", "quantum"]),
        ("10.20.4.17", ["10", "20", "4", "17", "10.20.4.17"]),
        ("the migration", ["migrat"]),
        ("March 2026", ["march", "2026"]),
    ],
)
async def test_bm25_scores_equal_the_reference(
    reference: Reference, query: str, terms: list[str]
) -> None:
    check(await found(reference, query), reference.scores(terms, on_purpose))


async def test_bm25_statistics_include_automated_memories_excluded_by_default(
    reference: Reference,
) -> None:
    terms = ["heartbeat", "order"]
    assert any(p.automated and p.lexemes.keys() & set(terms) for p in reference.passages)
    check(await found(reference, "heartbeat order"), reference.scores(terms, on_purpose))
    everything = memory_pb2.MemoryFilter(include_automated=True)
    check(await found(reference, "heartbeat order", filter=everything), reference.scores(terms))


async def test_filter_does_not_change_bm25_scores(reference: Reference) -> None:
    only = memory_pb2.MemoryFilter(authors=["Mara"], start_time=moment("2026-03-05T00:00:00+00:00"))
    expected = reference.scores(
        ["migrat", "data"],
        lambda p: on_purpose(p) and p.author == "Mara" and p.month_day >= (3, 5),
    )
    got = await found(reference, "migration data", filter=only)
    check(got, expected)
    unfiltered = await found(reference, "migration data")
    assert set(got) < set(unfiltered)
    assert all(unfiltered[id_] == scores for id_, scores in got.items())


def adjacent(passage: Passage, *lexemes: str) -> bool:
    starts = passage.lexemes.get(lexemes[0], [])
    return any(
        all(start + offset in passage.lexemes.get(lex, []) for offset, lex in enumerate(lexemes))
        for start in starts
    )


async def test_phrase_filters_passages_and_its_words_are_scored(reference: Reference) -> None:
    expected = reference.scores(
        ["order", "line"], lambda p: on_purpose(p) and adjacent(p, "order", "line")
    )
    loose = reference.scores(["order", "line"], on_purpose)
    assert len(expected) < len(loose)
    check(await found(reference, '"order lines"'), expected)


async def test_excluded_term_filters_without_changing_scores(reference: Reference) -> None:
    def without(passage: Passage) -> bool:
        return on_purpose(passage) and "mysql" not in passage.lexemes

    for query in ("migration -mysql", "migration NOT mysql", 'migration -"MySQL"'):
        check(await found(reference, query), reference.scores(["migrat"], without))


async def test_or_and_and_operators_filter_passages(reference: Reference) -> None:
    either = reference.scores(
        ["till", "backup", "data"],
        lambda p: on_purpose(p) and bool(p.lexemes.keys() & {"till", "backup"}),
    )
    check(await found(reference, "till OR backup data"), either)
    both = reference.scores(
        ["order", "line"], lambda p: on_purpose(p) and {"order", "line"} <= p.lexemes.keys()
    )
    for query in ("order AND line", "+order +line"):
        check(await found(reference, query), both)


async def test_prefix_is_scored_as_one_term_over_all_matching_lexemes(reference: Reference) -> None:
    assert sum(lex.startswith("re") for p in reference.passages for lex in p.lexemes) > 50
    check(await found(reference, "re*"), reference.scores(["re*"], on_purpose))
    expected = reference.scores(["migrat*", "back"], on_purpose)
    check(await found(reference, "migrat* back"), expected)


async def test_words_with_the_same_stem_are_one_term(reference: Reference) -> None:
    assert await found(reference, "order orders ordering") == await found(reference, "order")


async def test_lexical_explanation_terms_add_up_to_the_raw_score(reference: Reference) -> None:
    response = await reference.corpus.search("When does the migration start?", explain=True)
    top = response.results[0]
    (part,) = top.explanation.parts
    assert (part.arm, part.weight, part.score) == (pb.SEARCH_ARM_LEXICAL, 1.0, top.score)
    terms = top.explanation.terms
    assert sum(term.score for term in terms) == pytest.approx(part.raw, abs=1e-9)
    passage = next(p for p in reference.passages if p.source_id == top.memory.id)
    for term in terms:
        lexeme = {"migration": "migrat", "start": "start"}[term.term]
        assert term.term_frequency == len(passage.lexemes[lexeme])
        df = sum(lexeme in p.lexemes for p in reference.passages)
        assert term.document_frequency == df
        expected = math.log(1 + (len(reference.passages) - df + 0.5) / (df + 0.5))
        assert term.idf == pytest.approx(expected, abs=1e-9)


async def test_results_have_no_explanation_by_default(reference: Reference) -> None:
    response = await reference.corpus.search("migration")
    assert not any(result.HasField("explanation") for result in response.results)


async def test_lexical_score_is_between_zero_and_one(reference: Reference) -> None:
    for _, score in (await found(reference, "When is the migration?")).values():
        assert 0 < score < 1
