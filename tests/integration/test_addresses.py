"""Every memory has an address and tiers: directories list abstracts, and clients open the entries they need."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from urllib.parse import quote

import grpc
import pytest
import pytest_asyncio

from everword.domain.memory_kinds import MemoryKind
from everword.text.tiers import abstract, overview
from everword.v1 import address_pb2 as pb
from everword.v1 import fact_query_service_pb2 as profile
from everword.v1 import graph_query_service_pb2 as graph
from everword.v1 import memory_pb2, note_pb2
from everword.v1 import search_service_pb2 as search
from support.calls import TOOL, append, message
from support.command_line import everword
from support.compaction import ScriptedComposer, compact_everything
from support.corpus import search_request
from support.databases import cloned
from support.document_calls import write as write_document
from support.foreign_written import remember_request
from support.graphs import node
from support.graphs import write as write_graph
from support.lore import entry as lore_entry
from support.lore import import_book
from support.notes import write
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

LONG = (
    "Hi! The cutover of the orders database is on Saturday 14 March at 21:30. Mara decided it after a call. "
    "Żółć naïve 日本語 👨‍👩‍👧‍👦 stay whole. "
) * 20
ABSTRACT, OVERVIEW = memory_pb2.TIER_ABSTRACT, memory_pb2.TIER_OVERVIEW


@dataclass(frozen=True)
class World:
    """A namespace with a memory of each kind."""

    stack: Stack
    conversation_id: str


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(postgres_url: str) -> AsyncIterator[World]:
    """One world for all tests, which do not write, except the last."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            call = message("", role=TOOL, tool_name="play", tool_args='{"song": "Autumn Leaves"}')
            stored = await append(stack, LONG, call, *(f"Line {n} of many." for n in range(1, 30)))
            for key in ("deploy process", "a/b?c", ""):
                await write(stack, f"Steps of {key or 'nothing'}. {LONG}", key)
            await write(
                stack, "A note of opus.", "deploy process", scope=note_pb2.NoteScope(agent="opus")
            )
            await stack.facts.Remember(remember_request("Lisbon"))
            await write_graph(stack, node("Mara"))
            await write_document(stack, "Runbook", "# Orders\n\nStop the workers first.")
            await import_book(stack, [lore_entry("Westmark", "A duchy.", "westmark")], agent="opus")
            await compact_everything(stack, ScriptedComposer("scripted"))
            await append(stack, "Another conversation begins.", session_key="t")
            yield World(stack, stored.conversation_id)


async def entries(stack: Stack, address: str, page_size: int = 7) -> list[pb.AddressEntry]:
    request = pb.ListAddressRequest(address=address, page_size=page_size)
    found: list[pb.AddressEntry] = []
    while True:
        page = await stack.search.ListAddress(request)
        assert len(page.entries) <= page_size
        found += page.entries
        request.page_token = page.next_page_token
        if not page.next_page_token:
            return found


async def walk(stack: Stack, address: str = "") -> dict[str, pb.AddressEntry]:
    """Return all entries below an address, by address."""
    found = {}
    for entry in await entries(stack, address):
        assert entry.address not in found
        found[entry.address] = entry
        if entry.directory:
            found |= await walk(stack, entry.address)
    return found


async def test_address_tree_lists_every_memory_once_with_its_abstract(world: World) -> None:
    stack = world.stack
    found = await walk(stack)
    browsed = await stack.search.Browse(search.BrowseRequest(page_size=200))
    leaves = {each.memory_id: each for each in found.values() if not each.directory}
    assert leaves.keys() == {memory.id for memory in browsed.memories}
    assert {each.kind for each in leaves.values()} >= {1, 2, 3, 4, 5, 6, 7}
    for memory in browsed.memories:
        entry = leaves[memory.id]
        assert entry.address == memory.address
        assert entry.kind == memory.kind
        whole = await stack.search.GetMemory(search.GetMemoryRequest(memory_id=memory.id))
        text = whole.memory.synthesized_content or whole.memory.content
        assert entry.abstract == abstract(text)
        assert 0 < len(entry.abstract) <= 100
    for entry in found.values():
        read = await stack.search.ReadAddress(pb.ReadAddressRequest(address=entry.address))
        assert read.entry == entry
        assert read.memory.id == entry.memory_id


async def test_list_address_describes_directories_by_abstract(world: World) -> None:
    """A comparable product listed only a count of entries (`12 entries`), without their topics."""
    listed = {each.name: each for each in await entries(world.stack, "viking://default")}
    of_kinds = {kind.traits.directory[0] for kind in MemoryKind if kind.traits.directory}
    assert list(listed) == sorted({"conversations"} | of_kinds)
    assert all(each.directory and each.abstract for each in listed.values())
    conversations = await entries(world.stack, listed["conversations"].address)
    assert conversations[0].abstract == "Another conversation begins."
    [summed] = [each for each in conversations if each.name == world.conversation_id]
    assert summed.directory
    summaries = await entries(world.stack, f"{summed.address}/summaries")
    assert summed.abstract in {each.abstract for each in summaries}
    messages = await entries(world.stack, f"{summed.address}/messages")
    assert [each.name for each in messages] == [str(n) for n in range(1, 32)]
    assert messages[0].abstract.startswith("The cutover of the orders database")


async def test_tiers_return_same_text_from_every_read_method(world: World) -> None:
    stack = world.stack
    address = f"viking://default/conversations/{world.conversation_id}/messages/1"
    texts = {ABSTRACT: abstract(LONG), OVERVIEW: overview(LONG), memory_pb2.TIER_FULL: LONG}
    for tier, text in texts.items():
        read = await stack.search.ReadAddress(pb.ReadAddressRequest(address=address, tier=tier))
        by_id = search.GetMemoryRequest(memory_id=read.memory.id, tier=tier)
        got = await stack.search.GetMemory(by_id)
        assert got.HasField("message") is (tier == memory_pb2.TIER_FULL)
        batch = search.BatchGetMemoriesRequest(memory_ids=[read.memory.id], tier=tier)
        [batched] = (await stack.search.BatchGetMemories(batch)).memories
        only = memory_pb2.MemoryFilter(
            kinds=[memory_pb2.MEMORY_KIND_MESSAGE], conversation_ids=[world.conversation_id]
        )
        browse = search.BrowseRequest(
            filter=only, order=memory_pb2.ORDER_OLDEST_FIRST, max_content_chars=9999, tier=tier
        )
        listed = (await stack.search.Browse(browse)).memories[0]
        query = search_request(
            "cutover orders database", "LEXICAL", tier=tier, filter=only, max_content_chars=9999
        )
        hit = (await stack.search.Search(query)).results[0]
        assert bool(hit.passage) is (tier == memory_pb2.TIER_FULL)
        for memory in (read.memory, got.memory, batched, listed, hit.memory):
            assert memory.content == text
            assert memory.address == address
            assert memory.content_truncated is (tier != memory_pb2.TIER_FULL)


async def test_read_address_resolves_notes_by_key_and_by_id(world: World) -> None:
    stack = world.stack
    listed = await entries(stack, "viking://default/notes")
    names = [each.name for each in listed]
    assert names[2:] == ["a/b?c", "deploy process"]
    assert names[0] == listed[0].memory_id  # The first note of the agent opus.
    assert names[1] == listed[1].memory_id  # Without a key.
    keyed = listed[2]
    assert keyed.address == "viking://default/notes/" + quote("a/b?c", safe="")
    for other in (
        f"viking://default/notes/{keyed.memory_id}",
        f"viking://default/memories/{keyed.memory_id}",
        keyed.address + "/",
    ):
        read = await stack.search.ReadAddress(pb.ReadAddressRequest(address=other))
        assert read.entry.address == keyed.address


async def test_read_address_resolves_fact_and_node_ids_to_current_memory(world: World) -> None:
    stack = world.stack
    [fact] = (await stack.fact_queries.ListFacts(profile.ListFactsRequest())).facts
    drawn = (await stack.graph_queries.ListNodes(graph.ListNodesRequest())).nodes
    for place, id_ in (("facts", fact.id), *(("graph/nodes", each.id) for each in drawn)):
        request = pb.ReadAddressRequest(address=f"viking://default/{place}/{id_}")
        read = await stack.search.ReadAddress(request)
        listed = await entries(stack, f"viking://default/{place}")
        assert read.entry in listed


async def test_invalid_addresses_are_not_found(world: World) -> None:
    stack = world.stack
    some = f"viking://default/conversations/{world.conversation_id}"
    [fact] = await entries(stack, "viking://default/facts")
    root, id_ = "viking://default", fact.memory_id
    unknown = [
        *("x", "http://default", "viking:/default", "viking://other", f"{root}//notes"),
        *(f"{root}/nothing", f"{root}/notes/nothing", f"{root}/notes/%ff", f"{root}/notes/%00"),
        *(f"{some}/messages/{name}" for name in ("0", "01", "99", "-1", "1/2", "²", 10**30)),
        *(f"{some}/summaries/{id_}", f"{root}/graph/nodes/{id_}", f"{root}/conversations/{id_}"),
        *(f"{root}/conversations/x", f"{root}/conversations/{world.conversation_id.upper()}"),
    ]
    for address in unknown:
        gone = await refused(stack.search.ReadAddress(pb.ReadAddressRequest(address=address)))
        assert (gone.code, gone.reason) == (grpc.StatusCode.NOT_FOUND, "ADDRESS_NOT_FOUND"), address
        missing = await refused(stack.search.ListAddress(pb.ListAddressRequest(address=address)))
        assert missing.reason == "ADDRESS_NOT_FOUND", address
    memory = await refused(stack.search.ListAddress(pb.ListAddressRequest(address=fact.address)))
    assert memory.violations == {"address": "is a memory and no directory: read it"}
    draw = random.Random(35)
    for _ in range(100):
        parts = draw.choices(
            ["default", "notes", "conversations", "%", "..", "é", "1", "*", "a b"], k=4
        )
        request = pb.ReadAddressRequest(address="viking://" + "/".join(parts))
        assert (await refused(stack.search.ReadAddress(request))).reason == "ADDRESS_NOT_FOUND"


async def test_cli_ls_and_cat_list_and_print_addresses(world: World) -> None:
    listed = await everword(world.stack, "ls", "viking://default/notes")
    assert "deploy process" in listed.output
    assert "a%2Fb%3Fc" in listed.output
    assert "Steps of deploy process." in listed.output
    root = await everword(world.stack, "ls")
    assert "conversations/" in root.output
    short = await everword(world.stack, "cat", "viking://default/notes/a%2Fb%3Fc", "--abstract")
    assert short.output.startswith("Steps of a/b?c.")
    assert len(short.output) <= 101
    whole = await everword(world.stack, "cat", "viking://default/notes/deploy process")
    assert whole.output.rstrip("\n") == f"Steps of deploy process. {LONG}".rstrip("\n")
    gone = await everword(world.stack, "cat", "viking://default/notes/gone")
    assert gone.status == 1
    assert "ADDRESS_NOT_FOUND" in gone.errors
