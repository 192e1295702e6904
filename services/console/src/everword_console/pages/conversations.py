"""Conversations: what was said, in order, and the summaries that stand for it."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from starlette.responses import Response

from everword.v1 import conversation_pb2, memory_pb2, summary_pb2
from everword.v1 import search_service_pb2 as pb
from everword.v1 import summary_service_pb2 as summaries_pb
from everword_console.visits import Visit

_PAGE_SIZE = 60
#: Of a message in a timeline; its own page has the whole.
MESSAGE_CHARS = 2000
_SUMMARY_CHARS = 1200


async def list_conversations(visit: Visit) -> Response:
    """Show conversations, the newest first."""
    values = visit.values
    request = pb.ListConversationsRequest(
        filter=conversation_pb2.ConversationFilter(
            agents=values.one("agent"),
            subjects=values.one("subject"),
            channels=values.one("channel"),
        ),
        page_token=values.text("page"),
    )
    listed = await visit.call(visit.client.search_service.ListConversations, request)
    return visit.page("conversations.html", listed=listed, values=values)


async def timeline(visit: Visit) -> Response:
    """Show the messages of a conversation, and the tree of summaries over them."""
    service = visit.client.search_service
    newest_first = visit.values.text("order") == "newest"
    start = visit.values.number("from", 0, 999_999_999)
    order = memory_pb2.ORDER_NEWEST_FIRST if newest_first else memory_pb2.ORDER_OLDEST_FIRST
    found, listed, tree = await asyncio.gather(
        visit.call(service.GetConversation, pb.GetConversationRequest(conversation_id=visit.id)),
        visit.call(
            service.ListMessages,
            pb.ListMessagesRequest(
                conversation_id=visit.id,
                order=order,
                page_size=_PAGE_SIZE,
                page_token=visit.values.text("page"),
                start_seq=start,
            ),
        ),
        _tops(visit),
    )
    return visit.page(
        "timeline.html",
        conversation=found.conversation,
        listed=listed,
        new_days=_new_days(listed.messages),
        tops=tree,
        newest_first=newest_first,
        start=start,
        earlier=max(1, start - _PAGE_SIZE),
        most_chars=MESSAGE_CHARS,
    )


async def _tops(visit: Visit) -> list[summary_pb2.Summary]:
    """Return the summaries of the conversation that nothing stands above, in their order."""
    request = summaries_pb.ListSummariesRequest(
        filter=summary_pb2.SummaryFilter(conversation_id=visit.id),
        order=memory_pb2.ORDER_OLDEST_FIRST,
        page_size=200,
        max_content_chars=_SUMMARY_CHARS,
    )
    found: list[summary_pb2.Summary] = []
    while True:
        page = await visit.call(visit.client.summary_service.ListSummaries, request)
        # Calendar summaries stand above nothing here: what they are made of has no parent of a conversation.
        found += [summary for summary in page.summaries if not summary.parent_id]
        request.page_token = page.next_page_token
        if not request.page_token:
            return sorted(found, key=lambda summary: summary.first_seq)


def _new_days(messages: list[memory_pb2.Message]) -> set[int]:
    """Return the places of messages that are the first of a day."""
    days = [message.body.create_time.seconds // 86400 for message in messages]
    first = [messages[0].seq] if messages else []
    return {
        *first,
        *(m.seq for m, (a, b) in zip(messages[1:], pairwise(days), strict=True) if a != b),
    }
