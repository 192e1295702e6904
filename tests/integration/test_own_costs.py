"""Everword's own model calls: in the same ledger as agents' calls, and stopped by the same limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import grpc
import psycopg
import pytest

from everword.chat.blocking import BlockingChat
from everword.chat.errors import ChatBudgetSpent
from everword.chat.settings import ChatSettings
from everword.db.generations import Generations, NewGeneration
from everword.domain.times import utc_now
from everword.jobs.task import JobRun, Task
from everword.v1 import cost_pb2
from everword.v1 import cost_service_pb2 as pb
from everword.v1 import search_service_pb2 as search
from everword_compactor.compose.llm.composer import LlmComposer
from everword_compactor.conversations.job import Compaction
from everword_compactor.conversations.schedule import schedule_outdated
from everword_compactor.jobs.context import Ledger, WorkerContext
from everword_compactor.jobs.model_outage import detect_model_outage
from everword_compactor.tool_sentences.job import ToolSentences
from everword_embedder.queue.store import forgotten_namespaces
from support.background import embed_everything
from support.calls import append, message
from support.compaction import AT_ONCE, current, work, worker_context
from support.costs import MONTH, Accounts, budget, kinds, spent
from support.databases import DatabaseUnderTest
from support.faithful_replies import faithful
from support.refusals import refused
from support.scripted_chat import ScriptedChat, answer
from support.scripted_embedder import ScriptedEmbedder
from support.sleep_calls import Mind, sleep
from support.stack import Stack, running_stack
from support.tool_calls import IMPATIENT, tool_call

QUESTION = "Which commit mended the irrigation pump?"
FACT = "The irrigation pump was mended by commit 4f0c9ab on 3 May."
AGENTS = "an agent's model"


@pytest.fixture
def server() -> Iterator[ScriptedChat]:
    with ScriptedChat(faithful, context_tokens=32_768).running() as server:
        yield server


@dataclass(frozen=True)
class Deployment:
    """Services with a language model, and workers that the test runs directly."""

    stack: Stack
    server: ScriptedChat

    @property
    def accounts(self) -> Accounts:
        return Accounts(self.stack, "default")

    @contextmanager
    def workers(self, now: datetime | None = None) -> Iterator[WorkerContext]:
        """Yield a worker's context. Budgets use the month of `now`."""
        settings = ChatSettings(self.server.url, self.server.model, pauses_s=(0.0,))
        with worker_context(self.stack.database) as shop:
            ledger = Ledger(shop.database, (lambda: now) if now else None)
            chat = BlockingChat(settings, ledger.record, admit=ledger.admit, beat_s=0.05)
            with closing(chat):
                composer = LlmComposer(chat)
                yield replace(shop, chat=chat, composer=composer, ledger=ledger, tools=IMPATIENT)

    def do(
        self,
        task: str,
        run: Callable[[WorkerContext], Callable[[JobRun], datetime | None]],
        now: datetime | None = None,
    ) -> set[str | None]:
        """Execute the due jobs of a task as a worker does; return how they ended."""
        with self.workers(now) as shop:
            if task == "compact":
                schedule_outdated(shop.database, current(shop.composer))
            assert shop.chat
            doing = detect_model_outage(run(shop), shop.chat, sleep=lambda seconds: None)
            ended = work(self.stack.database, shop.database, Task(task, doing), utc_now() + AT_ONCE)
        return set(ended.values())

    async def compact(self) -> set[str | None]:
        return await asyncio.to_thread(self.do, "compact", lambda shop: Compaction(shop).run)

    async def write_pending_sentences(self, now: datetime | None = None) -> set[str | None]:
        return await asyncio.to_thread(
            self.do, "tool-sentences", lambda shop: ToolSentences(shop).run, now
        )

    def models(self) -> set[str]:
        """Return the models that wrote the summaries."""
        with self.stack.database.connect() as conn:
            return {row[0] for row in conn.execute("SELECT model FROM summaries")}

    def waiting(self, task: str) -> list[tuple[str, int, str | None, bool]]:
        """Return state, attempts and error of a task's jobs, and whether each is due."""
        with self.stack.database.connect() as conn:
            return conn.execute(
                "SELECT state, attempts, error, not_before <= now() FROM jobs WHERE task = %s",
                [task],
            ).fetchall()


@pytest.fixture
async def deployment(
    database: DatabaseUnderTest, server: ScriptedChat
) -> AsyncIterator[Deployment]:
    chat = ChatSettings(server.url, server.model, read_timeout_s=2.0)
    async with running_stack(database, chat=chat, embedder=False) as stack:
        yield Deployment(stack, server)


async def price_the_model(deployment: Deployment) -> None:
    """Set a price of one dollar per input token, as an operator may."""
    price = cost_pb2.ModelPrice(
        model=deployment.server.model, valid_from="2020-01-01", input="1000000", output="0"
    )
    await deployment.stack.costs.LoadPrices(
        pb.LoadPricesRequest(currency_code="USD", prices=[price])
    )


async def test_answer_is_charged_to_the_ledger_and_refused_when_budget_is_exceeded(
    deployment: Deployment,
) -> None:
    await price_the_model(deployment)
    await append(deployment.stack, FACT)
    accounts = deployment.accounts
    await accounts.record(spent(AGENTS, 1, cost="2", run_id="r"))
    deployment.server.reply = lambda request: answer("Commit 4f0c9ab did it [1].")
    await deployment.stack.search.Answer(search.AnswerRequest(query=QUESTION))
    theirs, own = await accounts.groups(pb.COST_GROUPING_SOURCE, pb.COST_GROUPING_PURPOSE)
    assert (theirs.source, own.source) == (pb.COST_SOURCE_AGENT, pb.COST_SOURCE_EVERWORD)
    assert (own.purpose, own.costs[0].amount) == ("answer", str(own.input_tokens))
    assert own.input_tokens > 0
    spent_so_far = Decimal(2 + own.input_tokens)
    limit = await accounts.limit(budget(MONTH, cost=str(spent_so_far)))
    assert kinds(limit.events) == ["warning", "exceeded"]
    asked = len(deployment.server.requests)
    refusal = await refused(deployment.stack.search.Answer(search.AnswerRequest(query=QUESTION)))
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "BUDGET_EXCEEDED",
    )
    assert "RetryInfo" in " ".join(refusal.details)
    assert refusal.metadata["budget_id"] == limit.budget.id
    assert datetime.fromisoformat(refusal.metadata["reset_time"]) > datetime.now(UTC)
    assert len(deployment.server.requests) == asked
    await accounts.limit(budget(MONTH, cost=str(spent_so_far + 1)))
    await deployment.stack.search.Answer(search.AnswerRequest(query=QUESTION))
    assert len(deployment.server.requests) > asked


async def test_summaries_are_extractive_while_budget_is_spent_and_rewritten_later(
    deployment: Deployment,
) -> None:
    accounts = deployment.accounts
    # Agents' spending counts; here it exhausts the budget.
    await accounts.limit(budget(MONTH, tokens=1_000))
    await accounts.record(spent(AGENTS, 1_000))
    texts = [message(f"Crate {n} went to dock {n}.", author="Ana") for n in range(12)]
    await append(deployment.stack, *texts)
    assert await deployment.compact() <= {"done", "pending"}
    assert deployment.models() == {"extractive"}
    # Meanwhile they are not retried, sweeps leave their job alone, and it is not given up.
    assert await deployment.compact() == set()
    [(state, attempts, error, due)] = deployment.waiting("compact")
    assert (state, attempts, error, due) == ("pending", 0, str(ChatBudgetSpent()), False)
    assert not deployment.server.requests
    [own] = await accounts.groups(pb.COST_GROUPING_SOURCE)
    assert own.source == pb.COST_SOURCE_AGENT
    await accounts.limit(budget(MONTH, tokens=1_000_000))
    assert deployment.waiting("compact")[0][3], "a raised limit wakes what waits for it"
    await deployment.compact()
    assert deployment.models() == {deployment.server.model}
    groups = await accounts.groups(pb.COST_GROUPING_SOURCE, pb.COST_GROUPING_CONVERSATION)
    # A call made for a conversation is attributed to it.
    assert [(each.source, each.session_key) for each in groups] == [
        (pb.COST_SOURCE_AGENT, ""),
        (pb.COST_SOURCE_EVERWORD, "s"),
    ]


async def test_tool_sentences_stay_pending_until_next_month_when_budget_is_spent(
    deployment: Deployment,
) -> None:
    accounts = deployment.accounts
    await accounts.limit(budget(MONTH, tokens=10, model=deployment.server.model))
    await accounts.record(spent(deployment.server.model, 10))
    await append(deployment.stack, tool_call("a.rs"), tool_call("b.rs"))
    for _ in range(5):
        assert await deployment.write_pending_sentences() == {"pending"}
        with deployment.stack.database.connect() as conn:
            conn.execute("UPDATE jobs SET not_before = now()")
    assert {row[:3] for row in deployment.waiting("tool-sentences")} == {
        ("pending", 0, str(ChatBudgetSpent()))
    }
    assert not deployment.server.requests
    next_month = datetime.now(UTC) + timedelta(days=32)
    assert await deployment.write_pending_sentences(next_month) <= {"done", "pending"}
    with deployment.stack.database.connect() as conn:
        rows = conn.execute("SELECT count(*) FROM tool_sentences").fetchone()
    assert rows == (2,)


async def test_agent_budget_blocks_model_calls_only_for_its_conversations(
    deployment: Deployment,
) -> None:
    accounts = deployment.accounts
    await accounts.limit(budget(MONTH, tokens=10, agent="iris"))
    await accounts.record(spent(AGENTS, 10, agent="iris"))
    with deployment.workers() as shop:
        with deployment.stack.database.connect() as conn:
            [namespace_id] = conn.execute(
                "SELECT id FROM namespaces WHERE name = 'default'"
            ).fetchone() or (0,)
        written = await append(deployment.stack, "Hello.")
        with shop.ledger.of_namespace(namespace_id, UUID(written.conversation_id)):
            shop.ledger.admit("any")
        with deployment.stack.database.connect() as conn:
            conn.execute("UPDATE conversations SET agent = 'iris'")
        with shop.ledger.of_namespace(namespace_id, UUID(written.conversation_id)):
            with pytest.raises(ChatBudgetSpent):
                shop.ledger.admit("any")
            # The limit is being raised, and refused jobs are already due again.
            with deployment.stack.database.connect() as conn, conn.transaction():
                key = "SELECT hold_lock(%s, 'budgets')"
                conn.execute(key, [namespace_id])
                conn.execute("UPDATE budgets SET max_tokens = 1000")
                admitting = asyncio.create_task(asyncio.to_thread(shop.ledger.admit, "any"))
                await asyncio.sleep(0.2)
            await admitting


async def test_embedding_calls_with_a_price_are_charged_and_wait_when_budget_is_spent(
    database: DatabaseUnderTest,
) -> None:
    model = ScriptedEmbedder(16)
    model.model = "text-embedding-3-small"
    async with running_stack(database, embedder=False) as stack:
        accounts = Accounts(stack, "default")
        with model.running():
            new = NewGeneration("openai", model.model, 16, endpoint=model.url)
            generation = Generations(database.admin_url).add(new)

            def vectors() -> int:
                with database.connect() as conn:
                    table = f"SELECT count(*) FROM memory_vectors_{generation}"
                    [count] = conn.execute(table.encode()).fetchone() or (0,)
                    return int(count)

            await append(stack, FACT)
            # If a call cannot be charged, its vectors are not stored.
            with database.connect() as conn:
                conn.execute("ALTER FUNCTION record_usage RENAME TO recorded_usage")
            with pytest.raises(psycopg.errors.UndefinedFunction):
                await embed_everything(stack)
            assert vectors() == 0
            with database.connect() as conn:
                conn.execute("ALTER FUNCTION recorded_usage RENAME TO record_usage")
                conn.execute("UPDATE embedding_queue SET not_before = now()")
            await embed_everything(stack)
            # Embedding within this process costs nothing, and is not in the ledger.
            [own] = await accounts.groups(pb.COST_GROUPING_PURPOSE, pb.COST_GROUPING_MODEL)
            assert (own.purpose, own.model, own.calls) == ("embed", model.model, 1)
            assert own.input_tokens == len(FACT.split())
            assert own.costs[0].amount == format(
                Decimal("0.00000002") * own.input_tokens, "f"
            ).rstrip("0")
            await accounts.limit(budget(MONTH, tokens=1))
            await append(stack, "The valve of the pump is new.")
            await embed_everything(stack)
            assert vectors() == 1
            waiting = "SELECT generation_id, error, not_before, xmin::text FROM embedding_queue"
            with database.connect() as conn:
                [row] = conn.execute(waiting).fetchall()
                conn.execute("UPDATE jobs SET state = 'done' WHERE task = 'embed'")
            assert row[:2] == (generation, str(ChatBudgetSpent()))
            # It is not retried, and gets no job.
            await embed_everything(stack)
            with database.connect() as conn:
                assert conn.execute(waiting).fetchall() == [row]
                assert forgotten_namespaces(conn, 0.0) == []
            await accounts.limit(budget(MONTH, tokens=1_000))
            with database.connect() as conn:
                jobs = conn.execute("SELECT state FROM jobs WHERE task = 'embed'").fetchall()
            assert ("pending",) in jobs
            await embed_everything(stack)
            assert vectors() == 2
            # Tokens read before the model refused one text of a batch are charged, too.
            [before] = await accounts.groups(pb.COST_GROUPING_PURPOSE)
            model.poison, read = "rust", len(model.requests)
            good = "The filter of the pump is clean."
            await append(stack, good, "The lid of the pump has rust.")
            await embed_everything(stack)
            assert vectors() == 3
            taken = [
                texts for texts in model.texts[read:] if not any("rust" in each for each in texts)
            ]
            assert taken.count([good]) == 2
            words = sum(len(text.split()) for texts in taken for text in texts)
            [after] = await accounts.groups(pb.COST_GROUPING_PURPOSE)
            assert after.input_tokens - before.input_tokens == words


async def test_sleep_stays_pending_without_parked_sessions_when_budget_is_spent(
    deployment: Deployment,
) -> None:
    accounts, stack, mind = deployment.accounts, deployment.stack, Mind()
    await accounts.limit(budget(MONTH, tokens=10))
    await accounts.record(spent(AGENTS, 10))
    await append(stack, message("I live in Lisbon now.", author="Ana"))

    async def sleep_now() -> set[str | None]:
        with stack.database.connect() as conn:
            conn.execute("UPDATE jobs SET not_before = now() WHERE task = 'sleep'")
        return {*(await sleep(stack, mind, due=utc_now() + AT_ONCE)).values()}

    assert await sleep_now() == {"pending"}
    assert mind.asked == []
    assert {row[2] for row in deployment.waiting("sleep")} == {str(ChatBudgetSpent())}
    await accounts.limit(budget(MONTH, tokens=10**9))
    await sleep_now()
    assert mind.asked
    with stack.database.connect() as conn:
        parked = conn.execute("SELECT count(*) FROM sleep_sessions WHERE error IS NOT NULL")
        assert parked.fetchone() == (0,)
