"""Conversations: messages in order, and the summaries that cover them."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from starlette.responses import Response

from everword.v1 import conversation_pb2, memory_pb2, summary_pb2
from everword.v1 import search_service_pb2 as pb
from everword_web.console.visits import Visit

_PAGE_SIZE = 60
#: Characters of a message in a timeline; the message's own page shows all of it.
MESSAGE_CHARS = 2000
_SUMMARY_CHARS = 1200
#: Number of summaries of each level; those not yet under a higher summary are the newest of their level.
_MOST_SUMMARIES = 200
_LEVELS = (
    summary_pb2.SUMMARY_LEVEL_ROOT,
    summary_pb2.SUMMARY_LEVEL_BRANCH,
    summary_pb2.SUMMARY_LEVEL_LEAF,
)


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
    found, listed, (tree, left_out) = await asyncio.gather(
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
        tops_left_out=left_out,
        newest_first=newest_first,
        start=start,
        earlier=max(1, start - _PAGE_SIZE),
        most_chars=MESSAGE_CHARS,
    )


async def _tops(visit: Visit) -> tuple[list[summary_pb2.Summary], bool]:
    """Return summaries of the conversation that nothing stands above, in their order, and whether there are more."""
    pages = await asyncio.gather(*(_latest(visit, level) for level in _LEVELS))
    found = [each for page in pages for each in page.summaries if not each.parent_id]
    left_out = any(page.next_page_token and not page.summaries[-1].parent_id for page in pages)
    return sorted(found, key=lambda summary: summary.first_seq), left_out


async def _latest(
    visit: Visit, level: summary_pb2.SummaryLevel.ValueType
) -> pb.ListSummariesResponse:
    """Return the newest summaries of a level, as many as there are in a page."""
    request = pb.ListSummariesRequest(
        filter=summary_pb2.SummaryFilter(conversation_id=visit.id, levels=[level]),
        order=memory_pb2.ORDER_NEWEST_FIRST,
        page_size=_MOST_SUMMARIES,
        max_content_chars=_SUMMARY_CHARS,
    )
    page: pb.ListSummariesResponse = await visit.call(
        visit.client.search_service.ListSummaries, request
    )
    return page


def _new_days(messages: list[memory_pb2.Message]) -> set[int]:
    """Return the places of messages that are the first of a day."""
    days = [message.body.create_time.seconds // 86400 for message in messages]
    first = [messages[0].seq] if messages else []
    return {
        *first,
        *(m.seq for m, (a, b) in zip(messages[1:], pairwise(days), strict=True) if a != b),
    }
