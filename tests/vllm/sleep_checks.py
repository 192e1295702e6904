"""Checks of Sleep on a person's day with a real vLLM and a small chat model. Run by run.py, which serves it.

Observations of such a small model are mostly wrong. The checks cover that everything stored has the right form and
rests on quoted words; wrong facts are printed, as `everword facts why` shows them.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

from everword.chat.blocking import BlockingChat
from everword.chat.settings import ChatSettings
from everword.domain.settings import NO_SECRET
from everword.facts.model import FactSource, FactState
from everword.v1 import fact_query_service_pb2 as profile
from everword.v1.memory_pb2 import ROLE_ASSISTANT
from support.compaction import worker_context
from support.learning import say
from support.sleep_calls import LATER, rows, sleep_with
from support.stack import Stack
from vllm.server import CHAT_MODEL

URL = os.environ["EVERWORD_TEST_VLLM_URL"]
#: A person's messages of a day; agents answer in between.
SAID = (
    "Good morning! I moved from Graz to Trieste last week, and the new kitchen is finally done.",
    "My sister Nora is coming on Saturday. She is allergic to walnuts, so no cake with nuts.",
    "I start at the harbour office on Monday. It is my first job as a project manager.",
    "I might take up rowing, but I am not sure yet.",
    "I drink my coffee black, and I never eat meat.",
)
ANSWERED = "Thank you for telling me. I have made a note of it."


async def test_a_day_is_read_and_only_what_was_said_is_evidence(stack: Stack) -> None:
    for words in SAID:
        await say(stack, words, 0)
        await say(stack, ANSWERED, 0, role=ROLE_ASSISTANT)
    ended = await asyncio.to_thread(_sleep, stack)
    print(f"\njobs: {ended}")
    states = "SELECT state, coalesce(error, ''), count(*) FROM sleep_sessions GROUP BY 1, 2"
    for state, error, count in rows(stack, states):
        print(f"sessions in state {state}: {count} {error}")
    # A session whose answer cannot be parsed is parked, and its job has the error.
    assert ended
    assert set(ended.values()) <= {"done", "pending", "failed"}
    assert rows(stack, "SELECT count(*) > 0 FROM sleep_sessions WHERE state > 1") == [(True,)]
    await _check_facts(stack)


def _sleep(stack: Stack) -> dict[int, str | None]:
    moment = datetime.now(UTC) + LATER
    # The model writes about ten words a second.
    settings = ChatSettings(URL, CHAT_MODEL, NO_SECRET)
    with worker_context(stack.database, now=moment) as context:
        ledger = context.ledger
        with closing(BlockingChat(settings, ledger.record, admit=ledger.admit)) as chat:
            return sleep_with(stack, replace(context, chat=chat), moment)


async def _check_facts(stack: Stack) -> None:
    """Check each fact and its evidence against the messages."""
    facts = rows(stack, "SELECT id::text, attribute, value, state, source FROM facts ORDER BY 1")
    print(f"facts: {len(facts)}")
    for fact_id, attribute, value, state, source in facts:
        assert all((attribute, value, FactState(state), FactSource(source)))
        why = await stack.fact_queries.ExplainFact(profile.ExplainFactRequest(fact_id=fact_id))
        assert why.evidence, attribute
        for piece in why.evidence:
            assert any(piece.quote and piece.quote in words for words in SAID), piece.quote
            print(f"{attribute} = {value!r} ({FactState(state).name}): {piece.quote!r}")
