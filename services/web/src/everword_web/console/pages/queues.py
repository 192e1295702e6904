"""Background work: waiting and failed jobs, and retries."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.responses import Response

from everword.v1 import maintenance_service_pb2 as pb
from everword_web.console.values import BadInputError
from everword_web.console.visits import Visit

_TARGETS = {
    "embeddings": pb.BACKFILL_TARGET_EMBEDDINGS,
    "tool_sentences": pb.BACKFILL_TARGET_TOOL_SENTENCES,
}


async def status(visit: Visit) -> Response:
    """Show how the jobs of each task stand, and what failed for good."""
    service = visit.client.maintenance_service
    found = await visit.call(service.GetQueueStatus, pb.GetQueueStatusRequest())
    values = visit.values
    again = values.number("again", 0, 10**9 - 1) if values.text("again") else None
    return visit.page("queues.html", found=found, again=again)


async def retry(visit: Visit) -> Response:
    """Try jobs again that failed for good: of one task, or of all."""
    task = visit.form.text("task")
    answer = await visit.call(
        visit.client.maintenance_service.RetryJobs, pb.RetryJobsRequest(task=task)
    )
    return visit.go(f"/queues?{urlencode({'again': answer.jobs})}")


async def backfill(visit: Visit) -> Response:
    """Enqueue memories without a vector or without a sentence."""
    target = _TARGETS.get(visit.form.text("target"))
    if target is None:
        raise BadInputError(f"Choose one of {', '.join(_TARGETS)} to rebuild.")
    answer = await visit.call(
        visit.client.maintenance_service.Backfill, pb.BackfillRequest(target=target)
    )
    return visit.go(f"/queues?{urlencode({'again': answer.items})}")
