"""Topics of GraphQueryService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.rpc.interceptors.base import Context
from everword.rpc.pages import to_page
from everword.rpc.translate import to_timestamp
from everword.v1 import graph_query_service_pb2 as pb
from everword.v1 import memory_pb2
from everword.v1.graph_query_service_pb2_grpc import GraphQueryServiceServicer
from everword_search.topics.read_topics import (
    TopicName,
    TopicRow,
    TopicScope,
    get_topic,
    list_topics,
)


class TopicServicer(GraphQueryServiceServicer):
    """GraphQueryService's RPCs on topic pages."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ListTopics(
        self, request: pb.ListTopicsRequest, context: Context
    ) -> pb.ListTopicsResponse:
        scope = TopicScope(list(request.subjects) or None, list(request.agents) or None)
        rows, token = await list_topics(
            self._database, current_namespace(), scope, to_page(request), request.at_least_as_fresh
        )
        return pb.ListTopicsResponse(topics=[_to_proto(row) for row in rows], next_page_token=token)

    async def GetTopic(self, request: pb.GetTopicRequest, context: Context) -> pb.GetTopicResponse:
        id_ = UUID(request.id) if request.id else None
        requested = TopicName(id_, request.name, request.agent, request.subject)
        row = await get_topic(
            self._database, current_namespace(), requested, request.at_least_as_fresh
        )
        return pb.GetTopicResponse(topic=_to_proto(row))


def _to_proto(row: TopicRow) -> pb.Topic:
    return pb.Topic(
        id=str(row.node_id),
        memory_id=str(row.id),
        name=row.title,
        type=row.type,
        agent=row.agent,
        subject=row.subject,
        content=row.content,
        citations=[
            pb.TopicCitation(
                number=number, kind=memory_pb2.MemoryKind.ValueType(kind), id=str(source_id)
            )
            for number, (source_id, kind) in enumerate(
                zip(row.source_ids, row.source_kinds, strict=True), start=1
            )
        ],
        revision=row.revision,
        model=row.model,
        update_time=to_timestamp(row.made_at),
    )
