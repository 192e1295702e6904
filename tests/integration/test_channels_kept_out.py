"""Channels with `index: false`: their content is never found, shown or learned outside of its conversation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import ingest_service_pb2 as ingest
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from support.calendar_calls import update_settings
from support.calls import ASSISTANT, message, target
from support.databases import DatabaseUnderTest
from support.echo_model import EchoMind, derive
from support.erasure_checks import rows_with
from support.every_read import answers, known_values, read_methods, watch_token
from support.stack import Stack, running_stack
from support.tool_calls import tool_call

KEPT_OUT = admin.ChannelPolicy()
SUBJECT = "emi"
#: Statements from which facts, people, events, relations and summaries are made, each with a unique word.
SAID = {
    "Zanzibrook": "I live in Zanzibrook.",
    "Vexatronix": "I work at Vexatronix as a welder.",
    "Quillonia": "My sister Quillonia plays the cello.",
    "snorpberries": "I am allergic to snorpberries.",
    "plinthball": "I love plinthball and the sea.",
    "Grovewick": "I have a knee surgery at the Grovewick clinic on 5 March 2031.",
    "Thrumlock": "Tomorrow I start a new job at Thrumlock.",
    "Rivenbeck": "Please remember that the boat of Rivenbeck costs 1,200 francs.",
    "Ostermoor": "Rui works at Ostermoor, and Ana works with Rui.",
    "Kelpwater": "We decided to sell the Kelpwater house in June.",
}
#: Tables of the messages themselves, and of data that belongs to the conversation.
OWN_TABLES = {"messages", "summaries", "tool_sentences"}


@pytest.fixture
async def stack(database: DatabaseUnderTest) -> AsyncIterator[Stack]:
    async with running_stack(database) as stack:
        yield stack


async def say_everything(stack: Stack, channel: str, session: str) -> str:
    """Append all statements to a conversation of a channel, with answers and a tool call; returns its id."""
    # A day is summarised only some hours after its end.
    earlier = datetime.now(UTC) - timedelta(days=2)
    request = ingest.AppendMessagesRequest(
        conversation=target(session, channel=channel, subject=SUBJECT, agent="helper"),
        messages=[
            *(message(text, create_time=earlier) for text in SAID.values()),
            message("I see: Quillonia plays the cello.", role=ASSISTANT, create_time=earlier),
            tool_call(name="bash", tool_args='{"command": "cat Mirefield.txt"}'),
        ],
    )
    return (await stack.ingest.AppendMessages(request)).conversation_id


async def talk_elsewhere(stack: Stack) -> str:
    """Append other messages of the same user in a channel without a policy; returns the conversation's id."""
    request = ingest.AppendMessagesRequest(
        conversation=target("open", channel="cli", subject=SUBJECT, agent="helper"),
        messages=[message(f"My favourite number is {number} today.") for number in range(12)],
    )
    return (await stack.ingest.AppendMessages(request)).conversation_id


async def shown(stack: Stack, conversation_id: str, query: str, since: str) -> dict[str, set[str]]:
    """Return the planted words in the responses of each read RPC, to requests about another conversation."""
    known: dict[str, Any] = known_values(
        query, conversation_id, conversation_id, resume_token=since
    )
    known["folders"] = [each for each in known["folders"] if not str(each).endswith("/messages")]
    found = await answers(stack, known)
    assert {name.split()[0] for name in found} == {method.name for method in read_methods()}
    words = {name: words_in(answer) for name, answer in found.items()}
    return {name: planted for name, planted in words.items() if planted}


def words_in(text: str) -> set[str]:
    lower = text.lower()
    return {word for word in (*SAID, "Mirefield") if word.lower() in lower}


def rows_of(stack: Stack, *own_ids: str) -> set[str]:
    """Return the tables with planted words in rows that are not those conversations' own."""
    found = {table for word in (*SAID, "Mirefield") for table in rows_with(stack, word)}
    with stack.database.connect() as conn:
        [(foreign,)] = conn.execute(
            "SELECT count(*) FROM summaries WHERE content ~* %s "
            "   AND (conversation_id IS NULL OR conversation_id <> ALL (%s::uuid[]))",
            ("|".join(SAID), list(own_ids)),
        ).fetchall()
    return found - OWN_TABLES | ({"summaries"} if foreign else set())


@pytest.mark.parametrize("model", [False, True], ids=["no model", "a model that repeats all"])
@pytest.mark.parametrize(
    "channels",
    [{"discord": "discord", "irc/*": "irc/general"}, {"*": "discord"}],
    ids=["named", "all"],
)
async def test_unindexed_channel_appears_in_no_read_outside_its_conversation(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, channels: dict[str, str], model: bool
) -> None:
    """`channels` has a channel for each name of a policy."""
    monkeypatch.setattr("support.every_read.SILENCE_S", 0.2)
    allowed = admin.ChannelPolicy(index=True, roll_up=True)
    policies = {**dict.fromkeys(channels, KEPT_OUT), "cli": allowed}
    await update_settings(stack, channel_policies=policies)
    since = await watch_token(stack)
    kept_out = [await say_everything(stack, each, f"private {each}") for each in channels.values()]
    open_id = await talk_elsewhere(stack)
    await derive(stack, EchoMind() if model else None, None if model else ExtractiveComposer())
    assert rows_of(stack, *kept_out) == set()
    for query in ("Where does emi live and work, and who is the sister?", "cello welder francs"):
        assert await shown(stack, open_id, query, since) == {}


async def test_channel_without_policy_appears_in_tables_and_reads(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("support.every_read.SILENCE_S", 0.2)
    since = await watch_token(stack)
    own_id = await say_everything(stack, "discord", "private")
    open_id = await talk_elsewhere(stack)
    await derive(stack, None, ExtractiveComposer())
    tables = rows_of(stack, own_id)
    assert {"conversations", "facts", "memories", "summaries"} <= tables
    telling = await shown(stack, open_id, "Where does emi live?", since)
    assert {"Search", "BuildContext", "Browse", "ListSummaries", "ListFacts"} <= {
        name.split()[0] for name in telling
    }
