"""`everword stats`: how the memory of a namespace is doing."""

from __future__ import annotations

import click

from everword.cli.output import age, json_option, line, print_json, print_table, size, when
from everword.cli.session import remote
from everword.client import Client
from everword.v1.search_service_pb2 import GetStatsRequest, GetStatsResponse
from everword.v1.stats_pb2 import Alert, TaskStats


@click.command()
@json_option
@remote
async def stats(client: Client, as_json: bool) -> None:
    """Say what needs attention, then counts, sizes and lag."""
    response = await client.search_service.GetStats(GetStatsRequest())
    if as_json:
        print_json(response)
        return
    for alert in response.alerts:
        severity = Alert.Severity.Name(alert.severity).removeprefix("SEVERITY_").lower()
        line(f"{severity}: {alert.text}")
    if not response.alerts:
        line("all is well")
    print_table(("", "now"), _rows(response), right="now")
    if response.tasks:
        print_tasks(list(response.tasks))


def _rows(response: GetStatsResponse) -> list[tuple[object, ...]]:
    corpus, embedding, summaries = response.corpus, response.embedding, response.summaries
    backlog = summaries.backlog
    return [
        ("conversations", corpus.conversations),
        ("messages", corpus.messages),
        ("of them turns", corpus.turns),
        ("passages", corpus.passages),
        ("content", size(corpus.content_bytes)),
        ("latest message stored", when(corpus.latest_record_time)),
        ("model that embeds", embedding.model or "none"),
        ("passages with their vector", f"{embedding.coverage:.1%}"),
        ("vectors to be made", embedding.pending),
        ("of them failed", embedding.failed),
        ("oldest waits for", age(embedding.oldest_pending_age)),
        ("summaries", summaries.summaries),
        ("levels of the deepest tree", summaries.depth),
        ("messages not summed up", backlog.messages),
        ("summaries to be written anew", summaries.stale),
        ("summaries that need review", summaries.needs_review),
        ("periods without their summary", backlog.periods),
        ("tool calls without their sentence", backlog.tool_sentences),
    ]


def print_tasks(tasks: list[TaskStats]) -> None:
    """Print how the background work stands."""
    rows = [
        (
            each.task,
            each.pending,
            each.running,
            each.failed,
            age(each.oldest_pending_age),
            each.sample_error,
        )
        for each in tasks
    ]
    columns = ("task", "pending", "running", "failed", "oldest", "error")
    print_table(columns, rows, right="pending running failed oldest")
