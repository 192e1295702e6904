"""A reader of text that is erased meanwhile stores nothing of it; no read returns hidden rows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
import pytest
import pytest_asyncio

from everword.db.blocking import BlockingDatabase
from everword.domain.settings import NO_SECRET
from everword.jobs.store import StartedJob
from everword.jobs.task import JobRun
from everword.v1 import erasure_service_pb2 as pb
from everword.v1 import fact_pb2
from everword.v1 import fact_service_pb2 as facts
from everword_embedder.queue.drain import Drain
from everword_embedder.queue.remote import RemoteEmbedder
from everword_ingest.erasure.resumer import ErasureResumer
from everword_ingest.messages import append_messages
from support.background import embed_everything
from support.cached_search import find, warm_up
from support.calls import append, append_request, message
from support.compaction import ScriptedComposer, compact_everything, roll_up_everything
from support.databases import cloned
from support.erasure_checks import erase, rows_with
from support.every_read import answers, known_values
from support.refusals import refused
from support.sleep_calls import Mind, Records, observing, sleep
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests: each test has a conversation and a token of its own."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            yield stack


async def say(stack: Stack, token: str) -> str:
    """Append a message with a token, and some more; return its id."""
    said = await append(
        stack,
        message(f"The {token} lives in Oslo now.", author="Bo"),
        *(f"The clock strikes {n}." for n in range(11)),
        session_key=token[2:6],
    )
    return said.messages[0].message_id


def once(stack: Stack, message_id: str) -> Callable[[], None]:
    """Return a function that erases a message from another thread, the first time it is called."""
    loop, done = asyncio.get_running_loop(), list[int]()

    def interrupt() -> None:
        if not done:
            done.append(1)
            asyncio.run_coroutine_threadsafe(erase(stack, message_id=message_id), loop).result(30)

    return interrupt


@pytest.mark.parametrize("axis", ["conversation", "calendar"])
async def test_summary_of_messages_erased_during_composition_is_not_stored(
    stack: Stack, axis: str
) -> None:
    token = f"zq{axis}9k"
    erase_once = once(stack, await say(stack, token))
    composer = ScriptedComposer()
    composer.on_compose = lambda draft: (
        erase_once() if any(token in each.text for each in draft.sources) else None
    )
    later = datetime.now(UTC) + timedelta(days=400)
    if axis == "conversation":
        await compact_everything(stack, composer)
    else:
        await roll_up_everything(stack, composer, later)
    assert any(token in each.text for draft in composer.drafts for each in draft.sources)
    assert rows_with(stack, token) == {}
    await compact_everything(stack, composer)
    await roll_up_everything(stack, composer, later)
    assert rows_with(stack, token) == {}


async def test_messages_are_hidden_from_a_transaction_that_ignores_pending_erasures(
    stack: Stack,
) -> None:
    await say(stack, "zqtold9k")
    options = "-c role=everword_search -c search_path=everword"
    with psycopg.connect(stack.database.service_url, options=options) as conn:
        conn.execute("SET everword.namespace_id = '1'")
        query = "SELECT EXISTS (SELECT FROM messages)"
        assert conn.execute(query).fetchone() == (True,)
        conn.execute("SET everword.hides = '1'")
        assert conn.execute(query).fetchone() == (False,)


class _Interrupted:
    """A model that calls a function while it works."""

    def __init__(self, model: RemoteEmbedder, interrupt: Callable[[], None]) -> None:
        self._model, self._interrupt = model, interrupt

    def embed(
        self, generation_id: int, texts: Sequence[str], *, queries: bool = False
    ) -> npt.NDArray[np.float32]:
        found = self._model.embed(generation_id, texts)
        self._interrupt()
        return found


async def test_vector_of_a_message_erased_during_embedding_is_not_stored(stack: Stack) -> None:
    await embed_everything(stack)
    erase_once = once(stack, await say(stack, "zqvector9k"))

    def work() -> None:
        database = BlockingDatabase(stack.database.settings("embedder"), "embedder")
        database.open()
        with (
            closing(database),
            closing(RemoteEmbedder(stack.addresses["embedder"], NO_SECRET)) as model,
        ):
            job = StartedJob(1, 1, "embed", "shard-0", 1, 1, 1, None)
            interrupted = _Interrupted(model, erase_once)
            Drain(database, interrupted).run(JobRun(job, lambda: None, lambda: None))

    await asyncio.to_thread(work)
    with stack.database.connect() as conn:
        strays = conn.execute(
            "SELECT memory_id FROM memory_vectors_1 v "
            "WHERE NOT EXISTS (SELECT FROM memories m WHERE m.id = v.memory_id)"
        ).fetchall()
    assert strays == []
    assert rows_with(stack, "zqvector9k") == {}


async def test_facts_of_a_message_erased_during_sleep_are_not_stored(stack: Stack) -> None:
    token = "zqsleep9k"
    erase_once = once(stack, await say(stack, token))
    asked: list[Records] = []

    def observe(records: Records) -> Any:
        if any(token in each["text"] for each in records["messages"]):
            asked.append(records)
            erase_once()
        return observing((f"The {token} lives in Oslo now.", "residence", f"Oslo {token}"))(records)

    mind = Mind({"sleep-observe": observe})
    await sleep(stack, mind)
    assert asked, "it was read before it was erased"
    assert rows_with(stack, token) == {}
    await sleep(stack, mind)
    assert rows_with(stack, token) == {}


async def test_uncommitted_append_is_erased_with_its_conversation(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "zqappend9k"
    said = await append(stack, "first", session_key="on-its-way")
    written, go_on = asyncio.Event(), asyncio.Event()
    schedule = vars(append_messages)["schedule_work"]

    async def held(*arguments: Any) -> None:
        await schedule(*arguments)
        written.set()
        await go_on.wait()

    monkeypatch.setattr(append_messages, "schedule_work", held)
    appending = asyncio.ensure_future(
        stack.ingest.AppendMessages(append_request(f"The {token}.", session_key="on-its-way"))
    )
    await written.wait()
    erasing = asyncio.ensure_future(erase(stack, conversation_id=said.conversation_id))
    await asyncio.sleep(0.3)
    assert not erasing.done(), "it waits for what is being appended"
    go_on.set()
    await appending
    assert (await erasing).erasure.state == pb.ERASURE_STATE_DONE
    assert rows_with(stack, token) == {}


async def test_fact_with_evidence_from_a_message_being_erased_leaves_no_rows(stack: Stack) -> None:
    token = "zqproof9k"
    message_id = await say(stack, token)
    request = facts.RememberRequest(
        subject="bo",
        attribute="residence",
        value=f"Oslo {token}",
        evidence=[fact_pb2.NewEvidence(message_id=message_id)],
    )
    erased, remembered = await asyncio.gather(
        erase(stack, message_id=message_id), refused_or_stored(stack, request)
    )
    assert erased.erasure.state == pb.ERASURE_STATE_DONE
    assert remembered in {"stored", "CONCURRENT_UPDATE", "MESSAGE_NOT_FOUND", "MEMORY_NOT_FOUND"}
    assert rows_with(stack, token) == {}


async def refused_or_stored(stack: Stack, request: facts.RememberRequest) -> str:
    try:
        await stack.facts.Remember(request)
    except Exception:
        return (await refused(stack.facts.Remember(request))).reason
    return "stored"


async def test_no_rpc_returns_rows_that_are_hidden_but_not_deleted_yet(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With and without a cache, in any mode, at any moment, before any row was deleted."""
    token = "zqhidden9k"
    monkeypatch.setattr("everword_ingest.erasure.erase.BATCH", 1)
    monkeypatch.setattr(ErasureResumer, "wake", lambda self: None)
    monkeypatch.setattr(ErasureResumer, "resume", _nothing)
    said = await append(
        stack,
        *(message(f"The {token} number {n}.", author=f"Al{token}") for n in range(12)),
        session_key=f"hidden-{token}",
    )
    await compact_everything(stack, ScriptedComposer())
    await roll_up_everything(stack, ScriptedComposer(), datetime.now(UTC) + timedelta(days=400))
    await embed_everything(stack)
    await warm_up(stack)
    known = known_values(token, said.messages[0].message_id, said.conversation_id, named="none")
    before = {
        name for name, answer in (await answers(stack, known)).items() if _told(answer, token)
    }
    assert {name.split()[0] for name in before} >= {"Search", "Browse", "GetMemory", "ListMessages"}
    erased = await erase(stack, author=f"Al{token}")
    assert erased.messages_left == 12
    assert "messages" in rows_with(stack, token)
    after = {name for name, answer in (await answers(stack, known)).items() if _told(answer, token)}
    # Only the conversation's key, chosen by its caller, still contains the token.
    assert {name.split()[0] for name in after} <= {
        *("ListConversations", "GetConversation", "ListAddress")
    }
    whole = await erase(stack, conversation_id=said.conversation_id)
    assert whole.messages_left == 12
    after = {name for name, answer in (await answers(stack, known)).items() if _told(answer, token)}
    assert after == set()
    assert (await find(stack, "clock"))[1], "it is answered from memory"


async def _nothing(self: ErasureResumer) -> None:
    """Delete nothing, so that hidden rows remain."""


def _told(answer: str, token: str) -> bool:
    return token in answer
