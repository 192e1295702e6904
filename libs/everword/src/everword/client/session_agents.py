"""Detects that a caller has left out the agent of a session."""

from __future__ import annotations

from everword.client.client import Client
from everword.client.errors import CallError
from everword.client.pages import PAGE_SIZE
from everword.v1 import conversation_pb2, search_service_pb2


async def ensure_no_agent(
    client: Client, key: conversation_pb2.ConversationKey, subject: str, token: str
) -> None:
    """Raise ValueError if there is no conversation with a key without an agent, but one of an agent.

    The context of such a key is empty. Only the 200 latest conversations are compared.
    """
    service = client.search_service
    try:
        await service.GetConversation(
            search_service_pb2.GetConversationRequest(key=key, at_least_as_fresh=token)
        )
    except CallError as error:
        if error.reason != "CONVERSATION_NOT_FOUND":
            raise
        request = search_service_pb2.ListConversationsRequest(
            filter=conversation_pb2.ConversationFilter(subjects=[subject, ""] if subject else []),
            page_size=PAGE_SIZE,
            at_least_as_fresh=token,
        )
        keys = [each.key for each in (await service.ListConversations(request)).conversations]
        agents = {each.agent for each in keys if each.session_key == key.session_key} - {""}
        if agents:
            names = " or ".join(map(repr, sorted(agents)))
            raise ValueError(
                f"the session {key.session_key!r} belongs to the agent {names}: name it with agent="
            ) from None
