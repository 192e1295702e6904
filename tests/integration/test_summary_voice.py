"""The voice of summaries: names in place of handles, and an identity that fits the model."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from everword.chat.blocking import BlockingChat
from everword.chat.settings import ChatSettings
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import memory_pb2
from everword.v1.search_service_pb2 import ListSummariesRequest
from everword.v1.summary_pb2 import SUMMARY_LEVEL_DAY
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.llm.composer import LlmComposer
from everword_compactor.compose.model import Draft, Level, Source, Voice
from everword_compactor.compose.names import with_names
from everword_compactor.outcomes.sentence import Call
from support.calendar_calls import at, said, say_in, update_settings
from support.compaction import compact, roll_up
from support.scripted_chat import ScriptedChat, answer
from support.stack import Stack

NOON = datetime(2026, 4, 18, 12, 0, tzinfo=UTC)
VOICE = Voice(user_name="Emi", handles={"heron7": "Sibylle", "@rose": "Rosa", "123456789": "Ben"})
WEEK = [
    (
        "heron7",
        "The landlord raised our rent from 940 to 1,010 euros from September on, so I decided to look for a flat "
        "in Winterthur, close to my sister.",
    ),
    (
        "",
        "I will lend you my van for the move on the 12th of July, but I need it back by six in the evening.",
    ),
    (
        "heron7",
        "Thanks! @rose promised to bring the boxes, and <@123456789> lends us his drill because ours is broken. "
        "Write to heron7@example.org if the date changes.",
    ),
    (
        "",
        "The sun rose at half past five today and I could not sleep, so I packed the kitchen with heron7's list.",
    ),
]


async def test_summaries_without_a_model_have_names_in_place_of_handles(stack: Stack) -> None:
    voice = admin.Voice(user_name="Emi", handles=VOICE.handles)
    await update_settings(stack, voice=voice)
    messages = [
        said(f"2026-04-14T1{n}:00", text, author=author) for n, (author, text) in enumerate(WEEK)
    ]
    reply = said("2026-04-14T14:00", "Noted: the move is on the 12th of July.")
    reply.role = memory_pb2.ROLE_ASSISTANT
    await say_in(stack, "discord", *messages, reply)
    later = at("2026-05-20T00:00")
    compact(stack.database, ExtractiveComposer(), datetime.now(UTC) + timedelta(days=5))
    roll_up(stack.database, ExtractiveComposer(), later)
    listed = await stack.search.ListSummaries(ListSummariesRequest())
    assert {summary.level for summary in listed.summaries} == {1, 4, 5, 6}
    for summary in listed.summaries:
        speakers = set(re.findall(r"^- ([^:]+): ", summary.content, re.MULTILINE))
        assert speakers
        assert speakers <= {"Sibylle", "Emi", "assistant"}
        assert not re.search(r"@rose|123456789|\bheron7(?!@)", summary.content)
        assert not summary.needs_review
    [day] = [summary for summary in listed.summaries if summary.level == SUMMARY_LEVEL_DAY]
    assert "- Sibylle: " in day.content
    assert "- Emi: " in day.content
    assert "Rosa promised to bring the boxes, and Ben lends us" in day.content
    report = await stack.maintenance.AuditSummaries(maintenance.AuditSummariesRequest())
    assert (report.audited, list(report.findings)) == (4, [])


def source(text: str, **changes: object) -> Source:
    made = Source(UUID(int=1), 0, text, NOON, NOON, 1, role=2)
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Ask heron7, or Heron7.", "Ask Sibylle, or Sibylle."),
        ("heron7: the flat is taken", "Sibylle: the flat is taken"),
        ("@rose: yes. The sun rose.", "Rosa: yes. The sun rose."),
        ("<@123456789> and <@!123456789> agree", "Ben and Ben agree"),
        ("heron7@example.org, src/heron7/main.py", "heron7@example.org, src/heron7/main.py"),
        ("[via:heron7] heron77", "[via:heron7] heron77"),
    ],
)
def test_handles_in_texts_are_replaced_unless_part_of_identifiers(text: str, named: str) -> None:
    [result] = with_names([source(text)], VOICE, lambda: None)
    assert result.text == named


def test_authors_are_named_and_arguments_of_calls_stay() -> None:
    call = Call("search", '{"author": "heron7"}', "")
    sources = [
        source("Hi."),
        source("Hi.", author="Rose"),
        source("Hi.", role=3),
        source("", call=call, words="heron7 asks", author="heron7"),
    ]
    results = with_names(sources, VOICE, lambda: None)
    assert [each.author for each in results] == ["Emi", "Rosa", "", "Sibylle"]
    assert results[3].words == "Sibylle asks"
    assert '"heron7"' in results[3].text


def test_sources_stay_unchanged_without_names() -> None:
    sources = [source("Ask heron7.")]
    assert with_names(sources, Voice(identity="I am Lumen."), lambda: None) is sources


def test_identity_longer_than_a_quarter_of_the_context_is_shortened() -> None:
    identity = "I am Opus.\n" + "I like old maps of harbours.\n" * 2_000
    draft = Draft(Level.LEAF, [source("Tulips!")], "Garden plans", voice=Voice(identity))
    reply = answer({"summary": "Tulips."})
    with ScriptedChat(lambda body: reply, context_tokens=8_192).running() as server:
        chat = BlockingChat(ChatSettings(server.url, server.model), beat_s=0.05)
        LlmComposer(chat).compose(draft, lambda: None)
        chat.close()
    system = server.requests[0]["messages"][0]["content"]
    assert system.startswith("I am Opus.\nI like old maps of harbours.\n")
    assert 300 < system.count("harbours") < 420
