"""Everword as the memory of LlamaIndex's agents and chat engines: `pip install everword[llama-index]`.

```python
memory = EverwordMemory(memory=Everword(agent="helper"), session="thread-7", subject="ana")
await agent.run("What is my boat called?", memory=memory)
```
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
from itertools import dropwhile
from typing import Any, TypeVar
from uuid import uuid4

from llama_index.core.bridge.pydantic import ConfigDict, Field
from llama_index.core.llms import ChatMessage, MessageRole
from llama_index.core.memory import BaseMemory

from everword.adapters.errors import to_built_in
from everword.client import AsyncEverword, CallError, Everword, Turns
from everword.v1 import context_service_pb2, memory_pb2

_Result = TypeVar("_Result")
_ROLES = {
    MessageRole.USER: memory_pb2.ROLE_USER,
    MessageRole.SYSTEM: memory_pb2.ROLE_SYSTEM,
    MessageRole.DEVELOPER: memory_pb2.ROLE_SYSTEM,
    MessageRole.TOOL: memory_pb2.ROLE_TOOL,
    MessageRole.FUNCTION: memory_pb2.ROLE_TOOL,
}
_ANSWERS = (MessageRole.TOOL, MessageRole.FUNCTION)
#: The type of the block that holds a message of more than a role and text.
_BLOCK = "llama_index"


class EverwordMemory(BaseMemory):
    """A conversation whose turns are stored permanently, with the memories around it.

    `get` returns the latest turns, after a system message with memories, facts about the user and summaries of older
    turns, if there are any. When the conversation fills 80 % of `token_limit`, stored summaries replace older turns,
    except protected messages and the current phase. Messages are never deleted: `reset` begins another session, and
    searches find the earlier messages. Errors are ValueError, PermissionError, TimeoutError, ConnectionError if the
    call may be repeated, and CallError.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    memory: Everword = Field(exclude=True)
    session: str = Field(default_factory=lambda: str(uuid4()))
    """The name of the conversation: the same each time it goes on."""
    subject: str = ""
    """The user whom it is with: what is remembered is kept apart by it."""
    budget: int = 0
    """Tokens for what is remembered; 4,000 if 0."""
    turns: int = Field(default=20, ge=0)
    """The most messages of the conversation that `get` returns."""
    token_limit: int = Field(default=30_000, gt=0)
    """Tokens of the model's context that the conversation may fill."""

    @classmethod
    def class_name(cls) -> str:
        return "EverwordMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> EverwordMemory:
        """Keep a conversation in the Everword that the environment names, unless `memory` is given."""
        if "memory" not in kwargs:
            kwargs["memory"] = Everword()
        return cls(**kwargs)

    # The methods without `await` alone: those of BaseMemory with it call them in threads.
    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        return self._run(lambda memory: self._get(memory, input or ""))

    def get_all(self) -> list[ChatMessage]:
        return self._run(self._all)

    def put(self, message: ChatMessage) -> None:
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        self._run(lambda memory: self._append(memory, messages))

    def set(self, messages: list[ChatMessage]) -> None:
        """Replace the conversation's messages. If it begins with others, these are another session."""
        self._run(lambda memory: self._set(memory, messages))

    def reset(self) -> None:
        """End the session, so that Everword learns from it, and begin another one."""
        self._run(self._reset)

    def _run(self, call: Callable[[AsyncEverword], Coroutine[Any, Any, _Result]]) -> _Result:
        try:
            return self.memory.run(call)
        except CallError as error:
            raise to_built_in(error) from error

    async def _get(self, memory: AsyncEverword, query: str) -> list[ChatMessage]:
        found = await memory.turns(self.session, context_size=self.token_limit)
        latest = found.messages[max(0, len(found.messages) - self.turns) :]
        # An answer of a tool without its call is refused by models.
        turns = dict(
            dropwhile(
                lambda turn: turn[1].role in _ANSWERS,
                ((message.id, _to_chat(message.body)) for message in latest),
            )
        )
        context = await memory.context(
            query, session=self.session, subject=self.subject, budget=self.budget
        )
        known = [
            text
            for block in context.proto.blocks
            if (text := _block_text_without(block, {*turns, *found.summary_ids}))
        ]
        if found.summary:
            known.append(_earlier(found))
        said = [ChatMessage("\n\n".join(known), role=MessageRole.SYSTEM)] if known else []
        return [*said, *turns.values()]

    async def _all(self, memory: AsyncEverword) -> list[ChatMessage]:
        try:
            return [_to_chat(message.body) async for message in memory.messages(self.session)]
        except CallError as error:
            if error.reason != "CONVERSATION_NOT_FOUND":
                raise
            return []

    async def _append(self, memory: AsyncEverword, messages: list[ChatMessage]) -> None:
        if messages:
            new = [_to_proto(each) for each in messages]
            await memory.append(self.session, *new, subject=self.subject)

    async def _reset(self, memory: AsyncEverword) -> None:
        ended, self.session = self.session, str(uuid4())
        # Without the call, the session ends after 30 minutes without a message.
        with suppress(CallError):
            await memory.end_session(ended)

    async def _set(self, memory: AsyncEverword, messages: list[ChatMessage]) -> None:
        there = await self._all(memory)
        if messages[: len(there)] != there:
            await self._reset(memory)
            there = []
        await self._append(memory, messages[len(there) :])


def _earlier(turns: Turns) -> str:
    """Return the part of a conversation that its summaries replace, with the messages that stay whole."""
    kept = [f"{memory.author or memory.role}: {memory.content}" for memory in turns.kept]
    return "\n\n".join(["Earlier in this conversation:", turns.summary, *kept])


def _block_text_without(
    block: context_service_pb2.ContextBlock, memory_ids: Collection[str]
) -> str:
    """Return the text of a context's block without these memories; empty if nothing else is in it."""
    if block.source != context_service_pb2.CONTEXT_SOURCE_CHAT_HISTORY:
        return block.text
    heading, _, rest = block.text.partition("\n")
    lines, date = [heading], ""
    for item in block.items:
        above, _, rest = rest.partition(item.text)
        # The line with the date is above the first item of a day, which may be a turn.
        date = above.strip("\n") or date
        if item.memory_id not in memory_ids:
            lines += [date, item.text] if date else [item.text]
            date = ""
    return "\n".join(lines) if len(lines) > 1 else ""


def _to_proto(message: ChatMessage) -> memory_pb2.NewMessage:
    text = message.content or ""
    role = _ROLES.get(message.role, memory_pb2.ROLE_ASSISTANT)
    new = memory_pb2.NewMessage(role=role, content=text)
    if not text or _to_chat(new) != message:
        new.content_blocks.add(type=_BLOCK, json=message.model_dump_json())
    return new


def _to_chat(body: memory_pb2.NewMessage) -> ChatMessage:
    for block in body.content_blocks:
        if block.type == _BLOCK:
            return ChatMessage.model_validate_json(block.json)
    role = memory_pb2.Role.Name(body.role).removeprefix("ROLE_").lower()
    return ChatMessage(body.content, role=MessageRole(role))
