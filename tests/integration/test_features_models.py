"""Custom embedding models: chosen on the command line, up to 4,000 dimensions, in half precision."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest
from numpy.typing import NDArray

from everword.db.generations import Generations, NewGeneration
from everword.embedded.model import adopt_served_model
from support.background import embed_everything
from support.calls import append
from support.command_line import CommandResult, everword
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.scripted_embedder import ScriptedEmbedder
from support.stack import Stack, running_stack

PETS = ("cat", "pets")


class PetModel(ScriptedEmbedder):
    """A model that recognises cats."""

    def vector(self, text: str) -> NDArray[np.float32]:
        return super().vector("pet" if any(word in text for word in PETS) else text)


@pytest.fixture
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    async with running_stack(database) as stack:
        yield stack


async def models(stack: Stack, *arguments: str) -> CommandResult:
    owner = {"EVERWORD_ADMIN_DATABASE_URL": stack.database.admin_url}
    done = await everword(stack, "models", *arguments, **owner)
    assert done.status == 0, done.errors
    return done


async def test_custom_model_server_is_added_built_and_used_for_search(
    stack: Stack,
) -> None:
    """BGE-M3 as Ollama serves it: 1,024 dimensions, without truncation or base64 vectors."""
    model = PetModel(1024, vllm=False, binary=False)
    model.model = "bge-m3"
    await append(stack, "Our cat sleeps on the radiator.", "The budget was approved.")
    with model.running():
        add = ["add", "--provider", "openai", "--model", "bge-m3", "--dimensions", "1024"]
        [added] = (await models(stack, *add, "--endpoint", model.url, "--json")).json()
        assert (added["state"], added["model"]) == ("building", "bge-m3")
        await embed_everything(stack)
        number = str(added["id"])
        [built] = (await models(stack, "progress", number, "--json")).json()
        assert (built["pending"], built["failed"], built["passages"]) == (0, 0, 2)
        await models(stack, "switch", number)
        request = search_request("Which pets do we have?", "SEMANTIC", min_score=0.4)
        found = (await stack.search.Search(request)).results
        assert [result.memory.content for result in found] == ["Our cat sleeps on the radiator."]
        await models(stack, "drop", "1", "--grace", "0")
        listed = (await models(stack, "list", "--json")).json()
    assert [(each["model"], each["state"]) for each in listed] == [("bge-m3", "active")]


async def test_model_server_from_the_environment_is_adopted_at_start(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty memory uses it from the first message on; other memories keep their model meanwhile."""
    first, second = PetModel(16), PetModel(32)
    second.model = "newer"
    said: list[str] = []

    async def start(model: ScriptedEmbedder) -> list[tuple[str, str]]:
        monkeypatch.setenv("EVERWORD_EMBED_URL", model.url)
        admin_url = stack.database.admin_url
        await asyncio.to_thread(adopt_served_model, admin_url, model.url, said.append)
        return [(each.model, each.state) for each in Generations(admin_url).list()[1:]]

    with first.running(), second.running():
        assert await start(first) == [("scripted", "active")]
        assert await start(first) == [("scripted", "active")]
        await append(stack, "Our cat sleeps on the radiator.")
        await embed_everything(stack)
        assert any("radiator" in text for texts in first.texts for text in texts)
        assert said == []
        assert await start(second) == [("scripted", "active"), ("newer", "building")]
    [line] = said
    assert "everword models switch 3" in line


async def test_vectors_of_4000_dimensions_are_stored_in_half_precision_with_index(
    stack: Stack,
) -> None:
    """The model has more dimensions, and is declared to support truncation."""
    model = ScriptedEmbedder(4096, matryoshka=True)
    await append(stack, "Our cat sleeps on the radiator.")
    with model.running():
        new = NewGeneration("openai", "scripted", 4000, endpoint=model.url, matryoshka=True)
        generations = Generations(stack.database.admin_url)
        added = generations.add(new)
        await embed_everything(stack)
        generations.switch(added)
    [text] = [text for texts in model.texts for text in texts if "radiator" in text]
    right = model.vector(text)[:4000]
    with stack.database.connect() as conn:
        [(kind, stored)] = conn.execute(
            "SELECT format_type(a.atttypid, a.atttypmod), v.embedding::real[] "
            f"  FROM memory_vectors_{added} v JOIN pg_attribute a ON a.attrelid = v.tableoid "
            " WHERE a.attname = 'embedding'".encode()
        ).fetchall()
        indexes = conn.execute(
            "SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%%hnsw%%halfvec_cosine_ops%%' "
            "AND tablename LIKE %s",
            [f"memory\\_vectors\\_{added}\\_p%"],
        ).fetchone()
        partitions = conn.execute("SELECT partitions FROM deployment").fetchone()
    assert kind == "halfvec(4000)"
    np.testing.assert_allclose(stored, right / np.linalg.norm(right), atol=1e-4)
    assert indexes == partitions
