"""Any failure of a model server at any step loses nothing and repeats nothing, and the backlog drains."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from everword.domain.periods import Calendar
from everword.jobs.task import MAX_ATTEMPTS
from everword.model_server import breaker
from everword.v1 import maintenance_service_pb2 as maintenance
from support.calendar_calls import at, said
from support.calendar_checks import MONTH, WEEK, YEAR, check_calendar, pending
from support.calls import append
from support.dag import BRANCH, DAY, LEAF, ROOT, Dag, check_dag
from support.faithful_replies import MERGING, faithful, sources_in
from support.outages import (
    ASKING,
    BREAKER_S,
    Failure,
    Fate,
    OpenTransactions,
    crew,
    in_review,
    job_states,
    question,
)
from support.scripted_chat import (
    Body,
    Reply,
    ScriptedChat,
    after,
    answer,
    cut_off,
    drip,
    empty,
    end_after,
    fail_after,
    garbage,
    hang,
    hang_after,
    not_http,
    reset,
    reset_after,
    status,
    too_long,
    unknown_route,
    user_text,
)
from support.stack import Stack
from support.tool_calls import indexed_sentences, queued, stored_sentences, tool_call

UTC_CALENDAR = Calendar("UTC", 0)
PIECE = '{"summary": "Half a'


def _always(reply: Reply) -> Failure:
    return lambda request, said: reply


#: Failures that are not caused by the request.
AWAY: dict[str, Failure] = {
    "there is no such route": _always(unknown_route()),
    "there is no such model": _always(status(404, "The model `chat` does not exist.")),
    "the key is refused": _always(status(401)),
    "the engine is dead": _always(status(503)),
    "it asks for a pause": _always(status(429, retry_after="0.01")),
    "it fails": _always(status(500)),
    "it resets": _always(reset()),
    "it resets in the middle": _always(reset_after(PIECE)),
    "it ends in the middle": _always(end_after(PIECE)),
    "it fails in the middle": _always(fail_after(PIECE)),
    "it sends garbage": _always(garbage()),
    "it does not speak HTTP": _always(not_http()),
    "it refuses everything": _always(status(400)),
}
#: Failures that last about one read timeout.
SILENT: dict[str, Failure] = {
    "it hangs": _always(hang()),
    "it hangs in the middle": _always(hang_after(PIECE)),
    "it is told to end, and dies later": _always(after(0.1, reset())),
}
USELESS: dict[str, Failure] = {
    "it is cut off": _always(cut_off(PIECE)),
    "it is empty": _always(empty()),
    "it is prose": _always(answer("Sure! Here is what happened.")),
    "it is of another schema": _always(answer({"memory": "Half a day."})),
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedChat]:
    monkeypatch.setattr(breaker, "PAUSE_S", BREAKER_S)
    with ScriptedChat(context_tokens=32_768).running() as server:
        yield server


@pytest.fixture
def watch(stack: Stack) -> Iterator[OpenTransactions]:
    """Assert that no transaction is open during model calls."""
    with stack.database.connect() as connection:
        watch = OpenTransactions(connection)
        yield watch
        assert watch.found == set()


async def _live(stack: Stack, messages: int = 10, calls: int = 2) -> dict[str, str]:
    """Store messages of up to two days on two instances, and tool calls; return the calls' paths by id."""
    entries = [
        said(
            f"2026-04-{13 + n // 8}T1{n}:00",
            f"Crate {n} went to dock-{n} with 4{n}1 figs.",
            instance="phone" if n % 3 else "desk",
        )
        for n in range(messages)
    ]
    await append(stack, *entries)
    paths = [f"src/part{n}.rs" for n in range(calls)]
    told = [tool_call(path, create_time=at("2026-04-14T20:00")) for path in paths]
    stored = await append(stack, *told, session_key="tools")
    return {entry.message_id: path for entry, path in zip(stored.messages, paths, strict=True)}


def _hold_that_all_is_done(stack: Stack, paths: dict[str, str]) -> Dag:
    """Assert that everything is summarised once, faithfully, and that nothing waits."""
    database = stack.database
    dag = check_calendar(database, UTC_CALENDAR)
    for conversation, summarised in dag.summarised.items():
        places = [m["seq"] for m in dag.messages.values() if m["conversation_id"] == conversation]
        assert summarised == max(places)
    assert len(dag.summarised) == len({m["conversation_id"] for m in dag.messages.values()})
    assert len(dag.of_level(WEEK, MONTH)) == 2 * len(dag.of_level(YEAR))
    assert dag.of_level(DAY)
    assert pending(database) == []
    assert not any(node.stale for node in dag.nodes.values())
    assert in_review(database) == []
    expected = {id_: f"Consulted {path} for the login routine." for id_, path in paths.items()}
    assert {id_: text for id_, (text, _) in stored_sentences(database).items()} == expected
    assert indexed_sentences(database) == expected
    assert queued(database) == {}
    for task in ASKING:
        assert set(job_states(database, task)) <= {"done"}
    return dag


def _obey(server: ScriptedChat, watch: OpenTransactions, fate: Fate) -> None:
    """Let `fate` answer, and check for open transactions at each request."""

    def reply(request: Body) -> Reply:
        watch.look()
        return fate(request)

    server.reply = reply


def _drain(stack: Stack, server: ScriptedChat) -> set[str | None]:
    """Execute all due work; return the outcomes of attempts."""
    with crew(stack.database, server) as workers:
        return set().union(*(workers.drain(task) for task in ASKING))


# Each step fails twice, and then succeeds

KINDS = [*AWAY.values(), *USELESS.values(), *SILENT.values()]


@pytest.mark.parametrize(
    "shift", [0, *(pytest.param(n, marks=pytest.mark.long) for n in range(4, len(KINDS), 4))]
)
async def test_failure_at_each_step_delays_and_repeats_nothing_else(
    stack: Stack, server: ScriptedChat, watch: OpenTransactions, shift: int
) -> None:
    """Over all shifts, steps of each kind meet each kind of failure."""
    paths = await _live(stack)

    def fail(request: Body, said: object) -> Reply:
        step, times = list(fate.asked).index(question(request)), fate.asked[question(request)]
        return KINDS[(step + shift + times) % len(KINDS)](request, said)

    # After two useless answers, a summary is made without the model.
    fate = Fate(fail, times=1)
    _obey(server, watch, fate)
    ended = await asyncio.to_thread(_drain, stack, server)
    dag = _hold_that_all_is_done(stack, paths)
    assert "failed" not in ended
    # Each node and each sentence was requested until the first answer, and not again.
    assert len(fate.asked) == len(dag.nodes) + len(paths)
    assert set(fate.answered.values()) == {1}
    assert set(fate.asked.values()) == {2}


async def test_failures_at_each_level_up_to_the_root_are_retried(
    stack: Stack, server: ScriptedChat, watch: OpenTransactions
) -> None:
    """A conversation of three parts, each summarised before the next is appended: leaves, branches and a root."""
    fate = Fate(AWAY["it fails"], times=2)
    _obey(server, watch, fate)
    for part in range(3):
        await append(stack, *[f"Crate {part}{n} went to dock-{n}." for n in range(10)])
        with crew(stack.database, server) as workers:
            ended = await asyncio.to_thread(workers.drain, "compact")
        assert "failed" not in ended
        dag = check_dag(stack.database)
    assert [len(dag.of_level(level)) for level in (LEAF, BRANCH, ROOT)] == [15, 3, 1]
    assert in_review(stack.database) == []
    assert set(fate.answered.values()) == {1}


async def test_slow_streaming_answer_is_awaited(
    stack: Stack, server: ScriptedChat, watch: OpenTransactions
) -> None:
    """Each answer takes longer than the server may be silent, but sends pieces in time."""
    paths = await _live(stack, messages=2)
    fate = Fate(lambda request, said: drip(said, seconds=0.3), times=99)
    _obey(server, watch, fate)
    assert await asyncio.to_thread(_drain, stack, server) <= {"done", "pending"}
    dag = _hold_that_all_is_done(stack, paths)
    assert set(fate.asked.values()) == {1}
    assert len(fate.asked) == len(dag.nodes) + len(paths)


async def test_text_too_long_for_the_model_is_read_in_parts_at_each_level(
    stack: Stack, server: ScriptedChat, watch: OpenTransactions
) -> None:
    """The server's limit is lower than reported: never two sources at once, except two merged parts."""
    paths = await _live(stack)
    shown: list[tuple[int, bool]] = []

    def refuse_whole(request: Body, said: object) -> Reply:
        if "CALL>>>" in user_text(request):
            return answer(said)
        sources, merging = len(sources_in(request)), MERGING in str(request["messages"])
        shown.append((sources, merging))
        return answer(said) if merging or sources < 2 else too_long(9_000, 9_999)

    _obey(server, watch, Fate(refuse_whole, times=99))
    assert "failed" not in await asyncio.to_thread(_drain, stack, server)
    _hold_that_all_is_done(stack, paths)
    assert max(shown) > (4, False)
    assert (2, True) in shown


# Outages

LASTING = [
    *(
        pytest.param(failure, marks=pytest.mark.long)
        for failure in ("there is no such route", "it asks for a pause")
    ),
    "it refuses everything",
    "it hangs",
]


@pytest.mark.parametrize("failure", LASTING)
async def test_outage_parks_no_job_and_the_backlog_drains_afterwards(
    stack: Stack, server: ScriptedChat, watch: OpenTransactions, failure: str
) -> None:
    """It begins after an answer, and lasts for more attempts than any job has."""
    paths = await _live(stack, messages=2)
    fate = Fate((AWAY | SILENT)[failure])
    _obey(server, watch, fate)

    def run() -> None:
        with crew(stack.database, server, pauses_s=()) as workers:
            for task in ASKING:
                fate.answers_left = 1
                for _ in range(MAX_ATTEMPTS + 1):
                    workers.round(task)
                    assert not job_states(stack.database, task)["failed"]
                assert job_states(stack.database, task)["pending"]
                check_calendar(stack.database, UTC_CALENDAR)
                fate.lift()
                assert workers.drain(task) <= {"done", "pending"}

    await asyncio.to_thread(run)
    dag = _hold_that_all_is_done(stack, paths)
    assert set(fate.answered.values()) == {1}
    assert len(fate.answered) == len(dag.nodes) + len(paths)


async def test_unreachable_model_server_is_awaited(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The port is closed, so the context size and tokenizer cannot be queried either."""
    monkeypatch.setattr(breaker, "PAUSE_S", BREAKER_S)
    paths = await _live(stack)
    with ScriptedChat(context_tokens=32_768).running() as gone:
        port = int(gone.root.rpartition(":")[2])

    def run() -> None:
        with crew(stack.database, gone) as workers:
            for _ in range(4):
                for task in ASKING:
                    assert set(workers.round(task).values()) == {"pending"}
                    assert set(job_states(stack.database, task)) == {"pending"}
            assert not check_dag(stack.database).nodes
            with ScriptedChat(faithful, context_tokens=32_768, port=port).running():
                for task in ASKING:
                    assert workers.drain(task) <= {"done", "pending"}

    await asyncio.to_thread(run)
    _hold_that_all_is_done(stack, paths)


# Useless answers


@pytest.mark.parametrize("failure", ["it is cut off", "it is empty"])
async def test_unusable_answers_are_replaced_by_words_of_the_sources(
    stack: Stack, server: ScriptedChat, watch: OpenTransactions, failure: str
) -> None:
    """The server answers, so this is no outage, and pauses do not improve the answers."""
    paths = await _live(stack, messages=2, calls=1)
    fate = Fate(USELESS[failure], times=10**9)
    _obey(server, watch, fate)
    await asyncio.to_thread(_drain, stack, server)
    nodes = check_calendar(stack.database, UTC_CALENDAR).nodes.values()
    assert nodes
    assert not any(node.needs_review for node in nodes)
    assert set(stored_sentences(stack.database)) == set(paths)
    found = await stack.maintenance.GetQueueStatus(maintenance.GetQueueStatusRequest())
    assert not found.failed_jobs
    assert not found.failed_tool_calls
    # One request, and one more.
    assert set(fate.asked.values()) == {2}
