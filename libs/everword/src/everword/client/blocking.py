"""`Everword`: AsyncEverword for callers without an event loop. Made from it by `make client`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from datetime import datetime
from typing import Any, Self, TypeVar

from everword.client.client import Client
from everword.client.everword import AsyncEverword
from everword.client.kinds import Kind
from everword.client.loop import BackgroundLoop
from everword.client.types import (
    AnyMessage,
    Context,
    ContextPart,
    Fact,
    Memory,
    Note,
    SearchHits,
    Turns,
)
from everword.v1 import memory_pb2

_Result = TypeVar("_Result")


class Everword:
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
        self._loop = BackgroundLoop()
        self._memory = AsyncEverword(
            address,
            api_key=api_key,
            namespace=namespace,
            agent=agent,
            channel=channel,
            timeout_s=timeout_s,
            client=client,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connections; the next call makes others."""
        self._loop.run(self._memory.close())
        self._loop.close()

    def run(self, call: Callable[[AsyncEverword], Coroutine[Any, Any, _Result]]) -> _Result:
        """Return what `call` returns of the AsyncEverword beneath, for what has no method here."""
        return self._loop.run(call(self._memory))

    async def arun(self, call: Callable[[AsyncEverword], Coroutine[Any, Any, _Result]]) -> _Result:
        """Return the same to a caller with an event loop of its own, which goes on meanwhile."""
        return await self._loop.arun(call(self._memory))

    def append(
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
        return self._loop.run(
            self._memory.append(session, *messages, agent=agent, subject=subject, task=task)
        )

    def end_session(self, session: str, *, agent: str = "") -> None:
        """End the session of a conversation: Everword learns from it now, not after 30 minutes without a message.

        A later message begins another session of the conversation. Does nothing if there is no such conversation.
        """
        self._loop.run(self._memory.end_session(session, agent=agent))

    def search(
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
        return self._loop.run(
            self._memory.search(
                query,
                limit=limit,
                kinds=kinds,
                subject=subject,
                agent=agent,
                authors=authors,
                since=since,
                until=until,
                tags=tags,
                task=task,
                address_prefix=address_prefix,
                min_relevance=min_relevance,
                profile=profile,
                asked_in=asked_in,
            )
        )

    def context(
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
        return self._loop.run(
            self._memory.context(
                query,
                session=session,
                agent=agent,
                subject=subject,
                budget=budget,
                profile=profile,
                omit=omit,
            )
        )

    def get(self, memory_id: str) -> Memory:
        """Return a memory whole."""
        return self._loop.run(self._memory.get(memory_id))

    def browse(
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
    ) -> Iterator[Memory]:
        """Iterate over memories by time, page by page. The filters are those of `search`."""
        return self._loop.iterate(
            self._memory.browse(
                oldest_first=oldest_first,
                kinds=kinds,
                subject=subject,
                agent=agent,
                authors=authors,
                since=since,
                until=until,
                tags=tags,
                task=task,
                address_prefix=address_prefix,
            )
        )

    def messages(
        self, session: str, *, agent: str = "", newest_first: bool = False
    ) -> Iterator[memory_pb2.Message]:
        """Iterate over the messages of a conversation, as they were sent, page by page."""
        return self._loop.iterate(
            self._memory.messages(session, agent=agent, newest_first=newest_first)
        )

    def turns(
        self, session: str, *, context_size: int, used_tokens: int = 0, agent: str = ""
    ) -> Turns:
        """Return a conversation as a model with a context of `context_size` tokens should see it.

        When the conversation fills 80 % of the context, stored summaries replace its messages but the latest six, the
        protected ones and the current phase (FlushConversation). `used_tokens` is the caller's own count of the
        context; without it, messages since the last replacement are counted. Without summaries in time, all messages
        are returned. A conversation that does not exist yet has no turns.
        """
        return self._loop.run(
            self._memory.turns(
                session, context_size=context_size, used_tokens=used_tokens, agent=agent
            )
        )

    def write_note(
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
        return self._loop.run(
            self._memory.write_note(
                content,
                key,
                append=append,
                tags=tags,
                importance=importance,
                expected_version=expected_version,
            )
        )

    def read_note(self, key: str) -> Note | None:
        """Return the note under `key`; None if there is none."""
        return self._loop.run(self._memory.read_note(key))

    def delete_note(self, key: str) -> None:
        """Delete the note under `key`: nothing finds it any more."""
        self._loop.run(self._memory.delete_note(key))

    def remember(self, subject: str, attribute: str, value: str) -> Fact:
        """Keep a fact, such as `"ana", "residence", "Lisbon"`. It takes the place of the value that held before."""
        return self._loop.run(self._memory.remember(subject, attribute, value))

    def facts(
        self, subject: str = "", *, attribute: str = "", at: datetime | None = None
    ) -> Iterator[Fact]:
        """Iterate over the facts that hold, now or at a time, page by page."""
        return self._loop.iterate(self._memory.facts(subject, attribute=attribute, at=at))
