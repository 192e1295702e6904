"""FactService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.domain.tokens import ConsistencyToken
from everword.facts.translate import fact_to_proto
from everword.rpc.interceptors.base import Context
from everword.rpc.translate import optional_time
from everword.v1 import fact_service_pb2 as pb
from everword.v1.fact_service_pb2_grpc import FactServiceServicer
from everword_ingest.facts.remember import remember
from everword_ingest.facts.rule import close_fact, confirm_fact, correct_fact
from everword_ingest.facts.translate import to_audit, to_claim
from everword_ingest.request_ids.claims import hash_body


class FactServicer(FactServiceServicer):
    """Writes and corrections of facts."""

    def __init__(self, database: Database, wake: Callable[[], None]) -> None:
        self._database = database
        self._wake = wake

    async def Remember(self, request: pb.RememberRequest, context: Context) -> pb.RememberResponse:
        outcome = await remember(
            self._database,
            current_namespace(),
            to_claim(request),
            request.request_id,
            hash_body(request),
            self._wake,
        )
        return pb.RememberResponse(
            fact=fact_to_proto(outcome.fact) if outcome.fact else None,
            superseded=[fact_to_proto(each) for each in outcome.others],
            consistency_token=await self._seal(outcome.consistency_token),
            replayed=outcome.replayed,
        )

    async def CorrectFact(
        self, request: pb.CorrectFactRequest, context: Context
    ) -> pb.CorrectFactResponse:
        outcome = await correct_fact(
            self._database,
            current_namespace(),
            UUID(request.fact_id),
            request.value,
            to_audit(request.actor, request.reason),
            self._wake,
        )
        return pb.CorrectFactResponse(
            fact=fact_to_proto(outcome.fact) if outcome.fact else None,
            rejected=fact_to_proto(outcome.others[0]),
            consistency_token=await self._seal(outcome.consistency_token),
        )

    async def ConfirmFact(
        self, request: pb.ConfirmFactRequest, context: Context
    ) -> pb.ConfirmFactResponse:
        outcome = await confirm_fact(
            self._database,
            current_namespace(),
            UUID(request.fact_id),
            to_audit(request.actor, request.reason),
            self._wake,
        )
        return pb.ConfirmFactResponse(
            fact=fact_to_proto(outcome.fact) if outcome.fact else None,
            consistency_token=await self._seal(outcome.consistency_token),
        )

    async def CloseFact(
        self, request: pb.CloseFactRequest, context: Context
    ) -> pb.CloseFactResponse:
        outcome = await close_fact(
            self._database,
            current_namespace(),
            UUID(request.fact_id),
            optional_time(request, "valid_until_time", ""),
            to_audit(request.actor, request.reason),
            self._wake,
        )
        return pb.CloseFactResponse(
            fact=fact_to_proto(outcome.fact) if outcome.fact else None,
            consistency_token=await self._seal(outcome.consistency_token),
        )

    async def _seal(self, token: ConsistencyToken) -> str:
        return token.seal(await self._database.token_secret())
