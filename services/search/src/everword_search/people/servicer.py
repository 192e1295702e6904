"""People of FactQueryService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.people.translate import event_to_proto, person_to_proto, strategy_to_proto
from everword.people.views import EventView, StrategyView
from everword.rpc.interceptors.base import Context
from everword.rpc.pages import to_page
from everword.v1 import fact_query_service_pb2 as pb
from everword.v1.fact_query_service_pb2_grpc import FactQueryServiceServicer
from everword_search.people.read_people import (
    explain_learned,
    get_user_model,
    list_events,
    list_people,
    list_strategies,
)
from everword_search.people.sessions import list_sessions, session_to_proto
from everword_search.people.store import SessionFilter
from everword_search.people.translate import (
    change_to_proto,
    evidence_to_proto,
    to_listed,
    trait_to_proto,
    trajectory_to_proto,
)


class PeopleServicer(FactQueryServiceServicer):
    """FactQueryService's RPCs on people, events, user models and questions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ExplainLearned(
        self, request: pb.ExplainLearnedRequest, context: Context
    ) -> pb.ExplainLearnedResponse:
        kind = request.WhichOneof("learned") or ""
        found = await explain_learned(
            self._database,
            current_namespace(),
            kind,
            UUID(getattr(request, kind)),
            request.at_least_as_fresh,
        )
        response = pb.ExplainLearnedResponse()
        if isinstance(found.view, StrategyView):
            response.strategy.CopyFrom(strategy_to_proto(found.view))
        elif isinstance(found.view, EventView):
            response.event.CopyFrom(event_to_proto(found.view))
        else:
            response.person.CopyFrom(person_to_proto(found.view))
        response.evidence.extend(map(evidence_to_proto, found.evidence))
        response.changes.extend(map(change_to_proto, found.changes))
        return response

    async def ListPeople(
        self, request: pb.ListPeopleRequest, context: Context
    ) -> pb.ListPeopleResponse:
        listed = to_listed(request, request.include_rejected)
        found, token = await list_people(
            self._database, current_namespace(), listed, to_page(request), request.at_least_as_fresh
        )
        people = [person_to_proto(each) for each in found]
        return pb.ListPeopleResponse(people=people, next_page_token=token)

    async def ListEvents(
        self, request: pb.ListEventsRequest, context: Context
    ) -> pb.ListEventsResponse:
        listed = to_listed(request, request.include_past)
        found, token = await list_events(
            self._database, current_namespace(), listed, to_page(request), request.at_least_as_fresh
        )
        events = [event_to_proto(each) for each in found]
        return pb.ListEventsResponse(events=events, next_page_token=token)

    async def GetUserModel(
        self, request: pb.GetUserModelRequest, context: Context
    ) -> pb.GetUserModelResponse:
        found = await get_user_model(
            self._database,
            current_namespace(),
            request.subject,
            request.trajectory_version,
            request.at_least_as_fresh,
            include_past=request.include_past,
            include_evidence=request.include_evidence,
        )
        about_trajectory = [
            row
            for row in found.evidence
            if found.trajectory and row.about_id == found.trajectory.id
        ]
        return pb.GetUserModelResponse(
            traits=[trait_to_proto(row, found.evidence) for row in found.traits],
            trajectory=trajectory_to_proto(found.trajectory) if found.trajectory else None,
            trajectory_evidence=map(evidence_to_proto, about_trajectory),
        )

    async def ListSessions(
        self, request: pb.ListSessionsRequest, context: Context
    ) -> pb.ListSessionsResponse:
        conversation_id = UUID(request.conversation_id) if request.conversation_id else None
        found, token = await list_sessions(
            self._database,
            current_namespace(),
            SessionFilter(list(request.subjects) or None, conversation_id),
            to_page(request),
            request.at_least_as_fresh,
        )
        sessions = [session_to_proto(each) for each in found]
        return pb.ListSessionsResponse(sessions=sessions, next_page_token=token)

    async def ListStrategies(
        self, request: pb.ListStrategiesRequest, context: Context
    ) -> pb.ListStrategiesResponse:
        listed = to_listed(request, request.include_ended)
        found, token = await list_strategies(
            self._database, current_namespace(), listed, to_page(request), request.at_least_as_fresh
        )
        strategies = [strategy_to_proto(each) for each in found]
        return pb.ListStrategiesResponse(strategies=strategies, next_page_token=token)
