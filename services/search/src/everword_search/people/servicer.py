"""PeopleService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.people.translate import event_to_proto, person_to_proto, strategy_to_proto
from everword.rpc.interceptors.base import Context
from everword.rpc.pages import to_page
from everword.v1 import people_service_pb2 as pb
from everword.v1.people_service_pb2_grpc import PeopleServiceServicer
from everword_search.people.read_people import (
    get_event,
    get_person,
    get_strategy,
    get_trajectory,
    get_user_model,
    list_events,
    list_people,
    list_strategies,
)
from everword_search.people.translate import (
    change_to_proto,
    evidence_to_proto,
    to_listed,
    trait_to_proto,
    trajectory_to_proto,
)


class PeopleServicer(PeopleServiceServicer):
    """What was learned of the subjects of a namespace, beside facts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ListPeople(
        self, request: pb.ListPeopleRequest, context: Context
    ) -> pb.ListPeopleResponse:
        listed = to_listed(request, request.include_rejected)
        found, token = await list_people(
            self._database, current_namespace(), listed, to_page(request), request.at_least_as_fresh
        )
        people = [person_to_proto(each) for each in found]
        return pb.ListPeopleResponse(people=people, next_page_token=token)

    async def GetPerson(
        self, request: pb.GetPersonRequest, context: Context
    ) -> pb.GetPersonResponse:
        found = await get_person(
            self._database, current_namespace(), UUID(request.person_id), request.at_least_as_fresh
        )
        return pb.GetPersonResponse(
            person=person_to_proto(found.view),
            evidence=[evidence_to_proto(row) for row in found.evidence],
            changes=[change_to_proto(row) for row in found.changes],
        )

    async def ListEvents(
        self, request: pb.ListEventsRequest, context: Context
    ) -> pb.ListEventsResponse:
        listed = to_listed(request, request.include_past)
        found, token = await list_events(
            self._database, current_namespace(), listed, to_page(request), request.at_least_as_fresh
        )
        events = [event_to_proto(each) for each in found]
        return pb.ListEventsResponse(events=events, next_page_token=token)

    async def GetEvent(self, request: pb.GetEventRequest, context: Context) -> pb.GetEventResponse:
        found = await get_event(
            self._database, current_namespace(), UUID(request.event_id), request.at_least_as_fresh
        )
        return pb.GetEventResponse(
            event=event_to_proto(found.view),
            evidence=[evidence_to_proto(row) for row in found.evidence],
            changes=[change_to_proto(row) for row in found.changes],
        )

    async def GetUserModel(
        self, request: pb.GetUserModelRequest, context: Context
    ) -> pb.GetUserModelResponse:
        traits, evidence = await get_user_model(
            self._database,
            current_namespace(),
            request.subject,
            request.at_least_as_fresh,
            include_past=request.include_past,
            include_evidence=request.include_evidence,
        )
        return pb.GetUserModelResponse(traits=[trait_to_proto(row, evidence) for row in traits])

    async def GetTrajectory(
        self, request: pb.GetTrajectoryRequest, context: Context
    ) -> pb.GetTrajectoryResponse:
        found, evidence = await get_trajectory(
            self._database,
            current_namespace(),
            request.subject,
            request.version,
            request.at_least_as_fresh,
        )
        return pb.GetTrajectoryResponse(
            trajectory=trajectory_to_proto(found) if found else None,
            evidence=[evidence_to_proto(row) for row in evidence],
        )

    async def ListStrategies(
        self, request: pb.ListStrategiesRequest, context: Context
    ) -> pb.ListStrategiesResponse:
        listed = to_listed(request, request.include_ended)
        found, token = await list_strategies(
            self._database, current_namespace(), listed, to_page(request), request.at_least_as_fresh
        )
        strategies = [strategy_to_proto(each) for each in found]
        return pb.ListStrategiesResponse(strategies=strategies, next_page_token=token)

    async def GetStrategy(
        self, request: pb.GetStrategyRequest, context: Context
    ) -> pb.GetStrategyResponse:
        found = await get_strategy(
            self._database,
            current_namespace(),
            UUID(request.strategy_id),
            request.at_least_as_fresh,
        )
        return pb.GetStrategyResponse(
            strategy=strategy_to_proto(found.view),
            evidence=[evidence_to_proto(row) for row in found.evidence],
            changes=[change_to_proto(row) for row in found.changes],
        )
