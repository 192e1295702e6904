"""Write all that a namespace holds into a file, as it is at one moment."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from everword.db.pool import Connection, Database
from everword.domain.errors import ConcurrentUpdate
from everword.domain.not_found import NamespaceNotFound
from everword_ingest.namespaces.namespaces import get_namespace
from everword_ingest.transfer import store
from everword_ingest.transfer.lines import HEADER, LineDigest

#: Bytes of a part of the file.
_PART_BYTES = 256 * 1024


async def export_namespace(database: Database, name: str) -> AsyncGenerator[bytes, None]:
    """Yield the parts of the file. Raises NamespaceNotFound, and ConcurrentUpdate while something is being erased.

    The transaction is open as long as the file is read: it holds a connection, and keeps the database from removing
    what became old meanwhile.
    """
    found = await get_namespace(database, name)
    digest = LineDigest()
    part = bytearray()
    async with database.snapshot(found.id) as conn:
        await store.fix_forms(conn)
        if await store.is_erasing(conn):
            raise ConcurrentUpdate(
                "An erasure is in progress in the namespace; export it afterwards."
            )
        async for line in _lines(conn, found.id, name):
            part += digest.add(line)
            while len(part) >= _PART_BYTES:
                yield bytes(part[:_PART_BYTES])
                del part[:_PART_BYTES]
    yield bytes(part) + digest.end_line() + b"\n"


async def _lines(conn: Connection, namespace_id: int, name: str) -> AsyncIterator[bytes]:
    """Yield all lines but the last, without their ends."""
    settings = await store.export_settings(conn, namespace_id)
    if settings is None:
        raise NamespaceNotFound(namespace=name)
    yield HEADER
    yield settings.encode()
    for record in await store.list_records(conn):
        after: list[Any] | None = None
        while rows := await store.export_rows(conn, record, after):
            for row in rows:
                yield row.line.encode()
            after = rows[-1].key
