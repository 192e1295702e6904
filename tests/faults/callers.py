"""Mixed traffic: conversations in three ways, notes, facts, erasures, exports, and reads of recent writes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from sys import maxsize

from everword.domain.ids import new_id
from everword.embedded.folder import RunningStack
from everword.importer import import_records
from everword.transcripts import Entry
from everword.v1 import admin_service_pb2, fact_service_pb2, memory_pb2
from everword.v1 import search_service_pb2 as search_pb
from faults.calls import Caller, connect
from faults.erasures import erase
from faults.exports import export
from faults.history import History, Promise
from faults.traffic import (
    NAMESPACES,
    UNEMBEDDABLE,
    Conversation,
    batches,
    conversations,
    drop_author_names,
    name_of,
    others_in,
    word_of,
)

#: Limit in seconds for the last calls at the end of a run.
LAST_CALLS_S = 600.0
#: Number of notes per namespace, which are overwritten again and again.
NOTES = 3
#: Conversations with at most this many messages are read completely.
SHORT = 300


@asynccontextmanager
async def traffic(
    stack: RunningStack, history: History, pause_s: float, seed: int
) -> AsyncIterator[None]:
    """Call while the block lasts; wait for all callers at its end."""
    stopped = asyncio.Event()
    async with AsyncExitStack() as resources:
        callers = []
        for namespace in NAMESPACES:
            client = await resources.enter_async_context(connect(stack, namespace))
            drawn = random.Random(f"{seed} {namespace}")
            callers.append(Caller(client, namespace, history, stopped, drawn, pause_s))
        for caller in callers[1:]:
            name = admin_service_pb2.Namespace(name=caller.namespace)
            await caller.client.admin_service.CreateNamespace(
                admin_service_pb2.CreateNamespaceRequest(namespace=name)
            )
        tasks = [asyncio.create_task(work) for work in _work(callers, seed)]
        try:
            yield
            stopped.set()
            _, waiting = await asyncio.wait(tasks, timeout=LAST_CALLS_S)
            history.hold(Promise.ENDS, not waiting, f"{len(waiting)} callers got no answer")
            await asyncio.gather(*(set(tasks) - waiting))
        finally:
            for task in tasks:
                task.cancel()


def _work(callers: list[Caller], seed: int) -> list[Coroutine[None, None, None]]:
    of = {caller.namespace: caller for caller in callers}
    work: list[Coroutine[None, None, None]] = [
        converse(of[conversation.namespace], conversation, number, seed)
        for number, conversation in enumerate(conversations())
    ]
    for caller in callers:
        work += [
            caller.repeat(partial(each, caller)) for each in (write_note, remember, erase, export)
        ]
    return work


async def converse(caller: Caller, conversation: Conversation, number: int, seed: int) -> None:
    """Write one conversation: with external ids, with request ids alone, or as streams, like imported files."""
    told = caller.history.messages[conversation.namespace, conversation.session_key]
    for batch in batches(conversation, maxsize, seed):
        if caller.stopped.is_set():
            return
        said = drop_author_names(batch) if number % 4 == 1 else batch
        names = [name_of(message) for message in said]
        # A stream returns no token: its writes are visible to every later read.
        fresh, id_ = "", ""
        if number % 4 == 0:
            entries = [Entry(conversation.target, message) for message in said]
            await caller.until_answered(partial(import_records, caller.client, entries))
        else:
            answer = await caller.until_answered(
                partial(
                    caller.client.append,
                    conversation.target.key,
                    said,
                    request_id=str(new_id()),
                )
            )
            fresh, id_ = answer.consistency_token, answer.conversation_id
        told += names
        await _read_back(caller, said, fresh)
        if id_ and len(told) < SHORT:
            await _read_in_order(caller, id_, told)
        await caller.rest()


async def _read_back(caller: Caller, said: list[memory_pb2.NewMessage], fresh: str) -> None:
    """Search for the last message with text."""
    spoken = [each for each in said if each.content not in ("", UNEMBEDDABLE)]
    if not spoken:
        return
    word = word_of(name_of(spoken[-1]))
    found = await find(caller, word, fresh)
    caller.history.hold(Promise.FRESH, found, f"{word} is not found after {fresh or 'a stream'}")


async def find(caller: Caller, word: str, fresh: str = "") -> bool:
    """Return whether a search for a word returns a hit that contains it."""
    lexical = search_pb.SEARCH_MODE_LEXICAL
    # All messages contain the second word.
    query = f"{word} tea"
    search = partial(caller.client.search, query, mode=lexical, at_least_as_fresh=fresh)
    answer = await caller.until_answered(search)
    for result in answer.results:
        others = others_in(result.memory.content, caller.namespace)
        told = f"{caller.namespace} finds {result.memory.content[:100]}"
        caller.history.hold(Promise.ALONE, not others, told)
    return any(word in result.memory.content for result in answer.results)


async def _read_in_order(caller: Caller, conversation_id: str, told: list[str]) -> None:
    async def read() -> list[str]:
        return [
            message.body.external_id or message.body.content.partition(":")[0]
            async for message in caller.client.iter_messages(conversation_id)
        ]

    read_names = await caller.until_answered(read)
    caller.history.hold(Promise.ORDER, read_names == told, f"{told[0]}…: {read_names} for {told}")


async def write_note(caller: Caller, number: int) -> None:
    """Overwrite one of a few notes, and read it."""
    key = f"note-{number % NOTES}"
    content = f"{key} of {caller.namespace} as of {number}."
    request_id = str(new_id())
    await caller.until_answered(
        lambda: caller.client.write_note(content, key, request_id=request_id)
    )
    caller.history.notes[caller.namespace, key].append(content)


async def remember(caller: Caller, number: int) -> None:
    """Change the favourite tea of a person."""
    subject = f"person {number % NOTES}"
    request = fact_service_pb2.RememberRequest(
        subject=subject,
        attribute="favourite_tea",
        value=f"tea {number} of {caller.namespace}",
        several_values=True,
        request_id=str(new_id()),
    )
    await caller.until_answered(lambda: caller.client.fact_service.Remember(request))
    caller.history.facts[caller.namespace, subject].append(request.value)
