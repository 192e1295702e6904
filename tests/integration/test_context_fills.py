"""A default context shows whole what fits into it: nothing is cut while tokens are free."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import context_service_pb2 as pb
from everword.v1 import document_pb2, note_pb2
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import search_service_pb2 as search
from support.background import embed_everything
from support.callers import within
from support.calls import TOOL, append_request, message, target
from support.databases import cloned
from support.document_calls import write_file
from support.lore import entry, import_book, lore_of
from support.notes import log
from support.notes import write as write_note
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

#: Twelve rooms, and what each message says in its second half.
ROOMS = (
    *("attic", "bathroom", "cellar", "corridor", "garage", "hallway"),
    *("kitchen", "laundry", "library", "nursery", "pantry", "workshop"),
)
FILLER = (
    "We walked through the house with the builder again and wrote down everything that he noticed on the way.",
    "The plaster was dry in most places, although he wanted to wait for another week before anybody paints.",
    "He asked for the drawings of the electrician, who had promised them before the holidays and forgot.",
    "The neighbours complained about the noise in the morning, so work begins at nine from now on.",
    "Somebody has to order the tiles before the end of the month, because the price goes up afterwards.",
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests: each test has an agent or a namespace of its own."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            yield stack


async def build(stack: Stack, **fields: Any) -> pb.BuildContextResponse:
    return await stack.context.BuildContext(pb.BuildContextRequest(**fields))


async def make_namespace(stack: Stack, name: str) -> list[tuple[str, str]]:
    """Create a namespace, and return the metadata of calls within it."""
    await stack.admin.CreateNamespace(
        admin.CreateNamespaceRequest(namespace=admin.Namespace(name=name))
    )
    return list(within(name))


async def say(stack: Stack, agent: str, *texts: Any) -> str:
    request = append_request(*texts)
    request.conversation.CopyFrom(target("s", agent=agent))
    return (await stack.ingest.AppendMessages(request)).conversation_id


def report(number: int) -> str:
    """Return a message of about 200 words that names its room first, and the answer in its second half."""
    room, others = ROOMS[number], " ".join(FILLER)
    return (
        f"Report on the {room}. {others} {FILLER[number % 5]} {FILLER[(number + 2) % 5]} "
        f"For this room we agreed on {number + 3} litres of linseed paint. {FILLER[(number + 1) % 5]}"
    )


async def test_answer_in_the_second_half_of_a_message_is_shown(stack: Stack) -> None:
    metadata = await make_namespace(stack, "house")
    for number in range(12):
        request = append_request(report(number), session_key=f"room-{number}")
        await stack.ingest.AppendMessages(request, metadata=metadata)
    await embed_everything(stack)
    for number, room in enumerate(ROOMS):
        asked = pb.BuildContextRequest(query=f"What is in the report on the {room}?")
        response = await stack.context.BuildContext(asked, metadata=metadata)
        assert f"{number + 3} litres of linseed paint" in response.text, room
        assert response.token_count <= 4000


async def test_note_of_many_steps_is_shown_whole(stack: Stack) -> None:
    steps = [
        f"{n}. Turn valve {n} until the gauge of line {n} shows {n * 7} bar, and write it down."
        for n in range(1, 30)
    ]
    await write_note(stack, "How to start the boiler:\n" + "\n".join(steps), "boiler")
    response = await build(stack, query="How do I start the boiler?")
    assert all(step in response.text for step in steps)
    assert (response.shortened, response.omitted) == (0, 0)


async def test_significant_memory_is_shown_whole(stack: Stack) -> None:
    text = (
        "On the evening of the storm we lost the mast of the sailing boat and drifted for three hours. "
        + " ".join(f"{FILLER[n % 5][:-1]}, on board {n} times." for n in range(13))
        + " Since then Nora checks the shrouds before each trip."
    )
    assert 1400 < len(text) < 1800
    await stack.ingest.RecordSignificant(ingest.RecordSignificantRequest(content=text))
    response = await build(stack, query="What happened when we lost the mast?")
    assert text in response.text


async def test_soul_is_shown_whole(stack: Stack) -> None:
    soul = "\n\n".join(
        f"## Habit {n}\n\n"
        + " ".join(f"{FILLER[(n + k) % 5][:-1]} {n}-{k} times." for k in range(6))
        for n in range(10)
    )
    assert 5500 < len(soul) < 7000
    scope = document_pb2.DocumentScope(agent="soulful")
    await write_file(stack, "SOUL", soul, writer="HUMAN", scope=scope)
    conversation = await say(stack, "soulful", "Good morning!")
    response = await build(stack, conversation_id=conversation)
    for n in range(10):
        assert all(f"{n}-{k} times." in response.text for k in range(6))


async def test_identity_files_are_shown_whole(stack: Stack) -> None:
    scope = document_pb2.DocumentScope(agent="files")
    for name in ("SOUL", "USER", "MEMORY"):
        text = "\n\n".join(
            f"## {name} {n}\n\n"
            + " ".join(f"{FILLER[(n + k) % 5][:-1]} {n}-{k} times." for k in range(4))
            for n in range(7)
        )
        await write_file(stack, name, text, writer="HUMAN", scope=scope)
    conversation = await say(stack, "files", "Good morning!")
    response = await build(stack, conversation_id=conversation)
    [files] = [b for b in response.blocks if b.source == pb.CONTEXT_SOURCE_BASE]
    assert 1200 < files.token_count < 2800
    for name in ("SOUL", "USER", "MEMORY"):
        assert all(f"{name} › {name} {n}" in response.text for n in range(7)), name
    assert response.text.count("6-3 times.") == 3
    assert response.shortened == 0


async def test_lore_entry_longer_than_its_share_is_shown_whole(stack: Stack) -> None:
    text = " ".join(f"{FILLER[n % 5][:-1]} in year {n} again." for n in range(23))
    assert 2300 < len(text) < 2700
    await import_book(stack, [entry("Westmark", text, "duchy")], agent="lorist")
    conversation = await say(stack, "lorist", "Tell me of the duchy.")
    response = await build(stack, conversation_id=conversation)
    assert text in response.text


async def test_daily_log_of_a_busy_day_is_shown_whole(stack: Stack) -> None:
    scope = note_pb2.NoteScope(agent="busy")
    lines = [
        f"Step {n}: moved crate {n * 3} to shelf {n * 5} and checked its seal." for n in range(40)
    ]
    for line in lines:
        await log(stack, line, scope=scope)
    conversation = await say(stack, "busy", "Good evening!")
    response = await build(stack, conversation_id=conversation)
    assert all(line in response.text for line in lines)


async def test_long_message_is_shown_as_a_section_beyond_its_first_characters(
    stack: Stack,
) -> None:
    metadata = await make_namespace(stack, "long")
    sentences = [f"Entry {n} of the ship's diary says nothing of interest." for n in range(1500)]
    sentences[1000] = "The harbourmaster of Lissa took the red lantern."
    request = append_request(" ".join(sentences), "The lantern of the shed is blue.")
    await stack.ingest.AppendMessages(request, metadata=metadata)
    await embed_everything(stack)
    asked = pb.BuildContextRequest(query="Who took the red lantern?")
    response = await stack.context.BuildContext(asked, metadata=metadata)
    assert sentences[1000] in response.text
    assert sentences[980] in response.text
    assert sentences[1020] in response.text
    assert response.shortened == 1
    [shown] = [i for b in response.blocks for i in b.items if i.shortened]
    words = shown.text.partition("… ")[2]
    assert words.startswith("Entry ")
    assert words.endswith("interest. …")
    found = search.SearchRequest(query="Who took the red lantern?", with_sections=True)
    top = (await stack.search.Search(found, metadata=metadata)).results[0]
    assert sentences[1000] in top.passage
    assert top.passage.strip() in top.section
    assert 1500 < len(top.section) <= 2010
    assert top.section.strip("… ").startswith("Entry ")


async def test_message_of_ten_thousand_characters_alone_is_shown_whole(stack: Stack) -> None:
    metadata = await make_namespace(stack, "alone")
    text = " ".join(f"{FILLER[n % 5][:-1]} on day {n} again." for n in range(90))
    text = f"The red lantern of the harbourmaster hangs in our shed. {text}"
    assert 9_000 < len(text) < 11_000
    await stack.ingest.AppendMessages(append_request(text), metadata=metadata)
    asked = pb.BuildContextRequest(query="Where is the red lantern of the harbourmaster?")
    response = await stack.context.BuildContext(asked, metadata=metadata)
    assert text in response.text
    assert response.shortened == 0


async def test_tight_budget_prefers_several_passages_to_one_whole_memory(stack: Stack) -> None:
    metadata = await make_namespace(stack, "tight")
    for number in range(12):
        request = append_request(report(number), session_key=f"room-{number}")
        await stack.ingest.AppendMessages(request, metadata=metadata)
    asked = pb.BuildContextRequest(query="Report on the room", token_budget=600)
    response = await stack.context.BuildContext(asked, metadata=metadata)
    items = [item for block in response.blocks for item in block.items]
    assert len(items) >= 3
    assert response.shortened >= 2
    assert response.omitted >= 12 - len(items)


async def test_lore_entry_that_does_not_fit_is_cut_at_a_sentence_and_not_overtaken(
    stack: Stack,
) -> None:
    long = " ".join(f"{FILLER[n % 5][:-1]} in year {n} again." for n in range(40))
    entries = [
        entry("Always", "The year is 1311.", constant=True, priority=-5),
        entry("First", long, "dragon", priority=9),
        entry("Second", "A short one.", "dragon", priority=1),
    ]
    await import_book(stack, entries, agent="squeezed")
    conversation = await say(stack, "squeezed", "A dragon!")
    response = await build(stack, conversation_id=conversation, token_budget=400)
    shown = [line.partition("] ")[2] for line in lore_of(response)]
    assert [line.partition(":")[0] for line in shown] == ["Always", "First"]
    text = shown[1].partition(": ")[2].removesuffix(" …")
    assert long.startswith(text)
    assert text.endswith(".")
    assert response.shortened == 1
    assert [each.title for each in response.lore_omissions] == ["Second"]
    assert "does not fit" in response.lore_omissions[0].reason


async def test_json_keeps_its_keys_and_runs_do_not_fill_a_context(stack: Stack) -> None:
    metadata = await make_namespace(stack, "tools")
    rows = [
        {"id": n, "name": f"crate {n}", "place": f"shelf {n * 3}", "note": FILLER[n % 5]}
        for n in range(400)
    ]
    result = json.dumps({"status": "complete", "rows": rows, "next_page": "none"})
    request = append_request(
        message("", role=TOOL, tool_name="list_crates", tool_args="{}", tool_result=result),
        "The picture of the warehouse is data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUg" * 900,
        "Warehouse test: " + "x" * 9000 + " and the warehouse door is green.",
    )
    request.conversation.CopyFrom(target("s", agent="tooler"))
    said = await stack.ingest.AppendMessages(request, metadata=metadata)
    asked = pb.BuildContextRequest(conversation_id=said.conversation_id, query="warehouse")
    response = await stack.context.BuildContext(asked, metadata=metadata)
    [tool] = [i for b in response.blocks for i in b.items if i.memory.tool_name == "list_crates"]
    assert '"status": "complete"' in tool.text
    assert '"next_page": "none"' in tool.text
    assert "more" in tool.text
    assert "the warehouse door is green" in response.text
    assert "(19800 characters)" in response.text
    assert "(9000 characters)" in response.text
    assert response.token_count <= 4000


async def test_streamed_context_has_the_items_of_a_built_one(stack: Stack) -> None:
    metadata = await make_namespace(stack, "streamed")
    for number in range(12):
        request = append_request(report(number), session_key=f"room-{number}")
        await stack.ingest.AppendMessages(request, metadata=metadata)
    own = append_request(*(f"{FILLER[n % 5]} Turn {n} ends." for n in range(40)), session_key="own")
    said = await stack.ingest.AppendMessages(own, metadata=metadata)
    for budget in (500, 1500, 4000):
        asked = pb.BuildContextRequest(
            conversation_id=said.conversation_id,
            query="Report on the library",
            token_budget=budget,
            skip_use_count=True,
        )
        built = await stack.context.BuildContext(asked, metadata=metadata)
        stream = pb.StreamContextRequest(context=asked)
        parts = [each async for each in stack.context.StreamContext(stream, metadata=metadata)]
        streamed = {item.memory_id for part in parts for item in part.block.items}
        assert streamed == {item.memory_id for block in built.blocks for item in block.items}
        assert parts[-1].end.shortened == built.shortened


async def test_deeply_nested_tool_output_is_shown_without_an_error(stack: Stack) -> None:
    nested = '{"readings": ' * 450 + '"the gauge at Poole shows 12 mm of rain"' + "}" * 450
    call = message("", role=TOOL, tool_name="weather", tool_result=nested)
    owner = await make_namespace(stack, "nested")
    request = append_request(message("How much rain fell in Poole?"), call)
    await stack.ingest.AppendMessages(request, metadata=owner)
    asked = pb.BuildContextRequest(query="rain readings of the gauge at Poole", token_budget=300)
    found = await stack.context.BuildContext(asked, metadata=owner)
    assert "How much rain fell in Poole?" in found.text
    assert found.token_count <= 300


async def test_context_as_of_the_first_days_of_the_calendar_is_no_error(stack: Stack) -> None:
    owner = await make_namespace(stack, "ancient")
    early = message("The aqueduct was finished today, says the builder of the bridge.")
    early.create_time.FromJsonString("0001-01-02T08:00:00Z")
    appended = await stack.ingest.AppendMessages(append_request(early), metadata=owner)
    asked = pb.BuildContextRequest(query="What was finished today or yesterday?")
    asked.filter.as_of_message_id = appended.messages[0].message_id
    assert "aqueduct" in (await stack.context.BuildContext(asked, metadata=owner)).text
