"""FactQueryService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.facts.attribute_names import canonical_attribute
from everword.facts.translate import fact_to_proto
from everword.rpc.interceptors.base import Context
from everword.rpc.pages import to_page
from everword.v1 import fact_query_service_pb2 as pb
from everword.v1.fact_query_service_pb2_grpc import FactQueryServiceServicer
from everword_search.facts.list_themes import list_themes, theme_to_proto
from everword_search.facts.read_facts import (
    explain_fact,
    get_fact_history,
    get_profile,
    list_disputes,
    list_facts,
)
from everword_search.facts.translate import (
    change_to_proto,
    dispute_to_proto,
    evidence_to_proto,
    link_to_proto,
    to_fact_filter,
    to_profile_request,
)


class FactQueryServicer(FactQueryServiceServicer):
    """FactQueryService without its RPCs on people."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def GetProfile(
        self, request: pb.GetProfileRequest, context: Context
    ) -> pb.GetProfileResponse:
        requested = to_profile_request(request)
        facts, omitted = await get_profile(self._database, current_namespace(), requested)
        at = requested.as_of.valid_at
        return pb.GetProfileResponse(
            facts=[fact_to_proto(fact, at) for fact in facts], omitted=omitted
        )

    async def ListThemes(
        self, request: pb.ListThemesRequest, context: Context
    ) -> pb.ListThemesResponse:
        themes = await list_themes(self._database, current_namespace(), request.at_least_as_fresh)
        return pb.ListThemesResponse(themes=[theme_to_proto(each) for each in themes])

    async def ListFacts(
        self, request: pb.ListFactsRequest, context: Context
    ) -> pb.ListFactsResponse:
        requested = to_fact_filter(request)
        facts, token = await list_facts(
            self._database,
            current_namespace(),
            requested,
            to_page(request),
            request.at_least_as_fresh,
        )
        at = requested.as_of.valid_at
        return pb.ListFactsResponse(
            facts=[fact_to_proto(fact, at) for fact in facts], next_page_token=token
        )

    async def GetFactHistory(
        self, request: pb.GetFactHistoryRequest, context: Context
    ) -> pb.GetFactHistoryResponse:
        facts = await get_fact_history(
            self._database,
            current_namespace(),
            request.subject,
            canonical_attribute(request.attribute),
            request.at_least_as_fresh,
        )
        return pb.GetFactHistoryResponse(facts=[fact_to_proto(fact) for fact in facts])

    async def ExplainFact(
        self, request: pb.ExplainFactRequest, context: Context
    ) -> pb.ExplainFactResponse:
        found = await explain_fact(
            self._database, current_namespace(), UUID(request.fact_id), request.at_least_as_fresh
        )
        return pb.ExplainFactResponse(
            fact=fact_to_proto(found.fact),
            evidence=[evidence_to_proto(row) for row in found.evidence],
            changes=[change_to_proto(row) for row in found.changes],
            links=[link_to_proto(link) for link in found.links],
            disputes=[dispute_to_proto(each) for each in found.disputes],
        )

    async def ListDisputes(
        self, request: pb.ListDisputesRequest, context: Context
    ) -> pb.ListDisputesResponse:
        disputes, token = await list_disputes(
            self._database,
            current_namespace(),
            list(request.subjects) or None,
            to_page(request),
            request.at_least_as_fresh,
        )
        return pb.ListDisputesResponse(
            disputes=[dispute_to_proto(each) for each in disputes], next_page_token=token
        )
