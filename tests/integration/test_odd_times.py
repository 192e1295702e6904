"""Messages of any year from 1 to 9999 are summarised: one wrong clock must not block a conversation."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from everword.v1 import memory_pb2, search_service_pb2
from everword.v1.context_service_pb2 import BuildContextRequest
from everword_compactor.compose.checks.faithfulness import check_faithfulness
from everword_compactor.compose.extractive.bullets import parse_bullet, read_lines
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import Draft, Level, Source, plain_line
from everword_compactor.compose.prompts.lines import preamble
from support.calendar_calls import said, update_settings
from support.calls import append
from support.compaction import compact_everything, roll_up_everything
from support.corpus import search_request
from support.databases import DatabaseUnderTest
from support.stack import Stack

FIRST = datetime(1, 1, 1, tzinfo=UTC)
ODD = [
    FIRST,
    datetime(33, 5, 17, 12, 3, tzinfo=UTC),
    datetime(1850, 5, 17, 12, 3, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC),
]
ZONES = ["UTC", "Europe/Zurich", "America/New_York"]


def source(at: datetime, text: str = "The pump was mended, and all went well.") -> Source:
    return Source(
        id=UUID(int=1),
        level=0,
        text=text,
        earliest_at=at,
        latest_at=at,
        message_count=1,
        conversation_id=UUID(int=7),
        author="Emi",
        instance="home",
    )


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("level", [Level.LEAF, Level.DAY])
@pytest.mark.parametrize("at", ODD, ids=lambda at: str(at.year))
def test_summary_line_of_any_year_has_a_time_that_parses_back(
    at: datetime, level: Level, zone: str
) -> None:
    draft = Draft(level, [source(at)], "a title", time_zone=zone)
    composed = ExtractiveComposer().compose(draft, lambda: None)
    assert not composed.needs_review, composed.faithfulness
    [bullet] = read_lines(composed.content)
    assert bullet.moment is not None
    assert (bullet.speaker, len(bullet.time.split("-")[0])) == ("Emi", 4)
    assert bullet.moment.date() == at.date() or zone != "UTC"
    assert f"span: {bullet.time}" in preamble(draft)
    plain = parse_bullet(plain_line(draft.sources[0]))
    assert plain is not None
    assert plain.moment == at.replace(second=0)


@pytest.mark.parametrize("at", [ODD[0], ODD[-1]])
@pytest.mark.parametrize("zone", ZONES)
def test_relative_dates_at_calendar_limits_pass_faithfulness_check(at: datetime, zone: str) -> None:
    talk = [source(at, "I came yesterday and leave tomorrow.")]
    assert check_faithfulness("Emi came and leaves.", talk, time_zone=zone).faithful


@pytest.mark.parametrize("zone", ZONES)
async def test_message_of_extreme_year_does_not_block_summaries(stack: Stack, zone: str) -> None:
    await update_settings(stack, time_zone=zone)
    odd = [said(moment.replace(tzinfo=None).isoformat(timespec="minutes")) for moment in ODD]
    await append(stack, *odd, *[f"Number {n} of the cats." for n in range(16)])
    await compact_everything(stack, ExtractiveComposer())
    await roll_up_everything(stack, ExtractiveComposer())
    assert failed(stack.database) == []
    with stack.database.connect() as conn:
        rows = conn.execute(
            "SELECT level, needs_review, count(*) FROM summaries WHERE level IN (1, 4) "
            "GROUP BY level, needs_review ORDER BY level"
        ).fetchall()
    # Future messages, and those of today, are not summarised yet.
    assert rows == [(1, False, 2), (4, False, 3)]


@pytest.mark.parametrize("zone", ZONES)
async def test_queries_with_dates_work_with_messages_at_the_first_and_last_moment(
    stack: Stack, zone: str
) -> None:
    """As float seconds, the last microsecond lies after the last year."""
    await update_settings(stack, time_zone=zone)
    last = datetime(9999, 12, 31, 23, 59, 59, 999999)
    odd = [said(FIRST.replace(tzinfo=None).isoformat()), said(last.isoformat())]
    appended = await append(stack, *odd, "The cats were fed on 4 May 2024.")
    request = search_service_pb2.BrowseRequest(order=memory_pb2.ORDER_OLDEST_FIRST)
    assert len((await stack.search.Browse(request)).memories) == 3
    for mode in ("HYBRID", "LEXICAL", "TRIGRAM", "REGEX"):
        for profile in ("recall", "balanced"):
            asked = search_request("cats 4 May 2024", mode, profile=profile)
            await stack.search.Search(asked)
    for question in ("What about the cats on 31 December 9999?", "Which cats in January 2001?"):
        context = BuildContextRequest(
            query=question, conversation_id=appended.conversation_id, profile="recall"
        )
        assert (await stack.context.BuildContext(context)).text
        found = await stack.search.Search(search_request(question, "HYBRID"))
        assert found.results


def failed(database: DatabaseUnderTest) -> list[tuple[str, str]]:
    with database.connect() as conn:
        rows = conn.execute(
            "SELECT subject, coalesce(error, state) FROM jobs WHERE state = 'failed' OR error IS NOT NULL"
        ).fetchall()
    return [(subject, error) for subject, error in rows]
