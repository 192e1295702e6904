"""ReviewService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.domain.tokens import ConsistencyToken
from everword.people.model import PersonRuling, StrategyState
from everword.people.translate import event_to_proto, person_to_proto, strategy_to_proto
from everword.rpc.interceptors.base import Context
from everword.v1 import people_pb2
from everword.v1 import review_service_pb2 as pb
from everword.v1.review_service_pb2_grpc import ReviewServiceServicer
from everword_ingest.facts.translate import to_audit
from everword_ingest.people.review import end_strategy, review_event, review_person


class ReviewServicer(ReviewServiceServicer):
    """What people say of what was learned."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ReviewPerson(
        self, request: pb.ReviewPersonRequest, context: Context
    ) -> pb.ReviewPersonResponse:
        person, token = await review_person(
            self._database,
            current_namespace(),
            UUID(request.person_id),
            _to_ruling(request.ruling),
            to_audit(request.actor, request.reason),
        )
        return pb.ReviewPersonResponse(
            person=person_to_proto(person), consistency_token=await self._seal(token)
        )

    async def ReviewEvent(
        self, request: pb.ReviewEventRequest, context: Context
    ) -> pb.ReviewEventResponse:
        event, token = await review_event(
            self._database,
            current_namespace(),
            UUID(request.event_id),
            _to_ruling(request.ruling),
            to_audit(request.actor, request.reason),
        )
        return pb.ReviewEventResponse(
            event=event_to_proto(event), consistency_token=await self._seal(token)
        )

    async def EndStrategy(
        self, request: pb.EndStrategyRequest, context: Context
    ) -> pb.EndStrategyResponse:
        strategy, token = await end_strategy(
            self._database,
            current_namespace(),
            UUID(request.strategy_id),
            StrategyState(request.state),
            to_audit(request.actor, request.reason),
        )
        return pb.EndStrategyResponse(
            strategy=strategy_to_proto(strategy), consistency_token=await self._seal(token)
        )

    async def _seal(self, token: ConsistencyToken) -> str:
        return token.seal(await self._database.token_secret())


def _to_ruling(ruling: people_pb2.LearnedRuling.ValueType) -> PersonRuling | None:
    return None if ruling == people_pb2.LEARNED_RULING_RIGHT else PersonRuling(ruling)
