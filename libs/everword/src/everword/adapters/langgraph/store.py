"""The store itself: its operations as calls of Everword."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

import grpc
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from everword.adapters.errors import to_built_in
from everword.adapters.langgraph.filters import common_prefix, is_listed, matches
from everword.adapters.langgraph.items import (
    KIND,
    item_of,
    key_of,
    live,
    note_of,
    place_of,
    plain,
    prefix_of,
    tag_of,
)
from everword.client import AsyncEverword, CallError, Client, Everword
from everword.client.kinds import kind_number
from everword.client.pages import PAGE_SIZE, pages
from everword.v1 import memory_pb2, note_pb2, note_service_pb2, search_service_pb2

#: Number of hits whose notes are read at once.
_HITS = 20
_MAX_QUERY_BYTES = 8192
_MAX_CONTENT_CHARS = 262_144


class EverwordStore(BaseStore):
    """Long-term memory of a graph. Items are notes, which every search of Everword finds too.

    A search with a query goes by words and meaning, without embeddings of the caller. One without lists the latest
    first; a filter reads the items below the prefix until there are enough, and `list_namespaces` the keys of all.
    `index=False` leaves an item out of searches with a query; a list of fields is ignored: the whole value is searched.
    Items with a TTL expire on time. Errors are ValueError, PermissionError, TimeoutError, ConnectionError if the call
    may be repeated, and CallError.
    """

    supports_ttl = True

    def __init__(self, memory: Everword, *, ttl: TTLConfig | None = None) -> None:
        """Keep items in `memory`. A read extends an item's life, by a write, where `ttl` or the read says so."""
        self._memory = memory
        self.ttl_config = {"refresh_on_read": False, **(ttl or {})}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        asked = list(ops)
        return self._memory.run(lambda memory: _execute(memory, asked))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        asked = list(ops)
        return await self._memory.arun(lambda memory: _execute(memory, asked))


async def _execute(memory: AsyncEverword, ops: list[Op]) -> list[Result]:
    """Return the results of operations, in order.

    Reads see the state before the writes. If a key is written several times, the last write counts.
    """
    for op in ops:
        validate_op_namespace(op)
    results: list[Result] = [None] * len(ops)
    writes = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
    try:
        client = await memory.client()
        for number, op in enumerate(ops):
            if isinstance(op, GetOp):
                results[number] = await _get(client, op)
            elif isinstance(op, SearchOp):
                results[number] = await _search(client, op, memory.freshness.token)
            elif isinstance(op, ListNamespacesOp):
                results[number] = await _list_namespaces(client, op)
        for write in writes.values():
            await _put_item(memory, write)
    except CallError as error:
        raise to_built_in(error) from error
    return results


async def _put_item(memory: AsyncEverword, op: PutOp) -> None:
    """Write or delete an item."""
    client = await memory.client()
    if op.value is None:
        key = note_pb2.NoteKey(key=key_of(op.namespace, op.key))
        gone = note_service_pb2.DeleteNoteRequest(key=key)
        try:
            await memory.freshness.write(client.note_service.DeleteNote(gone))
        except CallError as error:
            if error.reason != "NOTE_NOT_FOUND":
                raise
        return
    found = op.index is not False
    note = note_of(op.namespace, op.key, op.value, found=found, minutes=op.ttl)
    request = note_service_pb2.WriteNoteRequest(note=note)
    await memory.freshness.write(client.note_service.WriteNote(request))


async def _get(client: Client, op: GetOp) -> Item | None:
    key = note_pb2.NoteKey(key=key_of(op.namespace, op.key))
    note = await _read(client, note_service_pb2.GetNoteRequest(key=key))
    if note is None:
        return None
    item = item_of(note)
    if item is None:
        return None
    if op.refresh_ttl:
        await _extend(client, note)
    return plain(item)


async def _read(client: Client, request: note_service_pb2.GetNoteRequest) -> note_pb2.Note | None:
    try:
        return (await client.note_service.GetNote(request)).note
    except CallError as error:
        if error.reason == "NOTE_NOT_FOUND":
            return None
        raise


async def _extend(client: Client, note: note_pb2.Note) -> None:
    """Give an item that ends as long to live as it was given before."""
    body = note_pb2.NewNote()
    body.CopyFrom(note.body)
    if not live(body):
        return
    request = note_service_pb2.WriteNoteRequest(note=body, expected_version=note.version)
    try:
        await client.note_service.WriteNote(request)
    except CallError as error:
        # Somebody wrote or deleted it meanwhile.
        if error.code is not grpc.StatusCode.ABORTED:
            raise


async def _search(client: Client, op: SearchOp, token: str) -> list[SearchItem]:
    notes = _ranked(client, op, token) if op.query else _latest(client, op)
    requested, found = op.offset + op.limit, list[tuple[note_pb2.Note, SearchItem]]()
    async for note, score in notes:
        item = item_of(note, score)
        if item is not None and matches(item.value, op.filter or {}):
            found.append((note, item))
        if len(found) >= requested:
            break
    if op.refresh_ttl:
        for note, _ in found[op.offset : requested]:
            await _extend(client, note)
    return [item for _, item in found[op.offset : requested]]


async def _latest(client: Client, op: SearchOp) -> AsyncIterator[tuple[note_pb2.Note, None]]:
    """Iterate over the notes below a prefix, the latest made first."""
    request = note_service_pb2.ListNotesRequest(
        filter=note_service_pb2.NoteFilter(kinds=[KIND], key_prefix=prefix_of(op.namespace_prefix)),
        max_content_chars=_MAX_CONTENT_CHARS,
        page_size=PAGE_SIZE if op.filter else min(op.offset + op.limit, PAGE_SIZE),
    )
    async for page in pages(client.note_service.ListNotes, request):
        for note in page.notes:
            yield note, None


async def _ranked(
    client: Client, op: SearchOp, token: str
) -> AsyncIterator[tuple[note_pb2.Note, float]]:
    """Iterate over the notes below a prefix that answer a query, best first."""
    query = (op.query or "").encode()[:_MAX_QUERY_BYTES].decode(errors="ignore")
    request = search_service_pb2.SearchRequest(
        query=query,
        filter=memory_pb2.MemoryFilter(
            kinds=[kind_number("note")], tags=[tag_of(op.namespace_prefix)]
        ),
        page_size=_HITS,
        max_content_chars=1,
        at_least_as_fresh=token,
    )
    async for page in pages(client.search_service.Search, request):
        asked = [note_service_pb2.GetNoteRequest(note_id=each.memory.id) for each in page.results]
        notes = await asyncio.gather(*(_read(client, each) for each in asked))
        for note, result in zip(notes, page.results, strict=True):
            if note is not None:
                yield note, result.score


async def _list_namespaces(client: Client, op: ListNamespacesOp) -> list[tuple[str, ...]]:
    conditions = op.match_conditions or ()
    request = note_service_pb2.ListNotesRequest(
        filter=note_service_pb2.NoteFilter(
            kinds=[KIND], key_prefix=prefix_of(common_prefix(conditions))
        ),
        max_content_chars=1,
        page_size=PAGE_SIZE,
    )
    listed = set()
    async for page in pages(client.note_service.ListNotes, request):
        listed |= {place_of(note.body.key)[0] for note in page.notes}
    shown = {each[: op.max_depth] for each in listed if is_listed(each, conditions)}
    return sorted(shown)[op.offset : op.offset + op.limit]
