"""Lore, people, events, patterns and themes for the pages of the console, and hostile text in each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from google.protobuf.struct_pb2 import Struct

from everword.domain.ids import new_id
from everword.people.model import EventMention, MessageWords, PersonMention, RelationStatus
from everword.people.writer import meet_people, take_events
from everword.v1 import lore_pb2, memory_pb2
from everword.v1 import lore_service_pb2 as lore
from everword.v1 import pattern_service_pb2 as patterns
from everword.v1 import search_service_pb2 as search
from support.learned_facts import DEFAULT_NAMESPACE, learning_transaction
from support.lore import REGEX, WORD, entry, trigger
from support.stack import Stack

_THEME = """
INSERT INTO themes (namespace_id, id, place, label, words, size, sampled, source_ids, generation_id)
VALUES (%s, %s, %s, %s, %s, %s, 109, %s, 1)
"""
_CUTOVER = datetime(2100, 3, 14, 21, 30, tzinfo=UTC)


async def plant_learned(stack: Stack, conversation_id: str) -> list[str]:
    """Plant memories that could be learned from the sample conversation; return the paths of their pages."""
    said = await _first_messages(stack, conversation_id)
    tone = entry("Tone", "Short and calm; never a joke about downtime.", constant=True)
    window = entry(
        "The window",
        "Shops are closed from 20:30 to 5:00, and on Sundays. Nothing that is read by them moves at another time.",
        *("cutover", trigger("atlas", WORD), trigger("read[- ]only", REGEX)),
        priority=5,
        sticky_turns=3,
    )
    people = [
        PersonMention("Mara", said[0], "project lead", RelationStatus.ACTIVE),
        *(PersonMention("Mara Lind", each) for each in said[1:4]),
        PersonMention("Inés", said[2], "colleague"),
    ]
    events = [
        EventMention("The cutover of orderdesk", "work", said[0], _CUTOVER, None, 0.9),
        EventMention("Holidays", "family", said[4], _CUTOVER, _CUTOVER + timedelta(days=14)),
    ]
    for _ in range(12):
        await _record(stack, "REMA 1000", {"account": "6540", "vat_rate": 25})
    wanted = patterns.DecidePatternRequest(entity="REMA 1000", type="merchant_category")
    decided = (await stack.patterns.DecidePattern(wanted)).decision
    await _record(stack, "REMA 1000", {"account": "7140", "vat_rate": 15}, "A conference.")
    for place, words in enumerate(
        ("cutover, window, shops, ticker, go", "replica, lag, rows, primary"), 1
    ):
        theme = _theme(
            stack, place, words.split(", "), [str(each.message_id) for each in said[place:]]
        )
    return [
        *await _write_book(stack, "house rules", "What every agent keeps to.", tone, window),
        *await _store_learned(stack, "orderdesk", people, events),
        f"/patterns/{decided.pattern_id}",
        theme,
    ]


async def plant_hostile_learned(stack: Stack, conversation_id: str, words: str) -> list[str]:
    """Store hostile text in all learned memories; return the paths of their pages."""
    said = (await _first_messages(stack, conversation_id))[0]
    book = await _write_book(stack, words, words, entry(words, words, words[:64]))
    person, event = PersonMention(words, said, words), EventMention(words, words, said, _CUTOVER)
    pattern = await _record(stack, words, {words: words}, words)
    theme = _theme(stack, 3, [words], [str(said.message_id)])
    return [
        *book,
        *await _store_learned(stack, words, [person], [event]),
        f"/patterns/{pattern}",
        theme,
    ]


async def _first_messages(stack: Stack, conversation_id: str) -> list[MessageWords]:
    wanted = memory_pb2.MemoryFilter(
        kinds=[memory_pb2.MEMORY_KIND_MESSAGE], conversation_ids=[conversation_id]
    )
    request = search.BrowseRequest(filter=wanted, order=memory_pb2.ORDER_OLDEST_FIRST, page_size=12)
    return [
        MessageWords(
            UUID(each.id), UUID(conversation_id), each.content, each.occur_time.ToDatetime(UTC)
        )
        for each in (await stack.search.Browse(request)).memories
    ]


async def _write_book(
    stack: Stack, name: str, description: str, *entries: lore_pb2.NewLoreEntry
) -> list[str]:
    book = lore_pb2.NewLoreBook(name=name, description=description)
    request = lore.ImportLoreBookRequest(book=book, entries=entries)
    book_id = (await stack.lore.ImportLoreBook(request)).book_id
    listed = await stack.lore.ListLoreEntries(lore.ListLoreEntriesRequest(book_id=book_id))
    return [f"/lore/{book_id}", f"/lore/entries/{listed.entries[-1].id}"]


async def _store_learned(
    stack: Stack, subject: str, people: Sequence[PersonMention], events: Sequence[EventMention]
) -> list[str]:
    """Store people and events mentioned by the subject, as Sleep does; return the paths of their pages."""
    async with learning_transaction(stack.database) as conn:
        met = await meet_people(conn, DEFAULT_NAMESPACE, subject, people)
        taken = await take_events(conn, DEFAULT_NAMESPACE, subject, events)
    return [f"/people/{next(iter(met))}", f"/events/{next(iter(taken))}"]


async def _record(stack: Stack, entity: str, data: dict[str, str | int], reason: str = "") -> str:
    held = Struct()
    held.update(data)
    request = patterns.RecordPatternRequest(
        entity=entity, type="merchant_category", category="food", data=held, reason=reason
    )
    return (await stack.patterns.RecordPattern(request)).pattern.id


def _theme(stack: Stack, place: int, words: list[str], memory_ids: list[str]) -> str:
    """Store a theme as a nightly run does."""
    id_ = new_id()
    label = ", ".join(words[:3])
    row = (DEFAULT_NAMESPACE, id_, place, label, words, 40 // place, memory_ids)
    with stack.database.connect() as owner:
        owner.execute(_THEME, row)
    return f"/themes/{id_}"
