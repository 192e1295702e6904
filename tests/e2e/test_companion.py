"""A story: a companion with a handbook, lore and daily logs over a week, from the user's view.

Days are simulated: at midnight the existing logs become a day older.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from everword.client import Client
from everword.client.settings import ClientSettings
from everword.v1 import context_service_pb2 as context
from everword.v1 import document_pb2, lore_pb2, note_pb2
from everword.v1 import document_service_pb2 as documents
from everword.v1 import lore_service_pb2 as lore
from everword.v1 import note_service_pb2 as notes
from support.agent_conversation import Talk, lines_of
from support.background import embed_everything
from support.databases import DatabaseUnderTest
from support.document_calls import upload_requests
from support.lore import WORD, entry, trigger
from support.stack import Stack, running_stack

HANDBOOK = """# House

The house has two floors and a garden that nobody mows.

## Heating

To bleed a radiator, turn its valve to the left with the brass key until water comes. The boiler is in the cellar.

## Cat

The cat gets half a tin at seven and dry food at noon. She must not have milk.

## Garden

The tomatoes are watered every second evening, from the rain barrel behind the shed.

## Power

If the lights go out, the fuse box is behind the painting in the hall.
"""
ILSE = "Aunt Ilse: Cannot stand lilies."
COTTAGE = "The cottage: Has no electricity."


async def test_companion_story_over_one_week(database: DatabaseUnderTest) -> None:
    async with at_home(database) as mira:
        await mira.move_in()
        await mira.monday()
        await mira.tuesday()
        await mira.wednesday()
    # The processes restart overnight, and keep the state of triggered lore.
    async with at_home(database) as mira:
        await mira.thursday()
        await mira.friday()
        await mira.saturday()
        await mira.sunday()


class Week:
    """The days of the companion Mira and of her user."""

    def __init__(self, client: Client, stack: Stack) -> None:
        self._client = client
        self._stack = stack
        self._talk = Talk(client, "mira", "us")

    async def move_in(self) -> None:
        await self._upload(HANDBOOK)
        entries = [
            entry("Aunt Ilse", "Cannot stand lilies.", trigger("Ilse", WORD), sticky_turns=3, scan_depth=1),
            entry("The cottage", "Has no electricity.", "cottage", sticky_turns=2, scan_depth=1),
        ]  # fmt: skip
        book = lore_pb2.NewLoreBook(name="family", scope=lore_pb2.LoreScope(agent="mira"))
        request = lore.ImportLoreBookRequest(book=book, entries=entries)
        await self._client.lore_service.ImportLoreBook(request)

    async def monday(self) -> None:
        before = await self._talk.hear("Hello! What a fine morning.")
        assert lines_of(before, "LOREBOOK") == []
        assert lines_of(before, "DOCUMENTS") == []
        had = await self._hear("Ilse is coming on Sunday, I will buy her flowers.")
        assert lines_of(had, "LOREBOOK") == [ILSE]
        await self._log("Promised to remind of the flowers.")
        await self._midnight()

    async def tuesday(self) -> None:
        # An automated message is no turn.
        await self._talk.hear("Heartbeat: is there anything to do?", automated=True)
        had = await self._hear("How do I bleed the radiator in my room?")
        assert lines_of(had, "LOREBOOK") == [ILSE]
        told, *logs = lines_of(had, "DOCUMENTS")
        assert told.startswith("Handbook › House › Heating: ")
        assert "turn its valve to the left" in told
        assert "tomatoes" not in had.text
        assert logs == ["daily log, mira: Promised to remind of the flowers."]
        await self._log("Bled the radiators.")
        await self._midnight()

    async def wednesday(self) -> None:
        had = await self._hear("I slept well, thank you.")
        assert lines_of(had, "LOREBOOK") == [ILSE]
        # Yesterday's log; the one of the day before is no longer included.
        assert logs_of(had) == ["Bled the radiators."]
        assert "turn its valve" not in had.text
        await self._midnight()

    async def thursday(self) -> None:
        had = await self._hear("Good morning. It rains.")
        # Three turns have passed, also in another process.
        assert lines_of(had, "LOREBOOK") == []
        assert logs_of(had) == []
        had = await self._hear("We could go to the cottage, or not.")
        assert lines_of(had, "LOREBOOK") == [COTTAGE]
        await self._upload(HANDBOOK.replace("to the left", "to the right"))
        await self._log("Talked about a trip.")
        await self._midnight()

    async def friday(self) -> None:
        # A new mention restarts the two turns.
        had = await self._hear("The cottage it is! Which way do I turn the valve of the radiator?")
        assert lines_of(had, "LOREBOOK") == [COTTAGE]
        assert "turn its valve to the right" in had.text
        assert "to the left" not in had.text
        assert logs_of(had) == ["Talked about a trip."]
        await self._midnight()

    async def saturday(self) -> None:
        had = await self._hear("What may the cat have, is milk fine?")
        assert lines_of(had, "LOREBOOK") == [COTTAGE]
        [told] = lines_of(had, "DOCUMENTS")
        assert told.startswith("Handbook › House › Cat: ")
        assert "She must not have milk." in told
        had = await self._hear("Thanks. And she is asleep now.")
        assert lines_of(had, "LOREBOOK") == []
        await self._log("Fed the cat.")
        await self._log("Packed the bags.")
        await self._midnight()

    async def sunday(self) -> None:
        # Automated messages trigger entries, too.
        await self._talk.hear("Heartbeat: Ilse arrives today.", automated=True)
        had = await self._hear("Let us go.")
        assert lines_of(had, "LOREBOOK") == [ILSE]
        assert logs_of(had) == ["Fed the cat.", "Packed the bags."]
        request = documents.DeleteDocumentRequest(key=document_pb2.DocumentKey(title="Handbook"))
        await self._client.document_service.DeleteDocument(request)
        had = await self._hear("Where is the fuse box, if the lights go out?")
        assert "behind the painting" not in had.text
        assert "Handbook" not in had.text

    async def _hear(self, words: str) -> context.BuildContextResponse:
        """Append a user's turn, return the context for the answer, and append an answer."""
        had = await self._talk.hear(words)
        await self._talk.answer("I see.")
        return had

    async def _upload(self, text: str) -> None:
        parts = upload_requests(text.encode(), "Handbook", "handbook.md")
        await self._client.document_service.UploadDocument(parts)
        await embed_everything(self._stack)

    async def _log(self, content: str) -> None:
        request = notes.AppendDailyLogRequest(
            content=content, scope=note_pb2.NoteScope(agent="mira"), author="mira"
        )
        await self._client.note_service.AppendDailyLog(request)

    async def _midnight(self) -> None:
        with self._stack.database.connect() as conn:
            conn.execute("UPDATE notes SET log_date = log_date - 1 WHERE log_date IS NOT NULL")


@asynccontextmanager
async def at_home(database: DatabaseUnderTest) -> AsyncIterator[Week]:
    """Run the services, and connect Mira."""
    async with running_stack(database) as stack:
        at = stack.addresses
        settings = ClientSettings(at["ingest"], at["search"], at["compactor"])
        async with Client.connect(settings) as client:
            yield Week(client, stack)


def logs_of(had: context.BuildContextResponse) -> list[str]:
    lines = lines_of(had, "DOCUMENTS")
    return [line.partition(": ")[2] for line in lines if line.startswith("daily log, mira: ")]
