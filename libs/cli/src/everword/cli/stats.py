"""`everword stats`: how the memory of a namespace is doing."""

from __future__ import annotations

import json

import click

from everword.cli.output import (
    age,
    json_option,
    line,
    print_entries,
    print_json,
    print_table,
    size,
    to_document,
    when,
)
from everword.cli.session import remote
from everword.client import Client
from everword.client.headers import NAMESPACE_HEADER
from everword.client.pages import PAGE_SIZE, pages
from everword.v1.admin_service_pb2 import ListNamespacesRequest
from everword.v1.search_service_pb2 import GetStatsRequest, GetStatsResponse
from everword.v1.stats_pb2 import Alert, TaskStats


@click.command()
@click.option(
    "--all", "every", is_flag=True, help="Show a row for each namespace; requires an admin key."
)
@json_option
@remote
async def stats(client: Client, every: bool, as_json: bool) -> None:
    """Show problems, then counts, sizes and lag."""
    if every:
        await _print_every(client, as_json)
        return
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


async def _print_every(client: Client, as_json: bool) -> None:
    """Print the statistics of each namespace, those first that need attention most."""
    found = {}
    request = ListNamespacesRequest(page_size=PAGE_SIZE)
    async for page in pages(client.admin_service.ListNamespaces, request):
        for namespace in page.namespaces:
            within = ((NAMESPACE_HEADER, namespace.name),)
            found[namespace.name] = await client.search_service.GetStats(
                GetStatsRequest(), metadata=within
            )
    ordered = sorted(found.items(), key=lambda each: (-len(each[1].alerts), each[0]))
    if as_json:
        document = [{"namespace": name, **to_document(response)} for name, response in ordered]
        click.echo(json.dumps(document, ensure_ascii=False, indent=2))
        return
    columns = ("namespace", "messages", "content", "latest", "vectors", "pending", "attention")
    print_entries(columns[:-1], [_row(*each) for each in ordered])


def _row(name: str, response: GetStatsResponse) -> tuple[object, ...]:
    corpus, embedding = response.corpus, response.embedding
    return (
        name,
        corpus.messages,
        size(corpus.content_bytes),
        when(corpus.latest_record_time),
        f"{embedding.coverage:.1%}",
        sum(task.pending for task in response.tasks),
        "; ".join(alert.text for alert in response.alerts),
    )


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
        ("summaries to be written again", summaries.stale),
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
            _scheduled(each),
            each.failed,
            age(each.oldest_pending_age),
            each.sample_error,
        )
        for each in tasks
    ]
    columns = ("task", "pending", "running", "scheduled", "failed", "oldest", "error")
    print_table(columns, rows, right="pending running failed oldest")


def _scheduled(task: TaskStats) -> str:
    """Return the number of jobs whose time has not come, and when the first one starts."""
    return f"{task.scheduled} from {when(task.next_start_time)}" if task.scheduled else ""
