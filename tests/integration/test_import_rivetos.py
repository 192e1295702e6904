"""Malformed rows of RivetOS' database are skipped and listed; the others are imported."""

from __future__ import annotations

from everword.formats import open_reading
from everword.transcripts import Entry
from support import exports
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
