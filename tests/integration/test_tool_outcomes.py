"""Sentences of tool calls state the outcome for any tool, and represent the calls in summaries."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import partial

import pytest

from everword.jobs.store import StartedJob
from everword.jobs.task import JobRun, Task
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import memory_pb2
from everword_compactor import worker
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.jobs.context import WorkerContext
from everword_compactor.jobs.model_outage import HARMLESS
from everword_compactor.outcomes.sentence import Call, describe_call, with_outcome
from support.calls import append, message
from support.compaction import compact_everything, roll_up_everything
from support.databases import DatabaseUnderTest
from support.planted_credentials import PLANTED
from support.scripted_chat import Body, Reply, ScriptedChat, answer, user_text
from support.stack import Stack
from support.tool_call_cases import BUILT_WITH, HELD_OUT, PYTEST, Case
from support.tool_calls import stored_sentences, tool_call, write_pending_sentences


def missed(cases: tuple[Case, ...]) -> list[str]:
    """Return the sentences that lack a required fact."""
    told = [(describe_call(case.call), case.facts) for case in cases]
    return [
        sentence
        for sentence, facts in told
        if not all(any(one in sentence for one in fact.split("|")) for fact in facts)
    ]


def sent(case: Case) -> memory_pb2.NewMessage:
    name, args, result = case.call.name, case.call.args, case.call.result
    return tool_call(name=name, tool_args=args, tool_result=result)


def written(database: DatabaseUnderTest, *levels: int) -> list[tuple[str, bool]]:
    with database.connect() as conn:
        return conn.execute(
            "SELECT content, needs_review FROM summaries WHERE level = ANY(%s) ORDER BY level, first_seq",
            (list(levels),),
        ).fetchall()


def test_describe_call_states_the_outcome() -> None:
    assert missed(BUILT_WITH) == []
    assert missed(HELD_OUT) == []
    sentences = [describe_call(case.call) for case in (*BUILT_WITH, *HELD_OUT)]
    assert all(len(each) <= 500 and each.endswith(".") and "\n" not in each for each in sentences)
    assert not any('{"' in each for each in sentences)


@pytest.mark.parametrize(
    "result",
    [
        *("[" * 200_000, "{'a': " * 20_000, "Error: " * 140_000, "1 failed, " * 100_000),
        *("\\n" * 300_000, "a:1:" * 250_000, "x" * 1_000_000, "0 " * 500_000, "ab.c\n" * 200_000),
        *('{"status": 422, "detail": null}', '{"errors": [[[[[[[]]]]]]]}', "300 words"),
        *( '"\\ud800"', "null", "NaN", "-1", '{"": {"": ""}}'),
    ],
)  # fmt: skip
def test_describe_call_handles_huge_or_malformed_results_in_bounded_time(result: str) -> None:
    began = time.perf_counter()
    for args in (
        result,
        '{"command": "make"}',
        '{"sql": "SELECT 1"}',
        '{"path": "a", "old_str": "b", "new_str": "c"}',
    ):
        sentence = describe_call(Call("tool", args, result))
        assert 5 <= len(sentence) <= 500
    # Usually a fifth of that, without other load.
    assert time.perf_counter() - began < 10


async def test_summaries_contain_the_sentence_instead_of_the_tool_call(stack: Stack) -> None:
    cases = [*BUILT_WITH, *HELD_OUT]
    talk = message("Please make the login tests pass before we deploy to production tomorrow.")
    await append(stack, talk, *map(sent, cases))
    # A tool whose result is in a message of its own.
    alone = message(
        '{"status": 409, "message": "The branch is protected."}',
        role=memory_pb2.ROLE_TOOL,
        author="git_api",
    )
    await append(stack, alone, message("Then I open a pull request for it."), session_key="other")  # fmt: skip
    await compact_everything(stack, ExtractiveComposer())
    await roll_up_everything(stack, ExtractiveComposer())
    made = written(stack.database, 1, 4)
    text = "\n".join(content for content, _ in made)
    assert "2 failed, 31 passed" in text
    assert "37 rows" in text
    assert "409 Conflict" in text
    assert '{"' not in text
    assert not any(needs_review for _, needs_review in made)
    audit = await stack.maintenance.AuditSummaries(maintenance.AuditSummariesRequest())
    assert audit.audited == len(made)
    assert list(audit.findings) == []


async def test_sentences_and_summaries_contain_no_credentials_of_tool_calls(stack: Stack) -> None:
    calls = [
        tool_call(name="bash", tool_args=json.dumps({"command": each.text}), tool_result=each.text)
        for each in PLANTED
    ]
    await append(stack, *calls)
    await write_pending_sentences(stack)
    await compact_everything(stack, ExtractiveComposer())
    made = [content for content, _ in written(stack.database, 1, 2, 3)]
    made += [sentence for sentence, _ in stored_sentences(stack.database).values()]
    assert len(made) > len(PLANTED)
    assert [each.secret for each in PLANTED if any(each.secret in text for text in made)] == []


async def test_long_tool_call_is_sent_to_the_model_in_parts_without_gaps(stack: Stack) -> None:
    lines = [f"Line {n:04} of the log says that host-{n:04} answered." for n in range(300)]
    seen: list[str] = []

    def reply(request: Body) -> Reply:
        seen.append(user_text(request))
        return answer({"sentence": "Ran the checks of all hosts."})

    with ScriptedChat(reply, context_tokens=4_096).running() as server:
        result = "\n".join([*lines, PYTEST])
        args = json.dumps({"command": "pytest -q", "notes": [f"note-{n:04}" for n in range(700)]})
        await append(stack, tool_call(name="bash", tool_args=args, tool_result=result))
        assert set((await write_pending_sentences(stack, server)).values()) == {"done"}
    shown = "\n".join(seen)
    assert all(f"host-{n:04}" in shown for n in range(300))
    assert all(f"note-{n:04}" in shown for n in range(700))
    assert "[…]" not in shown
    [(sentence, model)] = stored_sentences(stack.database).values()
    assert model == "scripted-chat"
    # Counts omitted by the model are taken from the call itself.
    assert sentence.startswith("Ran the checks of all hosts: 2 failed, 31 passed, 1 skipped")


def test_with_outcome_adds_missing_counts_only() -> None:
    call = Call("bash", '{"command": "pytest"}', "2 failed, 31 passed in 1s\n")
    told = "Ran pytest, of which 31 passed and 2 failed."
    assert with_outcome(told, call) == told
    assert with_outcome("Ran pytest.", call) == "Ran pytest: 2 failed, 31 passed."
    assert with_outcome("Read it.", Call("read", "{}", "300 words of prose.")) == "Read it."


def test_worker_uses_the_model_server_configured_for_each_task(
    database: DatabaseUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker reads its settings at the start, and each task uses its own model."""
    asked: dict[str, str] = {}
    digesting: list[str] = []

    def asks_once(name: str, worker_context: WorkerContext) -> Callable[[JobRun], None]:
        def run(job: JobRun) -> None:
            assert worker_context.chat
            worker_context.chat.complete(HARMLESS)
            asked[name] = worker_context.chat.model

        if worker_context.digests:
            digesting.append(worker_context.digests.model)
        return run

    def run_once(
        blocking: object, redis_url: str, tasks: Sequence[Task], before_job: Callable[[], None]
    ) -> None:
        job = StartedJob(1, 1, "compact", "", 1, 1, 1, None)
        for task in tasks:
            task.run(JobRun(job, lambda: None, lambda: None))

    for name in worker.TASKS:
        monkeypatch.setitem(worker.TASKS, name, partial(asks_once, name))
    monkeypatch.setattr(worker, "run_worker", run_once)
    monkeypatch.setattr(worker, "setup", lambda *_: lambda: None)
    with ScriptedChat().running() as server, ScriptedChat(model="small").running() as small:
        for name, value in {
            "DATABASE_URL": database.service_url,
            "REDIS_URL": "redis://127.0.0.1:1",
            "CHAT_URL": server.url,
            "CHAT_MODEL": server.model,
            "CHAT_SMALL_URL": small.url,
            "CHAT_SMALL_MODEL": small.model,
        }.items():
            monkeypatch.setenv(f"EVERWORD_{name}", value)
        server.always = small.always = answer()
        # Keep this process's priority; otherwise all later tests would take far longer on a busy machine.
        monkeypatch.setattr(worker, "lower_process_priority", lambda: None)
        worker.main([])
        assert asked == {
            "compact": server.model,
            "learn": server.model,
            "roll-up": server.model,
            "sleep": server.model,
            "tool-sentences": "small",
        }
        assert (len(server.requests), len(small.requests)) == (4, 1)
        assert digesting == ["small"]
