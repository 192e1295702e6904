"""Lorebooks: which there are, what their entries say, and what sets these off."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from everword.v1 import lore_service_pb2 as pb
from everword_web.console.visits import Visit


async def list_books(visit: Visit) -> Response:
    """Show lorebooks."""
    values, service = visit.values, visit.client.lore_service
    agents, subjects = values.one("agent"), values.one("subject")
    listing = pb.ListLoreBooksRequest(
        filter=pb.LoreBookFilter(agents=agents, subjects=subjects), page_token=values.text("page")
    )
    listed = await visit.call(service.ListLoreBooks, listing)
    return visit.page("lore.html", listed=listed, values=values)


async def book(visit: Visit) -> Response:
    """Show a lorebook with its entries."""
    service = visit.client.lore_service
    token = visit.values.text("page")
    found, listed = await asyncio.gather(
        visit.call(service.GetLoreBook, pb.GetLoreBookRequest(book_id=visit.id)),
        visit.call(
            service.ListLoreEntries, pb.ListLoreEntriesRequest(book_id=visit.id, page_token=token)
        ),
    )
    return visit.page("lore_book.html", book=found.book, listed=listed)


async def entry(visit: Visit) -> Response:
    """Show an entry, and which book it is in."""
    service = visit.client.lore_service
    found = await visit.call(service.GetLoreEntry, pb.GetLoreEntryRequest(entry_id=visit.id))
    holder = pb.GetLoreBookRequest(book_id=found.entry.book_id)
    holding = await visit.call(service.GetLoreBook, holder)
    return visit.page("lore_entry.html", entry=found.entry, book=holding.book)
