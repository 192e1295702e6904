"""A stack whose relevance can be measured and calibrated."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from support.background import embed_everything
from support.calls import append
from support.databases import DatabaseUnderTest
from support.running_stack import embed_with
from support.scripted_embedder import ScriptedEmbedder
from support.stack import Stack, running_stack


@asynccontextmanager
async def told_stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    """Lend a stack that was told a few things, with a model that nothing is shipped for."""
    with ScriptedEmbedder(8).running() as model:
        embed_with(database, model)
        async with running_stack(database, semantic=True) as stack:
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
