"""Summaries of SearchService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.rpc.interceptors.base import Context
from everword.rpc.pages import to_page
from everword.rpc.translate import summary_to_proto
from everword.v1 import search_service_pb2 as pb
from everword.v1.search_service_pb2_grpc import SearchServiceServicer
from everword_search.records.translate import is_newest_first
from everword_search.summaries.expand_summary import expand_summary
from everword_search.summaries.read_summaries import list_summaries
from everword_search.summaries.translate import expansion_to_proto, to_limits, to_summary_filter


class SummaryServicer(SearchServiceServicer):
    """SearchService's RPCs on the summary DAG."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ListSummaries(
        self, request: pb.ListSummariesRequest, context: Context
    ) -> pb.ListSummariesResponse:
        summaries, token = await list_summaries(
            self._database,
            current_namespace(),
            to_summary_filter(request.filter),
            is_newest_first(request.order),
            to_page(request),
            request.max_content_chars or None,
            request.at_least_as_fresh,
        )
        return pb.ListSummariesResponse(
            summaries=[summary_to_proto(summary) for summary in summaries], next_page_token=token
        )

    async def ExpandSummary(
        self, request: pb.ExpandSummaryRequest, context: Context
    ) -> pb.ExpandSummaryResponse:
        expansion, token = await expand_summary(
            self._database,
            current_namespace(),
            UUID(request.summary_id),
            to_limits(request.limits),
            to_page(request),
            request.at_least_as_fresh,
        )
        return pb.ExpandSummaryResponse(
            expansion=expansion_to_proto(expansion), next_page_token=token
        )
