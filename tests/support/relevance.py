"""A stack whose relevance can be measured and calibrated."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from everword.db.calibrations import Calibrations
from everword.domain.calibration import CalibratedProfile, Calibration
from everword.v1 import search_service_pb2 as pb
from support.background import embed_everything
from support.calls import append
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.running_stack import embed_with
from support.scripted_embedder import ScriptedEmbedder
from support.stack import Stack, running_stack

QUERY = "cutover of 10.20.4.17"
#: No memory contains all of these words, so the floor decides the verdict.
IN_PART = "postponed cutover of 10.20.4.17"
#: Search options by configuration that can be calibrated.
WAYS: dict[str, dict[str, Any]] = {
    "recall": {"mode": "HYBRID"},
    "balanced": {"mode": "HYBRID", "profile": "balanced"},
    "lexical": {"mode": "LEXICAL"},
    "semantic": {"mode": "SEMANTIC"},
    "trigram": {"mode": "TRIGRAM"},
}
way = pytest.mark.parametrize("way", WAYS)


@asynccontextmanager
async def stack_with_history(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    """Run a stack with a few messages and an embedding model for which no calibration is shipped."""
    with ScriptedEmbedder(8).running() as model:
        embed_with(database, model)
        async with running_stack(database) as stack:
            await append(
                stack,
                "The cutover of the orders is on 10.20.4.17.",
                "Who decides about the cutover?",
                "10.20.4.18 is the standby.",
                "Marta waters the ferns.",
                *(f"Note {number} about the cutover and 10.20.4.{number}." for number in range(30)),
            )
            await embed_everything(stack)
            yield stack


async def search(stack: Stack, way: str, query: str = QUERY, **fields: Any) -> pb.SearchResponse:
    return await stack.search.Search(search_request(query, **WAYS[way], **fields))


async def evidence(stack: Stack, way: str, query: str = QUERY) -> list[float]:
    """Return the evidence of all hits."""
    response = await search(stack, way, query, explain=True, page_size=200)
    assert all(result.explanation.HasField("evidence") for result in response.results)
    return [result.explanation.evidence for result in response.results]


def measured(
    way: str, found: list[float], floor: float, model: str = "scripted"
) -> CalibratedProfile:
    """Return a calibration that maps the least evidence to irrelevant and the most to certain."""
    knots = (min(found), max(found) + 1e-9)
    return CalibratedProfile(way, model, Calibration(knots, (0.0, 1.0), floor))


def store(stack: Stack, *calibrations: CalibratedProfile) -> None:
    Calibrations(stack.database.admin_url).store(calibrations)


def ids(response: pb.SearchResponse) -> list[str]:
    return [result.memory.id for result in response.results]
