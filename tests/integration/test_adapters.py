"""Everword as the memory of agent frameworks, with the frameworks themselves, and the code on the
documentation page.
"""

from __future__ import annotations

import asyncio
import json
import random
import runpy
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import grpc
import jsonschema
import pytest
import pytest_asyncio
from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore
from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage, MockLLM

import everword.client
from everword.adapters.errors import to_built_in
from everword.adapters.langgraph import EverwordStore
from everword.adapters.langgraph.filters import matches
from everword.adapters.llama_index import EverwordMemory
from everword.adapters.tools import Tools
from everword.client import AsyncEverword, CallError, Everword
from everword.v1 import note_pb2, note_service_pb2
from support.databases import cloned
from support.documents import ROOT, code_blocks
from support.earlier import earlier
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            yield stack


@pytest.fixture(autouse=True)
def opened(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Everword]]:
    """Let `Everword()` find the services, and close each instance that a snippet creates."""
    for name in ("ingest", "search", "compactor"):
        monkeypatch.setenv(f"EVERWORD_{name.upper()}_ADDRESS", stack.addresses[name])
    made: list[Everword] = []

    def make(**arguments: str) -> Everword:
        made.append(Everword(**arguments))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(everword.client, "Everword", make)
    yield made
    for each in made:
        each.close()


@pytest_asyncio.fixture(loop_scope="module")
async def memory() -> AsyncIterator[Everword]:
    memory = Everword(agent="helper")
    yield memory
    await asyncio.to_thread(memory.close)


def _shown(items: list[Any]) -> list[Any]:
    return sorted(({**each.dict(), "created_at": 0, "updated_at": 0} for each in items), key=repr)


def _use(store: BaseStore) -> list[Any]:
    """Run the store operations that a graph may use; return their results."""
    ana, bo = ("own", "users", "ana"), ("own", "users", "bo", "likes")
    odd = {"text": 'First line\nsecond "line"\\n \\ and\ttab', "n": {"deep": [1, None, True, "ü"]}}
    store.put(ana, "a..b", odd)
    store.put(ana, "k", {"color": "red", "size": 3})
    store.put(ana, "k", {"color": "blue", "size": 3, "place": {"city": "Rome"}})
    store.put(bo, ".k", {"color": "red", "size": 5})
    store.put(("own", "user"), "k", {"color": "red"})
    store.put(bo, "gone", {"color": "red"})
    store.delete(bo, "gone")
    store.delete(bo, "never there")
    wanted: list[dict[str, Any]] = [
        {"color": "red"},
        {"color": "blue", "size": {"$gte": 3, "$lt": 5}},
        {"color": {"$ne": "red"}},
        {"place": {"city": {"$eq": "Rome"}}},
        {"n": {"deep": [1, None, True, "ü"]}},
    ]
    store.batch([PutOp((), ".top", {"color": "red"}), PutOp((), "t..op", {"color": "blue"})])
    new = PutOp(("own", "batch"), "x", {"v": 1})
    last = PutOp(("own", "batch"), "x", {"v": 2})
    return [
        [each and each.value for each in (store.get(ana, "a..b"), store.get(ana, "none"))],
        *(_shown(store.search(("own",), filter=each)) for each in wanted),
        _shown(store.search(("own", "users"))),
        len(store.search(("own",), limit=2)),
        len(store.search(("own",), limit=10, offset=3)),
        store.batch([new, SearchOp(("own", "batch")), last]),
        _shown(store.search(("own", "batch"))),
        store.list_namespaces(prefix=("own",)),
        _shown(store.batch([GetOp((), ".top"), GetOp((), "t..op")])),
        () in store.list_namespaces(max_depth=1),
        store.list_namespaces(prefix=("own", "users")),
        store.list_namespaces(prefix=("own", "*", "bo")),
        store.list_namespaces(prefix=("own",), suffix=("likes",)),
        store.list_namespaces(prefix=("own",), max_depth=2),
        store.list_namespaces(prefix=("own",), limit=1, offset=1),
    ]


async def test_store_returns_same_results_as_langgraph_in_memory_store(memory: Everword) -> None:
    """No conformance tests for stores exist, so the library's own in-memory store is the reference."""
    expected = _use(InMemoryStore())
    assert await asyncio.to_thread(_use, EverwordStore(memory)) == expected


def _value(chance: random.Random, depth: int = 2) -> Any:
    """Return a JSON value, or a filter of one, from few enough words that some match."""
    plain = [None, True, 0, 1, 2.0, 10**400, "1", "2026-04-18", "nan", ""]
    kind = chance.choice(["plain", "plain", "list", "fields", "fields", "operators"])
    if kind == "plain" or not depth:
        return chance.choice(plain)
    if kind == "list":
        return [_value(chance, depth - 1) for _ in range(chance.randrange(3))]
    names = ["a", "b"] if kind == "fields" else ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]
    chosen = chance.sample(names, chance.randrange(len(names) if kind == "fields" else 2))
    return {name: _value(chance, depth - 1) for name in chosen}


async def test_store_filters_match_same_values_as_langgraph_in_memory_store() -> None:
    chance, decided, own = random.Random(7), list[bool](), InMemoryStore()
    for _ in range(3_000):
        value, wanted = ({"a": _value(chance), "$gt": 1} for _ in range(2))
        own.put(("x",), "k", value)
        found = matches(value, wanted)
        try:
            expected = bool(own.search(("x",), filter=wanted))
        except (TypeError, ValueError, OverflowError):
            continue  # Everword answers even if LangGraph's own store fails.
        assert found == expected, (value, wanted)
        decided.append(found)
    assert min(sum(decided), len(decided) - sum(decided)) > 300
    assert matches({"day": "2026-04-19"}, {"day": {"$gt": "2026-04-18"}})


async def test_store_search_finds_items_by_words_within_namespace(memory: Everword) -> None:
    store = EverwordStore(memory)
    likes = ("people", "ana", "likes")
    await store.aput(likes, "coffee", {"text": "Milk?\nEspresso without sugar."})
    await store.aput(likes, "tea", {"text": "Green tea in the evening.", "old": True})
    await store.aput(("people", "bo"), "coffee", {"text": "Espresso with sugar."})
    await store.aput(("people", "ana"), "hidden", {"text": "Espresso."}, index=False)
    found = await store.asearch(("people", "ana"), query="an espresso")
    assert [(each.namespace, each.key) for each in found] == [(likes, "coffee")]
    assert 0 < (found[0].score or 0) <= 1
    assert len(await store.asearch(("people",), query="espresso")) == 2
    assert await store.asearch(("people",), query="espresso", filter={"old": True}) == []
    assert await store.asearch(("peop",), query="espresso") == []
    # Values that a graph stores are found by all other interfaces.
    assert "Espresso without sugar" in await Tools(memory).acall("memory_search", {"query": "milk"})
    first = await store.aget(likes, "coffee")
    await store.aput(likes, "coffee", {"text": "None any more."})
    second = await store.aget(likes, "coffee")
    assert first is not None
    assert second is not None
    assert first.created_at == second.created_at < second.updated_at
    assert [each.key for each in await store.asearch(likes, query="espresso")] == []


async def test_store_items_expire_unless_reads_refresh_their_ttl(
    stack: Stack, memory: Everword
) -> None:
    store = EverwordStore(memory, ttl={"default_ttl": 1})

    async def end() -> datetime:
        note = await memory.arun(lambda client: client.read_note("langgraph/ends..read"))
        assert note is not None
        return note.proto.body.expire_time.ToDatetime()

    await store.aput(("ends",), "read", {"text": "A pangolin."})
    await store.aput(("ends",), "kept", {"text": "A pangolin."}, ttl=None)
    await store.aput(("ends",), "soon", {"text": "A pangolin."}, ttl=0.01)
    first = await end()
    await asyncio.sleep(0.7)
    assert await store.aget(("ends",), "soon") is None
    assert sorted(each.key for each in await store.asearch(("ends",))) == ["kept", "read"]
    assert len(await store.asearch(("ends",), query="pangolin")) == 2
    assert await end() == first
    await store.aget(("ends",), "read", refresh_ttl=True)
    second = await end()
    assert second - first >= timedelta(seconds=0.7)
    # A wrong clock, or a slow call, does not change its lifetime.
    with stack.database.connect() as owner:
        owner.execute(
            f"UPDATE note_versions SET written_at = {earlier('written_at', -40)}".encode()
        )
    await store.asearch(("ends",), query="pangolin", refresh_ttl=True)
    third = await end()
    assert timedelta(0) < third - second < timedelta(seconds=30)
    life = third - datetime.now(UTC).replace(tzinfo=None)
    assert timedelta(seconds=30) < life <= timedelta(minutes=1)


async def _write(note: note_pb2.NewNote, memory: AsyncEverword) -> None:
    request = note_service_pb2.WriteNoteRequest(note=note)
    await memory.freshness.write((await memory.client()).note_service.WriteNote(request))


async def test_store_ignores_notes_that_are_not_valid_items(memory: Everword) -> None:
    store, here = EverwordStore(memory), ("others",)
    await store.aput(here, "own", {"text": "An okapi."})
    for key, content in (
        ("langgraph/others..text", "An okapi, in words."),
        ("langgraph/others..list", '["An okapi."]'),
        ("langgraph/others..deep", '{"okapi":' * 2_000),
        ("langgraph/others", '{"text": "An okapi."}'),
    ):
        tags = ["langgraph/", "langgraph/others."]
        note = note_pb2.NewNote(key=key, kind="langgraph_item", content=content, tags=tags)
        await memory.arun(partial(_write, note))
    for key in ("text", "list", "deep"):
        assert await store.aget(here, key) is None
    for query in (None, "okapi"):
        assert [each.key for each in await store.asearch(here, query=query)] == ["own"]


async def test_store_raises_errors_defined_by_langgraph(memory: Everword) -> None:
    store = EverwordStore(memory)
    with pytest.raises(InvalidNamespaceError, match="14 labels"):
        await store.aput(tuple("abcdefghijklmno"), "k", {})
    await store.aput(tuple("abcdefghijklmn"), "k", {}, ttl=1)
    with pytest.raises(InvalidNamespaceError):
        await store.abatch([PutOp(("a.b",), "k", {})])
    with pytest.raises(ValueError, match="content"):
        await store.aput(("large",), "k", {"text": "x" * 300_000})
    await store.aput(("one",), "k", {"v": 1})
    with pytest.raises(ValueError, match="operator"):
        await store.asearch(("one",), filter={"v": {"$in": [1]}})
    away = to_built_in(CallError(grpc.StatusCode.UNAVAILABLE, "Nobody is there."))
    assert isinstance(away, ConnectionError)
    broken = (("notes[0]", "is too long."), ("key", "is missing"))
    wrong = CallError(grpc.StatusCode.INVALID_ARGUMENT, "Two rules.", violations=broken)
    assert str(to_built_in(wrong)).endswith("Two rules. notes[0]: is too long. key: is missing.")
    other = CallError(grpc.StatusCode.NOT_FOUND, "There is none.")
    assert to_built_in(other) is other


async def test_langgraph_example_agent_remembers_earlier_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example = ROOT / "examples" / "langgraph_agent.py"
    assert len(example.read_text(encoding="utf-8").splitlines()) <= 60
    for said in ("What is my boat called?", "My boat is called Iris.", "What is my boat called?"):
        monkeypatch.setattr(sys, "argv", [str(example), said])
        await asyncio.to_thread(runpy.run_path, str(example), run_name="__main__")
    answers = capsys.readouterr().out.splitlines()
    assert answers == ["I do not know.", "I will remember that.", "It is called Iris."]


async def test_llama_index_chat_engine_remembers_earlier_session(memory: Everword) -> None:
    def chat(session: str, text: str) -> str:
        kept = EverwordMemory(memory=memory, session=session, subject="cleo")
        engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=kept)
        return str(engine.chat(text))  # The scripted model repeats the prompt.

    await asyncio.to_thread(chat, "monday", "My parrot is called Hugo.")
    assert "Hugo" in await asyncio.to_thread(chat, "tuesday", "What is my parrot called?")


async def test_llama_index_memory_returns_turns_unchanged(memory: Everword) -> None:
    kept = EverwordMemory(memory=memory, subject="dan", turns=3)
    assert await kept.aget() == []
    call = ToolCallBlock(tool_call_id="c1", tool_name="add", tool_kwargs={"a": 1, "b": 2})
    turns = [
        ChatMessage("What is one and two?", role="user"),
        ChatMessage([call], role="assistant"),
        ChatMessage("3", role="tool", additional_kwargs={"tool_call_id": "c1"}),
        ChatMessage("It is three.", role="assistant"),
    ]
    await kept.aput_messages(turns)
    assert await kept.aget_all() == turns
    first, *latest = await kept.aget("two?")
    assert latest == turns[1:]
    # A system message summarises the turns before the latest ones.
    assert (first.role, "What is one and two?" in str(first.content)) == ("system", True)
    assert "It is three." not in str(first.content)
    none = EverwordMemory(memory=memory, subject="dan", session=kept.session, turns=0)
    [told] = await none.aget("two?")
    assert "It is three." in str(told.content)
    session = kept.session
    await kept.aset([*turns, ChatMessage("Thanks.", role="user")])
    assert (kept.session, len(await kept.aget_all())) == (session, 5)
    await kept.aset(turns[:1])
    assert kept.session != session
    assert await kept.aget_all() == turns[:1]
    await kept.areset()
    assert await kept.aget_all() == []
    with pytest.raises(ValueError, match="content"):
        await kept.aput(ChatMessage("x" * 1_100_000, role="user"))


async def test_tools_offer_valid_schemas_and_answer_any_arguments(memory: Everword) -> None:
    tools = Tools(memory, ["memory", "notes", "graph"])
    offered = {each["name"]: each["input_schema"] for each in tools.anthropic()}
    assert [each["function"]["parameters"] for each in tools.openai()] == list(offered.values())
    for schema in offered.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    assert '"title": "' not in json.dumps(list(offered.values()))
    assert offered["memory_search"]["required"] == ["query"]
    assert offered["memory_search"]["properties"]["limit"]["maximum"] == 50
    note = '{"key": "deploy", "content": "Push the quetzal tag."}'
    assert "version 1" in await tools.acall("memory_write", note)
    assert "quetzal tag" in await tools.acall("memory_search", {"query": "quetzal", "limit": 3})
    nodes = {"nodes": [{"label": "Ana", "type": "person"}]}
    assert "1 nodes" in await tools.acall("graph_write_batch", nodes)
    # Any arguments of a model get an answer.
    assert "no such note" in await tools.acall("memory_get", {"key": "nowhere"})
    assert "limit" in await tools.acall("memory_search", {"query": "x", "limit": 900})
    assert "memory_search takes" in await tools.acall("memory_search", "{")
    advice = "write a time such as 2026-05-14"
    assert advice in await tools.acall("memory_browse", {"since": "soon"})
    # UTC has neither of these moments.
    for since, shown in (("0001-01-01T00:00+05:00", True), ("9999-12-31T23:59-05:00", False)):
        assert ("quetzal" in await tools.acall("memory_browse", {"since": since})) is shown
    assert "memory_browse" in await tools.acall("remember_all", {})
    with pytest.raises(ValueError, match="no set 'everything'"):
        Tools(memory, ["everything"])


def _scripted(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Call the first offered tool, and then repeat its answer."""
    if messages[-1]["role"] == "tool":
        return {"role": "assistant", "content": messages[-1]["content"]}
    arguments = json.dumps({"query": messages[-1]["content"]})
    function = {"name": tools[0]["function"]["name"], "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": "1", "function": function}]}


async def test_code_blocks_of_agents_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    store, chat, tools = code_blocks("docs/agents.md", "python")

    def run(code: str) -> dict[str, Any]:
        names: dict[str, Any] = {"__name__": "page"}
        exec(code, names)
        return names

    await asyncio.to_thread(run, store)
    assert capsys.readouterr().out == "coffee I take my espresso without sugar.\n"
    await asyncio.to_thread(run, chat)
    assert "The VPN drops every day at noon." in capsys.readouterr().out
    answer: Callable[..., str] = (await asyncio.to_thread(run, tools))["answer"]
    assert "drops every day" in await asyncio.to_thread(
        answer, _scripted, "When does the VPN drop?"
    )
