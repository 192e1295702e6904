"""With real processes: messages that arrive during a model outage are summarised automatically after it."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial

import pytest

from everword.client.channel import open_channel
from everword.embedded.folder import RunningStack
from everword.embedded.ports import Ports
from everword.embedded.process import ProcessSpec
from everword.embedded.services import SUMMARISING_WORKERS, service_specs
from everword.embedded.settings import StackSettings
from everword.embedded.stack import stack
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from everword.v1.maintenance_service_pb2_grpc import MaintenanceServiceStub
from support.calendar_calls import at, said
from support.calendar_checks import MONTH, WEEK, YEAR, check_calendar, pending
from support.calls import append_request
from support.dag import DAY, LEAF
from support.databases import DatabaseUnderTest
from support.faithful_replies import faithful
from support.outages import ASKING, in_review, job_states
from support.scripted_chat import ScriptedChat
from support.tool_calls import queued, stored_sentences, tool_call
from support.waits import until
from support.with_constants import SWEEP, hasty

DRAIN_S = 90.0
PAUSE_S = 0.3
#: Settings of a worker's waiting times during an outage.
PATIENCE = {
    "everword.chat.settings:ChatSettings.pauses_s": (PAUSE_S,),
    "everword.model_server.breaker:PAUSE_S": PAUSE_S,
    "everword_compactor.jobs.model_outage:MAX_WAIT_SECONDS": 2 * PAUSE_S,
    "everword.jobs.task:Task.away_s": 2 * PAUSE_S,
}


def _services(chat: ScriptedChat, running: RunningStack) -> list[ProcessSpec]:
    """Describe the services and their workers, with a model and shorter waiting times than by default."""
    settings = {
        "EVERWORD_CHAT_URL": chat.url,
        "EVERWORD_CHAT_MODEL": chat.model,
        "EVERWORD_COMPACT_AFTER_MESSAGES": "4",
        "EVERWORD_LOG_LEVEL": "ERROR",
    }
    # The test makes no searches.
    left_out = {"embedder", "search"}
    return [
        hasty(
            replace(spec, environment={**spec.environment, **settings}),
            PATIENCE if spec.name in SUMMARISING_WORKERS else {SWEEP: 0.5},
        )
        for spec in service_specs(running, left_out=frozenset({"embedder-worker"}))
        if spec.name not in left_out
    ]


@pytest.mark.slow
async def test_messages_of_model_outage_are_summarised_after_it() -> None:
    with ScriptedChat(context_tokens=32_768).running() as gone:
        port = int(gone.root.rpartition(":")[2])
    chosen = StackSettings(data=None, ports=Ports.free())
    async with AsyncExitStack() as resources:
        running = await resources.enter_async_context(
            stack(chosen, services=partial(_services, gone))
        )
        database = DatabaseUnderTest(running.admin_database_url or "", "")
        channels = [
            await resources.enter_async_context(open_channel(running.addresses[name]))
            for name in ("ingest", "compactor")
        ]
        ingest, status = IngestServiceStub(channels[0]), MaintenanceServiceStub(channels[1])
        words = [said(f"2024-04-15T1{n}:00", f"Crate {n} went to dock-{n}.") for n in range(6)]
        calls = [tool_call(f"{n}.rs", create_time=at("2024-04-15T20:00")) for n in range(2)]
        await ingest.AppendMessages(append_request(*words, *calls))

        def waits() -> bool:
            """Return whether each task has met the outage."""
            with database.connect() as conn:
                rows = conn.execute("SELECT task FROM jobs WHERE error LIKE '%model server%'")
                return {task for (task,) in rows} >= set(ASKING)

        await until(waits, DRAIN_S)
        found = await status.GetQueueStatus(maintenance.GetQueueStatusRequest())
        assert {each.task for each in found.tasks} >= set(ASKING)
        assert list(found.failed_jobs) == []
        compaction = await status.GetCompactionStatus(maintenance.GetCompactionStatusRequest())
        assert compaction.mode == maintenance.COMPACTION_MODE_MODEL
        assert compaction.backlog.messages == 8
        assert compaction.backlog.oldest_period == "2024-04-15"
        assert compaction.backlog.tool_sentences == 2
        resources.enter_context(ScriptedChat(faithful, context_tokens=32_768, port=port).running())

        def is_drained() -> bool:
            states = [job_states(database, task) for task in ASKING]
            return all(set(each) == {"done"} for each in states) and not pending(database)

        await until(is_drained, DRAIN_S)
        dag = check_calendar(database)
        assert [len(dag.of_level(n)) for n in (LEAF, DAY, WEEK, MONTH, YEAR)] == [2, 1, 1, 1, 1]
        assert in_review(database) == []
        assert queued(database) == {}
        assert len(stored_sentences(database)) == 2
        compaction = await status.GetCompactionStatus(maintenance.GetCompactionStatusRequest())
        assert compaction.backlog.messages == 0
        assert (compaction.backlog.periods, compaction.backlog.tool_sentences) == (0, 0)
        assert compaction.input_tokens > 0
        found = await status.GetQueueStatus(maintenance.GetQueueStatusRequest())
        assert list(found.failed_jobs) == []
