"""Embedding models of servers, folders and hubs: chosen on the command line, up to 4,000 dimensions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

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
from support.fake_hub import FakeHub
from support.model_folders import write_minilm
from support.scripted_embedder import ScriptedEmbedder
from support.stack import Stack, running_stack

PETS = ("cat", "pets")


class PetModel(ScriptedEmbedder):
    """A model that recognises cats; other texts with the same words are similar."""

    def vector(self, text: str) -> NDArray[np.float32]:
        if any(word in text for word in PETS):
            return super().vector("pet")
        words = [word.strip(".,?") for word in text.split()]
        total: NDArray[np.float32] = np.sum(
            [super(PetModel, self).vector(word) for word in words], axis=0
        )
        return total


@pytest.fixture
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    async with running_stack(database) as stack:
        yield stack


async def models(stack: Stack, *arguments: str, **variables: str) -> CommandResult:
    """Run a command while the embedder's worker makes the pending vectors."""
    owner = {"EVERWORD_ADMIN_DATABASE_URL": stack.database.admin_url}
    running = asyncio.create_task(everword(stack, "models", *arguments, **owner, **variables))
    while not running.done():
        await embed_everything(stack)
        await asyncio.sleep(0.1)
    return await running


async def meant(stack: Stack, question: str) -> list[str]:
    """Return what a search by meaning alone finds."""
    found = await stack.search.Search(search_request(question, "SEMANTIC", min_score=0.4))
    return [result.memory.content for result in found.results]


async def test_custom_model_server_is_added_built_and_used_for_search(
    stack: Stack,
) -> None:
    """BGE-M3 as Ollama serves it: 1,024 dimensions, without truncation or base64 vectors."""
    model = PetModel(1024, vllm=False, binary=False)
    model.model = "bge-m3"
    await append(stack, "Our cat sleeps on the radiator.", "The budget was approved.")
    with model.running():
        [added] = (await models(stack, "add", "bge-m3", "--url", model.url, "--json")).json()
        assert (added["state"], added["model"]) == ("building", "bge-m3")
        assert added["dimensions"] == 1024
        switched = (await models(stack, "switch", "bge-m3")).output
        assert "generation 2 (bge-m3) is active" in switched
        assert await meant(stack, "Which pets do we have?") == ["Our cat sleeps on the radiator."]
        checked = (await everword(stack, "doctor", "--json")).json()
        [server] = [each["found"] for each in checked if each["check"] == "embedding server"]
        assert server.startswith("1024 dimensions, tokens unknown, vectors in JSON, last request")
        await models(stack, "drop", "1", "--grace", "0")
        listed = (await models(stack, "list", "--json")).json()
    assert [(each["model"], each["state"]) for each in listed] == [("bge-m3", "active")]


async def test_model_of_a_hub_is_added_built_searched_and_switched_back_from(
    stack: Stack, tmp_path: Path
) -> None:
    """Only needed files are downloaded; a message of the meantime gets its old model's vector on the way back."""
    folder = write_minilm(tmp_path / "minilm")
    (folder / "model.safetensors").write_bytes(b"not needed")
    hub = FakeHub("acme/minilm", folder)
    home = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home")}
    await append(stack, "Our cat sleeps on the radiator.", "The budget was approved.")
    with hub.running():
        added = await models(stack, "add", "acme/minilm", "--switch", **home)
    assert "generation 2 (acme/minilm) is active" in added.output, added.errors
    assert "23.4 MB" in added.output
    assert "model.safetensors" not in hub.downloaded
    assert await meant(stack, "Where does the cat sleep?") == ["Our cat sleeps on the radiator."]
    await append(stack, "A dog barks in the yard.")
    back = await models(stack, "switch", "minilm-e5", "--json")
    [again] = back.json()
    assert (again["id"], again["state"], again["embedded"]) == (1, "active", 3)
    assert await meant(stack, "Which animal is barking outside?") == ["A dog barks in the yard."]
    unreachable = await models(stack, "add", "acme/other", **home)
    assert unreachable.status == 1
    assert "cannot be reached (ConnectError); give a folder" in unreachable.errors


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
