"""Three processes of each service behind one name, and three workers of each kind, act as one Everword."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
import pytest_asyncio
import redis

from everword.client import Client
from everword.client.settings import ClientSettings
from everword.v1 import admin_service_pb2 as admin_pb
from everword.v1 import ingest_service_pb2 as ingest_pb
from everword.v1 import maintenance_service_pb2 as maintenance_pb
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as search_pb
from everword.v1.conversation_pb2 import ConversationKey
from support.calls import TOOL, append_request, message, target
from support.corpus import search_request
from support.dag import DAY, check_dag
from support.erasable_data import write_everything
from support.erasure_checks import erase, rows_with, source_messages
from support.leftovers import entries_with, files_outside_folder, files_with, queue_on_disk
from support.replicas import REPLICAS, Cluster, client_of, running_cluster, stack_at
from support.scripted_embedder import slow
from support.stack import Stack
from support.stated_facts import remember
from support.transfer_namespace import export
from support.waits import until

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]
CALLS = 30
APPEND = "everword.v1.IngestService/AppendMessages"
SEARCH = "everword.v1.SearchService/Search"
STATUS = "everword.v1.MaintenanceService/GetCompactionStatus"
EMBED = "everword.internal.v1.EmbedderService/Embed"
#: Above gRPC's default limit for resending, and larger than one flow-control window.
LARGE = 700_000
#: A third of them is more than gRPC resends by default.
CROWD = 207
#: Limit for the restart of a process, which takes long on a busy machine.
BACK_S = 90.0
#: All its days are over.
LAST_YEAR = datetime(2025, 3, 3, 12, tzinfo=UTC)
DRAIN_S = 120.0
_numbers = count()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cluster() -> AsyncIterator[Cluster]:
    async with running_cluster() as cluster:
        yield cluster


async def say(
    memory: Client, *texts: str, session_key: str = "", **fields: Any
) -> ingest_pb.AppendMessagesResponse:
    key = ConversationKey(session_key=session_key or f"session-{next(_numbers)}")
    return await memory.append(key, [message(text, **fields) for text in texts])


async def ask_status(memory: Client) -> None:
    await memory.maintenance_service.GetCompactionStatus(
        maintenance_pb.GetCompactionStatusRequest()
    )


async def ran_by_meaning(memory: Client, query: str) -> bool:
    response = await memory.search(query)
    states = {report.arm: report.state for report in response.arms}
    return states[search_pb.SEARCH_ARM_SEMANTIC] == search_pb.ArmReport.STATE_RAN


def replicas(service: str, of: Counter[str]) -> list[int]:
    """Return the count of each replica of a service."""
    return [of[f"{service}-{number}"] for number in range(1, REPLICAS + 1)]


async def count_calls(
    cluster: Cluster, calls: Callable[[], Awaitable[object]], *names: str
) -> list[Counter[str]]:
    """Return the number of spans of each name that each process ended because of `calls`."""
    before = [await cluster.spans(name) for name in names]
    await calls()
    return [
        await cluster.spans(name) - earlier for name, earlier in zip(names, before, strict=True)
    ]


async def test_calls_to_host_name_are_balanced_over_replicas(cluster: Cluster) -> None:
    async def calls() -> None:
        async with client_of(cluster) as memory:
            for number in range(CALLS):
                await say(memory, f"Spread {number} far and wide.")
                assert await ran_by_meaning(memory, f"what was spread {next(_numbers)} times")
                await ask_status(memory)

    found = await count_calls(cluster, calls, APPEND, SEARCH, STATUS, EMBED)
    appends, searches, statuses, embeds = found
    for service, of in (("ingest", appends), ("search", searches), ("compactor", statuses)):
        each = replicas(service, of)
        assert sum(each) == CALLS, (service, each)
        # Round robin, except that the first calls go to the replica that is connected first.
        assert min(each) >= CALLS // REPLICAS - 5, (service, each)
    # Search processes and workers connect to the embedder by its name.
    assert min(replicas("embedder", embeds)) >= CALLS // REPLICAS - 5


async def test_calls_to_address_list_are_balanced_over_replicas(cluster: Cluster) -> None:
    settings = ClientSettings(ingest_address=cluster.list_of("ingest"))

    async def calls() -> None:
        async with Client.connect(settings) as memory:
            for number in range(CALLS):
                await say(memory, f"Listed {number}.")

    [appends] = await count_calls(cluster, calls, APPEND)
    assert min(replicas("ingest", appends)) >= CALLS // REPLICAS - 5


async def test_calls_in_flight_at_killed_replicas_succeed(
    cluster: Cluster,
) -> None:
    victims = tuple(f"{service}-2" for service in ("ingest", "search", "compactor", "embedder"))
    session, stored = f"kept-{next(_numbers)}", 3 * REPLICAS
    async with client_of(cluster) as memory:
        await warm_up(memory)
        with cluster.held(*victims) as pids:
            calls = [
                asyncio.create_task(coroutine)
                for number in range(stored)
                for coroutine in (
                    say(
                        memory, f"{number}", session_key=session, role=TOOL, tool_result="x" * LARGE
                    ),
                    memory.search(f"who holds call {next(_numbers)}"),
                    *(ask_status(memory) for _ in range(CROWD // stored)),
                )
            ]
            # Calls at surviving replicas end before the others are killed.
            await until(lambda: sum(call.done() for call in calls) >= len(calls) // 2, BACK_S)
            await asyncio.sleep(1)
            held = [call for call in calls if not call.done()]
            assert len(held) >= CROWD // REPLICAS, "those that are killed had nothing in hand"
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            await asyncio.gather(*calls)
        key = ConversationKey(session_key=session)
        found = await memory.get_conversation(key)
        messages = [each async for each in memory.iter_messages(found.id, page_size=2)]
    assert sorted(int(each.body.content) for each in messages) == list(range(stored))
    await back(cluster, *victims)


async def warm_up(memory: Client) -> None:
    """Connect to all replicas, so that no call waits for its connection."""
    for _ in range(2 * REPLICAS):
        await say(memory, "Hello.")
        await memory.search("hello")
        await ask_status(memory)


async def back(cluster: Cluster, *names: str) -> None:
    """Wait until killed replicas have restarted and get calls from processes that knew them before."""
    for name in names:
        await until(lambda name=name: f"{name} is ready again" in cluster.said, BACK_S)  # type: ignore[misc]
    async with client_of(cluster) as memory:

        async def calls() -> None:
            for _ in range(2 * REPLICAS):
                await say(memory, "Welcome back.")

        async def is_given_calls() -> bool:
            [appends] = await count_calls(cluster, calls, APPEND)
            return bool(appends[names[0]])

        await until(is_given_calls, BACK_S)


async def test_load_continues_without_errors_or_losses_while_replicas_restart(
    cluster: Cluster,
) -> None:
    """Ten seconds of load; one replica of each is killed in the middle, and may be back before the end."""
    stopped = asyncio.Event()
    sent: list[str] = []
    session = f"load-{next(_numbers)}"

    async def load(memory: Client, caller: int) -> None:
        for number in count():
            if stopped.is_set():
                return
            text = f"caller {caller}, number {number}"
            written = await say(memory, text, session_key=f"{session}-{caller}")
            sent.append(text)
            await memory.search(text, at_least_as_fresh=written.consistency_token)

    victims = ("ingest-3", "search-3", "embedder-3")
    cluster.said.clear()
    async with client_of(cluster) as memory, asyncio.TaskGroup() as callers:
        for caller in range(6):
            callers.create_task(load(memory, caller))
        await until(lambda: len(sent) > 30, BACK_S)
        for pid in cluster.pids(*victims):
            os.kill(pid, signal.SIGKILL)
        so_far = len(sent)
        await until(lambda: len(sent) > so_far + 60, BACK_S)
        stopped.set()
    with cluster.database.connect() as conn:
        rows = conn.execute("SELECT content FROM messages WHERE content LIKE 'caller %'").fetchall()
    assert sorted(content for (content,) in rows) == sorted(sent)
    await back(cluster, *victims)


async def test_consistency_and_page_tokens_are_valid_at_other_replicas(cluster: Cluster) -> None:
    session = f"pages-{next(_numbers)}"
    texts = [f"The heron was seen {number} times." for number in range(12)]
    async with client_of(cluster, only=1) as first:
        written = await say(first, *texts, session_key=session)
        # A vector stored between two pages changes scores, and so the next page.
        embedded = ingest_pb.WaitForIndexingRequest(
            consistency_token=written.consistency_token, stage=ingest_pb.INDEXING_STAGE_EMBEDDED
        )
        await first.ingest_service.WaitForIndexing(embedded)
    for number in range(1, REPLICAS + 1):
        async with client_of(cluster, only=number) as memory:
            found = await memory.search("heron", at_least_as_fresh=written.consistency_token)
            assert found.results
    for mode in ("LEXICAL", "HYBRID"):
        pages = await walk_over_replicas(cluster, written.conversation_id, mode)
        assert [len(page) for page in pages] == [5, 5, 2], mode
        assert len({id_ for page in pages for id_ in page}) == 12


async def walk_over_replicas(cluster: Cluster, conversation_id: str, mode: str) -> list[list[str]]:
    """Ask the replicas in turn for the next page; return the ids on each page."""
    request = search_pb.SearchRequest(
        query="heron", page_size=5, mode=search_pb.SearchMode.Value(f"SEARCH_MODE_{mode}")
    )
    request.filter.conversation_ids.append(conversation_id)
    request.filter.kinds.append(memory_pb2.MEMORY_KIND_MESSAGE)
    pages = []
    for number in range(1, REPLICAS + 1):
        async with client_of(cluster, only=number) as memory:
            page = await memory.search_service.Search(request)
        pages.append([result.memory.id for result in page.results])
        request.page_token = page.next_page_token
    assert not request.page_token
    return pages


@pytest.mark.parametrize("by", ["request_id", "external_id"])
async def test_same_append_sent_to_all_replicas_concurrently_is_stored_once(
    cluster: Cluster, by: str
) -> None:
    session = f"once-{next(_numbers)}"
    same = append_request(
        message("Say it once.", external_id="the same" if by == "external_id" else ""),
        session_key=session,
        request_id=session if by == "request_id" else "",
    )

    async def send(number: int) -> ingest_pb.AppendMessagesResponse:
        async with client_of(cluster, only=number) as memory:
            return await memory.ingest_service.AppendMessages(same)

    answers = await asyncio.gather(*(send(1 + number % REPLICAS) for number in range(4 * REPLICAS)))
    assert len({answer.messages[0].message_id for answer in answers}) == 1
    with cluster.database.connect() as conn:
        rows = conn.execute(
            "SELECT last_seq, (SELECT count(*) FROM messages m WHERE m.conversation_id = c.id)"
            "  FROM conversations c WHERE session_key = %s",
            [session],
        ).fetchall()
    assert rows == [(1, 1)]


async def answered_from_memory(cluster: Cluster, stacks: Sequence[Stack], token: str) -> bool:
    """Return whether each search process finds a token without asking the database for it."""

    async def calls() -> None:
        for stack in stacks:
            assert (await stack.search.Search(search_request(token, "LEXICAL"))).results

    asked, kept = await count_calls(cluster, calls, "find_lexical", "read_passages")
    return not any(replicas("search", asked)) and min(replicas("search", kept)) > 0


async def test_erased_text_is_in_no_cache_queue_file_or_log(cluster: Cluster) -> None:
    token, canary, redis_url = "zqreplica4k", "zqcanary4k", cluster.running.redis_url
    async with AsyncExitStack() as resources:
        resources.enter_context(queue_on_disk(redis_url))
        stacks = [
            await resources.enter_async_context(stack_at(cluster, number))
            for number in range(1, REPLICAS + 1)
        ]
        stack = stacks[0]
        written = await write_everything(stack, token)
        lines = [f"On day {n} the {token} sang {n} songs by the harbour." for n in range(12)]
        said = append_request(*lines)
        said.conversation.CopyFrom(target(f"key-{token}", agent="kit"))
        await stack.ingest.AppendMessages(said)
        await remember(stack, token, [written.message_id], subject=written.subject)
        await until(lambda: is_idle(cluster), DRAIN_S)
        assert {"summaries", "facts", "document_versions"} <= set(rows_with(stack, token))
        await until(lambda: answered_from_memory(cluster, stacks, token), BACK_S)
        for each in stacks:
            assert {"LEXICAL", "HYBRID", "context"} <= set(await source_messages(each, token))
        assert token.encode() in await export(stack, "default")
        await erase(stack, conversation_id=written.conversation_id)
        await erase(stacks[1], note_id=written.note_ids[-1])
        await erase(stacks[2], subject=written.subject)
        assert [await source_messages(each, token) for each in stacks] == [[]] * REPLICAS
        await until(lambda: is_idle(cluster), DRAIN_S)
        assert rows_with(stack, token) == {}
        assert [await source_messages(each, token) for each in stacks] == [[]] * REPLICAS
        assert token.encode() not in (await export(stack, "default")).lower()
        assert entries_with(redis_url, token) == []
        assert files_with(cluster.folder, token) == []
        assert files_outside_folder(cluster.folder) == set()
        # The searches above do find text that is present.
        with redis.Redis.from_url(redis_url) as connection:
            connection.xadd(canary, {"said": "words"})
            connection.rpush("list", canary)
            assert set(entries_with(redis_url, canary)) == {canary, "list"}
            connection.delete(canary, "list")
        assert {each.split("/")[0] for each in files_with(cluster.folder, canary)} == {"valkey"}
        assert "logs/search-1.log" in files_with(cluster.folder, "service started")


def workers(*names: str) -> tuple[str, ...]:
    return tuple(f"{name}-worker-{n}" for name in names for n in range(1, REPLICAS + 1))


async def is_idle(cluster: Cluster) -> bool:
    """Return whether no vector is pending, no day of last year, and no job is due or running."""

    def look() -> bool:
        with cluster.database.connect() as conn:
            row = conn.execute(
                "SELECT (SELECT count(*) FROM embedding_queue WHERE state = 'pending'), "
                "       (SELECT count(*) FROM jobs WHERE state = 'running' "
                "           OR (state = 'pending' AND not_before <= now())), "
                "       (SELECT count(*) FROM calendar_pending WHERE period < '2026-01-01'), "
                "       (SELECT count(*) FROM jobs WHERE state = 'failed')"
            ).fetchone()
        assert row
        assert row[3] == 0
        return row[:3] == (0, 0, 0)

    return await asyncio.to_thread(look)


@pytest.mark.long
async def test_workers_share_backlog_and_duplicate_no_work(cluster: Cluster) -> None:
    await until(lambda: is_idle(cluster), DRAIN_S)
    namespace = "backlog"
    async with client_of(cluster) as operator:
        request = admin_pb.CreateNamespaceRequest(namespace=admin_pb.Namespace(name=namespace))
        await operator.admin_service.CreateNamespace(request)
    said = [f"Reading {number} of the gauge at the weir." for number in range(720)]
    asked = len(cluster.model.requests)

    async def work() -> None:
        async with client_of(cluster, namespace=namespace) as memory:
            with cluster.held(*workers("embedder", "compactor")):
                for start in range(0, len(said), 40):
                    day = LAST_YEAR + timedelta(days=start // 40)
                    await say(memory, *said[start : start + 40], create_time=day)
        # Slow enough for all workers to get some of the work.
        cluster.model.always = slow(0.1)
        await until(lambda: is_idle(cluster), DRAIN_S)

    names = ("process embed", "process compact", "process roll-up", "insert_summary")
    embeds, compactions, roll_ups, inserts = await count_calls(cluster, work, *names)
    cluster.model.always = None
    texts = Counter(text for request in cluster.model.texts[asked:] for text in request)
    # The end of a long summary may be a passage of its own with the same text as a message.
    with cluster.database.connect() as conn:
        rows = conn.execute("SELECT btrim(content), count(*) FROM memories GROUP BY 1").fetchall()
    stored: dict[str, int] = dict(rows)
    wrong = [text for text in said if texts[text] != stored[text]]
    assert wrong == [], "a passage was embedded twice, or not at all"
    dag = check_dag(cluster.database, namespace, cluster.generation)
    assert dag.messages.keys() == {each["id"] for node in dag.of_level(1) for each in node.messages}
    assert sum(inserts.values()) == len(dag.nodes), "a summary was written, and thrown away"
    assert len(dag.of_level(DAY)) == len(said) // 40
    for name, of in (("embedder", embeds), ("compactor", compactions), ("compactor", roll_ups)):
        assert set(workers(name)) == set(of), (name, of)
