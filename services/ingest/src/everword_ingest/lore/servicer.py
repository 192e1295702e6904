"""LoreService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from everword.db.pool import Database
from everword.domain.caller import current_namespace
from everword.lore.compiled_book import CompiledBooks
from everword.rpc.interceptors.base import Context
from everword.rpc.pages import to_page
from everword.v1 import lore_service_pb2 as pb
from everword.v1.lore_service_pb2_grpc import LoreServiceServicer
from everword_ingest.lore import translate
from everword_ingest.lore.delete import delete_lore_book, delete_lore_entry
from everword_ingest.lore.match_lore import match_lore
from everword_ingest.lore.model import WrittenLore
from everword_ingest.lore.read import (
    get_lore_book,
    get_lore_entry,
    list_lore_books,
    list_lore_entries,
)
from everword_ingest.lore.translate import to_book, to_entry, to_request, to_target
from everword_ingest.lore.write_book import import_lore_book, write_lore_book
from everword_ingest.lore.write_entry import write_lore_entry


class LoreServicer(LoreServiceServicer):
    """Lorebooks and their entries."""

    def __init__(self, database: Database, wake: Callable[[], None]) -> None:
        self._database = database
        self._wake = wake
        self._kept = CompiledBooks()

    async def WriteLoreBook(
        self, request: pb.WriteLoreBookRequest, context: Context
    ) -> pb.WriteLoreBookResponse:
        written = await write_lore_book(
            self._database, current_namespace(), to_book(request.book), to_request(request)
        )
        return pb.WriteLoreBookResponse(
            book_id=str(written.book_id),
            consistency_token=await self._seal(written),
            replayed=written.replayed,
        )

    async def GetLoreBook(
        self, request: pb.GetLoreBookRequest, context: Context
    ) -> pb.GetLoreBookResponse:
        found = await get_lore_book(self._database, current_namespace(), to_target(request))
        return pb.GetLoreBookResponse(book=translate.book_to_proto(found))

    async def ListLoreBooks(
        self, request: pb.ListLoreBooksRequest, context: Context
    ) -> pb.ListLoreBooksResponse:
        books, token = await list_lore_books(
            self._database,
            current_namespace(),
            translate.to_filter(request.filter),
            to_page(request),
        )
        return pb.ListLoreBooksResponse(
            books=map(translate.book_to_proto, books), next_page_token=token
        )

    async def DeleteLoreBook(
        self, request: pb.DeleteLoreBookRequest, context: Context
    ) -> pb.DeleteLoreBookResponse:
        deleted = await delete_lore_book(
            self._database, current_namespace(), to_target(request), to_request(request)
        )
        return pb.DeleteLoreBookResponse(
            book_id=str(deleted.book_id),
            consistency_token=await self._seal(deleted),
            replayed=deleted.replayed,
        )

    async def ImportLoreBook(
        self, request: pb.ImportLoreBookRequest, context: Context
    ) -> pb.ImportLoreBookResponse:
        book, entries, repeatable = await translate.to_import(request)
        imported = await import_lore_book(
            self._database, current_namespace(), book, entries, repeatable, self._wake
        )
        return pb.ImportLoreBookResponse(
            book_id=str(imported.book.book_id),
            written=imported.written,
            unchanged=imported.unchanged,
            deleted=imported.deleted,
            consistency_token=await self._seal(imported.book),
            replayed=imported.book.replayed,
        )

    async def WriteLoreEntry(
        self, request: pb.WriteLoreEntryRequest, context: Context
    ) -> pb.WriteLoreEntryResponse:
        written = await write_lore_entry(
            self._database,
            current_namespace(),
            to_target(request),
            to_entry(request.entry),
            UUID(request.entry_id) if request.entry_id else None,
            to_request(request),
            self._wake,
        )
        return pb.WriteLoreEntryResponse(
            entry_id=str(written.entry_id),
            book_id=str(written.book_id),
            consistency_token=await self._seal(written),
            replayed=written.replayed,
        )

    async def GetLoreEntry(
        self, request: pb.GetLoreEntryRequest, context: Context
    ) -> pb.GetLoreEntryResponse:
        found = await get_lore_entry(self._database, current_namespace(), UUID(request.entry_id))
        return pb.GetLoreEntryResponse(entry=translate.entry_to_proto(found))

    async def ListLoreEntries(
        self, request: pb.ListLoreEntriesRequest, context: Context
    ) -> pb.ListLoreEntriesResponse:
        entries, token = await list_lore_entries(
            self._database, current_namespace(), to_target(request), to_page(request)
        )
        return pb.ListLoreEntriesResponse(
            entries=map(translate.entry_to_proto, entries), next_page_token=token
        )

    async def DeleteLoreEntry(
        self, request: pb.DeleteLoreEntryRequest, context: Context
    ) -> pb.DeleteLoreEntryResponse:
        deleted = await delete_lore_entry(
            self._database, current_namespace(), UUID(request.entry_id), to_request(request)
        )
        return pb.DeleteLoreEntryResponse(
            entry_id=str(deleted.entry_id),
            consistency_token=await self._seal(deleted),
            replayed=deleted.replayed,
        )

    async def MatchLore(
        self, request: pb.MatchLoreRequest, context: Context
    ) -> pb.MatchLoreResponse:
        found = await match_lore(
            self._database,
            current_namespace(),
            self._kept,
            request.text,
            translate.to_scope(request.scope),
            automated=request.automated,
        )
        return pb.MatchLoreResponse(matches=map(translate.match_to_proto, found))

    async def _seal(self, written: WrittenLore) -> str:
        return written.consistency_token.seal(await self._database.token_secret())
