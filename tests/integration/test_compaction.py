"""Conversations are summarised: leaves over messages, branches over leaves, roots over branches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from everword.domain.settings import Environment
from everword.v1 import memory_pb2, search_service_pb2
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import Draft, Level
from support.background import embed_everything
from support.calls import append, message
from support.compaction import ScriptedComposer, compact, compact_everything
from support.dag import BRANCH, LEAF, ROOT, check_dag
from support.databases import DatabaseUnderTest
from support.stack import Stack, running_stack


def in_(**time: float) -> datetime:
    return datetime.now(UTC) + timedelta(**time)


def numbered(count: int, start: int = 1) -> list[memory_pb2.NewMessage]:
    return [message(f"Message number {n} of many.") for n in range(start, start + count)]


async def say(stack: Stack, count: int, start: int = 1, session_key: str = "s") -> None:
    for first in range(start, start + count, 100):
        batch = numbered(min(100, start + count - first), first)
        await append(stack, *batch, session_key=session_key)


def job(stack: Stack) -> tuple[str, float, int]:
    """Return the state of the only compaction job, the seconds until it is due, and its attempts."""
    with stack.database.connect() as conn:
        [row] = conn.execute(
            """SELECT state, extract(epoch FROM not_before - now())::float8, attempts FROM jobs
                WHERE task = 'compact'"""
        ).fetchall()
    return row


async def test_ten_messages_become_a_leaf_at_once(stack: Stack) -> None:
    await say(stack, 10)
    compact(stack.database)
    [leaf] = check_dag(stack.database).nodes.values()
    assert (leaf.level, leaf.first_seq, leaf.last_seq, leaf.message_count) == (LEAF, 1, 10, 10)
    assert (leaf.parent_id, leaf.previous_id, leaf.revision) == (None, None, 1)
    assert (leaf.model, leaf.prompt_version, leaf.needs_review) == ("scripted", 1, False)
    assert [entry["seq"] for entry in leaf.messages] == list(range(1, 11))
    assert leaf.title == "Message number 1 of many."


async def test_fewer_than_ten_messages_are_compacted_after_idle_time(stack: Stack) -> None:
    await say(stack, 9)
    state, due_in, _ = job(stack)
    assert state == "pending"
    assert due_in == pytest.approx(15 * 60, abs=30)
    compact(stack.database)
    assert not check_dag(stack.database).nodes
    compact(stack.database, now=in_(minutes=17))
    [leaf] = check_dag(stack.database).nodes.values()
    assert leaf.message_count == 9


async def test_very_few_messages_are_compacted_after_four_days(stack: Stack) -> None:
    await say(stack, 4)
    compact(stack.database, now=in_(minutes=17))
    assert not check_dag(stack.database).nodes
    state, due_in, _ = job(stack)
    assert state == "pending"
    assert due_in == pytest.approx(4 * 24 * 3600, abs=60)
    compact(stack.database, now=in_(days=4, minutes=1))
    [leaf] = check_dag(stack.database).nodes.values()
    assert leaf.message_count == 4
    assert job(stack)[0] == "done"


async def test_new_messages_restart_idle_time_but_never_delay_due_job(stack: Stack) -> None:
    await say(stack, 5)
    with stack.database.connect() as conn:
        conn.execute("UPDATE jobs SET not_before = now() + interval '1 minute'")
    await append(stack, message("A heartbeat.", automated=True))
    assert job(stack)[1] < 61
    await say(stack, 1, start=6)
    assert job(stack)[1] > 800
    await say(stack, 4, start=7)
    assert job(stack)[1] <= 0
    await say(stack, 1, start=11)
    assert job(stack)[1] <= 0


async def test_new_messages_do_not_shorten_pause_after_failure(stack: Stack) -> None:
    await say(stack, 10)
    with stack.database.connect() as conn:
        conn.execute(
            "UPDATE jobs SET attempts = 1, not_before = now() + interval '1 minute' WHERE task = 'compact'"
        )
    await say(stack, 10, start=11)
    state, due_in, attempts = job(stack)
    assert (state, attempts) == ("pending", 1)
    assert 50 < due_in < 61


async def test_long_conversation_gets_linked_leaves_branches_and_roots(stack: Stack) -> None:
    await say(stack, 420)
    compact(stack.database)
    dag = check_dag(stack.database)
    leaves, branches, roots = (dag.of_level(level) for level in (LEAF, BRANCH, ROOT))
    assert len(leaves) == 42
    assert all(leaf.message_count == 10 for leaf in leaves)
    assert len(roots) >= 1
    assert sum(1 for leaf in leaves if not leaf.parent_id) < 5
    assert sum(1 for branch in branches if not branch.parent_id) < 3
    for first, second in pairwise(leaves):
        assert second.first_seq == first.last_seq + 1
        assert second.previous_id in dag.nodes


async def test_active_conversation_is_compacted_continuously(stack: Stack) -> None:
    for start in range(1, 300, 30):
        await say(stack, 30, start=start)
        compact(stack.database)
    dag = check_dag(stack.database)
    assert len(dag.of_level(LEAF)) == 30
    assert [len(branch.children) for branch in dag.of_level(BRANCH)] == [6] * 5
    assert len(dag.of_level(ROOT)) >= 1


async def test_compaction_skips_automated_and_empty_messages(stack: Stack) -> None:
    await append(
        stack,
        *[message("ping", automated=True) for _ in range(25)],
        message("   ", tool_name="", content_blocks=[memory_pb2.ContentBlock(type="image")]),
        *numbered(10),
        message("ping", automated=True),
    )
    compact(stack.database)
    [leaf] = check_dag(stack.database).nodes.values()
    assert (leaf.first_seq, leaf.last_seq, leaf.message_count) == (1, 36, 10)
    await append(stack, *[message("ping", automated=True) for _ in range(12)])
    compact(stack.database)
    dag = check_dag(stack.database)
    assert len(dag.nodes) == 1
    assert list(dag.summarised.values()) == [49]


async def test_composer_gets_whole_messages_with_author_and_role(stack: Stack) -> None:
    composer = ScriptedComposer()
    long = " ".join(f"word{number}" for number in range(4000))
    call = message("", role=memory_pb2.ROLE_TOOL, tool_name="grep", tool_args='{"q": "x"}')
    system = message("Commit 1f3a9c2 was merged.", role=memory_pb2.ROLE_SYSTEM, author="ci")
    await append(stack, message(long, author="Emi"), call, system, *numbered(7))
    compact(stack.database, composer)
    [draft] = composer.drafts
    first, second, third = draft.sources[:3]
    assert (first.text, first.author) == (long, "Emi")
    assert second.text == 'grep {"q": "x"}'
    assert (third.role, third.text) == (memory_pb2.ROLE_SYSTEM, "Commit 1f3a9c2 was merged.")
    assert (draft.level, draft.time_zone, draft.message_count) == (Level.LEAF, "UTC", 10)


async def test_branch_uses_messages_instead_of_leaf_that_needs_review(stack: Stack) -> None:
    composer = ScriptedComposer(invented="number 11 ")
    await say(stack, 80)
    compact(stack.database, composer)
    dag = check_dag(stack.database)
    assert [leaf.first_seq for leaf in dag.of_level(LEAF) if leaf.needs_review] == [11]
    [branch] = [draft for draft in composer.drafts if draft.level is Level.BRANCH]
    # Its messages represent it directly.
    assert "scripted" not in branch.sources[1].text
    assert all(f"Message number {n} of many." in branch.sources[1].text for n in range(11, 21))
    assert branch.sources[0].text.startswith("scripted")


async def test_no_transaction_is_open_while_composer_runs(stack: Stack) -> None:
    seen: list[tuple[str, int]] = []

    def look(draft: Draft) -> None:
        with stack.database.connect() as conn:
            seen.extend(
                conn.execute(
                    """SELECT state, count(*) FROM pg_stat_activity
                        WHERE datname = current_database() AND xact_start IS NOT NULL
                          AND pid <> pg_backend_pid() AND usename = 'everword' GROUP BY state"""
                ).fetchall()
            )

    await say(stack, 160)
    composer = ScriptedComposer(on_compose=look)
    compact(stack.database, composer)
    assert {draft.level for draft in composer.drafts} == {Level.LEAF, Level.BRANCH}
    assert seen == []


async def test_extractive_composer_makes_every_level_and_is_recorded_as_model(
    stack: Stack,
) -> None:
    await say(stack, 310)
    await append(stack, *["👍", "🎉", "❤️"], session_key="emoji")
    await compact_everything(stack, ExtractiveComposer())
    dag = check_dag(stack.database)
    assert {node.level for node in dag.nodes.values()} == {LEAF, BRANCH, ROOT}
    assert {node.model for node in dag.nodes.values()} == {"extractive"}
    assert [leaf.message_count for leaf in dag.of_level(LEAF)].count(3) == 1


async def test_late_messages_get_a_new_leaf(stack: Stack) -> None:
    await say(stack, 10)
    compact(stack.database)
    early = message("Something from long ago, imported late.")
    early.create_time.FromDatetime(datetime(2020, 1, 1, tzinfo=UTC))
    await append(stack, early, *numbered(9, start=11))
    compact(stack.database)
    dag = check_dag(stack.database)
    first, second = dag.of_level(LEAF)
    assert first.earliest_at > second.earliest_at
    assert second.previous_id == first.id
    assert first.revision == 1


async def _found(stack: Stack, query: str) -> list[tuple[int, str]]:
    request = search_service_pb2.SearchRequest(
        query=query, mode=search_service_pb2.SEARCH_MODE_LEXICAL, page_size=50
    )
    response = await stack.search.Search(request)
    return [(result.memory.kind, result.memory.content) for result in response.results]


async def test_lexical_search_finds_message_and_summary_after_compaction(
    stack: Stack,
) -> None:
    await append(stack, message("The zeppelin lands at Friedrichshafen."), *numbered(9, start=2))
    before = await _found(stack, "zeppelin")
    assert [kind for kind, _ in before] == [memory_pb2.MEMORY_KIND_MESSAGE]
    compact(stack.database)
    after = await _found(stack, "zeppelin")
    assert before[0] in after
    assert memory_pb2.MEMORY_KIND_SUMMARY in {kind for kind, _ in after}


def test_compaction_threshold_is_read_from_environment() -> None:
    from everword_ingest.settings import IngestSettings

    environment = Environment(
        {
            "EVERWORD_DATABASE_URL": "postgresql://localhost/x",
            "EVERWORD_COMPACT_AFTER_MESSAGES": "4",
        }
    )
    assert IngestSettings.from_environment(environment).compaction.after_messages == 4


async def test_semantic_search_finds_message_and_summary_after_compaction(
    database: DatabaseUnderTest,
) -> None:
    async with running_stack(database) as stack:
        told = message("Our cat Miso sleeps on the radiator all winter.")
        await append(stack, told, *numbered(9, start=2))
        await embed_everything(stack)
        request = search_service_pb2.SearchRequest(
            query="Where does the pet nap?", mode=search_service_pb2.SEARCH_MODE_SEMANTIC
        )
        before = await stack.search.Search(request)
        assert before.results[0].memory.content == told.content
        await compact_everything(stack)
        # Before and after the summary has its vector.
        for _ in range(2):
            after = await stack.search.Search(request)
            found = [result.memory.content for result in after.results]
            assert told.content in found
            await embed_everything(stack)
        kinds = [result.memory.kind for result in (await stack.search.Search(request)).results]
        assert memory_pb2.MEMORY_KIND_SUMMARY in kinds
