"""Searches for erased text in every table and in the answers of every read RPC."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg

from everword.v1 import context_service_pb2 as context
from everword.v1 import erasure_service_pb2 as pb
from support.corpus import search_request
from support.stack import Stack


def target(**field: str) -> pb.ErasureTarget:
    return pb.ErasureTarget(**field)


async def erase(stack: Stack, request_id: str = "", **field: str) -> pb.EraseResponse:
    """Erase a target, such as `message_id`."""
    request = pb.EraseRequest(target=target(**field), requested_by="test", request_id=request_id)
    return await stack.erasures.Erase(request)


def tables(conn: psycopg.Connection) -> Iterator[str]:
    """Yield every table of the schema except partitions, so that new tables are covered automatically."""
    rows = conn.execute(
        """SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'everword' AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1"""
    ).fetchall()
    yield from (name for (name,) in rows)


def rows_with(stack: Stack, token: str) -> dict[str, int]:
    """Return the number of rows with the token by table, in any column: text, arrays, JSON, lexemes, or bytes."""
    with stack.database.connect() as conn:
        # One statement: a hundred would take longer for their round trips than for their work.
        statement = " UNION ALL ".join(
            f"SELECT '{table}', count(*) FROM \"{table}\" AS t "
            "WHERE strpos(lower(t::text), %(token)s) > 0 OR strpos(t::text, %(bytes)s) > 0"
            for table in tables(conn)
        )
        named = {"token": token.lower(), "bytes": token.encode().hex()}
        rows = conn.execute(statement.encode(), named).fetchall()
    return {table: number for table, number in rows if number}


async def source_messages(stack: Stack, token: str) -> list[str]:
    """Return the reads that still contain a token: search modes, and a context."""
    found = []
    for mode in ("LEXICAL", "SEMANTIC", "HYBRID"):
        response = await stack.search.Search(search_request(token, mode))
        if any(token in str(result).lower() for result in response.results):
            found.append(mode)
    built = await stack.context.BuildContext(context.BuildContextRequest(query=token))
    if token in built.text.lower():
        found.append("context")
    return found


def count(stack: Stack, query: str, *parameters: object) -> int:
    """Return a number from the database, read as the owner."""
    with stack.database.connect() as conn:
        row = conn.execute(query.encode(), parameters).fetchone()
    assert row is not None
    return int(row[0])
