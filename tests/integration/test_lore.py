"""Lorebooks are written, listed, imported and deleted; Search finds an entry's text until it is replaced."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import pytest_asyncio

from everword.v1 import lore_pb2, memory_pb2
from everword.v1 import lore_service_pb2 as pb
from everword.v1 import search_service_pb2 as search
from support.calls import append
from support.corpus import search_request
from support.databases import cloned
from support.lore import (
    EXACT,
    LORE,
    REGEX,
    WORD,
    book_key,
    entry,
    import_book,
    say,
    trigger,
    write_book,
    write_entry,
)
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests: each test has books and words of its own."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            yield stack


async def found(stack: Stack, query: str, **fields: Any) -> list[search.SearchResult]:
    request = search_request(query, "LEXICAL", **fields)
    return list((await stack.search.Search(request)).results)


async def entries_of(stack: Stack, book_id: str, size: int = 0) -> list[lore_pb2.LoreEntry]:
    request = pb.ListLoreEntriesRequest(book_id=book_id, page_size=size)
    entries: list[lore_pb2.LoreEntry] = []
    while True:
        page = await stack.lore.ListLoreEntries(request)
        entries += page.entries
        if not page.next_page_token:
            return entries
        assert len(page.entries) == size
        request.page_token = page.next_page_token


async def test_book_and_entries_are_returned_as_written(stack: Stack) -> None:
    book_id = await write_book(stack, "westmark", agent="opus", subject="ana")
    whole = entry(
        "The Westmark",
        "A duchy on the northern coast.",
        trigger("Westmark", WORD),
        trigger("^north$", REGEX, case_sensitive=True),
        trigger("yes", EXACT),
        "duchy",
        scan_depth=0,
        priority=-7,
        sticky_turns=3,
        constant=True,
        disabled=True,
        prevent_recursion=True,
        exclude_recursion=True,
    )
    written = await write_entry(stack, book_id, whole)
    read = (await stack.lore.GetLoreEntry(pb.GetLoreEntryRequest(entry_id=written.entry_id))).entry
    whole.triggers[3].mode = lore_pb2.LORE_TRIGGER_MODE_SUBSTRING
    assert (read.id, read.book_id, read.version) == (written.entry_id, book_id, 1)
    assert read.body == whole
    plain = await write_entry(stack, book_id, entry("Plain", "With what an entry has by itself."))
    read = (await stack.lore.GetLoreEntry(pb.GetLoreEntryRequest(entry_id=plain.entry_id))).entry
    assert (read.body.scan_depth, read.body.sticky_turns, read.body.priority) == (5, 0, 0)
    key = book_key("westmark", agent="opus", subject="ana")
    book = (await stack.lore.GetLoreBook(pb.GetLoreBookRequest(key=key))).book
    assert (book.id, book.entry_count, book.version) == (book_id, 2, 3)
    again = lore_pb2.NewLoreBook(name="westmark", scope=key.scope, description="For Ana.")
    same = await stack.lore.WriteLoreBook(pb.WriteLoreBookRequest(book=again))
    assert same.book_id == book_id
    book = (await stack.lore.GetLoreBook(pb.GetLoreBookRequest(book_id=book_id))).book
    assert (book.body, book.entry_count) == (again, 2)
    wanted = pb.LoreBookFilter(agents=["opus"])
    listed = await stack.lore.ListLoreBooks(pb.ListLoreBooksRequest(filter=wanted))
    assert [each.id for each in listed.books] == [book_id]


async def test_replaced_entry_text_is_no_longer_found(stack: Stack) -> None:
    book_id = await write_book(stack, "search")
    first = await write_entry(stack, book_id, entry("Lantern", "The zircon lantern burns blue."))
    await append(stack, "I saw a zircon lantern.", session_key="lantern")
    hits = await found(stack, "zircon lantern")
    assert {hit.memory.kind for hit in hits} == {
        memory_pb2.MEMORY_KIND_LORE,
        memory_pb2.MEMORY_KIND_MESSAGE,
    }
    [hit] = await found(stack, "zircon lantern", filter=LORE)
    assert (hit.memory.id, hit.memory.content) == (first.entry_id, "The zircon lantern burns blue.")
    second = await write_entry(stack, book_id, entry("Lantern", "It was a garnet lamp."))
    assert second.entry_id == first.entry_id
    assert not await found(stack, "zircon", filter=LORE)
    [hit] = await found(stack, "garnet", filter=LORE)
    read = (await stack.lore.GetLoreEntry(pb.GetLoreEntryRequest(entry_id=hit.memory.id))).entry
    assert read.version == 2
    # By its title, and by another one.
    assert await found(stack, "lantern", filter=LORE)
    await write_entry(stack, book_id, entry("Lamp", "Garnet."), entry_id=first.entry_id)
    assert not await found(stack, "lantern", filter=LORE)
    [only] = await entries_of(stack, book_id)
    assert (only.id, only.body.title, only.version) == (first.entry_id, "Lamp", 3)
    await stack.lore.DeleteLoreEntry(pb.DeleteLoreEntryRequest(entry_id=first.entry_id))
    assert not await found(stack, "garnet", filter=LORE)
    gone = await refused(stack.lore.GetLoreEntry(pb.GetLoreEntryRequest(entry_id=first.entry_id)))
    assert (gone.code, gone.reason) == (grpc.StatusCode.NOT_FOUND, "LORE_ENTRY_NOT_FOUND")


async def test_deleting_a_book_deletes_its_entries(stack: Stack) -> None:
    imported = await import_book(stack, [entry("One", "The opal gate.", "opal")], "gone")
    assert await found(stack, "opal", filter=LORE)
    deletion = pb.DeleteLoreBookRequest(key=book_key("gone"), request_id="delete-gone")
    deleted = await stack.lore.DeleteLoreBook(deletion)
    assert (deleted.book_id, deleted.replayed) == (imported.book_id, False)
    assert not await found(stack, "opal", filter=LORE)
    assert (await stack.lore.DeleteLoreBook(deletion)).replayed
    again = await refused(stack.lore.DeleteLoreBook(pb.DeleteLoreBookRequest(key=book_key("gone"))))
    assert (again.reason, again.metadata["name"]) == ("LORE_BOOK_NOT_FOUND", "gone")
    listed = pb.ListLoreEntriesRequest(book_id=imported.book_id)
    assert (await refused(stack.lore.ListLoreEntries(listed))).reason == "LORE_BOOK_NOT_FOUND"
    with stack.database.connect() as conn:
        rows = conn.execute(
            "SELECT count(*) FROM lore_entries WHERE book_id = %s", [imported.book_id]
        ).fetchone()
    assert rows == (0,)


async def test_importing_a_book_replaces_its_entries(stack: Stack) -> None:
    entries = [entry(f"E{number}", f"Tower zq{number}.", f"word{number}") for number in range(30)]
    first = await import_book(stack, entries, "whole")
    assert (first.written, first.unchanged, first.deleted) == (30, 0, 0)
    assert await found(stack, "zq29", filter=LORE)
    before = {each.body.title: each for each in await entries_of(stack, first.book_id, size=7)}
    assert len(before) == 30
    entries[3].content = "Number three."
    second = await import_book(stack, [*entries[:29], entry("New", "And one more.")], "whole")
    assert (second.written, second.unchanged, second.deleted) == (2, 28, 1)
    after = {each.body.title: each for each in await entries_of(stack, first.book_id)}
    assert after.keys() == before.keys() - {"E29"} | {"New"}
    assert (after["E3"].id, after["E3"].version) == (before["E3"].id, 2)
    assert after["E4"] == before["E4"]
    assert not await found(stack, "zq29", filter=LORE)


async def test_lore_writes_are_idempotent(stack: Stack) -> None:
    book = lore_pb2.NewLoreBook(name="repeated")
    first = await stack.lore.WriteLoreBook(pb.WriteLoreBookRequest(book=book, request_id="b"))
    again = await stack.lore.WriteLoreBook(pb.WriteLoreBookRequest(book=book, request_id="b"))
    assert (again.book_id, first.replayed, again.replayed) == (first.book_id, False, True)
    one = entry("One", "First.", "unique")
    written = [await write_entry(stack, first.book_id, one, request_id="e") for _ in range(2)]
    assert {each.entry_id for each in written} == {written[0].entry_id}
    assert [each.replayed for each in written] == [False, True]
    other = await refused(write_entry(stack, first.book_id, entry("One", "Else."), request_id="e"))
    assert other.reason == "REQUEST_ID_CONFLICT"
    request = pb.ImportLoreBookRequest(book=book, entries=[one], request_id="i")
    imported = [await stack.lore.ImportLoreBook(request) for _ in range(2)]
    assert [each.replayed for each in imported] == [False, True]
    assert [each.written for each in imported] == [0, 0]
    [stands] = await entries_of(stack, first.book_id)
    assert stands.version == 1


async def test_invalid_pattern_is_refused_by_position_and_stores_nothing(
    stack: Stack,
) -> None:
    bad = entry("Broken", "Never stored: amethyst.", "fine", trigger("dragon[a-", REGEX))
    entries = [entry("Good", "Neither is this: amethyst."), bad]
    refusal = await refused(import_book(stack, entries, "broken"))
    assert refusal.code == grpc.StatusCode.INVALID_ARGUMENT
    said = refusal.violations["entries[1].triggers[1].text"]
    assert "'Broken'" in said
    assert "missing ]: [a-, at character 7" in said
    assert not await found(stack, "amethyst")
    key = pb.GetLoreBookRequest(key=book_key("broken"))
    assert (await refused(stack.lore.GetLoreBook(key))).reason == "LORE_BOOK_NOT_FOUND"
    book_id = await write_book(stack, "limits")
    one = await refused(write_entry(stack, book_id, entry("A", "a", trigger("(?=x)", REGEX))))
    assert one.fields == {"entry.triggers[0].text"}
    for wrong, field in (
        (entry("", "x"), "entry.title"),
        (entry("x", ""), "entry.content"),
        (entry("x", "x" * 32769), "entry.content"),
        (entry("x", "x", "k" * 257), "entry.triggers[0].text"),
        (entry("x", "x", " \n"), "entry.triggers[0].text"),
        (entry("x", "x", *["k"] * 33), "entry.triggers"),
        (entry("x", "x", scan_depth=101), "entry.scan_depth"),
        (entry("x", "x", sticky_turns=101), "entry.sticky_turns"),
    ):
        assert (await refused(write_entry(stack, book_id, wrong))).fields == {field}
    twice = await refused(import_book(stack, [entry("x", "1"), entry("x", "2")], "limits"))
    assert twice.fields == {"entries[1].title"}


async def test_book_entries_and_patterns_are_limited(stack: Stack) -> None:
    full = [entry(f"E{number}", "x") for number in range(1000)]
    book_id = (await import_book(stack, full, "full")).book_id
    more = await refused(write_entry(stack, book_id, entry("One more", "x")))
    assert more.fields == {"book"}
    await write_entry(stack, book_id, entry("E1", "In the place of another."))
    patterns = [
        entry(f"P{number}", "x", *[trigger(f"p{number}_{each}", REGEX) for each in range(25)])
        for number in range(8)
    ]
    book_id = (await import_book(stack, patterns, "patterns")).book_id
    assert (
        await refused(write_entry(stack, book_id, entry("x", "x", trigger("p", REGEX))))
    ).fields == {"book"}
    patterns.append(entry("x", "x", trigger("p", REGEX)))
    assert (await refused(import_book(stack, patterns, "patterns"))).fields == {"entries"}


async def test_concurrent_entry_and_book_writes_are_all_stored(stack: Stack) -> None:
    book_id = await write_book(stack, "crowd")
    names = [f"writer {number % 10}" for number in range(40)]
    writing = [write_entry(stack, book_id, entry(name, f"By {name}.", name)) for name in names]
    making = [import_book(stack, [], "crowd", agent=f"agent {number % 3}") for number in range(9)]
    written, made = await asyncio.gather(asyncio.gather(*writing), asyncio.gather(*making))
    assert len({each.book_id for each in made}) == 3
    ids = {each.entry_id for each in written}
    stands = await entries_of(stack, book_id)
    assert {each.id for each in stands} == ids
    assert [each.version for each in stands] == [4] * 10
    book = (await stack.lore.GetLoreBook(pb.GetLoreBookRequest(book_id=book_id))).book
    assert book.version == 41


async def test_match_lore_explains_why_each_entry_matches(stack: Stack) -> None:
    entries = [
        entry("Smaug", "He guards the arkenstone.", "wyrm", trigger("dragon", WORD), priority=9),
        entry("Arkenstone", "A jewel.", "arkenstone"),
        entry("Year", "It is 1311.", constant=True),
        entry("Bell", "It rings.", "bell", sticky_turns=4),
    ]
    book_id = (await import_book(stack, entries, "why", agent="why")).book_id
    conversation = await say(stack, "why", "The bell!")
    scope = lore_pb2.LoreScope(conversation_id=conversation)
    asked = pb.MatchLoreRequest(text="A dragon!", scope=scope)
    matches = (await stack.lore.MatchLore(asked)).matches
    causes = {each.title: lore_pb2.LoreCause.Name(each.cause)[11:] for each in matches}
    assert causes == {
        "Smaug": "TRIGGER",
        "Arkenstone": "RECURSION",
        "Year": "CONSTANT",
        "Bell": "STICKY",
    }
    by = {each.title: each for each in matches}
    # Constant entries come first, then the highest priority.
    assert [each.title for each in matches[:2]] == ["Year", "Smaug"]
    assert by["Smaug"].trigger == trigger("dragon", WORD)
    assert by["Arkenstone"].by_entry_id == by["Smaug"].entry_id
    assert by["Bell"].turns_left == 2
    assert {each.book_id for each in matches} == {book_id}
    nowhere = pb.MatchLoreRequest(text="A dragon!", scope=lore_pb2.LoreScope(agent="else"))
    assert not (await stack.lore.MatchLore(nowhere)).matches
    absent = lore_pb2.LoreScope(conversation_id=str(uuid.uuid4()))
    lost = await refused(stack.lore.MatchLore(pb.MatchLoreRequest(text="x", scope=absent)))
    assert lost.reason == "CONVERSATION_NOT_FOUND"


async def test_entry_write_to_unknown_book_or_with_taken_title_is_refused(stack: Stack) -> None:
    lost = await refused(write_entry(stack, str(uuid.uuid4()), entry("x", "x")))
    assert lost.reason == "LORE_BOOK_NOT_FOUND"
    book_id = await write_book(stack, "renames")
    one = await write_entry(stack, book_id, entry("One", "1"))
    await write_entry(stack, book_id, entry("Two", "2"))
    taken = await refused(write_entry(stack, book_id, entry("Two", "1"), entry_id=one.entry_id))
    assert taken.fields == {"entry.title"}
    absent = await refused(
        write_entry(stack, book_id, entry("Three", "3"), entry_id=str(uuid.uuid4()))
    )
    assert absent.reason == "LORE_ENTRY_NOT_FOUND"
