"""`everword summaries`: list and show summaries and the messages that they cover."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime

import click
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from everword.cli.names import find_conversation, key_options
from everword.cli.output import (
    json_option,
    line,
    local,
    plain,
    print_entries,
    print_json,
    print_table,
    shorten,
    when,
)
from everword.cli.session import remote
from everword.cli.summary_names import find_summary
from everword.cli.times import TimeParam
from everword.client import Client
from everword.client.pages import PAGE_SIZE, list_all
from everword.rpc.translate import to_timestamp
from everword.v1 import (
    conversation_pb2,
    maintenance_service_pb2,
    memory_pb2,
    summary_pb2,
)
from everword.v1 import search_service_pb2 as pb

LEVELS = [
    name.removeprefix("SUMMARY_LEVEL_").lower() for name in summary_pb2.SummaryLevel.keys()[1:]
]
#: Hexadecimal digits at the end of an id that are shown: its beginning is a time, its end is random.
SHORT_ID = 8
#: Maximum characters of a summary in a list.
TEXT_CHARS = 150
#: Maximum characters of each source of a summary.
SOURCE_CHARS = 100


@click.group()
def summaries() -> None:
    """List and show summaries of messages."""


@summaries.command()
@click.argument("conversation")
@key_options
@json_option
@remote
async def tree(client: Client, conversation: str, agent: str, channel: str, as_json: bool) -> None:
    """Draw the tree of summaries of CONVERSATION, an id or a session key."""
    found = await find_conversation(client, conversation, agent, channel)
    request = pb.ListSummariesRequest(
        filter=summary_pb2.SummaryFilter(conversation_id=found.id),
        order=memory_pb2.ORDER_OLDEST_FIRST,
        page_size=PAGE_SIZE,
        max_content_chars=1,
    )
    nodes = await list_all(client.search_service.ListSummaries, request)
    if as_json:
        print_json(nodes)
        return
    Console().print(_drawn(found, nodes.summaries))


@summaries.command("list")
@click.option(
    "--level", "levels", multiple=True, type=click.Choice(LEVELS), help="Include only this level."
)
@click.option("--conversation", default="", help="Include only the conversation with this id.")
@click.option("--subject", "subjects", multiple=True, help="Include only this subject.")
@click.option(
    "--since", type=TimeParam(), help="Include only summaries that end at this time or later."
)
@click.option(
    "--before", type=TimeParam(), help="Include only summaries that begin before this time."
)
@click.option(
    "--review",
    is_flag=True,
    help="Include only summaries with claims that their sources do not support.",
)
@click.option("--oldest-first", is_flag=True, help="List the earliest first.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@json_option
@remote
async def list_(client: Client, limit: int, as_json: bool, **wanted: object) -> None:
    """List summaries by the time of their messages, latest first."""
    request = _list_request(limit, **wanted)  # type: ignore[arg-type]
    found = await list_all(client.search_service.ListSummaries, request, limit)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            short_id(each.id),
            level_name(each),
            span(each),
            each.message_count,
            each.token_count,
            each.model,
            _flags(each),
            shorten(each.content, TEXT_CHARS),
        )
        for each in found.summaries
    ]
    columns = ("id", "level", "span", "messages", "tokens", "model", "flags")
    print_entries(columns, rows, right="messages tokens", fold="span model flags")


@summaries.command()
@click.argument("summary")
@click.option("--sources", is_flag=True, help="Show the sources, too.")
@json_option
@remote
async def show(client: Client, summary: str, sources: bool, as_json: bool) -> None:
    """Show SUMMARY, by a name such as 2024-W10, an id, or the unique end of an id."""
    summary_id = await find_summary(client, summary)
    if sources:
        limits = pb.ExpansionLimits(depth=1, max_children=100, max_sources=100)
        asked = pb.ExpandSummaryRequest(summary_id=summary_id, limits=limits)
        expansion = (await client.search_service.ExpandSummary(asked)).expansion
    request = pb.GetMemoryRequest(memory_id=summary_id, include_unindexed=True)
    found = (await client.search_service.GetMemory(request)).summary
    if as_json:
        print_json(expansion if sources else found)
        return
    print_table(("", found.title or level_name(found)), _details(found))
    line(found.content)
    if sources:
        line("")
        print_table(("made from", "when", "text"), _made_from(expansion))


def _made_from(expansion: pb.Expansion) -> list[tuple[object, ...]]:
    nodes = [child.summary for child in expansion.children]
    rows: list[tuple[object, ...]] = [
        (short_id(node.id), span(node), shorten(node.content, SOURCE_CHARS)) for node in nodes
    ]
    rows += [
        (f"#{source.seq}", when(source.occur_time), shorten(source.content, SOURCE_CHARS))
        for source in expansion.sources
    ]
    return rows


def short_id(summary_id: str) -> str:
    """Return the end of an id, which `everword summaries show` takes."""
    return f"…{summary_id[-SHORT_ID:]}"


def level_name(of: summary_pb2.Summary | maintenance_service_pb2.LevelStatus) -> str:
    return summary_pb2.SummaryLevel.Name(of.level).removeprefix("SUMMARY_LEVEL_").lower()


def span(summary: summary_pb2.Summary) -> str:
    """Return from when to when a summary reaches, in this machine's zone."""
    first = local(summary.earliest_time.ToDatetime(UTC))
    last = local(summary.latest_time.ToDatetime(UTC))
    end = last.strftime("%H:%M" if first.date() == last.date() else "%Y-%m-%d %H:%M")
    begin = first.strftime("%Y-%m-%d %H:%M")
    return begin if begin.endswith(end) else f"{begin} – {end}"


def _list_request(
    limit: int,
    levels: tuple[str, ...],
    conversation: str,
    subjects: tuple[str, ...],
    since: datetime | None,
    before: datetime | None,
    review: bool,
    oldest_first: bool,
) -> pb.ListSummariesRequest:
    names = [f"SUMMARY_LEVEL_{each.upper()}" for each in sorted(set(levels))]
    return pb.ListSummariesRequest(
        filter=summary_pb2.SummaryFilter(
            conversation_id=conversation,
            levels=[summary_pb2.SummaryLevel.Value(name) for name in names],
            start_time=to_timestamp(since),
            end_time=to_timestamp(before),
            only_needing_review=review,
            subjects=subjects,
        ),
        order=memory_pb2.ORDER_OLDEST_FIRST if oldest_first else memory_pb2.ORDER_NEWEST_FIRST,
        page_size=min(limit, PAGE_SIZE),
        max_content_chars=200,
    )


def _flags(summary: summary_pb2.Summary) -> str:
    flags = {
        "stale": summary.stale,
        "review": summary.needs_review,
        "incomplete": summary.faithfulness.incomplete,
    }
    return ", ".join(flag for flag, is_set in flags.items() if is_set)


def _details(summary: summary_pb2.Summary) -> list[tuple[object, ...]]:
    places = f"{summary.first_seq} to {summary.last_seq}" if summary.first_seq else ""
    unsupported = [*summary.faithfulness.unsupported, *summary.faithfulness.wrong_tags]
    rows = [
        ("id", summary.id),
        ("name", summary.name),
        ("level", level_name(summary)),
        ("subject", summary.subject),
        ("span", span(summary)),
        ("messages", summary.message_count),
        ("places", places),
        ("above it", summary.parent_id),
        ("before it", summary.previous_id),
        ("tokens", summary.token_count),
        ("written by", _writer(summary)),
        ("revision", f"{summary.revision}, {when(summary.update_time)}"),
        ("flags", _flags(summary)),
        ("not in its sources", ", ".join(unsupported)),
        ("coverage", _coverage(summary.faithfulness) if summary.HasField("faithfulness") else ""),
    ]
    return [(name, value) for name, value in rows if value != ""]


def _writer(summary: summary_pb2.Summary) -> str:
    written = f"{summary.model}, prompt {summary.prompt_version}"
    if summary.faithfulness.extractive:
        return f"{written}; its texts failed the checks, so these are sentences of the sources"
    return written


def _coverage(found: summary_pb2.Faithfulness) -> str:
    return (
        f"{found.source_coverage:.0%} of its sources, {found.decision_coverage:.0%} of their decisions, "
        f"{found.identifier_coverage:.0%} of identifiers, {found.number_coverage:.0%} of numbers"
    )


def _drawn(
    conversation: conversation_pb2.Conversation, nodes: Iterable[summary_pb2.Summary]
) -> Tree:
    """Return the tree, with the messages that are under no leaf at its end."""
    known = {node.id for node in nodes}
    below: dict[str, list[summary_pb2.Summary]] = defaultdict(list)
    for node in sorted(nodes, key=lambda node: (node.first_seq, -node.level)):
        below[node.parent_id if node.parent_id in known else ""].append(node)
    title = conversation.details.title or conversation.key.session_key
    drawn = Tree(plain(f"{title} ({conversation.message_count} messages)"), highlight=False)

    def draw(above: Tree, id_: str) -> None:
        for node in below[id_]:
            draw(above.add(_label(node)), node.id)

    draw(drawn, "")
    last = max((node.last_seq for node in nodes), default=0)
    waiting = conversation.message_count - last
    if waiting:
        places = f"#{last + 1}–#{conversation.message_count}" if waiting > 1 else f"#{last + 1}"
        drawn.add(Text(f"{places}  {waiting} messages not summed up yet", style="dim"))
    return drawn


def _label(node: summary_pb2.Summary) -> Text:
    label = Text()
    label.append(level_name(node), style="bold")
    label.append(f" {short_id(node.id)}", style="cyan")
    label.append(
        f"  #{node.first_seq}–#{node.last_seq}  {span(node)}  {node.message_count} messages, "
        f"{node.token_count} tokens  "
    )
    label.append_text(plain(node.model))
    if node.stale:
        label.append("  stale", style="yellow")
    if node.needs_review:
        label.append("  review", style="red")
    if node.faithfulness.incomplete:
        label.append("  incomplete", style="yellow")
    return label
