"""No RPC returns the replaced or deleted text of a lorebook entry; entries have no history."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from everword.v1 import lore_service_pb2 as pb
from support.background import embed_everything
from support.cached_search import warm_up
from support.calls import append
from support.compaction import ScriptedComposer, compact_everything
from support.databases import cloned
from support.erasure_checks import rows_with
from support.every_read import answers, known_values, read_methods, watch_token
from support.lore import entry, write_book, write_entry
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

TELLING = {
    *("Search", "Browse", "GetMemory", "BatchGetMemories", "BuildContext", "StreamContext"),
    *("ReadAddress", "WatchMemories", "GetLoreEntry", "ListLoreEntries", "MatchLore"),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            yield stack


@pytest.mark.parametrize("end", ["replaced", "deleted", "book"])
async def test_replaced_lore_text_is_returned_by_no_rpc(stack: Stack, end: str) -> None:
    token = f"planted-{end}-7f3a.rs"
    since = await watch_token(stack)
    book_id = await write_book(stack, end)
    about = f"the owl of {end}"
    written = await write_entry(stack, book_id, entry("Owl", f"The owl sees {token}.", about))
    said = await append(stack, f"And {about}?", session_key=end)
    await embed_everything(stack)
    await warm_up(stack)

    async def who_tells() -> set[str]:
        ids = {"book_id": book_id, "named": end, "text": f"What of {about}?", "resume_token": since}
        known = known_values(token, written.entry_id, said.conversation_id, **ids)
        found = await answers(stack, known)
        assert {name.split()[0] for name in found} == {method.name for method in read_methods()}
        return {name.split()[0] for name, answer in found.items() if token in answer}

    assert await who_tells() == TELLING
    if end == "replaced":
        await write_entry(stack, book_id, entry("Owl", "The owl is asleep.", about))
    elif end == "deleted":
        await stack.lore.DeleteLoreEntry(pb.DeleteLoreEntryRequest(entry_id=written.entry_id))
    else:
        await stack.lore.DeleteLoreBook(pb.DeleteLoreBookRequest(book_id=book_id))
    assert await who_tells() == set()
    await embed_everything(stack)
    await compact_everything(stack, ScriptedComposer())
    assert await who_tells() == set()
    assert rows_with(stack, token) == {}
