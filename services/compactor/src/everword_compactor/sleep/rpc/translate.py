"""Progress of Sleep, as protos."""

from __future__ import annotations

from everword.v1 import maintenance_service_pb2 as pb
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
    )
