"""Significant records are stored verbatim, are found, and never change."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import grpc
import pytest

from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as search
from support.background import embed_everything
from support.calendar_checks import check_calendar
from support.calls import append, message
from support.compaction import compact_everything, roll_up_everything
from support.dag import SIGNIFICANT
from support.refusals import refused
from support.stack import Stack

WORDS = "We named the heron Archibald."


def significant(content: str = WORDS, **fields: Any) -> ingest.RecordSignificantRequest:
    return ingest.RecordSignificantRequest(content=content, **fields)


def row(stack: Stack) -> tuple[Any, ...]:
    with stack.database.connect() as conn:
        [found] = conn.execute("SELECT * FROM summaries WHERE level = 8").fetchall()
    return found


async def test_significant_record_is_searchable_at_once_and_embedded_later(stack: Stack) -> None:
    made = await stack.ingest.RecordSignificant(
        significant(title="The heron", instance="phone", agent="opus", subject="emi")
    )
    query = search.SearchRequest(
        query="heron",
        mode=search.SEARCH_MODE_LEXICAL,
        at_least_as_fresh=made.consistency_token,
    )
    [hit] = (await stack.search.Search(query)).results
    found = hit.memory
    assert (found.id, found.content, found.kind) == (
        made.summary_id,
        WORDS,
        memory_pb2.MEMORY_KIND_SUMMARY,
    )
    assert (found.instance, found.agent, found.subject) == ("phone", "opus", "emi")
    await embed_everything(stack)
    waited = ingest.WaitForIndexingRequest(
        consistency_token=made.consistency_token, stage=ingest.INDEXING_STAGE_EMBEDDED
    )
    await stack.ingest.WaitForIndexing(waited, timeout=60)
    with stack.database.connect() as conn:
        assert conn.execute("SELECT count(*) FROM memory_vectors_1").fetchone() == (1,)


async def test_significant_record_keeps_occur_time_of_the_request(stack: Stack) -> None:
    request = significant()
    request.occur_time.FromDatetime(datetime(2024, 2, 29, 12, tzinfo=UTC))
    made = await stack.ingest.RecordSignificant(request)
    read = search.GetMemoryRequest(memory_id=made.summary_id)
    found = (await stack.search.GetMemory(read)).memory
    assert found.occur_time.ToDatetime(UTC) == datetime(2024, 2, 29, 12, tzinfo=UTC)


async def test_repeated_request_id_records_significant_once(stack: Stack) -> None:
    first = await stack.ingest.RecordSignificant(significant(request_id="r"))
    again = await stack.ingest.RecordSignificant(significant(request_id="r"))
    assert (first.replayed, again.replayed) == (False, True)
    assert first.summary_id == again.summary_id
    assert again.consistency_token
    row(stack)
    refusal = await refused(stack.ingest.RecordSignificant(significant("Another.", request_id="r")))
    assert refusal.reason == "REQUEST_ID_CONFLICT"
    assert refusal.code is grpc.StatusCode.ALREADY_EXISTS


@pytest.mark.parametrize("field", ["content", "title"])
async def test_record_significant_rejects_invalid_field(stack: Stack, field: str) -> None:
    wrong = {"content": ""} if field == "content" else {"title": "x" * 257}
    refusal = await refused(stack.ingest.RecordSignificant(significant(**wrong)))
    assert refusal.fields == {field}


async def test_roll_ups_do_not_change_significant_records(stack: Stack) -> None:
    request = significant(instance="phone")
    request.occur_time.FromDatetime(datetime(2022, 6, 1, 12, tzinfo=UTC))
    await stack.ingest.RecordSignificant(request)
    before = row(stack)
    for year in range(2022, 2026):
        entry = message(f"It is {year}.", instance="phone")
        entry.create_time.FromDatetime(datetime(year, 6, 1, 12, tzinfo=UTC))
        await append(stack, entry)
        await roll_up_everything(stack, now=datetime(year + 1, 2, 1, tzinfo=UTC))
    await compact_everything(stack)
    dag = check_calendar(stack.database)
    assert len(dag.of_level(4, 5, 6, 7)) == 16
    [kept] = dag.of_level(SIGNIFICANT)
    assert row(stack) == before
    assert not any(kept.id in node.children for node in dag.nodes.values())
