"""Keys bound to an agent or a subject: for them, no call shows memories of other agents or subjects."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
import pytest_asyncio

from everword.chat.settings import ChatSettings
from everword.rpc.scopes import scope_table
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import context_service_pb2 as context
from everword.v1 import conversation_pb2 as conversation
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import memory_pb2 as memory
from everword.v1 import note_pb2 as notes
from everword.v1 import note_service_pb2 as note_service
from everword.v1 import search_service_pb2 as search
from support.callers import bearer
from support.calls import message, target
from support.cases import unchanged
from support.databases import cloned
from support.foreign_calls import empty_calls, refused_calls
from support.foreign_filled import fill_other_namespace
from support.foreign_namespaces import MODEL, NO_PAGE, NO_TOKEN, Theirs
from support.keyed_stack import keyed
from support.probes import public_methods
from support.refusals import Refusal, read_refusal, refused
from support.stack import Stack, running_stack

SHARED = pytest.mark.asyncio(loop_scope="module")
WRITE, ADMIN = admin.API_KEY_ROLE_WRITE, admin.API_KEY_ROLE_ADMIN
IN: dict[str, Any] = {"role": WRITE, "namespace": "theirs"}
OUT_OF_SCOPE = "KEY_OUT_OF_SCOPE"
SCOPED = {
    path.rpartition("/")[2]
    for path in scope_table([m.containing_service for m in public_methods()])
}
#: Tables that scoped calls see completely: ids, positions, counts, limits, words of names, vectors.
PLAIN = {
    *("append_requests", "author_names", "budgets", "budget_spending", "calendar_pending"),
    *("compaction_progress", "erased_external_ids", "importance_suggestions", "index_changes"),
    *("memory_classes", "memory_use", "memory_vectors_1"),
}
#: Tables of which they see rows of their agent or subject.
BELONGING = {
    *("conversations", "messages", "memories", "tool_sentences", "message_corrections"),
    *("summaries", "summary_sources", "topic_pages"),
    *("facts", "fact_intervals", "fact_evidence", "fact_changes"),
    *("graph_nodes", "graph_names", "graph_node_versions"),
    *("notes", "note_versions", "documents", "document_versions", "document_chunks"),
    *("lore_books", "lore_entries"),
}


@dataclass(frozen=True)
class Scoped:
    """A namespace with memories of other agents and subjects, and stacks that use keys bound within it."""

    theirs: Theirs
    #: Keys of an agent and of a subject without memories, of a writing agent, and of the whole namespace.
    agents: Stack
    subjects: Stack
    mine: Stack
    whole: Stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scoped(postgres_url: str) -> AsyncIterator[Scoped]:
    with cloned(postgres_url) as database:
        chat = ChatSettings("http://127.0.0.1:9", MODEL)
        async with running_stack(database, chat=chat, embedder=False) as stack:
            theirs = await fill_other_namespace(stack)
            operator = await _make(stack, (), role=ADMIN)
            by = bearer(operator)
            async with AsyncExitStack() as keys:
                stacks = [
                    await keys.enter_async_context(keyed(stack, await _make(stack, by, **key)))
                    for key in (
                        IN | {"agent": "a"},
                        IN | {"subject": "me"},
                        IN | {"agent": "mine"},
                        IN,
                    )
                ]
                yield Scoped(theirs, *stacks)


async def _make(stack: Stack, metadata: Any, **key: Any) -> str:
    request = admin.CreateApiKeyRequest(api_key=admin.ApiKey(**key))
    return (await stack.admin.CreateApiKey(request, metadata=metadata)).secret


async def _answered(call: Any) -> Any:
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        return read_refusal(error)


@SHARED
@pytest.mark.parametrize("who", ["agents", "subjects"])
async def test_scoped_key_cannot_read_or_change_memories_of_another_scope(
    scoped: Scoped, who: str
) -> None:
    """Uses the cases of isolation between namespaces, within the same namespace."""
    stack: Stack = getattr(scoped, who)
    await _answered(stack.search.Browse(search.BrowseRequest()))
    wrong = []
    with unchanged(stack.database):
        for case, (reason, call) in refused_calls().items():
            answer = await _answered(call(stack, scoped.theirs))
            # Tokens belong to the namespace, and do not reveal their content.
            shown = reason not in {NO_PAGE, NO_TOKEN} or "heir" in str(answer)
            if not _is_refused(case, answer) and shown:
                wrong.append((case, answer))
        for case, (call, is_empty) in empty_calls().items():
            answer = await _answered(call(stack, scoped.theirs))
            if not (_is_refused(case, answer) or is_empty(answer)):
                wrong.append((case, answer))
    assert wrong == []


def _is_refused(case: str, answer: Any) -> bool:
    """Return whether a call was refused correctly."""
    if not isinstance(answer, Refusal):
        return False
    if case.split()[0] not in SCOPED:
        return answer.code is grpc.StatusCode.PERMISSION_DENIED
    if answer.code is grpc.StatusCode.PERMISSION_DENIED:
        # It names another namespace, agent or subject.
        return answer.reason == "ACCESS_DENIED" or "field" in answer.metadata
    return answer.code is grpc.StatusCode.NOT_FOUND or answer.reason in {NO_PAGE, NO_TOKEN}


@SHARED
async def test_scoped_key_is_refused_by_rpcs_without_scope_option_in_proto(
    scoped: Scoped,
) -> None:
    assert len(SCOPED) > 20
    assert not SCOPED & {"GetStats", "Erase", "Sleep", "GetQueueStatus", "CreateApiKey"}
    refusal = await refused(scoped.agents.search.GetStats(search.GetStatsRequest()))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, OUT_OF_SCOPE)


@SHARED
async def test_scoped_key_writes_and_finds_only_its_own_memories(
    scoped: Scoped, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With another agent's same words present, in conversations and notes."""
    mine, whole = scoped.mine, scoped.whole
    told = await mine.ingest.AppendMessages(
        ingest.AppendMessagesRequest(
            conversation=target("k"), messages=[message("Mango mine.", external_id="m1")]
        )
    )
    other = await whole.ingest.AppendMessages(
        ingest.AppendMessagesRequest(
            conversation=target("k", agent="other"), messages=[message("Mango theirs.")]
        )
    )
    note = notes.NewNote(key="k", content="Mango note.")
    await mine.notes.WriteNote(note_service.WriteNoteRequest(note=note))
    own = {"Mango mine.", "Mango note."}
    assert await _found(mine, other.consistency_token) == own
    # Memories of no agent may be asked for, too; the key has none of them.
    shared = memory.MemoryFilter(agents=["mine", ""])
    both = await mine.search.Search(search.SearchRequest(query="mango", filter=shared))
    assert {each.memory.content for each in both.results} == own
    nobodys = search.SearchRequest(query="mango", filter=memory.MemoryFilter(agents=[""]))
    assert (await refused(mine.search.Search(nobodys))).reason == OUT_OF_SCOPE
    built = await mine.context.BuildContext(
        context.BuildContextRequest(query="mango", conversation_id=told.conversation_id)
    )
    assert "Mango mine." in built.text
    assert "theirs" not in built.text
    listed = await mine.search.ListConversations(search.ListConversationsRequest())
    assert {each.key.agent for each in listed.conversations} == {"mine"}
    # As written: the key of a conversation need not name an agent.
    key = conversation.ConversationKey(session_key="k")
    got = await mine.search.GetConversation(search.GetConversationRequest(key=key))
    assert got.conversation.id == told.conversation_id
    external = search.ExternalMessageKey(key=key, external_id="m1")
    sent = await mine.search.GetMemory(search.GetMemoryRequest(external=external))
    assert sent.message.id == told.messages[0].message_id
    read = search.GetMemoryRequest(memory_id=told.messages[0].message_id)
    assert (await mine.search.GetMemory(read)).memory.agent == "mine"
    gone = search.GetMemoryRequest(memory_id=other.messages[0].message_id)
    assert (await refused(mine.search.GetMemory(gone))).reason == "MEMORY_NOT_FOUND"
    # Also with the cache, and if only the database restricts requests.
    assert await _found(whole) == own | {"Mango theirs."}
    assert await _found(mine) == own
    monkeypatch.setattr("everword.rpc.interceptors.scope.restrict_to_scope", lambda *_: None)
    assert await _found(mine) == own


async def _found(stack: Stack, token: str = "") -> set[str]:
    request = search.SearchRequest(query="mango", at_least_as_fresh=token)
    return {result.memory.content for result in (await stack.search.Search(request)).results}


@SHARED
async def test_spelling_corrections_use_only_memories_visible_to_the_key(scoped: Scoped) -> None:
    mine, whole = scoped.mine, scoped.whole
    for agent, text in (
        ("other", "The ferry leaves from Rotterdam."),
        ("other", "Eindhovn is what I wrote."),
        ("mine", "The train leaves from Eindhoven."),
    ):
        request = ingest.AppendMessagesRequest(
            conversation=target("words", agent=agent), messages=[message(text)]
        )
        token = (await whole.ingest.AppendMessages(request)).consistency_token

    async def corrections(stack: Stack, query: str) -> dict[str, str]:
        asked = search.SearchRequest(query=query, at_least_as_fresh=token)
        return dict((await stack.search.Search(asked)).corrections)

    # From the cache, too: the namespace was searched before.
    for _ in range(2):
        assert await corrections(whole, "Rotterdm") == {"rotterdm": "rotterdam"}
        assert await corrections(mine, "Rotterdm") == {}
        assert await corrections(whole, "Eindhovn") == {}
        assert await corrections(mine, "Eindhovn") == {"eindhovn": "eindhoven"}


@SHARED
async def test_scoped_key_naming_another_agent_is_refused_with_the_field(scoped: Scoped) -> None:
    agents, subjects = scoped.mine, scoped.subjects
    by_filter = search.SearchRequest(query="q", filter=memory.MemoryFilter(agents=["mine", "b"]))
    refusal = await refused(agents.search.Search(by_filter))
    assert (refusal.reason, refusal.metadata["field"]) == (OUT_OF_SCOPE, "filter.agents")
    as_other = ingest.AppendMessagesRequest(
        conversation=target("k2", agent="other"), messages=[message("As another.")]
    )
    refusal = await refused(agents.ingest.AppendMessages(as_other))
    assert refusal.metadata["field"] == "conversation.key.agent"
    stream = agents.ingest.ImportMessages(iter([ingest.ImportMessagesRequest(batch=as_other)]))
    assert (await refused(stream)).metadata["field"] == "batch.conversation.key.agent"
    # The key of a conversation has no subject; its owner is only known if it exists.
    held = ingest.EnsureConversationRequest(key=conversation.ConversationKey(session_key="s"))
    assert (await refused(subjects.ingest.EnsureConversation(held))).code is (
        grpc.StatusCode.NOT_FOUND
    )
    admins = admin.ApiKey(role=ADMIN, agent="mine")
    with pytest.raises(grpc.aio.AioRpcError):
        await scoped.whole.admin.CreateApiKey(admin.CreateApiKeyRequest(api_key=admins))


@SHARED
async def test_scoped_role_sees_only_tables_with_a_scope_policy(
    scoped: Scoped,
) -> None:
    """Without a policy for the role of bound keys, a table shows no rows."""
    query = "SELECT tablename, roles::text, qual FROM pg_policies WHERE policyname = 'scope'"
    with scoped.whole.database.connect() as conn:
        rows = conn.execute(query).fetchall()
    assert {roles for _, roles, _ in rows} == {"{everword_scoped}"}
    shown = {name: condition for name, _, condition in rows if condition is not None}
    assert {name for name, condition in shown.items() if " AND " not in condition} == PLAIN
    assert set(shown) - PLAIN == BELONGING
    assert {name for name, _, _ in rows} - set(shown) == {
        *("memory_changes", "usage_ledger", "budget_events"),
    }
