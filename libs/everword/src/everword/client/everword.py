"""`AsyncEverword`: memory in plain Python. `everword.client.blocking` has the same without `await`, made from this."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from typing import Self, get_args

from everword.client.client import Client
from everword.client.errors import CallError
from everword.client.flush import flush_conversation
from everword.client.freshness import Freshness
from everword.client.kinds import Kind
from everword.client.pages import PAGE_SIZE, pages
from everword.client.session_agents import ensure_no_agent
from everword.client.settings import ClientSettings
from everword.client.types import (
    AnyMessage,
    Context,
    ContextPart,
    Fact,
    Memory,
    Note,
    SearchHits,
    Turns,
    filter_of,
    to_message,
    to_timestamp,
)
from everword.v1 import (
    context_service_pb2,
    conversation_pb2,
    fact_query_service_pb2,
    fact_service_pb2,
    ingest_service_pb2,
    memory_pb2,
    note_pb2,
    note_service_pb2,
    search_service_pb2,
)


class AsyncEverword:
    """Memory of agents.

    Without arguments, it uses the Everword that runs on this machine, or the one in the environment. Each read sees
    earlier writes through the same object. Writes have an id, so that repeating them after a lost connection writes
    once. Every call may raise CallError.
    """

    def __init__(
        self,
        address: str = "",
        *,
        api_key: str = "",
        namespace: str = "",
        agent: str = "",
        channel: str = "",
        timeout_s: float = 0.0,
        client: Client | None = None,
    ) -> None:
        """Name a server by the address of a gateway to all services, and the caller.

        `agent` is the default agent of conversations, and `channel` their channel. `client` is called instead of a
        server: an open one, or the fake of `everword.client.fake`.
        """
        self._settings = ClientSettings.from_environment().changed(
            address, api_key, namespace, timeout_s
        )
        self._agent, self._channel = agent, channel
        self._client = client
        self._opening = asyncio.Lock()
        self._resources = AsyncExitStack()
        self.freshness = Freshness()
        self._conversations: dict[tuple[str, str], str] = {}
        #: Sessions for which `ensure_no_agent` has succeeded.
        self._without_agent: set[str] = set()

    async def __aenter__(self) -> Self:
        await self.client()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def client(self) -> Client:
        """Return the stubs of every service, for calls that have no method here."""
        async with self._opening:
            if self._client is None:
                connection = Client.connect(self._settings)
                self._client = await self._resources.enter_async_context(connection)
                self._resources.callback(setattr, self, "_client", None)
            return self._client

    async def close(self) -> None:
        """End the connections; the next call makes others."""
        await self._resources.aclose()

    async def append(
        self,
        session: str,
        *messages: AnyMessage,
        agent: str = "",
        subject: str = "",
        task: str = "",
    ) -> list[str]:
        """Store messages at the end of a conversation, and return their ids. A plain text is a message of the user.

        `session` is the caller's name of the conversation, which is created if it does not exist. `subject` is the user
        in the conversation: memories and learned facts of different subjects are separate. `task` is the caller's id of
        a task that a new conversation belongs to; `search` can look at all conversations of a task.
        """
        client = await self.client()
        request = ingest_service_pb2.AppendMessagesRequest(
            conversation=self._target(session, agent, subject, task),
            messages=[to_message(each) for each in messages],
        )
        response = await self.freshness.write(client.ingest_service.AppendMessages(request))
        self._conversations[session, agent or self._agent] = response.conversation_id
        return [each.message_id for each in response.messages]

    async def end_session(self, session: str, *, agent: str = "") -> None:
        """End the session of a conversation: Everword learns from it now, not after 30 minutes without a message.

        A later message begins another session of the conversation. Does nothing if there is no such conversation.
        """
        request = ingest_service_pb2.EndConversationRequest(key=self._target(session, agent).key)
        try:
            await (await self.client()).ingest_service.EndConversation(request)
        except CallError as error:
            if error.reason != "CONVERSATION_NOT_FOUND":
                raise

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: tuple[Kind, ...] = (),
        subject: str = "",
        agent: str = "",
        authors: tuple[str, ...] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        tags: tuple[str, ...] = (),
        task: str = "",
        address_prefix: str = "",
        min_relevance: float = 0.0,
        profile: str = "",
        asked_in: str = "",
    ) -> SearchHits:
        """Return the memories most relevant to `query`, a question or words, the best first; at most 200.

        The list has a verdict, `nothing_relevant`. `tags` are labels of which a memory has one, `task` is that of its
        conversation (see `append`), and `address_prefix` is a directory, such as `viking://default/notes`. `asked_in`
        is the session of the query: words of its last turns complete a query such as `what did it cost?`. `profile` is
        `recall` or `balanced`, which also counts time, use and importance; if empty, the namespace's.
        """
        request = search_service_pb2.SearchRequest(
            query=query,
            filter=filter_of(
                *(kinds, subject, agent, authors, since, until, tags, task, address_prefix)
            ),
            page_size=limit,
            min_relevance=min_relevance,
            profile=profile,
            conversation_id=await self._find(asked_in, agent) if asked_in else "",
            at_least_as_fresh=self.freshness.token,
        )
        response = await (await self.client()).search_service.Search(request)
        return SearchHits(response)

    async def context(
        self,
        query: str = "",
        *,
        session: str = "",
        agent: str = "",
        subject: str = "",
        budget: int = 0,
        profile: str = "",
        omit: tuple[ContextPart, ...] = (),
    ) -> Context:
        """Return what an agent should have in mind for `query`, within a budget of tokens; 4,000 if 0.

        With the session of a conversation, the context holds its recent turns, and memories of its agent and subject
        alone. A conversation that does not exist yet has no turns; nothing is written, so a read-only API key suffices.
        Without a session, the context holds the memories of all agents and subjects. `profile` is as in `search`.
        `omit` names parts that its lines do not have. Raises ValueError if no agent is named, and only agents have
        conversations of this name.
        """
        key = self._target(session, agent).key
        if session and not key.agent and session not in self._without_agent:
            await ensure_no_agent(await self.client(), key, subject, self.freshness.token)
            self._without_agent.add(session)
        conversation = context_service_pb2.ContextConversation(key=key, subject=subject)
        request = context_service_pb2.BuildContextRequest(
            query=query,
            conversation=conversation if session else None,
            token_budget=budget,
            profile=profile,
            omit_parts=[_part_number(each) for each in omit],
            at_least_as_fresh=self.freshness.token,
        )
        response = await (await self.client()).context_service.BuildContext(request)
        return Context.of(response)

    async def get(self, memory_id: str) -> Memory:
        """Return a memory whole."""
        token = self.freshness.token
        request = search_service_pb2.GetMemoryRequest(memory_id=memory_id, at_least_as_fresh=token)
        return Memory.of((await (await self.client()).search_service.GetMemory(request)).memory)

    async def browse(
        self,
        *,
        oldest_first: bool = False,
        kinds: tuple[Kind, ...] = (),
        subject: str = "",
        agent: str = "",
        authors: tuple[str, ...] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        tags: tuple[str, ...] = (),
        task: str = "",
        address_prefix: str = "",
    ) -> AsyncIterator[Memory]:
        """Iterate over memories by time, page by page. The filters are those of `search`."""
        client = await self.client()
        order = memory_pb2.ORDER_OLDEST_FIRST if oldest_first else memory_pb2.ORDER_NEWEST_FIRST
        request = search_service_pb2.BrowseRequest(
            filter=filter_of(
                *(kinds, subject, agent, authors, since, until, tags, task, address_prefix)
            ),
            order=order,
            page_size=PAGE_SIZE,
            at_least_as_fresh=self.freshness.token,
        )
        async for page in pages(client.search_service.Browse, request):
            for memory in page.memories:
                yield Memory.of(memory)

    async def messages(
        self, session: str, *, agent: str = "", newest_first: bool = False
    ) -> AsyncIterator[memory_pb2.Message]:
        """Iterate over the messages of a conversation, as they were sent, page by page."""
        client = await self.client()
        order = memory_pb2.ORDER_NEWEST_FIRST if newest_first else memory_pb2.ORDER_OLDEST_FIRST
        request = search_service_pb2.ListMessagesRequest(
            conversation_id=await self._find(session, agent),
            order=order,
            page_size=PAGE_SIZE,
            at_least_as_fresh=self.freshness.token,
        )
        async for page in pages(client.search_service.ListMessages, request):
            for message in page.messages:
                yield message

    async def turns(
        self, session: str, *, context_size: int, used_tokens: int = 0, agent: str = ""
    ) -> Turns:
        """Return a conversation as a model with a context of `context_size` tokens should see it.

        When the conversation fills 80 % of the context, stored summaries replace its messages but the latest six, the
        protected ones and the current phase (FlushConversation). `used_tokens` is the caller's own count of the
        context; without it, messages since the last replacement are counted. Without summaries in time, all messages
        are returned. A conversation that does not exist yet has no turns.
        """
        try:
            conversation_id = await self._find(session, agent)
        except CallError as error:
            if error.reason != "CONVERSATION_NOT_FOUND":
                raise
            return Turns("", (), (), 0, ())
        client = await self.client()
        flushed = await flush_conversation(client, conversation_id, context_size, used_tokens)
        latest: list[memory_pb2.Message] = []
        async for message in self.messages(session, agent=agent, newest_first=True):
            if message.seq <= flushed.replaced_through_seq:
                break
            latest.append(message)
        summaries = flushed.summaries
        return Turns(
            summary="\n\n".join(summary.content for summary in summaries),
            kept=await self._get_all(flushed.kept_message_ids),
            messages=tuple(reversed(latest)),
            token_count=flushed.used_tokens,
            summary_ids=tuple(summary.id for summary in summaries),
        )

    async def _get_all(self, memory_ids: Sequence[str]) -> tuple[Memory, ...]:
        """Return memories by their ids, in order."""
        service, found = (await self.client()).search_service, list[Memory]()
        for start in range(0, len(memory_ids), PAGE_SIZE):
            request = search_service_pb2.BatchGetMemoriesRequest(
                memory_ids=memory_ids[start : start + PAGE_SIZE],
                at_least_as_fresh=self.freshness.token,
            )
            response = await service.BatchGetMemories(request)
            found += [Memory.of(memory) for memory in response.memories]
        return tuple(found)

    async def write_note(
        self,
        content: str,
        key: str = "",
        *,
        append: bool = False,
        tags: tuple[str, ...] = (),
        importance: int = 3,
        expected_version: int | None = None,
    ) -> int:
        """Write a note under `key`, in place of the existing one, and return its version.

        Without a key it is another note each time. If the current version is not `expected_version`, nothing is
        written: CallError, with the code ABORTED.
        """
        note = note_pb2.NewNote(key=key, content=content, tags=tags, importance=importance)
        request = note_service_pb2.WriteNoteRequest(
            note=note, append=append, expected_version=expected_version
        )
        response = await self.freshness.write((await self.client()).note_service.WriteNote(request))
        return response.version

    async def read_note(self, key: str) -> Note | None:
        """Return the note under `key`; None if there is none."""
        request = note_service_pb2.GetNoteRequest(key=note_pb2.NoteKey(key=key))
        try:
            response = await (await self.client()).note_service.GetNote(request)
        except CallError as error:
            if error.reason == "NOTE_NOT_FOUND":
                return None
            raise
        return Note.of(response.note)

    async def delete_note(self, key: str) -> None:
        """Delete the note under `key`: nothing finds it any more."""
        request = note_service_pb2.DeleteNoteRequest(key=note_pb2.NoteKey(key=key))
        await self.freshness.write((await self.client()).note_service.DeleteNote(request))

    async def remember(self, subject: str, attribute: str, value: str) -> Fact:
        """Keep a fact, such as `"ana", "residence", "Lisbon"`. It takes the place of the value that held before."""
        request = fact_service_pb2.RememberRequest(
            subject=subject, attribute=attribute, value=value
        )
        response = await self.freshness.write((await self.client()).fact_service.Remember(request))
        return Fact.of(response.fact)

    async def facts(
        self, subject: str = "", *, attribute: str = "", at: datetime | None = None
    ) -> AsyncIterator[Fact]:
        """Iterate over the facts that hold, now or at a time, page by page."""
        client = await self.client()
        request = fact_query_service_pb2.ListFactsRequest(
            subjects=[subject] if subject else [],
            attributes=[attribute] if attribute else [],
            valid_at_time=to_timestamp(at),
            page_size=PAGE_SIZE,
            at_least_as_fresh=self.freshness.token,
        )
        async for page in pages(client.fact_query_service.ListFacts, request):
            for fact in page.facts:
                yield Fact.of(fact)

    def _target(
        self, session: str, agent: str, subject: str = "", task: str = ""
    ) -> ingest_service_pb2.ConversationTarget:
        key = conversation_pb2.ConversationKey(
            session_key=session, agent=agent or self._agent, channel=self._channel
        )
        details = None
        if subject or task:
            details = conversation_pb2.ConversationDetails(subject=subject, task_id=task)
        return ingest_service_pb2.ConversationTarget(key=key, details=details)

    async def _find(self, session: str, agent: str) -> str:
        """Return the id of a conversation; those that this object appended to are cached."""
        if known := self._conversations.get((session, agent or self._agent)):
            return known
        request = search_service_pb2.GetConversationRequest(
            key=self._target(session, agent).key, at_least_as_fresh=self.freshness.token
        )
        found = await (await self.client()).search_service.GetConversation(request)
        return found.conversation.id


def _part_number(part: str) -> context_service_pb2.ContextPart.ValueType:
    if part not in get_args(ContextPart):
        raise ValueError(f"{part!r} is no part of a line: {', '.join(get_args(ContextPart))}")
    return context_service_pb2.ContextPart.Value(f"CONTEXT_PART_{part.upper()}")
