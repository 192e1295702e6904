"""`everword stats`: how the memory of a namespace is doing."""

from __future__ import annotations

import click

from everword.cli.output import age, json_option, line, print_json, print_table, size, when
from everword.cli.session import remote
from everword.client import Client
from everword.v1.search_service_pb2 import Alert, StatsRequest, StatsResponse, TaskStats


@click.command()
@json_option
@remote
async def stats(client: Client, as_json: bool) -> None:
    """Say what needs attention, then counts, sizes and lag."""
    response = await client.search_service.Stats(StatsRequest())
    if as_json:
        print_json(response)
        return
    for alert in response.alerts:
        severity = Alert.Severity.Name(alert.severity).removeprefix("SEVERITY_").lower()
        line(f"{severity}: {alert.text}")
    if not response.alerts:
        line("all is well")
    print_table(("", "now"), _rows(response), right="now")
    if response.jobs:
        print_tasks(list(response.jobs))


def _rows(response: StatsResponse) -> list[tuple[object, ...]]:
    corpus, embedding, summaries = response.corpus, response.embedding, response.summaries
    return [
        ("conversations", corpus.conversations),
        ("messages", corpus.messages),
        ("of them turns", corpus.turns),
        ("passages", corpus.passages),
        ("content", size(corpus.content_bytes)),
        ("latest message stored", when(corpus.latest_record_time)),
        ("model that embeds", embedding.model or "none"),
        ("passages with their vector", f"{embedding.coverage:.1%}"),
        ("vectors owed", embedding.owed),
        ("of them given up", embedding.failed),
        ("oldest vector owed for", age(embedding.oldest_owed)),
        ("summaries", summaries.summaries),
        ("levels of the deepest tree", summaries.depth),
        ("messages not summed up", summaries.unsummarised_messages),
        ("summaries to be written anew", summaries.stale),
        ("summaries that need review", summaries.needs_review),
        ("periods that owe a summary", summaries.owed_periods),
        ("tool calls that owe a sentence", summaries.owed_tool_sentences),
    ]


def print_tasks(tasks: list[TaskStats]) -> None:
    """Print how the background work stands."""
    rows = [
        (
            each.task,
            each.pending,
            each.running,
            each.failed,
            age(each.oldest_pending),
            each.sample_error,
        )
        for each in tasks
    ]
    columns = ("task", "pending", "running", "failed", "oldest", "error")
    print_table(columns, rows, right="pending running failed oldest")
