"""`everword queue-status`, `retry-failed` and `backfill`: the background work of a namespace."""

from __future__ import annotations

import click

from everword.cli.background import wait_for_sentences
from everword.cli.output import (
    age,
    json_option,
    line,
    print_entries,
    print_json,
    print_table,
    when,
)
from everword.cli.session import remote
from everword.cli.stats import print_tasks
from everword.cli.suggestions import did_you_mean
from everword.client import Client
from everword.v1 import maintenance_service_pb2 as pb

dry_run_option = click.option("--dry-run", is_flag=True, help="Only count; change nothing.")


@click.command("queue-status")
@click.option("--task", default="", help="Include only this task.")
@json_option
@remote
async def queue_status(client: Client, task: str, as_json: bool) -> None:
    """Show waiting jobs, and failed jobs with their errors."""
    response = await client.maintenance_service.GetQueueStatus(pb.GetQueueStatusRequest(task=task))
    if as_json:
        print_json(response)
        return
    if response.tasks:
        print_tasks(list(response.tasks))
    elif not (response.failed_passages or response.failed_tool_calls):
        line("nothing is queued")
    _print_model_steps(response)
    if response.failed_passages:
        failed = [(each.memory_id, each.part, each.error) for each in response.failed_passages]
        print_entries(("gets no vector", "passage"), failed, right="passage")
    if response.failed_tool_calls:
        calls = [(call.message_id, call.error) for call in response.failed_tool_calls]
        print_entries(("gets no sentence",), calls)
    if response.failed_jobs:
        rows = [
            (job.task, job.target, job.attempts, when(job.fail_time), job.error)
            for job in response.failed_jobs
        ]
        columns = ("failed", "target", "attempts", "when")
        print_entries(columns, rows, right="attempts", fold="failed")


def _print_model_steps(response: pb.GetQueueStatusResponse) -> None:
    """Print the model's steps of the last hour, and the estimated time for the rest of Sleep."""
    if response.model_steps:
        rows = [
            (
                each.step,
                each.calls,
                f"{each.tokens_per_second:.1f}",
                each.timeouts,
                when(each.last_call_time),
            )
            for each in response.model_steps
        ]
        columns = ("asked the model", "calls", "tokens/s", "time-outs", "latest")
        print_table(columns, rows, right="calls tokens/s time-outs")
    if response.HasField("sleep_time_left"):
        line(f"about {age(response.sleep_time_left)} of model time left for sleep")


@click.command("retry-failed")
@click.option("--task", default="", help="Include only jobs of this task.")
@click.option(
    "--error",
    "error_contains",
    default="",
    help="Include only jobs whose error contains this text.",
)
@click.option("--limit", type=click.IntRange(1), help="Retry at most this many jobs.")
@dry_run_option
@json_option
@remote
async def retry_failed(
    client: Client, task: str, error_contains: str, limit: int | None, dry_run: bool, as_json: bool
) -> None:
    """Retry jobs that have used up their attempts."""
    response = await client.maintenance_service.RetryJobs(
        pb.RetryJobsRequest(
            task=task, error_contains=error_contains, dry_run=dry_run, limit=limit or 0
        )
    )
    if as_json:
        print_json(response)
    elif response.jobs or not (task or error_contains):
        line(f"{response.jobs} jobs {'would be' if dry_run else 'are'} tried again")
    if (task or error_contains) and not response.jobs:
        queue = await client.maintenance_service.GetQueueStatus(pb.GetQueueStatusRequest())
        failed = [each.task for each in queue.tasks if each.failed]
        raise click.ClickException(
            f"no failed job matches{f' the task {task!r}' if task else ''}"
            f"{' and' if task and error_contains else ''}"
            f"{f' the error {error_contains!r}' if error_contains else ''}."
            f"{did_you_mean(task, failed) if task and task not in failed else ''}"
        )


@click.group()
def backfill() -> None:
    """Schedule missing background work."""


@backfill.command()
@dry_run_option
@json_option
@remote
async def embeddings(client: Client, dry_run: bool, as_json: bool) -> None:
    """Schedule vectors for all passages without one, including failed ones."""
    response = await client.maintenance_service.Backfill(
        pb.BackfillRequest(target=pb.BACKFILL_TARGET_EMBEDDINGS, dry_run=dry_run)
    )
    if as_json:
        print_json(response)
    else:
        line(f"{response.items} passages {'would get' if dry_run else 'get'} a vector")


@backfill.command("tool-sentences")
@dry_run_option
@click.option("--limit", type=click.IntRange(min=1), help="Schedule at most this many tool calls.")
@click.option("--wait", is_flag=True, help="Wait until the sentences are written.")
@json_option
@remote
async def tool_sentences(
    client: Client, dry_run: bool, limit: int | None, wait: bool, as_json: bool
) -> None:
    """Schedule descriptions of tool calls that have none."""
    response = await client.maintenance_service.Backfill(
        pb.BackfillRequest(
            target=pb.BACKFILL_TARGET_TOOL_SENTENCES, dry_run=dry_run, limit=limit or 0
        )
    )
    left = 0 if dry_run or not wait else await wait_for_sentences(client, response.items)
    if as_json:
        print_json(response)
    else:
        line(f"{response.items} tool calls {'would get' if dry_run else 'get'} a sentence")
    if left:
        raise click.ClickException(
            f"{left} tool calls are pending, but no worker processes them: see `everword queue-status`"
        )


@backfill.command("summaries")
@dry_run_option
@click.option("--limit", default=0, help="Schedule at most this many; 0 is no limit.")
@json_option
@remote
async def backfill_summaries(client: Client, dry_run: bool, limit: int, as_json: bool) -> None:
    """Schedule missing summaries of conversations and days."""
    response = await client.maintenance_service.Backfill(
        pb.BackfillRequest(target=pb.BACKFILL_TARGET_SUMMARIES, dry_run=dry_run, limit=limit)
    )
    if as_json:
        print_json(response)
    else:
        line(
            f"{response.items} conversations and days {'would be' if dry_run else 'are'} scheduled"
        )
