"""The keys of lorebooks, from the options of commands."""

from __future__ import annotations

from everword.v1 import lore_pb2


def book_key(name: str, agent: str, subject: str, conversation: str) -> lore_pb2.LoreBookKey:
    scope = lore_pb2.LoreScope(agent=agent, subject=subject, conversation_id=conversation)
    return lore_pb2.LoreBookKey(name=name, scope=scope)
