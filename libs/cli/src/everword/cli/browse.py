"""`everword browse`: list memories by time."""

from __future__ import annotations

import click

from everword.cli.filters import filter_options
from everword.cli.output import json_option, print_entries, print_json, said, superseded, when
from everword.cli.session import remote
from everword.client import Client
from everword.v1 import memory_pb2, search_service_pb2

CONTENT_CHARS = 200


@click.command()
@click.option("--oldest-first", is_flag=True, help="List the earliest first.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@json_option
@remote
@filter_options
async def browse(
    client: Client,
    oldest_first: bool,
    limit: int,
    as_json: bool,
    filter: memory_pb2.MemoryFilter,
) -> None:
    """List memories by when they happened, newest first."""
    order = memory_pb2.ORDER_OLDEST_FIRST if oldest_first else memory_pb2.ORDER_NEWEST_FIRST
    memories: list[memory_pb2.Memory] = []
    async for memory in client.iter_browse(filter, order, page_size=min(limit, 200)):
        memories.append(memory)
        if len(memories) == limit:
            break
    if as_json:
        print_json(search_service_pb2.BrowseResponse(memories=memories))
        return
    rows = [
        (
            memory.id,
            when(memory.occur_time),
            memory.agent,
            memory.channel,
            said(memory, "", CONTENT_CHARS) + superseded(memory.superseded),
        )
        for memory in memories
    ]
    print_entries(("id", "when", "agent", "channel"), rows, fold="agent channel")
