"""Summaries by what people call them: a name, an id, or the end of one."""

from __future__ import annotations

import re
from uuid import UUID

import click

from everword.client import CallError, Client
from everword.client.pages import PAGE_SIZE, list_all
from everword.v1 import search_service_pb2 as pb

_END_OF_ID = re.compile(r"…?([0-9a-f]{4,32})")


async def find_summary(client: Client, named: str) -> str:
    """Return the full id of the summary with this name, id or end of an id.

    Raises: click.UsageError if no summary matches, or several.
    """
    try:
        return str(UUID(named))
    except ValueError:
        end = _END_OF_ID.fullmatch(named.strip().lower())
    if by_name := await _find_name(client, named):
        return by_name
    if end is None:
        raise click.UsageError(
            f"no summary is called {named!r}, and it is not the end of an id (at least four hexadecimal digits)"
        )
    request = pb.ListSummariesRequest(page_size=PAGE_SIZE, max_content_chars=1)
    listed = await list_all(client.search_service.ListSummaries, request)
    found = [each.id for each in listed.summaries if each.id.replace("-", "").endswith(end[1])]
    if not found:
        raise click.UsageError(f"no summary has an id that ends with {end[1]}")
    if len(found) > 1:
        raise click.UsageError(f"several ids end with {end[1]}: {', '.join(found[:5])}")
    return found[0]


async def _find_name(client: Client, name: str) -> str:
    """Return the id of the summary of a name, or nothing."""
    try:
        found = await client.search_service.GetMemory(pb.GetMemoryRequest(name=name))
    except CallError as error:
        if error.reason == "MEMORY_NOT_FOUND":
            return ""
        raise
    return found.summary.id
