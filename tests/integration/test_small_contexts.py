"""Contexts of 200 to 400 tokens at default settings: long messages, JSON, the last session, and named periods."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
import pytest_asyncio

from everword.v1 import context_service_pb2 as pb
from everword.v1 import conversation_pb2, memory_pb2
from everword.v1 import ingest_service_pb2 as ingest
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from support.background import embed_everything
from support.calls import ASSISTANT, TOOL, message, target
from support.compaction import roll_up_everything
from support.companion_week import WEEK
from support.databases import cloned
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

AGENT, ANA = "mira", "ana"
NOW = datetime.now(UTC)
#: Monday of last week, at noon.
MONDAY = (NOW - timedelta(days=NOW.weekday() + 7)).replace(hour=12, minute=0)
#: Messages of 150 to 180 words, each with a question and its answer, which is one sentence in the middle.
REPORTS = (
    (
        "I wrote the whole report on the trip to the supplier in Brno, you can keep it. We left at six with two cars, "
        "and Milan drove the second one. The factory has three lines, of which one was standing still because of a "
        "missing spindle bearing. Their quality manager, Mrs Dvořáková, showed us the measurements of the last "
        "quarter, and the scrap rate fell from 4.1 to 2.6 percent after they changed the coolant. We agreed that the "
        "first delivery of the aluminium housings comes in week 8, with 1,200 pieces, and the rest in two parts in "
        "March and April. They wanted a price increase of six percent, and we settled on 3.5 because we order for two "
        "years. Milan was not happy about the packaging: the trays are too soft, and in the last delivery eleven "
        "housings had scratches. They promised harder trays made of ABS. On the way back we got stuck near Jihlava "
        "for an hour and a half, and I was home at ten in the evening.",
        "Which price increase did we agree on with the supplier in Brno?",
        "we settled on 3.5 because we order for two years.",
    ),
    (
        "Notes from the parents' evening, because Lukas will ask me about it. The class goes to the Harz mountains "
        "from the 4th to the 8th of May, and it costs 265 euros per child including the train. Whoever needs help "
        "with the money can write to the booster club, and nobody else hears about it. Mr Arslan takes over "
        "mathematics from Mrs Brandt, who is on leave after Easter. The mobile phones stay in the lockers from now "
        "on, also during the breaks, and there was a long discussion about it that led nowhere. The canteen gets a "
        "new caterer who cooks without nuts and pork, and one orders by an app at the latest by eight on the same "
        "morning. For the summer party they look for somebody with a pavilion, and I said that we might lend ours if "
        "it survives the winter. The swimming lessons move to Thursdays in the fifth hour, so he needs his things on "
        "Thursdays and no longer on Tuesdays.",
        "Who takes over mathematics from Mrs Brandt at the school of Lukas?",
        "Mr Arslan takes over mathematics from Mrs Brandt, who is on leave after Easter.",
    ),
)
INVOICES = [
    {"id": f"inv-{n:04}", "customer": customer, "amount_eur": 418.5 + 97 * n, "note": note}
    for n, (customer, note) in enumerate(
        (
            ("Bergmann Optik", "paid by transfer on the 29th, reference matched automatically"),
            ("Café Sonne", "paid in cash, receipt scanned and filed with the November papers"),
            ("Hartl & Söhne", "second reminder sent on the 19th, customer disputes two positions"),
            ("Ludwig Metallbau", "partial delivery, the rest of the goods follows in week 50"),
            ("Marienapotheke", "small order, paid at once by card in the shop"),
            (
                "Nordlicht GmbH",
                "bankruptcy proceedings opened, claim registered with the trustee Dr. Vogt",
            ),
            ("Praxis Dr. Senger", "asked for a new invoice with the correct address"),
            ("Stadtwerke Auen", "invoice goes through the portal of the city, number 88-1203"),
            ("Theater am Kai", "paid early with two percent discount as agreed in the contract"),
            ("Ulmer Druck", "customer wants to pay in two instalments, approved by Karin"),
        ),
        1,
    )
]
LAST_SESSION = (
    "Before I leave: the sample board from the chandler arrived, and the dark green is too dark in the sun.",
    "Then off-white is the safer choice. Shall I write to the yard that the decision is off-white?",
    "Not yet, I want to show it to Petra on Sunday first, because it is her boat as well.",
    "Good, we wait for Petra on Sunday, and after that I write to the yard.",
)


async def tell(stack: Stack, key: str, moment: datetime, *messages: memory_pb2.NewMessage) -> None:
    for n, each in enumerate(messages):
        each.create_time.FromDatetime(moment + timedelta(minutes=n))
    conversation = target(key, agent=AGENT, subject=ANA)
    await stack.ingest.AppendMessages(
        ingest.AppendMessagesRequest(conversation=conversation, messages=messages)
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """A week of short messages, two long ones, a tool's result, and a last session."""
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            for day, messages in enumerate(WEEK):
                texts = (message(each.text, author=each.author) for each in messages)
                await tell(stack, f"day-{day}", MONDAY + timedelta(days=day), *texts)
            for n, (report, _, _) in enumerate(REPORTS):
                answer = message("Thank you for writing it all down.", role=ASSISTANT)
                moment = MONDAY - timedelta(days=20 - n)
                await tell(stack, f"report-{n}", moment, message(report, author="Ana"), answer)
            result = json.dumps({"page": 1, "invoices": INVOICES}, ensure_ascii=False)
            call = message("", role=TOOL, tool_name="list_invoices", tool_result=result)
            await tell(stack, "books", MONDAY - timedelta(days=15), call)
            last = (
                message(text, role=ASSISTANT if n % 2 else memory_pb2.ROLE_USER)
                for n, text in enumerate(LAST_SESSION)
            )
            await tell(stack, "last", NOW - timedelta(hours=5), *last)
            await roll_up_everything(stack, ExtractiveComposer(), NOW)
            await embed_everything(stack)
            yield stack


async def build(stack: Stack, query: str, budget: int) -> pb.BuildContextResponse:
    """Build the context of the first message of a new session."""
    key = conversation_pb2.ConversationKey(session_key="new", agent=AGENT)
    request = pb.BuildContextRequest(
        query=query,
        token_budget=budget,
        conversation=pb.ContextConversation(key=key, subject=ANA),
    )
    response = await stack.context.BuildContext(request)
    assert response.token_count <= budget
    return response


def memories(response: pb.BuildContextResponse) -> list[pb.ContextItem]:
    source = pb.CONTEXT_SOURCE_MEMORIES
    return [item for block in response.blocks if block.source == source for item in block.items]


@pytest.mark.parametrize(("report", "query", "answer"), REPORTS, ids=["brno", "school"])
async def test_small_context_has_the_matching_sentence_of_a_long_message(
    stack: Stack, report: str, query: str, answer: str
) -> None:
    for budget in (200, 250, 300, 350):
        response = await build(stack, query, budget)
        assert answer in response.text, budget
        [excerpt] = [each for each in memories(response) if answer in each.text]
        assert not excerpt.shortened or "…" in excerpt.text


@pytest.mark.parametrize("budget", [200, 300, 400])
async def test_small_context_has_the_matching_element_of_json(stack: Stack, budget: int) -> None:
    for query, answer in (
        ("Who is the trustee of the Nordlicht GmbH?", "with the trustee Dr. Vogt"),
        ("Who approved the instalments of Ulmer Druck?", "approved by Karin"),
    ):
        response = await build(stack, query, budget)
        assert answer in response.text
        assert '"page": 1' in response.text


@pytest.mark.parametrize("query", ["Where were we?", "Good morning, Mira! Where did we stop?"])
async def test_small_context_of_a_new_session_has_the_end_of_the_last_one_first(
    stack: Stack, query: str
) -> None:
    for budget in (200, 400):
        response = await build(stack, query, budget)
        assert all(text in response.text for text in LAST_SESSION[-3:]), budget
        assert all(each.relevance >= 0.5 for each in memories(response))
    # With a topic, the search comes first.
    topical = await build(stack, "Where were we with the supplier in Brno?", 400)
    assert "Brno" in "".join(each.text for each in memories(topical))


async def test_small_context_has_a_part_of_the_summary_of_a_named_period(stack: Stack) -> None:
    day = MONDAY.date() + timedelta(days=2)
    for query, kind in (
        ("What did we do last week?", f" week of {MONDAY.date()}]"),
        (f"What happened on {day}?", f" day {day}]"),
    ):
        [summary] = [each for each in memories(await build(stack, query, 200)) if kind in each.text]
        assert summary.text.endswith("…")
        whole = [each for each in memories(await build(stack, query, 4000)) if kind in each.text]
        assert len(whole[0].text) > len(summary.text)
