"""The embedder and the other services: pending vectors, and authorisation."""

from __future__ import annotations

import grpc
import pytest

from everword.internal.v1 import embedder_service_pb2 as pb
from everword_embedder import coverage
from support.callers import internal, make_namespaces, within
from support.calls import append
from support.databases import DatabaseUnderTest
from support.refusals import refused
from support.stack import Stack, running_stack


async def test_coverage_counts_pending_vectors_of_all_namespaces(stack: Stack) -> None:
    await make_namespaces(stack, "other")
    await append(stack, "One.", "Two.")
    await append(stack, "Three.", metadata=within("other"))
    with stack.database.connect() as conn:
        conn.execute(
            """UPDATE embedding_queue SET state = 'failed'
                WHERE memory_id = (SELECT min(memory_id) FROM embedding_queue)"""
        )
        [(active,)] = conn.execute(
            "SELECT id FROM model_generations WHERE state = 'active'"
        ).fetchall()
    found = await stack.embedder.GetCoverage(pb.GetCoverageRequest())
    assert found == pb.GetCoverageResponse(generation_id=active, pending=2, failed=1)
    assert await stack.embedder.GetCoverage(pb.GetCoverageRequest(generation_id=active)) == found


async def test_coverage_counts_up_to_the_cap(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "COUNT_CAP", 3)
    await append(stack, *["A message."] * 5)
    assert (await stack.embedder.GetCoverage(pb.GetCoverageRequest())).pending == 3


async def test_coverage_of_an_unknown_generation_is_a_field_violation(stack: Stack) -> None:
    refusal = await refused(stack.embedder.GetCoverage(pb.GetCoverageRequest(generation_id=99)))
    assert refusal.code == grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.fields == {"generation_id"}


async def test_embedder_refuses_calls_without_the_internal_token(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(database, internal_token="between-services", embedder=False) as stack:
        missing = await refused(stack.embedder.GetCoverage(pb.GetCoverageRequest()))
        wrong = await refused(
            stack.embedder.GetCoverage(pb.GetCoverageRequest(), metadata=internal("guessed"))
        )
        right = await stack.embedder.GetCoverage(
            pb.GetCoverageRequest(), metadata=internal("between-services")
        )
    assert (missing.code, missing.reason) == (
        grpc.StatusCode.UNAUTHENTICATED,
        "CREDENTIALS_MISSING",
    )
    assert (wrong.code, wrong.reason) == (
        grpc.StatusCode.UNAUTHENTICATED,
        "CREDENTIALS_INVALID",
    )
    assert right.pending == 0


async def test_local_model_is_loaded_and_measured_at_start(stack: Stack) -> None:
    described = await stack.embedder.DescribeModel(pb.DescribeModelRequest())
    assert {form.name for form in described.forms} == {"floats", "bytes"}
    assert sum(form.in_use for form in described.forms) == 1
    assert all(0 < form.question_ms < form.passage_ms * 10 for form in described.forms)
