"""Questions that refer to their conversation, in Search and in contexts."""

from __future__ import annotations

import pytest

from everword.client import AsyncEverword, Message
from everword.v1.conversation_pb2 import ConversationKey
from everword.v1.search_service_pb2 import GetConversationRequest, SearchRequest
from support.background import embed_everything
from support.databases import DatabaseUnderTest
from support.stack import running_stack

pytestmark = pytest.mark.asyncio

EARLIER = (
    "The sofa arrived at last: moss green with brass legs, and it takes up half of the living room.",
    "We leased the little Fiat in pale yellow, because the red one had a waiting time of six months.",
    "Mum's dress for the wedding is navy with silver stitching at the sleeves.",
    "My passport runs out in August, and the police office only has appointments in June.",
    "Biscuit chewed through the charger again, and we found him asleep next to it.",
    "The tomatoes got blight, so I pulled all of them out on Saturday morning.",
)
TURNS = (
    "I'm thinking of getting curtains for the living room.",
    Message("Nice idea. Something that goes with the sofa?", role="assistant"),
)


async def test_question_refers_to_its_conversation(
    database: DatabaseUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_stack(database) as stack:
        for name in ("ingest", "search", "compactor"):
            monkeypatch.setenv(f"EVERWORD_{name.upper()}_ADDRESS", stack.addresses[name])
        async with AsyncEverword(agent="opus") as memory:
            await memory.append("last-month", *EARLIER, subject="ana")
            await memory.append("today", *TURNS, subject="ana")
            await embed_everything(stack)
            question = "What colour was it again?"
            found = await memory.search(question, asked_in="today")
            assert found[0].passage == EARLIER[0]
            assert TURNS[0] not in {hit.passage for hit in found}
            alone = await memory.search("When does my passport run out?", asked_in="today")
            assert alone[0].passage == EARLIER[3]

            # Many agents store the question before they ask for a context.
            await memory.append("today", question, subject="ana")
            assert "moss green" in (await memory.context(session="today", budget=200)).text

            # A later turn changes nothing about the pages of a search that has begun.
            client = await memory.client()
            request = GetConversationRequest(key=ConversationKey(session_key="today", agent="opus"))
            conversation = (await client.search_service.GetConversation(request)).conversation.id
            search = SearchRequest(query=question, page_size=2, conversation_id=conversation)
            first = await client.search_service.Search(search)
            assert first.completed_query.endswith(question)
            await memory.append("today", "By the way, the tomatoes are gone.", subject="ana")
            search.page_token = first.next_page_token
            second = await client.search_service.Search(search)
            assert second.completed_query == first.completed_query
