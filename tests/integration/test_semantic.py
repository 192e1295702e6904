"""Search by meaning, with the real local model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from typing import Any

import grpc
import pytest
from opentelemetry import propagate, trace
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from everword.db.generations import GenerationError, Generations, NewGeneration
from everword.v1 import search_service_pb2 as pb
from everword.v1.context_service_pb2 import BuildContextRequest, StreamContextRequest
from everword.v1.memory_pb2 import ROLE_USER, MemoryFilter
from support.background import embed_everything
from support.calls import append, message, reason
from support.databases import DatabaseUnderTest
from support.jobs import make_namespace
from support.spans import trace_of
from support.stack import Stack, running_stack

TOLD = (
    "Our cat Miso sleeps on the radiator all winter.",
    "The deployment failed because the certificate had expired.",
    "Lea is vegetarian and cannot stand mushrooms.",
    "We fly to Lisbon on the third of May.",
    "The quarterly budget was approved by the board.",
    "He practises the violin every evening.",
)


@pytest.fixture
async def knowing(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    """A stack with search by meaning and a few messages."""
    async with running_stack(database) as stack:
        await append(stack, *TOLD)
        await embed_everything(stack)
        yield stack


async def search(
    stack: Stack, query: str, mode: str = "HYBRID", **fields: object
) -> pb.SearchResponse:
    request = pb.SearchRequest(
        query=query,
        mode=pb.SearchMode.Value(f"SEARCH_MODE_{mode}"),
        **fields,  # type: ignore[arg-type]
    )
    return await stack.search.Search(request)


def contents(response: pb.SearchResponse) -> list[str]:
    return [result.memory.content for result in response.results]


def state(response: pb.SearchResponse, arm: pb.SearchArm.ValueType) -> pb.ArmReport:
    [report] = [report for report in response.arms if report.arm == arm]
    return report


@pytest.mark.parametrize("mode", ["SEMANTIC", "HYBRID"])
@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("Which pets do we have?", TOLD[0]),
        ("Why did the rollout break?", TOLD[1]),
        ("What food should be avoided at dinner?", TOLD[2]),
        ("travel plans to Portugal", TOLD[3]),
        ("Who plays a musical instrument?", TOLD[5]),
    ],
)
async def test_search_finds_memory_without_shared_words_by_meaning(
    knowing: Stack, mode: str, query: str, answer: str
) -> None:
    assert contents(await search(knowing, query, mode))[0] == answer


async def test_semantic_query_without_match_has_verdict_nothing_relevant(knowing: Stack) -> None:
    response = await search(knowing, "zebra quantum chromodynamics")
    assert response.verdict == pb.VERDICT_NOTHING_RELEVANT
    assert state(response, pb.SEARCH_ARM_SEMANTIC).state == pb.ArmReport.STATE_RAN


async def test_memory_without_vector_is_found_by_words_below_the_embedded_match(
    knowing: Stack,
) -> None:
    await append(knowing, "Miso is also a soup.")
    response = await search(knowing, "the cat Miso")
    assert contents(response)[0] == TOLD[0]
    assert "Miso is also a soup." in contents(response)


async def test_semantic_search_applies_filter_and_min_score(knowing: Stack) -> None:
    other = await append(knowing, "A dog named Bruno joined the family.", session_key="other")
    await embed_everything(knowing)
    only = MemoryFilter(conversation_ids=[other.conversation_id])
    response = await search(knowing, "Which pets do we have?", "SEMANTIC", filter=only)
    assert contents(response) == ["A dog named Bruno joined the family."]
    best = response.results[0].score
    higher = await search(knowing, "Which pets do we have?", "SEMANTIC", min_score=best + 0.01)
    assert all(result.score > best for result in higher.results)


async def test_hybrid_pages_return_every_result_once(knowing: Stack) -> None:
    seen: list[str] = []
    token = ""
    while True:
        page = await search(knowing, "cat winter", page_size=1, page_token=token)
        seen += contents(page)
        token = page.next_page_token
        if not token:
            break
    whole = contents(await search(knowing, "cat winter"))
    assert seen == whole


async def test_hybrid_explanation_has_lexical_and_semantic_parts(knowing: Stack) -> None:
    response = await search(knowing, "the cat on the radiator", explain=True)
    parts = {part.arm: part for part in response.results[0].explanation.parts}
    assert {pb.SEARCH_ARM_LEXICAL, pb.SEARCH_ARM_SEMANTIC} <= set(parts)
    features = {each.name: each.value for each in response.results[0].explanation.features}
    assert features["de"] > 1
    assert 0 < parts[pb.SEARCH_ARM_SEMANTIC].raw <= 1


async def test_semantic_search_ignores_vectors_of_another_namespace(knowing: Stack) -> None:
    with knowing.database.connect() as conn:
        make_namespace(conn, "other")
    request = pb.SearchRequest(query="Which pets do we have?", mode=pb.SEARCH_MODE_SEMANTIC)
    response = await knowing.search.Search(request, metadata=(("x-everword-namespace", "other"),))
    assert contents(response) == []


async def test_hybrid_without_embedder_skips_semantic_arm_with_a_reason(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(database, embedder=False) as stack:
        await append(stack, *TOLD)
        response = await search(stack, "the cat Miso")
        assert contents(response)[0] == TOLD[0]
        report = state(response, pb.SEARCH_ARM_SEMANTIC)
        assert report.state == pb.ArmReport.STATE_SKIPPED
        assert "EVERWORD_EMBEDDER_ADDRESS" in report.reason
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await search(stack, "the cat Miso", "SEMANTIC")
        assert reason(caught.value) == "EMBEDDER_UNAVAILABLE"


async def test_semantic_arm_is_degraded_without_an_active_model(knowing: Stack) -> None:
    whole = await knowing.context.BuildContext(BuildContextRequest(query="the cat Miso"))
    assert not whole.degraded
    with knowing.database.connect() as conn:
        conn.execute("UPDATE model_generations SET state = 'retiring'")
    response = await search(knowing, "the cat Miso")
    assert contents(response)[0] == TOLD[0]
    report = state(response, pb.SEARCH_ARM_SEMANTIC)
    assert report.state == pb.ArmReport.STATE_DEGRADED
    assert report.reason
    wanted = BuildContextRequest(query="the cat Miso")
    built = await knowing.context.BuildContext(wanted)
    streamed = StreamContextRequest(context=wanted)
    [*_, last] = [part async for part in knowing.context.StreamContext(streamed)]
    for degraded in (built.degraded, last.end.degraded):
        assert [each.arm for each in degraded] == [pb.SEARCH_ARM_SEMANTIC]
        assert degraded[0].reason


_WITHOUT_PGVECTOR = """
DROP VIEW visible_vectors_1;
CREATE TABLE kept AS SELECT namespace_id, memory_id, embedding::real[] AS embedding FROM memory_vectors_1;
DROP TABLE memory_vectors_1;
DROP EXTENSION vector;
SELECT create_vector_table(1);
INSERT INTO memory_vectors_1 SELECT * FROM kept;
"""


async def test_search_results_are_equal_without_pgvector(knowing: Stack) -> None:
    queries = ("Which pets do we have?", "travel plans to Portugal", "the cat Miso")
    before = [contents(await search(knowing, query)) for query in queries]

    def remove_pgvector() -> None:
        with knowing.database.connect() as conn:
            conn.execute(_WITHOUT_PGVECTOR)

    # In a thread: a background task may have locked the table, and needs the event loop to end its transaction.
    await asyncio.to_thread(remove_pgvector)
    assert [contents(await search(knowing, query)) for query in queries] == before


async def test_semantic_search_over_many_passages_equals_exact_search(
    knowing: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = contents(await search(knowing, "Which pets do we have?", "SEMANTIC"))
    monkeypatch.setattr("everword_search.retrieval.arms.semantic.EXACT_PASSAGES", 2)
    assert contents(await search(knowing, "Which pets do we have?", "SEMANTIC")) == exact


async def statements_of(stack: Stack, spans: InMemorySpanExporter, **fields: Any) -> list[str]:
    """Return the statements that a search by meaning executes to find passages."""
    with trace.get_tracer("caller").start_as_current_span("caller"):
        carrier: dict[str, str] = {}
        propagate.inject(carrier)
        request = pb.SearchRequest(
            query=f"{TOLD[0]} {TOLD[3]}", mode=pb.SEARCH_MODE_SEMANTIC, **fields
        )
        await stack.search.Search(request, metadata=tuple(carrier.items()))
    names = [span.name for span in trace_of(spans.get_finished_spans(), "caller")]
    spans.clear()
    return [name for name in names if name.startswith("find_semantic")]


async def test_broad_filter_is_detected_once_and_then_uses_the_vector_index(
    knowing: Stack, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Explained searches always go to the database.
    statements = partial(statements_of, knowing, spans, explain=True)
    only = MemoryFilter(roles=[ROLE_USER])
    exact = ["find_semantic_exact"]
    assert await statements() == exact
    assert await statements(filter=only) == exact
    monkeypatch.setattr("everword_search.retrieval.arms.semantic.EXACT_PASSAGES", 2)
    large = await statements(page_size=1)
    # If the index returns too few hits, a statement checks whether an exact comparison is feasible.
    assert large[0] == "find_semantic_hnsw"
    large = await statements(filter=only)
    # The index finds too few passages for an answer, so these are compared after all, up to another limit.
    assert large == [*exact, "find_semantic_hnsw", *exact]
    assert await statements(filter=only) == ["find_semantic_hnsw", *exact]
    monkeypatch.setattr("everword_search.retrieval.arms.semantic.MOST_COMPARED", 3)
    # Too many to compare: the index is the only way, and reads more.
    assert await statements(filter=only) == ["find_semantic_hnsw", *exact, "find_semantic_hnsw"]
    assert await statements(filter=only) == ["find_semantic_hnsw"]
    # Another filter, and other large sets of candidates, are counted separately.
    narrow = MemoryFilter(roles=[ROLE_USER], tags=["none"])
    assert await statements(filter=narrow) == exact
    monkeypatch.setattr("everword_search.retrieval.arms.semantic.EXACT_PASSAGES", 1000)
    assert await statements(filter=only) == exact


async def test_semantic_search_falls_back_to_exact_if_most_memories_are_automated(
    knowing: Stack, spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats = [message(f"heartbeat {n}", automated=True) for n in range(4)]
    await append(knowing, *beats)
    monkeypatch.setattr("everword_search.retrieval.arms.semantic.EXACT_PASSAGES", len(TOLD))
    found = await statements_of(knowing, spans)
    assert found == ["find_semantic_hnsw", "find_semantic_exact"]


def indexes_of(stack: Stack, generation: int) -> dict[str, tuple[int, bool]]:
    """Return the indexes of a generation's vectors by name: their identity, and whether they are valid."""
    with stack.database.connect() as conn:
        rows = conn.execute(
            "SELECT c.relname, c.oid, x.indisvalid FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid "
            "WHERE c.relname ~ format('^memory_vectors_%%s_.*embedding_idx$', %s::bigint)",
            [generation],
        ).fetchall()
    return {name: (oid, is_valid) for name, oid, is_valid in rows}


def interrupt_index(stack: Stack, generation: int) -> dict[str, tuple[int, bool]]:
    """Leave the state of a switch of generations that was killed while indexing the third partition."""
    with stack.database.connect() as conn:
        for part in (1, 2):
            conn.execute(
                f"CREATE INDEX memory_vectors_{generation}_p{part}_embedding_idx "
                f"ON memory_vectors_{generation}_p{part} USING hnsw (embedding public.halfvec_cosine_ops)".encode()
            )
        conn.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass",
            [f"memory_vectors_{generation}_p2_embedding_idx"],
        )
    return indexes_of(stack, generation)


async def test_model_switch_causes_no_failed_or_mixed_search(knowing: Stack) -> None:
    """Searches and appends continue during a switch from 384 to 256 dimensions and back.

    Appends are throttled while the queue is drained; otherwise it might never become empty.
    """
    generations = Generations(knowing.database.admin_url)
    stop = asyncio.Event()
    searched = appended = allowed = 0

    def allow_appends(*_: int) -> None:
        nonlocal allowed
        allowed = appended + 10

    async def search_all_the_time() -> None:
        nonlocal searched
        while not stop.is_set():
            response = await search(knowing, "Which pets do we have?", "SEMANTIC")
            assert contents(response)[0] == TOLD[0]
            searched += 1

    async def append_all_the_time() -> None:
        nonlocal appended
        while not stop.is_set():
            if appended < allowed:
                await append(knowing, f"The meter reading of day {appended} was {appended * 7}.")
                appended += 1
            await asyncio.sleep(0.02)

    loops = [asyncio.create_task(search_all_the_time()), asyncio.create_task(append_all_the_time())]
    for dimensions in (256, 384):
        new = NewGeneration("local", "all-MiniLM-L6-v2", dimensions, matryoshka=True)
        added = await asyncio.to_thread(generations.add, new)
        with pytest.raises(GenerationError, match="not complete"):
            await asyncio.to_thread(generations.switch, added)
        assert indexes_of(knowing, added) == {}, "it is made once the vectors are there"
        interrupted = interrupt_index(knowing, added)
        for _ in range(20):  # Each round leaves less to do.
            allow_appends()
            await embed_everything(knowing)
            with suppress(GenerationError):
                # Each built part of the index allows more appends.
                await asyncio.to_thread(generations.switch, added, allow_appends)
                break
        assert generations.get(added).state == "active"
        made = indexes_of(knowing, added)
        assert len(made) == 5, "of each partition, and over all"
        assert all(is_valid for _, is_valid in made.values())
        kept = [name for name, index in interrupted.items() if made[name] == index]
        assert kept == [f"memory_vectors_{added}_p1_embedding_idx"]
    await asyncio.sleep(0.2)
    stop.set()
    await asyncio.gather(*loops)
    assert searched > 5
    assert appended > 20
    await embed_everything(knowing)
    first, second, third = generations.list()
    assert [first.state, second.state, third.state] == ["retiring", "retiring", "active"]
    assert (third.pending, third.failed) == (0, 0)
    with pytest.raises(GenerationError, match="may still use"):
        generations.drop(first.id)
    with pytest.raises(GenerationError, match="is active"):
        generations.drop(third.id)
    generations.drop(first.id, grace_s=0)
    with knowing.database.connect() as conn:
        [kept] = conn.execute(
            f"SELECT count(*) FROM memory_vectors_{third.id}".encode()
        ).fetchone() or (0,)
        [passages] = conn.execute("SELECT count(*) FROM memories").fetchone() or (0,)
    assert kept == passages


async def test_a_search_is_one_trace_through_its_arms_and_the_embedding(
    knowing: Stack, spans: InMemorySpanExporter
) -> None:
    with trace.get_tracer("caller").start_as_current_span("caller"):
        carrier: dict[str, str] = {}
        propagate.inject(carrier)
        await knowing.search.Search(
            pb.SearchRequest(query="a question not asked before"), metadata=tuple(carrier.items())
        )
    names = [span.name for span in trace_of(spans.get_finished_spans(), "caller")]
    assert "everword.v1.SearchService/Search" in names
    assert "everword.internal.v1.EmbedderService/Embed" in names
    assert "find_semantic_exact" in names
    assert "find_lexical" in names
    assert any(name.startswith("embeddings ") for name in names)


@pytest.mark.parametrize("mode", ["SEMANTIC", "HYBRID"])
async def test_query_operators_apply_to_semantic_results(knowing: Stack, mode: str) -> None:
    assert contents(await search(knowing, "Which pets do we have?", mode))[0] == TOLD[0]
    without = contents(await search(knowing, "Which pets, and what food to avoid? -cat", mode))
    assert without[0] == TOLD[2]
    assert TOLD[0] not in without
    assert contents(await search(knowing, 'pets "the certificate"', mode)) == [TOLD[1]]
    assert contents(await search(knowing, "+cat NOT cat", mode)) == []


@pytest.mark.parametrize("mode", ["SEMANTIC", "HYBRID"])
async def test_query_with_only_exclusions_skips_the_semantic_arm(knowing: Stack, mode: str) -> None:
    response = await search(knowing, "-mushrooms NOT violin", mode)
    assert not response.results
    meaning = state(response, pb.SEARCH_ARM_SEMANTIC)
    assert meaning.state == pb.ArmReport.STATE_SKIPPED
    assert "leave out" in meaning.reason


async def test_excluded_terms_are_not_part_of_the_query_vector(knowing: Stack) -> None:
    """Otherwise the nearest neighbours of an excluded word would rank first."""
    alone = await search(knowing, "music lessons", "SEMANTIC")
    without = await search(knowing, "music lessons -budget -quarterly", "SEMANTIC")
    scores = {result.memory.content: result.score for result in alone.results}
    assert [(result.memory.content, result.score) for result in without.results] == [
        (content, scores[content]) for content in scores if "budget" not in content
    ]
