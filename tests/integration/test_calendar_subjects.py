"""Each subject has a calendar of its own, which its contexts include and those of other subjects do not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from everword.v1 import context_service_pb2 as pb
from everword.v1 import search_service_pb2 as search
from everword.v1 import summary_pb2
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import Draft, Level
from everword_compactor.nodes.model import NodePlace
from support.background import embed_everything
from support.calendar_calls import at, said, update_settings
from support.calendar_checks import check_calendar
from support.calls import ASSISTANT, append_request, target
from support.compaction import ScriptedComposer, compact_everything, roll_up_everything
from support.erasure_checks import count, erase, rows_with
from support.stack import Stack

PERIODS = [
    summary_pb2.SUMMARY_LEVEL_DAY,
    summary_pb2.SUMMARY_LEVEL_WEEK,
    summary_pb2.SUMMARY_LEVEL_MONTH,
    summary_pb2.SUMMARY_LEVEL_YEAR,
]
NOW = "2027-02-01T00:00"
#: Messages of two subjects in a week of April, of ordinary length.
MIRA = [
    (
        "2026-04-13T18:10",
        "I signed up for the half marathon in Lucerne on the 25th of October. My knee still hurts a little on "
        "the left side, so Dr. Keller wants me to swim twice a week until June, and to run no more than eight "
        "kilometres at a time.",
    ),
    (
        "2026-04-14T07:45",
        "Swam forty lengths before work today. The pool on Geissenstein opens at six, which is early enough "
        "for me, and a card for ten visits costs 72 francs. I felt fine afterwards, the knee was quiet all "
        "day.",
    ),
    (
        "2026-04-16T20:30",
        "My sister Jana will visit from Bratislava in the first week of May. She sleeps badly on the couch, "
        "so I promised her the bedroom, and we want to take the boat to Vitznau and walk up to Kaltbad if the "
        "weather holds.",
    ),
    (
        "2026-04-18T09:05",
        "The orthopaedist moved the appointment to Thursday at half past four. I asked for the ergometer test "
        "on the same day, because I do not want to take another afternoon off from the bakery.",
    ),
]
BEN = [
    (
        "2026-04-13T21:15",
        "The landlord in Porto finally answered: the flat in Rua do Almada has mould behind the wardrobe, and "
        "he offers a rent of 780 euros until it is repaired. I said that I want a dehumidifier as well before "
        "I accept anything.",
    ),
    (
        "2026-04-15T08:20",
        "I told my boss that I leave the brewery at the end of August. She was surprised, but she asked me to "
        "train Inês on the bottling line first, which will take about six weeks of evening shifts.",
    ),
    (
        "2026-04-17T19:40",
        "The band rehearses on Fridays now because the drummer has a new job. We play four songs at the "
        "festival in Guimarães, and I still have to learn the bass part of the second one before the end of "
        "the month.",
    ),
]


async def tell(stack: Stack, subject: str, said_then: Sequence[tuple[str, str]]) -> None:
    """Store a conversation of a subject, with a short answer after each message."""
    messages = [
        each
        for moment, text in said_then
        for each in (
            said(moment, text, author=subject.capitalize()),
            said(moment, "Thanks for telling me, I will keep that in mind.", role=ASSISTANT),
        )
    ]
    request = append_request(*messages)
    request.conversation.CopyFrom(target(f"{subject}-april", agent="opus", subject=subject))
    await stack.ingest.AppendMessages(request)


async def summarise(stack: Stack) -> None:
    await roll_up_everything(stack, ExtractiveComposer(), at(NOW))
    await compact_everything(stack, ExtractiveComposer())
    await embed_everything(stack)


async def periods(stack: Stack, *subjects: str) -> list[summary_pb2.Summary]:
    request = search.ListSummariesRequest(
        filter=summary_pb2.SummaryFilter(levels=PERIODS, subjects=subjects)
    )
    return list((await stack.search.ListSummaries(request)).summaries)


async def context(
    stack: Stack, subject: str, query: str, session: str = "may"
) -> pb.BuildContextResponse:
    """Build the default context of a new conversation of a subject."""
    request = append_request(said("2026-05-20T08:00", query))
    request.conversation.CopyFrom(target(f"{subject}-{session}", agent="opus", subject=subject))
    id_ = (await stack.ingest.AppendMessages(request)).conversation_id
    return await stack.context.BuildContext(pb.BuildContextRequest(conversation_id=id_))


def shown(response: pb.BuildContextResponse) -> set[str]:
    return {item.memory_id for block in response.blocks for item in block.items}


def words_of(text: str) -> set[str]:
    """Return the long words of a text, which two subjects hardly share."""
    words = (word.strip(".,:?()").casefold() for word in text.split())
    return {word for word in words if len(word) >= 6}


def foreign_words(text: str, own: Sequence[tuple[str, str]]) -> set[str]:
    """Return the words in a text that only the other subject said."""
    other = BEN if own is MIRA else MIRA
    said_by = [words_of(" ".join(text for _, text in each)) for each in (other, own)]
    return words_of(text) & (said_by[0] - said_by[1])


async def test_calendar_of_a_subject_has_only_its_own_words(stack: Stack) -> None:
    await tell(stack, "mira", MIRA)
    await tell(stack, "ben", BEN)
    await summarise(stack)
    check_calendar(stack.database)
    assert len(await periods(stack)) == len(MIRA) + len(BEN) + 6
    for subject, own in (("mira", MIRA), ("ben", BEN)):
        found = await periods(stack, subject)
        days = {f"{moment[:10]}@{subject}" for moment, _ in own}
        names = {"2026@", "2026-04@", "2026-W16@"}
        assert {each.name for each in found} == days | {f"{name}{subject}" for name in names}
        for each in found:
            assert each.subject == subject
            assert not foreign_words(each.content, own), each.name
        week = search.GetMemoryRequest(name=f"2026-W16@{subject}")
        assert (await stack.search.GetMemory(week)).summary in found
    # The default contexts of each show its own calendar alone.
    periods_of = {each.id: each.subject for each in await periods(stack)}
    for subject, own, query in (
        ("mira", MIRA, "When does my sister Jana come to visit?"),
        ("ben", BEN, "Which song of the festival do I have to learn?"),
        # These questions are about the other subject.
        ("mira", MIRA, "What did the landlord of the flat in Porto answer about the mould?"),
        ("ben", BEN, "How did the swimming go, and how is the knee?"),
    ):
        built = await context(stack, subject, query)
        memories = [block for block in built.blocks if block.source == pb.CONTEXT_SOURCE_MEMORIES]
        for item in (item for block in memories for item in block.items):
            assert not foreign_words(item.text, own), (query, item.text)
            assert periods_of.get(item.memory_id, subject) == subject


#: Questions, and the summaries of periods that their contexts include at least.
QUESTIONS: dict[str, set[str]] = {
    "What did I do in 2026-W16?": {"2026-W16@mira"},
    "What happened on 14 April 2026?": {"2026-04-14@mira"},
    "Tell me what was going on in April 2026.": {"2026-04@mira"},
    "What have I told you since 2020?": set(),
    "How are you today?": set(),
}


async def test_default_context_includes_summary_of_the_period_that_the_query_names(
    stack: Stack,
) -> None:
    # So many messages that none of them answers alone.
    for week in range(4):
        for moment, text in MIRA:
            day = at(moment) + timedelta(days=7 * (week - 2))
            later = f"{text} ({week + 1} of 4)"
            await tell(stack, "mira", [(f"{day:%Y-%m-%dT%H:%M}", later)])
    await tell(stack, "ben", BEN)
    await summarise(stack)
    known = {each.id: each.name for each in await periods(stack)}
    for number, (query, names) in enumerate(QUESTIONS.items()):
        found = await context(stack, "mira", query, session=f"may-{number}")
        included = {known[id_] for id_ in shown(found) & known.keys()}
        assert names <= included, query
        assert not names or found.verdict != search.VERDICT_NOTHING_RELEVANT, query
        assert all(name.endswith("@mira") for name in included), query
        assert not foreign_words(found.text, MIRA), query


async def test_shared_calendar_sums_up_all_subjects_and_is_in_contexts_of_each(
    stack: Stack,
) -> None:
    await update_settings(stack, shared_calendar=True)
    await tell(stack, "mira", MIRA)
    await tell(stack, "ben", BEN)
    await summarise(stack)
    check_calendar(stack.database)
    found = {each.name: each for each in await periods(stack)}
    assert {each.subject for each in found.values()} == {""}
    assert "Rua do Almada" in found["2026-04-13"].content
    assert "half marathon" in found["2026-04-13"].content
    asked = await context(stack, "mira", "What did the landlord of the flat in Porto answer?")
    shared = [
        item for block in asked.blocks for item in block.items if "Rua do Almada" in item.text
    ]
    assert {item.memory_id for item in shared} <= {each.id for each in found.values()}
    assert shared
    # Earlier messages keep their calendar.
    await update_settings(stack, shared_calendar=False)
    await tell(
        stack, "mira", [("2026-04-20T12:00", "The boat to Vitznau leaves at ten past nine.")]
    )
    await summarise(stack)
    names = {each.name for each in await periods(stack, "mira")}
    assert names == {"2026-04-20@mira", "2026-W17@mira", "2026-04@mira", "2026@mira"}
    check_calendar(stack.database)


async def test_failing_day_of_a_subject_does_not_delay_others(stack: Stack) -> None:
    def fail_for_ben(draft: Draft) -> None:
        if any("brewery" in source.text for source in draft.sources):
            raise RuntimeError("broken")

    await tell(stack, "mira", MIRA)
    await tell(stack, "ben", BEN)
    await roll_up_everything(stack, ScriptedComposer(on_compose=fail_for_ben), at(NOW))
    assert "2026@mira" in {each.name for each in await periods(stack)}
    with stack.database.connect() as conn:
        failed = conn.execute("SELECT subject FROM jobs WHERE state = 'failed'").fetchall()
    [(job,)] = failed
    assert job.startswith("day/2026-04-15/")
    assert "ben" not in job


async def test_erasure_of_a_subject_deletes_its_calendar_and_keeps_others(stack: Stack) -> None:
    await tell(stack, "mira", MIRA)
    await tell(stack, "ben", BEN)
    # The month and the year of both are still pending.
    await roll_up_everything(stack, ExtractiveComposer(), at("2026-04-21T00:00"))
    assert rows_with(stack, "ben").keys() >= {"calendar_pending", "summaries"}
    await erase(stack, subject="ben")
    assert rows_with(stack, "Ben") == {}
    assert {each.subject for each in await periods(stack)} == {"mira"}
    assert count(stack, "SELECT count(*) FROM calendar_pending WHERE subject <> 'mira'") == 0
    await roll_up_everything(stack, ExtractiveComposer(), at(NOW))
    check_calendar(stack.database)


@pytest.mark.parametrize("subject", ["@", "phone@mira", "%40", ""])
def test_names_of_nodes_with_different_subject_or_instance_differ(subject: str) -> None:
    places = [
        NodePlace(Level.DAY, "2026-04-18", period=date(2026, 4, 18), instance=instance, subject=of)
        for instance in ("", "phone", "@", "phone@mira", "phone%40mira")
        for of in (subject, "mira")
    ]
    assert len({place.name for place in places}) == len(places)
