"""Indexing of documents: a new text replaces the old one, and unchanged chunks stay."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from uuid import UUID

from everword.db.pipeline import send_queued
from everword.db.pool import Connection
from everword.index.passages import IndexedPassage
from everword.index.writer import Counts, add_passages, replace_passages, vectors_job
from everword.jobs.enqueue import enqueue
from everword.rpc.long_work import run_in_thread
from everword.text.author_names import name_words
from everword_ingest.documents import store
from everword_ingest.documents.prepare import Cut, IndexedChunks, Owner
from everword_ingest.documents.store import ChunkRow

#: Passages that a statement indexes, and chunks that a statement stores.
_BATCH = 500
_CHUNK_BATCH = 1000


@dataclass(frozen=True)
class UnchangedChunks:
    """The chunks of a new text that the document already has."""

    #: The chunks that stay, by their place in the text.
    rows: Mapping[int, ChunkRow]
    #: The positions of the new chunks.
    missing: Set[int]
    #: The chunks that go.
    gone: Set[UUID]


async def find_unchanged_chunks(
    conn: Connection, namespace_id: int, document_id: UUID, cut: Cut
) -> UnchangedChunks:
    """Return which chunks of a text its document has already: they keep their ids, their vectors and their writer."""
    rows = await store.list_chunks(conn, namespace_id, document_id)
    if len(cut.chunks) + len(rows) <= _CHUNK_BATCH:
        return _compare(rows, cut)
    return await run_in_thread(_compare, rows, cut)


def _compare(old: Sequence[ChunkRow], cut: Cut) -> UnchangedChunks:
    there = defaultdict[bytes, list[ChunkRow]](list)
    for row in reversed(old):
        there[row.digest].append(row)
    rows = {
        place: there[digest].pop() for place, digest in enumerate(cut.digests) if there.get(digest)
    }
    gone = {row.id for left in there.values() for row in left}
    return UnchangedChunks(rows, set(range(len(cut.chunks))) - rows.keys(), gone)


@dataclass(frozen=True)
class _Changes:
    """The changed rows of a new version."""

    #: Rows of new or moved chunks.
    rows: Sequence[ChunkRow]
    #: Ids of rows to delete: of removed or moved chunks.
    outdated: Sequence[UUID]
    passages: Sequence[IndexedPassage]


async def index_document(
    conn: Connection,
    namespace_id: int,
    owner: Owner,
    cut: Cut,
    unchanged: UnchangedChunks,
    built: IndexedChunks,
) -> int:
    """Index the new text of a document in place of the old one; returns the highest id of a new passage.

    A document of megabytes has thousands of passages. They are stored in statements of some hundred each. The job and
    the names, which lock rows that other writers need, are written with the last one.
    """
    if len(cut.chunks) <= _CHUNK_BATCH:
        changes = _changes(cut, unchanged, built)
    else:
        changes = await run_in_thread(_changes, cut, unchanged, built)
    await _store_chunks(conn, namespace_id, owner.document_id, changes)
    passages = changes.passages
    while len(passages) > _BATCH:
        batch, passages = passages[:_BATCH], passages[_BATCH:]
        await (await add_passages(conn, namespace_id, batch, Counts())).rows()
    if passages:
        await enqueue(conn, [vectors_job(namespace_id, owner.document_id)])
    names = Counts(author_names=sorted(name_words(owner.change.author)))
    gone = sorted(unchanged.gone)
    last = await replace_passages(conn, namespace_id, gone, passages, names)
    [stored] = await last.rows()
    return stored.highest


def _changes(cut: Cut, unchanged: UnchangedChunks, built: IndexedChunks) -> _Changes:
    rows = [
        ChunkRow(
            unchanged.rows[place].id if place in unchanged.rows else built.ids[place],
            place,
            list(chunk.heading_path),
            chunk.start,
            chunk.end,
            chunk.page,
            digest,
        )
        for place, (chunk, digest) in enumerate(zip(cut.chunks, cut.digests, strict=True))
    ]
    changed = [row for row in rows if unchanged.rows.get(row.place) != row]
    moved = [row.id for row in changed if row.place in unchanged.rows]
    used = {row.id for row in rows}
    passages = [each for each in built.passages if each.source.id in used]
    return _Changes(changed, [*unchanged.gone, *moved], passages)


async def _store_chunks(
    conn: Connection, namespace_id: int, document_id: UUID, changes: _Changes
) -> None:
    """Store chunks that are new or have moved, and delete outdated ones."""
    if changes.outdated:
        await store.delete_chunks(conn, namespace_id, document_id, changes.outdated)
    for begin in range(0, len(changes.rows), _CHUNK_BATCH):
        batch = changes.rows[begin : begin + _CHUNK_BATCH]
        await store.insert_chunks(conn, namespace_id, document_id, batch)
        if len(changes.rows) > _CHUNK_BATCH:
            await send_queued(conn)
            await asyncio.sleep(0)


async def unindex_document(conn: Connection, namespace_id: int, document_id: UUID) -> None:
    """Take a document out of the index."""
    rows = await store.list_chunks(conn, namespace_id, document_id)
    await store.delete_chunks(conn, namespace_id, document_id, [row.id for row in rows])
    gone = sorted(row.id for row in rows)
    await (await replace_passages(conn, namespace_id, gone, [], Counts())).rows()
