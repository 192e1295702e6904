"""A conversation as an agent's program conducts it: messages, and the agent's context for each answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from everword.client import Client
from everword.v1 import context_service_pb2 as context
from everword.v1 import conversation_pb2
from support.calls import ASSISTANT, message
from support.context_lines import without_marks


@dataclass(frozen=True)
class Talk:
    """A conversation of an agent."""

    client: Client
    agent: str
    session: str

    async def hear(self, words: str, **fields: Any) -> context.BuildContextResponse:
        """Store a user's message, and return the context for the answer."""
        said = await self._append(words, **fields)
        return await self.client.build_context(conversation_id=said)

    async def answer(self, words: str) -> None:
        """Store the agent's message."""
        await self._append(words, role=ASSISTANT)

    async def _append(self, words: str, **fields: Any) -> str:
        key = conversation_pb2.ConversationKey(session_key=self.session, agent=self.agent)
        return (await self.client.append(key, [message(words, **fields)])).conversation_id


def lines_of(response: context.BuildContextResponse, block: str) -> list[str]:
    """Return the items of a block such as `BASE`, without their numbers."""
    source = context.ContextSource.Value(f"CONTEXT_SOURCE_{block}")
    items = [item.text for each in response.blocks if each.source == source for item in each.items]
    return [without_marks(text) for text in items]
