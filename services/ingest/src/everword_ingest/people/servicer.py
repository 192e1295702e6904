"""Reviews of FactService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.domain.tokens import ConsistencyToken
from everword.people.model import PersonRuling, StrategyState
from everword.people.translate import event_to_proto, person_to_proto, strategy_to_proto
from everword.people.views import EventView, StrategyView
from everword.rpc.interceptors.base import Context
from everword.v1 import fact_service_pb2 as pb
from everword.v1 import people_pb2
from everword.v1.fact_service_pb2_grpc import FactServiceServicer
from everword_ingest.facts.translate import to_audit
from everword_ingest.people.review import review_learned


class ReviewServicer(FactServiceServicer):
    """Reviews of learned people, events and strategies."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ReviewLearned(
        self, request: pb.ReviewLearnedRequest, context: Context
    ) -> pb.ReviewLearnedResponse:
        kind = request.WhichOneof("learned") or ""
        ends = request.HasField("state")
        verdict = StrategyState(request.state) if ends else _to_ruling(request.ruling)
        found, token = await review_learned(
            self._database,
            current_namespace(),
            kind,
            UUID(getattr(request, kind)),
            verdict,
            to_audit(request.actor, request.reason),
        )
        response = pb.ReviewLearnedResponse(consistency_token=await self._seal(token))
        if isinstance(found, StrategyView):
            response.strategy.CopyFrom(strategy_to_proto(found))
        elif isinstance(found, EventView):
            response.event.CopyFrom(event_to_proto(found))
        else:
            response.person.CopyFrom(person_to_proto(found))
        return response

    async def _seal(self, token: ConsistencyToken) -> str:
        return token.seal(await self._database.token_secret())


def _to_ruling(ruling: people_pb2.LearnedRuling.ValueType) -> PersonRuling | None:
    return None if ruling == people_pb2.LEARNED_RULING_RIGHT else PersonRuling(ruling)
