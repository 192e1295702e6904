"""Retention of ErasureService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.rpc.interceptors.base import Context
from everword.rpc.pages import to_page
from everword.v1 import erasure_service_pb2 as pb
from everword.v1.erasure_service_pb2_grpc import ErasureServiceServicer
from everword_ingest.retention.holds import (
    create_legal_hold,
    delete_legal_hold,
    list_legal_holds,
)
from everword_ingest.retention.policies import (
    list_retention_policies,
    preview_retention,
    set_retention_policy,
)
from everword_ingest.retention.runs import list_retention_runs, run_retention
from everword_ingest.retention.translate import (
    count_to_proto,
    hold_to_proto,
    policy_to_proto,
    run_to_proto,
    to_hold_scope,
    to_policies,
    to_policy,
)


class RetentionServicer(ErasureServiceServicer):
    """Retention policies and legal holds."""

    def __init__(self, database: Database, wake_retention: Callable[[], None]) -> None:
        self._database = database
        self._wake_retention = wake_retention

    async def ListRetentionPolicies(
        self, request: pb.ListRetentionPoliciesRequest, context: Context
    ) -> pb.ListRetentionPoliciesResponse:
        found = await list_retention_policies(self._database, current_namespace())
        return pb.ListRetentionPoliciesResponse(policies=map(policy_to_proto, found))

    async def SetRetentionPolicy(
        self, request: pb.SetRetentionPolicyRequest, context: Context
    ) -> pb.SetRetentionPolicyResponse:
        await set_retention_policy(self._database, current_namespace(), to_policy(request.policy))
        return pb.SetRetentionPolicyResponse(policy=request.policy)

    async def PreviewRetention(
        self, request: pb.PreviewRetentionRequest, context: Context
    ) -> pb.PreviewRetentionResponse:
        found = await preview_retention(
            self._database, current_namespace(), to_policies(request.policies)
        )
        return pb.PreviewRetentionResponse(removed=map(count_to_proto, found))

    async def RunRetention(
        self, request: pb.RunRetentionRequest, context: Context
    ) -> pb.RunRetentionResponse:
        run = await run_retention(self._database, current_namespace(), self._wake_retention)
        return pb.RunRetentionResponse(run=run_to_proto(run))

    async def ListRetentionRuns(
        self, request: pb.ListRetentionRunsRequest, context: Context
    ) -> pb.ListRetentionRunsResponse:
        found, token = await list_retention_runs(
            self._database, current_namespace(), to_page(request)
        )
        return pb.ListRetentionRunsResponse(runs=map(run_to_proto, found), next_page_token=token)

    async def CreateLegalHold(
        self, request: pb.CreateLegalHoldRequest, context: Context
    ) -> pb.CreateLegalHoldResponse:
        hold = await create_legal_hold(
            self._database, current_namespace(), *to_hold_scope(request), request.reason
        )
        return pb.CreateLegalHoldResponse(hold=hold_to_proto(hold))

    async def ListLegalHolds(
        self, request: pb.ListLegalHoldsRequest, context: Context
    ) -> pb.ListLegalHoldsResponse:
        found, token = await list_legal_holds(self._database, current_namespace(), to_page(request))
        return pb.ListLegalHoldsResponse(holds=map(hold_to_proto, found), next_page_token=token)

    async def DeleteLegalHold(
        self, request: pb.DeleteLegalHoldRequest, context: Context
    ) -> pb.DeleteLegalHoldResponse:
        hold = await delete_legal_hold(self._database, current_namespace(), UUID(request.hold_id))
        return pb.DeleteLegalHoldResponse(hold=hold_to_proto(hold))
