"""Documents in the index: what one says now takes the place of what it said, and what it says still stays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import Connection
from everword.index.writer import Counts, add_passages, replace_passages, vectors_job
from everword.jobs.enqueue import enqueue
from everword.text.author_names import name_words
from everword_ingest.documents import store
from everword_ingest.documents.prepare import Built, Cut, Owner
from everword_ingest.documents.store import ChunkRow

#: Passages that a statement indexes.
_BATCH = 500


@dataclass(frozen=True)
class Kept:
    """What of a text a document has already."""

    #: The chunks that stay, by their place in the text.
    rows: Mapping[int, ChunkRow]
    #: The places of those that are new.
    missing: Set[int]
    #: The chunks that go.
    gone: Set[UUID]


async def find_kept(conn: Connection, namespace_id: int, document_id: UUID, cut: Cut) -> Kept:
    """Return which chunks of a text its document has already: they keep their ids, their vectors and their writer."""
    there = defaultdict[bytes, list[ChunkRow]](list)
    for row in reversed(await store.list_chunks(conn, namespace_id, document_id)):
        there[row.digest].append(row)
    rows = {
        place: there[digest].pop() for place, digest in enumerate(cut.digests) if there.get(digest)
    }
    gone = {row.id for left in there.values() for row in left}
    return Kept(rows, set(range(len(cut.chunks))) - rows.keys(), gone)


async def index_document(
    conn: Connection, namespace_id: int, owner: Owner, cut: Cut, kept: Kept, built: Built
) -> int:
    """Index what a document says, and nothing of what it said before; returns the highest id of a new passage.

    A document of megabytes has thousands of passages. They are stored in statements of some hundred each, and what
    other writers wait for, the job and the names, is written with the last.
    """
    rows = _rows(cut, kept, built)
    await store.replace_chunks(conn, namespace_id, owner.document_id, rows)
    used = {row.id for row in rows}
    passages = [each for each in built.passages if each.source.id in used]
    config = owner.language.text_search_config
    while len(passages) > _BATCH:
        portion, passages = passages[:_BATCH], passages[_BATCH:]
        await (await add_passages(conn, namespace_id, config, portion, Counts())).rows()
    if passages:
        await enqueue(conn, [vectors_job(namespace_id, owner.document_id)])
    names = Counts(author_names=sorted(name_words(owner.change.author)))
    gone = sorted(kept.gone)
    last = await replace_passages(conn, namespace_id, config, gone, passages, names)
    [stored] = await last.rows()
    return stored.highest


def _rows(cut: Cut, kept: Kept, built: Built) -> list[ChunkRow]:
    return [
        ChunkRow(
            kept.rows[place].id if place in kept.rows else built.ids[place],
            place,
            list(chunk.heading_path),
            chunk.start,
            chunk.end,
            chunk.page,
            digest,
        )
        for place, (chunk, digest) in enumerate(zip(cut.chunks, cut.digests, strict=True))
    ]


async def unindex_document(conn: Connection, namespace_id: int, document_id: UUID) -> None:
    """Take a document out of the index."""
    rows = await store.list_chunks(conn, namespace_id, document_id)
    await store.replace_chunks(conn, namespace_id, document_id, [])
    config = (await get_namespace_settings(conn, namespace_id)).text_search_config
    gone = sorted(row.id for row in rows)
    await (await replace_passages(conn, namespace_id, config, gone, [], Counts())).rows()
