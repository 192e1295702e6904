"""Writes a text with a unique word, erases it, and searches for the word."""

from __future__ import annotations

from functools import partial

from everword.domain.ids import new_id
from everword.v1 import conversation_pb2, erasure_service_pb2, memory_pb2
from everword.v1 import search_service_pb2 as search_pb
from faults.calls import Caller
from faults.history import Promise
from faults.traffic import ERASED

#: Number of further messages in the conversation, enough for a leaf, which then has to be written again.
BESIDE = 11


async def erase(caller: Caller, number: int) -> None:
    """Erase a message out of a conversation, a whole conversation, or a note."""
    word = f"{ERASED}{number}of{caller.namespace}"
    way = caller.random.choice([_message, _conversation, _note])
    target = await way(caller, word, number)
    request = erasure_service_pb2.EraseRequest(
        target=target, requested_by="a test of faults", request_id=str(new_id())
    )
    await caller.until_answered(lambda: caller.client.erasure_service.Erase(request))
    caller.history.erased[caller.namespace].add(word)
    search = partial(caller.client.search, word, mode=search_pb.SEARCH_MODE_LEXICAL)
    found = await caller.until_answered(search)
    left = [result.memory.content for result in found.results if word in result.memory.content]
    caller.history.hold(Promise.ERASED, not left, f"a search finds {word}: {left}")


async def _message(caller: Caller, word: str, number: int) -> erasure_service_pb2.ErasureTarget:
    names = [f"{caller.namespace}/erased-{number}/{each}" for each in range(BESIDE)]
    said = [f"The {word} is a secret.", *(f"{name}: The kettle sings." for name in names)]
    ids, _ = await _say(caller, said, number)
    caller.history.messages[caller.namespace, f"erased-{number}"] = names
    return erasure_service_pb2.ErasureTarget(message_id=ids[0])


async def _conversation(
    caller: Caller, word: str, number: int
) -> erasure_service_pb2.ErasureTarget:
    said = [f"The {word} says {each}." for each in range(caller.random.randint(1, 2 * BESIDE))]
    _, conversation_id = await _say(caller, said, number)
    return erasure_service_pb2.ErasureTarget(conversation_id=conversation_id)


async def _note(caller: Caller, word: str, number: int) -> erasure_service_pb2.ErasureTarget:
    request_id = str(new_id())
    written = await caller.until_answered(
        lambda: caller.client.write_note(
            f"The {word} waits.", f"erased-{number}", request_id=request_id
        )
    )
    return erasure_service_pb2.ErasureTarget(note_id=written.note_id)


async def _say(caller: Caller, said: list[str], number: int) -> tuple[list[str], str]:
    """Append messages; return their ids, and that of their conversation."""
    key = conversation_pb2.ConversationKey(session_key=f"erased-{number}")
    messages = [memory_pb2.NewMessage(role=memory_pb2.ROLE_USER, content=each) for each in said]
    request_id = str(new_id())
    answer = await caller.until_answered(
        lambda: caller.client.append(key, messages, request_id=request_id)
    )
    return [each.message_id for each in answer.messages], answer.conversation_id
