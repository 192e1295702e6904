"""`everword audit` and `everword compaction-status`: how far summaries are, and whether they can be trusted."""

from __future__ import annotations

from collections.abc import Iterator

import click

from everword.cli.output import (
    json_option,
    line,
    print_entries,
    print_json,
    print_table,
    progress,
    shorten,
)
from everword.cli.session import remote
from everword.cli.summaries import level_name, short_id, span
from everword.client import Client
from everword.client.pages import pages
from everword.v1 import maintenance_service_pb2 as pb
from everword.v1 import search_service_pb2

#: Summaries that are looked at in one call.
PAGE = 20


@click.group()
def audit() -> None:
    """Check derived data against its sources."""


@audit.command("summaries")
@click.option("--conversation", default="", help="Include only the conversation with this id.")
@json_option
@remote
async def summaries(client: Client, conversation: str, as_json: bool) -> None:
    """Check every summary against its sources.

    Exits with status 1 if a summary is wrong.
    """
    total = 0
    if not conversation:
        stats = await client.search_service.GetStats(search_service_pb2.GetStatsRequest())
        total = stats.summaries.summaries
    request = pb.AuditSummariesRequest(conversation_id=conversation, page_size=PAGE)
    report = pb.AuditSummariesResponse()
    with progress() as bar:
        task = bar.add_task("checking summaries", total=total or None)
        async for page in pages(client.maintenance_service.AuditSummaries, request):
            _add(report, page)
            bar.update(task, completed=report.audited)
    if as_json:
        print_json(report)
    else:
        _print(report)
    if report.findings:
        raise click.exceptions.Exit(1)


def _add(report: pb.AuditSummariesResponse, page: pb.AuditSummariesResponse) -> None:
    """Add a page to a report, whose means are of all that was looked at."""
    audited = report.audited + page.audited
    for name in ("source_coverage", "identifier_coverage"):
        both = getattr(report, name) * report.audited + getattr(page, name) * page.audited
        setattr(report, name, both / audited if audited else getattr(page, name))
    report.audited = audited
    report.findings.extend(page.findings)


def _print(report: pb.AuditSummariesResponse) -> None:
    line(
        f"{report.audited} summaries checked: they cover {report.source_coverage:.0%} of their sources and "
        f"hold {report.identifier_coverage:.0%} of their identifiers"
    )
    if not report.findings:
        line("nothing is wrong with them")
        return
    rows = [
        (
            short_id(finding.summary.id),
            level_name(finding.summary),
            span(finding.summary),
            finding.summary.model,
            "\n".join(_wrong(finding)),
        )
        for finding in report.findings
    ]
    print_entries(("id", "level", "span", "model"), rows, fold="span model")


def _wrong(finding: pb.AuditFinding) -> Iterator[str]:
    """Yield the problems of a summary, one per line."""
    if finding.faithfulness.unsupported:
        yield f"not in its sources: {shorten(', '.join(finding.faithfulness.unsupported), 300)}"
    if finding.faithfulness.wrong_tags:
        yield f"wrong tags: {shorten(', '.join(finding.faithfulness.wrong_tags), 200)}"
    if finding.problems:
        yield f"disagrees: {'; '.join(finding.problems)}"


@click.command("compaction-status")
@json_option
@remote
async def compaction_status(client: Client, as_json: bool) -> None:
    """Show how summaries are written, how many exist, and the backlog."""
    status = await client.maintenance_service.GetCompactionStatus(pb.GetCompactionStatusRequest())
    if as_json:
        print_json(status)
        return
    extractive = status.mode == pb.COMPACTION_MODE_EXTRACTIVE
    line(
        "summaries are sentences chosen from their sources: no language model is configured"
        if extractive
        else f"summaries are written by {status.model}"
    )
    print_table(("", "now"), _rows(status), right="now")
    levels = [
        (
            level_name(each),
            each.summaries,
            each.stale,
            each.needs_review,
            ", ".join(f"{model} {count}" for model, count in sorted(each.by_models.items())),
        )
        for each in status.levels
    ]
    if levels:
        columns = ("level", "summaries", "stale", "review", "written by")
        print_table(columns, levels, right="summaries stale review")


def _rows(status: pb.GetCompactionStatusResponse) -> list[tuple[object, ...]]:
    return [
        ("messages not summed up", status.backlog.messages),
        ("in conversations", status.backlog.conversations),
        ("periods without their summary", status.backlog.periods),
        ("the earliest of them", status.backlog.oldest_period),
        ("tool calls without their sentence", status.backlog.tool_sentences),
        ("tokens read in 24 hours", status.input_tokens),
        ("tokens written in 24 hours", status.output_tokens),
    ]
