"""Regular expressions: in long messages, and with bounded time."""

from __future__ import annotations

import asyncio
from unittest.mock import patch

import grpc
import pytest

from everword_search.retrieval.arms import regex as regex_arm
from support.callers import make_namespaces, within
from support.calls import append
from support.corpus import search_request
from support.refusals import refused
from support.stack import Stack


async def test_regex_returns_matching_passage_of_a_long_message(stack: Stack) -> None:
    long = " ".join(f"Sentence {n} says little." for n in range(400)) + " The needle is here."
    await append(stack, long)
    response = await stack.search.Search(search_request("NEEDLE is", "REGEX"))
    (result,) = response.results
    assert "The needle is here." in result.passage
    assert len(result.passage) < 1000
    assert result.memory.content == long[:2000]
    assert result.memory.content_truncated


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*)(.*)(.*)(.*)b$", "(a*)*b"])
async def test_regex_with_catastrophic_backtracking_ends_within_deadline(
    stack: Stack, pattern: str
) -> None:
    await append(stack, "a" * 30_000 + "!", session_key="long")
    await stack.search.Search(search_request(pattern, "REGEX"), timeout=20)


async def test_a_regular_expression_that_does_not_finish_is_refused(stack: Stack) -> None:
    await append(stack, "ab" * 1900)
    with (
        patch.object(regex_arm, "TIME_LIMIT_S", 0.05),
        patch.object(regex_arm.RegexArm, "time_limit_s", 0.05),
    ):
        # Back references are beyond finite automata.
        request = search_request(r"(.+)(.+)(.+)\3\2\1", "REGEX")
        refusal = await refused(stack.search.Search(request, timeout=20))
    assert refusal.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert refusal.reason == "REGEX_TOO_EXPENSIVE"


async def test_slow_regexes_of_one_namespace_do_not_block_another(stack: Stack) -> None:
    """Without the limit, 40 such searches of one tenant slowed another tenant's search from 10 ms to some seconds."""
    await make_namespaces(stack, "flood", "other")
    for namespace in ("flood", "other"):
        await append(stack, "ab" * 1900, metadata=within(namespace))
    # Back references are beyond finite automata.
    slow = search_request(r"(.+)(.+)(.+)\3\2\1", "REGEX")
    calls = [
        asyncio.ensure_future(refused(stack.search.Search(slow, metadata=within("flood"))))
        for _ in range(40)
    ]
    await asyncio.sleep(0.5)
    found = await stack.search.Search(search_request("ab+", "REGEX"), metadata=within("other"))
    assert found.results
    # One by one, they would take 40 seconds.
    assert any(call.done() for call in calls)
    assert {(await call).reason for call in calls} == {"OVERLOADED", "REGEX_TOO_EXPENSIVE"}
