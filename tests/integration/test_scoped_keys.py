"""Keys that are bound to an agent or a subject: what is another's does not exist for them, by whatever call."""

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
from support.foreign import MODEL, NO_PAGE, NO_TOKEN, Theirs
from support.foreign_calls import empty_calls, refused_calls
from support.foreign_filled import fill_theirs
from support.keyed import keyed
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
#: What scoped calls see whole: ids, places, counts, limits, words of names.
PLAIN = {
    *("append_requests", "author_names", "budgets", "budget_spending", "calendar_pending"),
    *("compaction_progress", "erased_external_ids", "importance_suggestions", "index_changes"),
    *("memory_classes", "memory_use"),
}
#: What they see if it belongs to their agent or subject.
BELONGING = {
    *("conversations", "messages", "memories", "tool_sentences"),
    *("summaries", "summary_sources", "topic_pages"),
    *("facts", "fact_intervals", "fact_evidence", "fact_changes"),
    *("graph_nodes", "graph_names", "graph_node_versions"),
    *("notes", "note_versions", "documents", "document_versions", "document_chunks"),
    *("lore_books", "lore_entries"),
}


@dataclass(frozen=True)
class Scoped:
    """A namespace that is full of others' things, and stacks that are called by keys within it."""

    theirs: Theirs
    #: By keys of an agent and of a subject that have nothing yet, of an agent that writes, and of the whole namespace.
    agents: Stack
    subjects: Stack
    mine: Stack
    whole: Stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scoped(postgres_url: str) -> AsyncIterator[Scoped]:
    with cloned(postgres_url) as database:
        chat = ChatSettings("http://127.0.0.1:9", MODEL)
        async with running_stack(database, chat=chat) as stack:
            theirs = await fill_theirs(stack)
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
    """Return the answer of a call, or its refusal."""
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        return read_refusal(error)


@SHARED
@pytest.mark.parametrize("who", ["agents", "subjects"])
async def test_no_rpc_shows_or_changes_what_is_anothers(scoped: Scoped, who: str) -> None:
    """The cases are those of the isolation between namespaces, within the namespace itself."""
    stack: Stack = getattr(scoped, who)
    await _answered(stack.search.Browse(search.BrowseRequest()))
    wrong = []
    with unchanged(stack.database):
        for case, (reason, call) in refused_calls().items():
            answer = await _answered(call(stack, scoped.theirs))
            # Tokens are the namespace's, and show nothing of what they were made with.
            shown = reason not in {NO_PAGE, NO_TOKEN} or "heir" in str(answer)
            if not _is_refused(case, answer) and shown:
                wrong.append((case, answer))
        for case, (call, is_empty) in empty_calls().items():
            answer = await _answered(call(stack, scoped.theirs))
            if not (_is_refused(case, answer) or is_empty(answer)):
                wrong.append((case, answer))
    assert wrong == []


def _is_refused(case: str, answer: Any) -> bool:
    """Tell whether a call was refused as it should be."""
    if not isinstance(answer, Refusal):
        return False
    if case.split()[0] not in SCOPED:
        return answer.code is grpc.StatusCode.PERMISSION_DENIED
    if answer.code is grpc.StatusCode.PERMISSION_DENIED:
        # It names another namespace, agent or subject.
        return answer.reason == "ACCESS_DENIED" or "field" in answer.metadata
    return answer.code is grpc.StatusCode.NOT_FOUND or answer.reason in {NO_PAGE, NO_TOKEN}


@SHARED
async def test_every_rpc_is_refused_unless_its_proto_says_how_it_holds_to_a_scope(
    scoped: Scoped,
) -> None:
    assert len(SCOPED) > 20
    assert not SCOPED & {"GetStats", "Erase", "Sleep", "GetQueueStatus", "CreateApiKey"}
    refusal = await refused(scoped.agents.search.GetStats(search.GetStatsRequest()))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, OUT_OF_SCOPE)


@SHARED
async def test_a_bound_key_writes_and_finds_its_own(
    scoped: Scoped, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside another agent's of the same words, in conversations and notes."""
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
    built = await mine.context.BuildContext(
        context.BuildContextRequest(query="mango", conversation_id=told.conversation_id)
    )
    assert "Mango mine." in built.text
    assert "theirs" not in built.text
    listed = await mine.search.ListConversations(search.ListConversationsRequest())
    assert {each.key.agent for each in listed.conversations} == {"mine"}
    # As it was written: the key of a conversation needs to name no agent.
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
    # In memory, too, and where no request is held to anything: by the database alone.
    assert await _found(whole) == own | {"Mango theirs."}
    assert await _found(mine) == own
    monkeypatch.setattr("everword.rpc.interceptors.scope.hold_to_scope", lambda *_: None)
    assert await _found(mine) == own


async def _found(stack: Stack, token: str = "") -> set[str]:
    request = search.SearchRequest(query="mango", at_least_as_fresh=token)
    return {result.memory.content for result in (await stack.search.Search(request)).results}


@SHARED
async def test_a_query_is_corrected_by_what_its_key_may_see_alone(scoped: Scoped) -> None:
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

    # From memory, too: the namespace was searched before.
    for _ in range(2):
        assert await corrections(whole, "Rotterdm") == {"rotterdm": "rotterdam"}
        assert await corrections(mine, "Rotterdm") == {}
        assert await corrections(whole, "Eindhovn") == {}
        assert await corrections(mine, "Eindhovn") == {"eindhovn": "eindhoven"}


@SHARED
async def test_another_agent_or_subject_is_refused_by_name(scoped: Scoped) -> None:
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
    # The key of a conversation names no subject: whose it is shows when it is there already.
    held = ingest.EnsureConversationRequest(key=conversation.ConversationKey(session_key="s"))
    assert (await refused(subjects.ingest.EnsureConversation(held))).code is (
        grpc.StatusCode.NOT_FOUND
    )
    admins = admin.ApiKey(role=ADMIN, agent="mine")
    with pytest.raises(grpc.aio.AioRpcError):
        await scoped.whole.admin.CreateApiKey(admin.CreateApiKeyRequest(api_key=admins))


@SHARED
async def test_tables_are_closed_to_bound_keys_unless_it_is_said_what_belongs_to_whom(
    scoped: Scoped,
) -> None:
    """Without a policy for their role, a table shows them nothing."""
    query = "SELECT tablename, roles::text, qual FROM pg_policies WHERE policyname = 'scope'"
    with scoped.whole.database.connect() as conn:
        rows = conn.execute(query).fetchall()
    assert {roles for _, roles, _ in rows} == {"{everword_scoped}"}
    shown = {name: condition for name, _, condition in rows if condition is not None}
    assert {name for name, condition in shown.items() if " AND " not in condition} == PLAIN
    assert set(shown) - PLAIN == BELONGING
    assert {name for name, _, _ in rows} - set(shown) == {"memory_changes"}
