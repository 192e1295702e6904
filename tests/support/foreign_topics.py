"""Calls on topic pages with ids of another namespace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from everword.domain.ids import new_id
from everword.v1 import graph_query_service_pb2 as pb
from support.callers import within
from support.foreign import NO_PAGE, NO_TOKEN, Call
from support.stack import Stack

NO_TOPIC = "TOPIC_NOT_FOUND"


async def write_pages(stack: Stack, namespace: str, node_ids: Sequence[str]) -> dict[str, str]:
    """Store a page about each given node; return the token of the list's second page."""
    with stack.database.connect() as conn:
        for node_id in node_ids:
            conn.execute(
                "INSERT INTO topic_pages (namespace_id, node_id, id, title, type, content, source_ids, source_kinds) "
                "SELECT id, %s, %s, 'Theirs', 'person', 'Their page.', '{}', '{}' FROM namespaces WHERE name = %s",
                [UUID(node_id), new_id(), namespace],
            )
    listed = await stack.graph_queries.ListTopics(topics_request(), metadata=within(namespace))
    return {"ListTopics": listed.next_page_token}


def topics_request(**fields: Any) -> pb.ListTopicsRequest:
    return pb.ListTopicsRequest(page_size=1, **fields)


TOPICS_REFUSED: dict[str, tuple[str, Call]] = {
    "GetTopic id": (
        NO_TOPIC,
        lambda s, t: s.graph_queries.GetTopic(pb.GetTopicRequest(id=t.node_id)),
    ),
    "GetTopic name": (
        NO_TOPIC,
        lambda s, t: s.graph_queries.GetTopic(pb.GetTopicRequest(name="Theirs")),
    ),
    "ListTopics page_token": (
        NO_PAGE,
        lambda s, t: s.graph_queries.ListTopics(
            topics_request(page_token=t.page_tokens["ListTopics"])
        ),
    ),
    "ListTopics at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.graph_queries.ListTopics(
            topics_request(at_least_as_fresh=t.consistency_token)
        ),
    ),
    "GetTopic at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.graph_queries.GetTopic(
            pb.GetTopicRequest(id=t.node_id, at_least_as_fresh=t.consistency_token)
        ),
    ),
}
TOPICS_EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    "ListTopics": (
        lambda s, t: s.graph_queries.ListTopics(topics_request()),
        lambda answer: not answer.topics,
    ),
}
