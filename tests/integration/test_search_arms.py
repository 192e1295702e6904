"""The arms of a search: literals, regular expressions, their fusion, and failures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import LiteralString
from unittest.mock import patch

import grpc
import pytest
import pytest_asyncio

from everword.db.pool import Connection, Database
from everword.db.statements import Statement
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from everword_search.passages import store
from everword_search.records.store import SQL
from support.calls import append, message
from support.corpus import Corpus, moment, sample_corpus, search_request
from support.databases import cloned
from support.refusals import refused
from support.spans import exporter, trace_of
from support.stack import Stack, running_stack
from support.waits import until

pytestmark = pytest.mark.asyncio(loop_scope="module")
WITHOUT_MODEL = {pb.SEARCH_ARM_LEXICAL, pb.SEARCH_ARM_TRIGRAM, pb.SEARCH_ARM_REGEX}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def corpus(postgres_url: str) -> AsyncIterator[Corpus]:
    async with sample_corpus(postgres_url, cache_mb=0) as corpus:
        yield corpus


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def files(postgres_url: str) -> AsyncIterator[Stack]:
    """A stack whose messages name files and versions."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            texts = (
                "opened src/auth_handler.rs today",
                "closed src/auth_handlers.rs today",
                "opened docs/README.md today",
                "nothing to report today",
                "the host is db-7.example.org",
            )
            days = [moment(f"2026-03-0{day}T00:00:00+00:00") for day in range(1, 6)]
            await append(
                stack,
                *(message(text, create_time=day) for text, day in zip(texts, days, strict=True)),
            )
            yield stack


def contents(response: pb.SearchResponse) -> list[str]:
    return [result.memory.content for result in response.results]


def states(response: pb.SearchResponse) -> dict[str, str]:
    """Return the states of arms that need no model, by name."""
    return {
        pb.SearchArm.Name(arm.arm).removeprefix("SEARCH_ARM_"): pb.ArmReport.State.Name(
            arm.state
        ).removeprefix("STATE_")
        for arm in response.arms
        if arm.arm in WITHOUT_MODEL
    }


# Trigrams


async def test_trigram_finds_similar_literals(files: Stack) -> None:
    response = await files.search.Search(search_request("auth_handlr.rs", "TRIGRAM"))
    assert {content.split()[1] for content in contents(response)} == {
        "src/auth_handler.rs",
        "src/auth_handlers.rs",
    }
    assert 0.6 <= response.results[-1].score <= response.results[0].score < 1


async def test_trigram_scores_identical_literal_one(files: Stack) -> None:
    response = await files.search.Search(search_request("README.md", "TRIGRAM", explain=True))
    (result,) = response.results
    assert result.score == 1
    (part,) = result.explanation.parts
    assert (part.arm, part.raw, part.score) == (pb.SEARCH_ARM_TRIGRAM, 1.0, 1.0)


async def test_trigram_score_is_the_mean_over_literals(files: Stack) -> None:
    request = search_request("README.md zzzzzzzzz", "TRIGRAM")
    (result,) = (await files.search.Search(request)).results
    assert result.score == pytest.approx(0.5)


async def test_trigram_mode_accepts_any_word_of_three_characters(files: Stack) -> None:
    response = await files.search.Search(search_request("auth", "TRIGRAM"))
    assert len(response.results) == 2
    short = await files.search.Search(search_request("db ?? 7", "TRIGRAM"))
    assert states(short) == {"TRIGRAM": "SKIPPED"}


# Regular expressions


async def test_regex_matches_case_insensitively_newest_first(
    files: Stack,
) -> None:
    response = await files.search.Search(search_request(r"^OPENED .*\.(rs|md)\M", "REGEX"))
    assert contents(response) == ["opened docs/README.md today", "opened src/auth_handler.rs today"]
    assert [result.score for result in response.results] == [1.0, 1.0]
    assert states(response) == {"REGEX": "RAN"}


@pytest.mark.parametrize("pattern", ["(", "a{2", "[z-a]", "*a", "(a{255}){255}", "\\"])
async def test_a_regular_expression_that_does_not_compile_is_refused(
    files: Stack, pattern: str
) -> None:
    refusal = await refused(files.search.Search(search_request(pattern, "REGEX")))
    assert refusal.code is grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.reason == "REGEX_INVALID"
    assert refusal.metadata["problem"] in refusal.message
    assert "invalid regular expression" not in refusal.metadata["problem"]


async def test_a_regular_expression_that_is_too_long_is_refused(files: Stack) -> None:
    await files.search.Search(search_request("x" * 500, "REGEX"))
    refusal = await refused(files.search.Search(search_request("x" * 501, "REGEX")))
    assert refusal.fields == {"query"}


# All arms together


async def test_without_a_literal_the_trigram_arm_is_skipped(corpus: Corpus) -> None:
    response = await corpus.search("When does the migration start?", "HYBRID")
    assert states(response) == {"LEXICAL": "RAN", "TRIGRAM": "SKIPPED"}
    lexical = await corpus.search("When does the migration start?", "LEXICAL")
    best = lexical.results[0].memory.id
    assert best in {result.memory.id for result in response.results}


async def test_hybrid_is_the_default(corpus: Corpus) -> None:
    response = await corpus.stack.search.Search(pb.SearchRequest(query="10.20.4.17"))
    assert states(response) == {"LEXICAL": "RAN", "TRIGRAM": "RAN"}


async def test_hybrid_explanation_lists_ranking_features_and_arm_parts(
    corpus: Corpus,
) -> None:
    request = ("Why is orders-db on 10.20.4.17?", "HYBRID")
    response = await corpus.search(*request, explain=True, page_size=50)
    names = {feature.name for feature in response.results[0].explanation.features}
    assert {"sb", "de", "covw", "m_named", "d_len"} <= names
    for result in response.results:
        explanation = result.explanation
        assert {feature.name for feature in explanation.features} == names
        assert all(part.weight == 0 for part in explanation.parts)
        assert 0 < result.score < 1
    assert any(len(result.explanation.parts) == 2 for result in response.results)


async def test_hybrid_score_does_not_depend_on_other_candidates(corpus: Corpus) -> None:
    """Only repetitions of better results lose score, and neighbours of results are results only without a filter."""
    query = "orders-db 10.20.4.17 migration"
    whole = (await corpus.search(query, "HYBRID", page_size=200)).results
    for result in (whole[0], whole[len(whole) // 8]):
        author = memory_pb2.MemoryFilter(
            authors=[result.memory.author], start_time=result.memory.occur_time
        )
        alone = (await corpus.search(query, "HYBRID", page_size=200, filter=author)).results
        scores = {entry.memory.id: entry.score for entry in alone}
        assert len(alone) < len(whole)
        assert scores[result.memory.id] == result.score


async def test_required_and_excluded_terms_apply_to_every_arm(files: Stack) -> None:
    response = await files.search.Search(search_request("auth_handler.rs -closed", "HYBRID"))
    assert contents(response) == ["opened src/auth_handler.rs today"]
    response = await files.search.Search(search_request('auth_handler.rs "closed"', "HYBRID"))
    assert contents(response) == ["closed src/auth_handlers.rs today"]


async def test_excluded_literal_is_not_searched_by_trigram(files: Stack) -> None:
    response = await files.search.Search(search_request("today -README.md", "HYBRID"))
    assert len(response.results) == 3
    assert states(response)["TRIGRAM"] == "SKIPPED"


@pytest.mark.parametrize("mode", ["HYBRID", "LEXICAL", "TRIGRAM"])
async def test_min_score_excludes_results_with_lower_returned_score(
    corpus: Corpus, mode: str
) -> None:
    everything = await corpus.search("orders-db 10.20.4.17", mode, page_size=200)
    scores = [result.score for result in everything.results]
    floor = scores[len(scores) // 2]
    some = await corpus.search("orders-db 10.20.4.17", mode, page_size=200, min_score=floor)
    assert [r.score for r in some.results] == [score for score in scores if score >= floor]
    none = await corpus.search("orders-db 10.20.4.17", mode, min_score=1.0)
    assert none.verdict == pb.VERDICT_NOTHING_RELEVANT


# Failures

KILL_SLEEPER = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE application_name = 'everword-search' AND datname = current_database() "
    "AND query LIKE '%pg_sleep%' AND state = 'active'"
)

KILL_SEARCH = (
    # Wait up to 60 s for each backend, since a terminated connection is still listed until it has ended.
    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
    "WHERE application_name = 'everword-search' AND datname = current_database()"
)


@contextmanager
def failing(name: str, expression: LiteralString) -> Iterator[None]:
    """Replace one of search's statements by an expression."""
    broken = Statement(name, "Fails.", f"SELECT {expression}")
    with patch.dict(store.SQL, {name: broken}):
        yield


async def test_an_arm_that_fails_is_degraded_and_the_others_answer(corpus: Corpus) -> None:
    with failing("find_trigram", "1/0"):
        response = await corpus.search("orders-db migration", "HYBRID", page_size=50)
    assert states(response) == {"LEXICAL": "RAN", "TRIGRAM": "DEGRADED"}
    (reason,) = [arm.reason for arm in response.arms if arm.arm == pb.SEARCH_ARM_TRIGRAM]
    assert reason == "the database refused it"
    lexical = await corpus.search("orders-db migration", "LEXICAL")
    best = lexical.results[0].memory.id
    assert best in {result.memory.id for result in response.results}


async def test_hybrid_score_does_not_depend_on_the_candidate_pool_size(
    files: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = search_request("closed today: auth_handler.rs", "HYBRID")

    async def scores() -> dict[str, float]:
        response = await files.search.Search(request)
        return {result.memory.content: result.score for result in response.results}

    everything = await scores()
    monkeypatch.setattr("everword_search.retrieval.recall.POOL", 1)
    some = await scores()
    assert len(some) > 1
    assert some.items() <= everything.items()


async def test_an_arm_that_takes_too_long_leaves_time_for_the_others(corpus: Corpus) -> None:
    request = search_request("orders-db migration", "HYBRID")
    with failing("find_lexical", "pg_sleep(60)"):
        response = await corpus.stack.search.Search(request, timeout=8)
    assert states(response) == {"LEXICAL": "DEGRADED", "TRIGRAM": "RAN"}
    assert response.results
    assert "time" in response.arms[0].reason


async def test_reading_results_may_use_all_remaining_time(corpus: Corpus) -> None:
    """An arm itself has only a share of the remaining time."""
    read = SQL["read_memories"]
    begin, end = (
        "WITH slow AS MATERIALIZED (SELECT pg_sleep(2.5)) ",
        ", (SELECT count(*) FROM slow)",
    )
    slow = replace(read, sql=begin + read.sql.replace("wanted.place;", f"wanted.place{end};"))
    assert end in slow.sql
    request = search_request("orders-db migration", "HYBRID")
    with patch.dict(SQL, {"read_memories": slow}):
        response = await corpus.stack.search.Search(request, timeout=5.5)
    assert response.results


async def test_search_keeps_its_connection_when_an_arm_fails(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would queue for a connection behind every other search."""
    lent: list[object] = []
    lend = Database._checkout_connection

    async def counted(database: Database, timeout_s: float) -> Connection:
        conn = await lend(database, timeout_s)
        lent.append(conn)
        return conn

    async def count() -> tuple[int, str]:
        lent.clear()
        response = await corpus.search("orders-db migration", "HYBRID")
        return len(lent), states(response)["TRIGRAM"]

    monkeypatch.setattr(Database, "_checkout_connection", counted)
    # Concurrent key look-ups happen now and then, so take the minimum of several searches.
    usual, _ = min([await count() for _ in range(4)])
    with failing("find_trigram", "1/0"):
        degraded = [await count() for _ in range(4)]
    assert min(degraded) == (usual, "DEGRADED")


async def test_search_works_at_once_after_postgres_closed_all_connections(corpus: Corpus) -> None:
    query, mode = "orders-db migration", "HYBRID"
    await asyncio.gather(*(corpus.search(query, mode) for _ in range(16)))
    with corpus.stack.database.connect() as conn:
        closed = conn.execute(KILL_SEARCH).rowcount
    assert closed > 1
    for _ in range(3):
        request = search_request(query, mode)
        assert (await corpus.stack.search.Search(request, timeout=30)).results


async def test_call_cancelled_during_connection_check_returns_connection_to_pool(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = asyncio.Event()

    async def slow(conn: Connection) -> bool:
        # Background tasks of the services wait here too, and would keep their connections after the test.
        await ended.wait()
        return True

    with monkeypatch.context() as patched:
        patched.setattr("everword.db.pool._is_connection_open", slow)
        for _ in range(20):  # More than there are connections.
            with pytest.raises(grpc.aio.AioRpcError):
                await corpus.stack.search.Search(search_request("orders-db", "HYBRID"), timeout=0.1)
    ended.set()
    assert (await corpus.search("orders-db migration", "HYBRID")).results


async def test_paging_continues_when_an_arm_fails_or_recovers(corpus: Corpus) -> None:
    query, mode = "orders-db migration", "HYBRID"
    for failing_page in (1, 2):
        pages = []
        token = ""
        for page in (1, 2):
            with failing("find_trigram", "1/0") if page == failing_page else nullcontext():
                response = await corpus.search(query, mode, page_size=3, page_token=token)
            pages.append(response.results)
            token = response.next_page_token
        assert [len(page) for page in pages] == [3, 3]


async def test_search_fails_when_every_arm_fails(corpus: Corpus) -> None:
    with (
        failing("find_lexical", "1/0"),
        failing("find_trigram", "1/0"),
    ):
        refusal = await refused(corpus.search("orders-db migration", "HYBRID"))
    assert refusal.code is grpc.StatusCode.INTERNAL


async def test_broken_connection_fails_the_search_instead_of_degrading_an_arm(
    corpus: Corpus,
) -> None:
    with failing("find_lexical", "pg_sleep(60)"):
        call = asyncio.create_task(refused(corpus.search("orders-db migration", "HYBRID")))
        with corpus.stack.database.connect() as conn:
            await until(lambda: conn.execute(KILL_SLEEPER).rowcount == 1)
        refusal = await call
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.UNAVAILABLE, "STORAGE_UNAVAILABLE")
    assert (await corpus.search("orders-db migration", "HYBRID")).results


# Spans


async def test_search_trace_has_a_span_per_arm_and_the_result_count(corpus: Corpus) -> None:
    spans = exporter()
    response = await corpus.search("orders-db migration", "HYBRID")
    found = trace_of(spans.get_finished_spans(), "everword.v1.SearchService/Search")
    arms = {
        s.attributes["everword.search.arm"]
        for s in found
        if s.name == "search arm" and s.attributes
    }
    assert arms == {"lexical", "trigram"}
    server = next(span for span in found if span.name == "everword.v1.SearchService/Search")
    assert server.attributes is not None
    assert server.attributes["gen_ai.operation.name"] == "search_memory"
    assert server.attributes["gen_ai.memory.store.id"] == "default"
    assert server.attributes["gen_ai.memory.record.count"] == len(response.results)
