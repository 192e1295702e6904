"""Reviews of FactService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.domain.errors import InvalidArgument
from everword.domain.tokens import ConsistencyToken
from everword.people.model import Ruling, StrategyState
from everword.people.translate import event_to_proto, person_to_proto, strategy_to_proto
from everword.rpc.interceptors.base import Context
from everword.v1 import fact_service_pb2 as pb
from everword.v1 import people_pb2
from everword.v1.fact_service_pb2_grpc import FactServiceServicer
from everword_ingest.facts.translate import to_audit
from everword_ingest.people.review import end_strategy, review_event, review_person


class ReviewServicer(FactServiceServicer):
    """What people say of what was learned."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ReviewLearned(
        self, request: pb.ReviewLearnedRequest, context: Context
    ) -> pb.ReviewLearnedResponse:
        kind, audit = request.WhichOneof("learned"), to_audit(request.actor, request.reason)
        database, namespace = self._database, current_namespace()
        response = pb.ReviewLearnedResponse()
        if kind == "strategy_id":
            _require(request, "state")
            state = StrategyState(request.state)
            strategy, token = await end_strategy(
                database, namespace, UUID(request.strategy_id), state, audit
            )
            response.strategy.CopyFrom(strategy_to_proto(strategy))
        elif kind == "event_id":
            _require(request, "ruling")
            ruling = _to_ruling(request.ruling)
            event, token = await review_event(
                database, namespace, UUID(request.event_id), ruling, audit
            )
            response.event.CopyFrom(event_to_proto(event))
        else:
            _require(request, "ruling")
            ruling = _to_ruling(request.ruling)
            person, token = await review_person(
                database, namespace, UUID(request.person_id), ruling, audit
            )
            response.person.CopyFrom(person_to_proto(person))
        response.consistency_token = await self._seal(token)
        return response

    async def _seal(self, token: ConsistencyToken) -> str:
        return token.seal(await self._database.token_secret())


def _require(request: pb.ReviewLearnedRequest, field: str) -> None:
    """Raise InvalidArgument if the verdict is of the wrong kind."""
    if request.WhichOneof("verdict") != field:
        text = "is needed for a question" if field == "state" else "is needed for people and events"
        raise InvalidArgument(violations=((field, text),))


def _to_ruling(ruling: people_pb2.LearnedRuling.ValueType) -> Ruling | None:
    return None if ruling == people_pb2.LEARNED_RULING_RIGHT else Ruling(ruling)
