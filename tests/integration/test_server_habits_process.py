"""Ways in which a service process ends."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE

import grpc

from everword.client.channel import open_channel
from everword.v1.ingest_service_pb2_grpc import IngestServiceStub
from support.calls import append_request
from support.databases import DatabaseUnderTest
from support.health import serving
from support.service_process import free_address, is_serving, service_process
from support.waits import until


async def test_sigterm_finishes_running_call_and_exits_with_zero(
    database: DatabaseUnderTest,
) -> None:
    address = free_address()
    async with (
        service_process("ingest", database, address) as process,
        open_channel(address) as channel,
    ):
        await until(lambda: is_serving(channel))
        ingest = IngestServiceStub(channel)
        await ingest.AppendMessages(append_request("Before."))
        with database.connect() as conn, conn.transaction():
            conn.execute("SELECT FROM conversations FOR UPDATE")
            call = asyncio.ensure_future(ingest.AppendMessages(append_request("In flight.")))
            await until(lambda: _waits_for_a_lock(database))
            process.send_signal(signal.SIGTERM)
            await until(lambda: _not_serving(channel))
        answer = await call
        assert answer.messages[0].seq == 2
        async with asyncio.timeout(60):
            _, log = await process.communicate()
        assert (process.returncode, b"Traceback" in log) == (0, False)


def _waits_for_a_lock(database: DatabaseUnderTest) -> bool:
    with database.connect() as conn:
        found = conn.execute(
            """SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock'"""
        ).fetchone()
    return found == (1,)


async def _not_serving(channel: grpc.aio.Channel) -> bool:
    return not await serving(channel)


async def test_process_with_port_in_use_exits_with_one_line_naming_the_setting(
    database: DatabaseUnderTest,
) -> None:
    address = free_address()
    listener = await asyncio.start_server(lambda *_: None, *address.split(":"))
    async with (
        listener,
        service_process("ingest", database, address) as process,
        asyncio.timeout(60),
    ):
        _, errors = await process.communicate()
    assert process.returncode == 2
    refusals = [line for line in errors.decode().splitlines() if line.startswith("everword: ")]
    assert len(refusals) == 1
    assert "EVERWORD_LISTEN" in refusals[0]
    assert address in refusals[0]
    assert "Traceback" not in errors.decode()


async def test_process_without_required_setting_exits_naming_the_setting() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "everword_ingest"), env={"PATH": os.environ["PATH"]}, stderr=PIPE
    )
    _, errors = await process.communicate()
    assert process.returncode == 2
    assert errors.decode().strip() == "everword: EVERWORD_DATABASE_URL is not set"
