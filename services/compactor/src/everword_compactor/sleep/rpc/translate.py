"""Requests, progress and estimates of Sleep, from and to protos."""

from __future__ import annotations

from uuid import UUID

from everword.rpc.translate import optional_time
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1.cost_pb2 import Money
from everword_compactor.sleep.rpc.requests import SleepScope
from everword_compactor.sleep.rpc.reread import RereadingEstimate
from everword_compactor.sleep.rpc.sleep import Progress


def progress_to_proto(progress: Progress) -> pb.SleepResponse:
    return pb.SleepResponse(
        done=progress.done,
        conversations=progress.conversations,
        pending_jobs=progress.jobs.pending,
        stored_sessions=progress.sessions.stored,
        processed_sessions=progress.sessions.processed,
        skipped_sessions=progress.sessions.skipped,
        parked_sessions=progress.sessions.parked,
        failed_jobs=progress.jobs.failed,
        postponed_jobs=progress.jobs.postponed,
        left_out_steps=list(progress.left_out),
        sessions_to_read_again=progress.sessions.to_read_again,
    )


def to_scope(request: pb.SleepRequest) -> SleepScope:
    return SleepScope(
        conversation_id=UUID(request.conversation_id) if request.conversation_id else None,
        subject=request.subject,
        again=request.again,
        since=optional_time(request, "since_time", path=""),
    )


def estimate_to_proto(estimate: RereadingEstimate) -> pb.SleepResponse:
    counts, cost = estimate.counts, estimate.cost
    return pb.SleepResponse(
        done=True,
        estimate=pb.RereadingEstimate(
            model=estimate.model,
            sessions=counts.sessions,
            sessions_without_model=counts.without_model,
            messages=counts.messages,
            message_tokens=counts.tokens,
            input_tokens=estimate.input_tokens,
            output_tokens=estimate.output_tokens,
            cost=Money(currency_code=cost.currency, amount=format(cost.cost, "f"))
            if cost
            else None,
        ),
    )
