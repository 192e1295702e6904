"""A tool call without text gets a sentence that describes it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from everword.v1 import context_service_pb2 as context
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from everword_compactor.jobs.context import ToolSettings
from everword_compactor.maintenance import backfill
from support.background import embed_everything
from support.callers import make_namespaces, within
from support.calls import append, append_request, message, target
from support.command_line import everword
from support.databases import DatabaseUnderTest
from support.scripted_chat import Body, Reply, ScriptedChat, answer, status, user_text
from support.stack import Stack, running_stack
from support.tool_calls import (
    chat_settings,
    consulted,
    indexed_sentences,
    queued,
    stored_sentences,
    tool_call,
    write_pending_sentences,
)
from support.waits import until

#: A word that no call contains, so only the sentence can match it.
SENTENCE = "Consulted src/auth.rs for the login routine."
TEMPLATE = "Called read_file with path “src/auth.rs”: “fn login() { todo!() }”."


@pytest.fixture
def server() -> Iterator[ScriptedChat]:
    with ScriptedChat(consulted).running() as server:
        yield server


@pytest.fixture
async def modelled(database: DatabaseUnderTest, server: ScriptedChat) -> AsyncIterator[Stack]:
    """A stack whose compactor uses the model."""
    async with running_stack(database, chat=chat_settings(server), embedder=False) as stack:
        yield stack


async def _tell(stack: Stack, *calls: memory_pb2.NewMessage, **where: Any) -> list[str]:
    request = append_request(*calls, **where)
    return [entry.message_id for entry in (await stack.ingest.AppendMessages(request)).messages]


async def _search(stack: Stack, query: str, mode: str = "HYBRID") -> list[pb.SearchResult]:
    asked = pb.SearchRequest(query=query, mode=pb.SearchMode.Value(f"SEARCH_MODE_{mode}"))
    return list((await stack.search.Search(asked)).results)


async def _backfill(stack: Stack, *, limit: int = 0, dry_run: bool = False) -> int:
    request = maintenance.BackfillRequest(
        target=maintenance.BACKFILL_TARGET_TOOL_SENTENCES, dry_run=dry_run, limit=limit
    )
    return (await stack.maintenance.Backfill(request)).items


async def test_only_tool_calls_without_text_enqueue_a_sentence(
    stack: Stack,
) -> None:
    block = memory_pb2.ContentBlock(type="text", text="Here it is.")
    ids = await _tell(
        stack,
        tool_call(),
        tool_call(content=" \n\t"),
        tool_call(content="Let me look."),
        message("Only words."),
        tool_call(content_blocks=[block]),
        tool_call(automated=True),
    )
    assert set(queued(stack.database)) == set(ids[:2])
    assert await write_pending_sentences(stack)
    assert set(stored_sentences(stack.database)) == set(ids[:2])
    # A backfill gets the same result.
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM tool_sentences")
    assert await _backfill(stack, dry_run=True) == 2


async def test_reads_return_original_content_and_synthesized_content(
    stack: Stack, server: ScriptedChat
) -> None:
    stored = await append(stack, tool_call(), message("I read it."))
    memory_id = stored.messages[0].message_id
    request = pb.GetMemoryRequest(memory_id=memory_id)
    before = (await stack.search.GetMemory(request)).memory
    await write_pending_sentences(stack, server)
    after = (await stack.search.GetMemory(request)).memory
    assert after.synthesized_content == SENTENCE
    after.ClearField("synthesized_content")
    assert after == before
    many = await stack.search.BatchGetMemories(pb.BatchGetMemoriesRequest(memory_ids=[memory_id]))
    browsed = await stack.search.Browse(pb.BrowseRequest())
    found = await _search(stack, "auth.rs")
    memories = [*many.memories, browsed.memories[1], found[0].memory]
    assert [each.id for each in memories] == [memory_id] * 3
    assert [each.synthesized_content for each in memories] == [SENTENCE] * 3
    assert [each.content for each in memories] == [before.content] * 3
    assert not any(each.content_truncated for each in memories)
    for order in (memory_pb2.ORDER_NEWEST_FIRST, memory_pb2.ORDER_OLDEST_FIRST):
        listed = await stack.search.ListMessages(
            pb.ListMessagesRequest(conversation_id=stored.conversation_id, order=order)
        )
        by_id = {each.id: each for each in listed.messages}
        assert by_id[memory_id].synthesized_content == SENTENCE
        assert by_id[memory_id].body.content == ""
        assert by_id[memory_id].body.tool_args == '{"path": "src/auth.rs"}'
        assert by_id[stored.messages[1].message_id].synthesized_content == ""


async def test_sentence_does_not_change_content_of_a_long_tool_call(
    stack: Stack, server: ScriptedChat
) -> None:
    lines = "".join(f"Line {n} of the file says something of its own.\n" for n in range(200))
    [memory_id] = await _tell(stack, tool_call(tool_result=lines))
    whole = pb.GetMemoryRequest(memory_id=memory_id)
    beginning = pb.BrowseRequest(max_content_chars=100)
    before = (await stack.search.GetMemory(whole)).memory.content
    cut = (await stack.search.Browse(beginning)).memories[0]
    await write_pending_sentences(stack, server)
    assert (await stack.search.GetMemory(whole)).memory.content == before
    after = (await stack.search.Browse(beginning)).memories[0]
    assert (after.content, after.content_truncated) == (cut.content, True)
    results = await _search(stack, "consulted")
    assert [result.passage for result in results] == [SENTENCE]
    assert not results[0].memory.content.startswith("Consulted")


@pytest.mark.parametrize("mode", ["HYBRID", "LEXICAL", "REGEX"])
async def test_search_finds_tool_call_by_words_of_its_sentence(
    stack: Stack, server: ScriptedChat, mode: str
) -> None:
    [memory_id] = await _tell(stack, tool_call())
    await _tell(stack, message("The weather is fine."), session_key="other")
    assert await _search(stack, "consulted", mode) == []
    await write_pending_sentences(stack, server)
    results = await _search(stack, "consulted", mode)
    assert [result.memory.id for result in results] == [memory_id]
    assert results[0].passage == SENTENCE


async def test_semantic_search_finds_tool_call_by_its_sentence(
    database: DatabaseUnderTest, server: ScriptedChat
) -> None:
    async with running_stack(database) as stack:
        [memory_id] = await _tell(stack, tool_call("k9/zz.bin", tool_result="0x00"))
        await _tell(stack, message("Lea is vegetarian."), session_key="other")
        await write_pending_sentences(stack, server)
        await embed_everything(stack)
        results = await _search(stack, "Where did we look up how people sign in?", "SEMANTIC")
        assert results[0].memory.id == memory_id
        assert results[0].passage == "Consulted k9/zz.bin for the login routine."


async def test_context_shows_the_sentence_that_matched_the_query(
    stack: Stack, server: ScriptedChat
) -> None:
    await _tell(stack, tool_call())
    await write_pending_sentences(stack, server)
    built = await stack.context.BuildContext(context.BuildContextRequest(query="consulted"))
    assert SENTENCE in built.text
    assert "…" not in built.text


async def test_tool_call_in_unindexed_channel_gets_a_sentence_outside_the_index(
    stack: Stack, server: ScriptedChat
) -> None:
    with stack.database.connect() as conn:
        conn.execute("""UPDATE namespaces SET channel_policies = '{"discord": {"index": false}}'""")
    request = append_request(tool_call())
    request.conversation.CopyFrom(target("s", channel="discord"))
    stored = await stack.ingest.AppendMessages(request)
    await write_pending_sentences(stack, server)
    listed = await stack.search.ListMessages(
        pb.ListMessagesRequest(conversation_id=stored.conversation_id)
    )
    assert listed.messages[0].synthesized_content == SENTENCE
    assert indexed_sentences(stack.database) == {}
    assert (await stack.search.GetStats(pb.GetStatsRequest())).corpus.passages == 0


async def test_corpus_counts_and_embedding_queue_match_index_after_rewrite(
    stack: Stack, server: ScriptedChat
) -> None:
    await _tell(stack, tool_call("a.py"), tool_call("b.py"), message("Words."))
    await write_pending_sentences(stack)
    with stack.database.connect() as conn:
        conn.execute("UPDATE tool_sentence_queue SET state = 'pending'")
        [queue] = conn.execute("SELECT count(*) FROM embedding_queue").fetchall()
    assert queue == (5,)
    # Rewrite by a model, which must leave nothing of the template's sentences.
    async with running_stack(
        stack.database, chat=chat_settings(server), embedder=False
    ) as modelled:
        assert await _backfill(modelled) == 2
    await write_pending_sentences(stack, server)
    with stack.database.connect() as conn:
        [counted] = conn.execute(
            "SELECT sum(passages), sum(lexemes), sum(messages) FROM corpus_counts"
        ).fetchall()
        [there] = conn.execute(
            "SELECT count(*), sum(lexeme_count), count(DISTINCT source_id) FROM memories"
        ).fetchall()
        orphans = conn.execute(
            """SELECT count(*) FROM embedding_queue q
                 LEFT JOIN memories m ON m.namespace_id = q.namespace_id AND m.id = q.memory_id
                WHERE m.id IS NULL"""
        ).fetchall()
    assert counted == there == (5, there[1], 3)
    assert orphans == [(0,)]


async def test_template_sentence_is_replaced_by_backfill_with_a_model(
    modelled: Stack, server: ScriptedChat
) -> None:
    [memory_id] = await _tell(modelled, tool_call())
    await write_pending_sentences(modelled)
    assert stored_sentences(modelled.database) == {memory_id: (TEMPLATE, "template")}
    assert await _backfill(modelled) == 1
    assert await _backfill(modelled) == 0
    # Until it is replaced, the old sentence stays.
    assert indexed_sentences(modelled.database) == {memory_id: TEMPLATE}
    await write_pending_sentences(modelled, server)
    assert stored_sentences(modelled.database) == {memory_id: (SENTENCE, "scripted-chat")}
    assert indexed_sentences(modelled.database) == {memory_id: SENTENCE}
    assert await _backfill(modelled, dry_run=True) == 0


async def test_template_never_replaces_a_model_sentence(stack: Stack, server: ScriptedChat) -> None:
    [memory_id] = await _tell(stack, tool_call())
    await write_pending_sentences(stack, server)
    with stack.database.connect() as conn:
        conn.execute("UPDATE tool_sentences SET prompt_version = 0")
    assert await _backfill(stack) == 1
    await write_pending_sentences(stack)
    assert stored_sentences(stack.database) == {memory_id: (SENTENCE, "scripted-chat")}
    assert indexed_sentences(stack.database) == {memory_id: SENTENCE}
    assert queued(stack.database) == {}


async def test_tool_call_with_malformed_arguments_gets_a_sentence(stack: Stack) -> None:
    odd = [
        '{"path": "\\ud800 \\u0000"}',
        "[" * 5000,
        '{"path": ' + "[" * 900 + "]" * 900 + "}",
        "null",
        "not json at all",
        json.dumps({f"key {n}": "v" * 300 for n in range(40)}),
        "",
    ]
    ids = await _tell(stack, *(tool_call(tool_args=args) for args in odd))
    assert set((await write_pending_sentences(stack)).values()) == {"done"}
    assert set(stored_sentences(stack.database)) == set(ids)
    assert all(10 <= len(text) <= 500 for text, _ in stored_sentences(stack.database).values())


async def test_backfill_obeys_its_limit_and_continues_on_the_next_call(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backfill, "MESSAGES", 3)
    await _tell(stack, *(tool_call(f"{n}.py") for n in range(10)), message("Words."))
    with stack.database.connect() as conn:
        conn.execute("DELETE FROM tool_sentence_queue")
        conn.execute("DELETE FROM jobs")
    assert await _backfill(stack, dry_run=True) == 10
    assert await _backfill(stack, dry_run=True, limit=4) == 4
    assert queued(stack.database) == {}
    assert await _backfill(stack, limit=4) == 4
    assert len(queued(stack.database)) == 4
    assert await _backfill(stack, limit=100) == 6
    assert await _backfill(stack) == 0
    await write_pending_sentences(stack)
    assert len(stored_sentences(stack.database)) == 10
    assert await _backfill(stack) == 0


async def test_backfill_command_with_wait_returns_when_sentences_are_written(
    modelled: Stack, server: ScriptedChat
) -> None:
    command = ("backfill", "tool-sentences")
    await _tell(modelled, *(tool_call(f"{n}.py") for n in range(3)))
    with modelled.database.connect() as conn:
        conn.execute("DELETE FROM tool_sentence_queue")
        conn.execute("DELETE FROM jobs WHERE task = 'tool-sentences'")
    counted = await everword(modelled, *command, "--dry-run", "--limit", "2", "--json")
    assert counted.json() == {"items": 2}
    assert queued(modelled.database) == {}
    shown = await everword(modelled, *command, "--limit", "1")
    assert shown.output == "1 tool calls get a sentence\n"
    waiting = asyncio.create_task(everword(modelled, *command, "--wait"))
    await until(lambda: len(queued(modelled.database)) == 3)
    await asyncio.sleep(0.5)
    assert not waiting.done()
    await write_pending_sentences(modelled, server)
    finished = await waiting
    assert (finished.status, finished.output) == (0, "2 tool calls get a sentence\n")
    assert len(stored_sentences(modelled.database)) == 3


def _refusing(path: str) -> Callable[[Body], Reply]:
    """Return a model that refuses requests about calls with this path, and answers others."""

    def reply(request: Body) -> Reply:
        if path in user_text(request):
            return status(400)
        return consulted(request) if '"path"' in user_text(request) else answer()

    return reply


async def test_queue_status_and_backfill_commands_report_failed_tool_calls(
    modelled: Stack, server: ScriptedChat
) -> None:
    [memory_id] = await _tell(modelled, tool_call())
    server.reply = _refusing("src/")
    await write_pending_sentences(modelled, server)
    shown = await everword(modelled, "queue-status")
    assert memory_id in shown.output
    server.always = status(500)
    waiting = asyncio.create_task(everword(modelled, "backfill", "tool-sentences", "--wait"))
    await until(lambda: queued(modelled.database)[memory_id][0] == "pending")
    await write_pending_sentences(modelled, server)
    finished = await waiting
    assert finished.status == 1
    assert "1 tool calls are pending" in finished.errors


async def test_tool_sentences_are_written_per_namespace(stack: Stack, server: ScriptedChat) -> None:
    await make_namespaces(stack, "ours", "theirs")
    await append(stack, tool_call("ours.py"), metadata=within("ours"))
    await append(stack, tool_call("theirs.py"), metadata=within("theirs"))
    await write_pending_sentences(stack, server)
    for name in ("ours", "theirs"):
        browsed = await stack.search.Browse(pb.BrowseRequest(), metadata=within(name))
        assert [each.synthesized_content for each in browsed.memories] == [
            f"Consulted {name}.py for the login routine."
        ]


async def test_new_tool_calls_are_processed_while_failed_ones_wait_for_retry(
    stack: Stack, server: ScriptedChat
) -> None:
    """A job that waits for a pause to end is due at once when new calls arrive."""
    patient = ToolSettings(pauses_s=(3600.0,))
    server.reply = _refusing("a.py")
    [unlucky] = await _tell(stack, tool_call("a.py"))
    assert set((await write_pending_sentences(stack, server, patient)).values()) == {"pending"}
    [lucky] = await _tell(stack, tool_call("b.py"))
    await write_pending_sentences(stack, server, patient)
    assert set(stored_sentences(stack.database)) == {lucky}
    assert set(queued(stack.database)) == {unlucky}


async def test_tool_sentence_requests_are_recorded_in_the_usage_ledger(
    stack: Stack, server: ScriptedChat
) -> None:
    await _tell(stack, tool_call("a.py"), tool_call("b.py"))
    await write_pending_sentences(stack, server)
    with stack.database.connect() as conn:
        rows = conn.execute(
            "SELECT task, model, outcome, input_tokens > 0, output_tokens > 0 FROM usage_ledger"
        ).fetchall()
    assert rows == [("tool-sentence", "scripted-chat", "ok", True, True)] * 2
