"""RivetOS' database: malformed rows are skipped and listed, heartbeats are automated, the others are imported."""

from __future__ import annotations

from datetime import UTC, datetime

from everword.formats import open_reading
from everword.transcripts import Entry
from everword.v1 import search_service_pb2 as search
from support import exports
from support.command_line import everword as command_line
from support.compaction import compact_everything, roll_up_everything
from support.stack import Stack


async def test_import_of_a_database_with_malformed_rows_reads_the_others(stack: Stack) -> None:
    with stack.database.connect() as database:
        database.execute(exports.RIVETOS)
        address = f"{stack.database.admin_url}?options=-csearch_path%3Drivet,public"
        whole = [each.message for each in open_reading(address).records if isinstance(each, Entry)]
        database.execute(
            """
            INSERT INTO rivet.ros_conversations (id, session_key, agent, channel) VALUES
              ('00000000-0000-4000-8000-000000000003', '', 'rivet', 'discord');
            INSERT INTO rivet.ros_messages (conversation_id, agent, channel, role, content, created_at) VALUES
              ('00000000-0000-4000-8000-000000000001', 'rivet', 'discord', 'critic', 'x', now()),
              ('00000000-0000-4000-8000-000000000001', 'rivet', 'discord', 'user', 'x', 'infinity'),
              ('00000000-0000-4000-8000-000000000003', 'rivet', 'discord', 'user', 'x', now()),
              ('00000000-0000-4000-8000-000000000003', 'rivet', 'discord', 'user', 'y', now());
            """
        )
    reading = open_reading(address)
    found = [each.message for each in reading.records if isinstance(each, Entry)]
    assert found == whole
    reasons = [each.reason.partition(";")[0] for each in reading.meter.skipped_records]
    assert sorted(reasons) == [
        "'infinity' is not a time",
        "role is 'critic'",
        "session_key: must be at least 1 characters",
    ]


async def test_imported_heartbeat_session_is_automated_and_in_no_summary(stack: Stack) -> None:
    with stack.database.connect() as database:
        database.execute(exports.RIVETOS)
        database.execute(
            """
            INSERT INTO rivet.ros_conversations (id, session_key, agent, channel) VALUES
              ('00000000-0000-4000-8000-000000000009', 'heartbeat:rivet', 'rivet', 'cron');
            INSERT INTO rivet.ros_messages (conversation_id, agent, channel, role, content, created_at)
            SELECT '00000000-0000-4000-8000-000000000009', 'rivet', 'cron', role,
                   'Check ' || n || ' of the queues: the orders service answered within its limit of two seconds.',
                   '2026-03-02T08:00:00Z'::timestamptz + n * interval '1 minute'
              FROM generate_series(1, 12) AS n CROSS JOIN (VALUES ('user'), ('assistant')) AS v (role);
            """
        )
    address = f"{stack.database.admin_url}?options=-csearch_path%3Drivet,public"
    done = await command_line(stack, "import", address)
    assert done.status == 0, done.errors
    await compact_everything(stack)
    await roll_up_everything(stack, now=datetime(2027, 2, 1, tzinfo=UTC))
    listed = await stack.search.ListSummaries(search.ListSummariesRequest())
    assert {each.name for each in listed.summaries} == {
        "",
        "2026-03-02",
        "2026-W10",
        "2026-03",
        "2026",
    }
    assert not any("queues" in each.content for each in listed.summaries)
    found = await stack.search.Search(search.SearchRequest(query="orders service queues"))
    assert not any("queues" in each.memory.content for each in found.results)
    everything = search.SearchRequest(query="orders service queues")
    everything.filter.include_automated = True
    found = await stack.search.Search(everything)
    assert sum("queues" in each.memory.content for each in found.results) > 1
