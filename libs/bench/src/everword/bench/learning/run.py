"""Loads labelled sessions into a running Everword, lets it learn, and reads the results back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from everword.bench.bench_namespace import fill, namespace
from everword.bench.dataset import Dataset
from everword.bench.learning.claims import quote_of, read_claims
from everword.bench.learning.judgement import RIGHT, Judgement, judge
from everword.bench.learning.labels import LearningSet, Session
from everword.bench.learning.matching import Claim
from everword.client import Client, ClientSettings
from everword.v1 import cost_service_pb2 as cost_pb
from everword.v1.admin_service_pb2 import NamespaceSettings
from everword.v1.maintenance_service_pb2 import GetQueueStatusRequest, SleepRequest, SleepResponse

PREFIX = "bench-learning-"
LEARN = "learn"
#: Seconds after the import before which rules may not have begun: ingest waits for further messages.
_SETTLE_S = 3.0
_POLL_S = 0.5
#: Longest time that Sleep may take for a session.
SLEEP_TIMEOUT_S = 3_600.0


class NothingLearns(Exception):
    """No worker processed the messages in time."""


@dataclass(frozen=True)
class StepClaims:
    """The claims of a session after each step."""

    #: Learned by rules, before Sleep.
    rules: Sequence[Claim]
    #: After Sleep, those of rules included.
    overall: Sequence[Claim]
    #: Last message of Sleep.
    sleep: SleepResponse
    #: Tokens that a language model read and wrote for Sleep; empty without a model.
    tokens: Mapping[str, tuple[int, int]]
    seconds: float


@dataclass(frozen=True)
class SessionResult:
    """The judgements of a session after each step."""

    rules: Judgement
    #: Of claims that Sleep added.
    sleep: Judgement
    overall: Judgement
    claims: StepClaims


async def measure_set(
    settings: ClientSettings, learning_set: LearningSet, patience: float, say: Callable[[str], None]
) -> list[SessionResult]:
    """Learn from each session in a namespace of its own. Raises CallError and NothingLearns."""
    results = []
    for number, session in enumerate(learning_set.sessions, start=1):
        say(f"{learning_set.name} {session.name}: {number} of {len(learning_set.sessions)}")
        zone = NamespaceSettings(time_zone=session.time_zone)
        async with namespace(settings, PREFIX, zone) as client:
            learned = await _learn(client, session, patience)
            results.append(await _judge(client, session, learning_set, learned))
    return results


async def _learn(client: Client, session: Session, patience: float) -> StepClaims:
    token, _ = await fill(client, Dataset(session.name, session.entries, ()), lambda text: None)
    end = max(
        entry.message.create_time.ToDatetime(tzinfo=UTC) if entry.message.HasField("create_time")
        else datetime.now(UTC)
        for entry in session.entries
    ).astimezone(ZoneInfo(session.time_zone or "UTC"))  # fmt: skip
    await _wait_for_rules(client, patience)
    rules = await read_claims(client, end, token)
    began, latest = time.monotonic(), SleepResponse()
    async for progress in client.maintenance_service.Sleep(SleepRequest(), timeout=SLEEP_TIMEOUT_S):
        latest = progress
    seconds = time.monotonic() - began
    overall = await read_claims(client, end, token)
    return StepClaims(rules, overall, latest, await _tokens(client), seconds)


async def _wait_for_rules(client: Client, patience: float) -> None:
    """Wait until rules have read all messages. Raises NothingLearns if no worker runs."""
    began = time.monotonic()
    while True:
        status = await client.maintenance_service.GetQueueStatus(GetQueueStatusRequest(task=LEARN))
        waiting = any(each.running or each.pending for each in status.tasks)
        passed = time.monotonic() - began
        if not waiting and (passed > _SETTLE_S or not any(each.scheduled for each in status.tasks)):
            return
        if passed > patience + _SETTLE_S:
            raise NothingLearns("no worker reads the messages: is the compactor's worker running?")
        await asyncio.sleep(_POLL_S)


async def _tokens(client: Client) -> dict[str, tuple[int, int]]:
    """Return input and output tokens of each step of Sleep."""
    request = cost_pb.GetCostsRequest(group_by=[cost_pb.COST_GROUPING_PURPOSE])
    costs = await client.cost_service.GetCosts(request)
    return {
        each.purpose: (each.input_tokens, each.output_tokens)
        for each in costs.groups
        if each.purpose.startswith("sleep")
    }


async def _judge(
    client: Client, session: Session, learning_set: LearningSet, learned: StepClaims
) -> SessionResult:
    known = {(each.kind, each.id) for each in learned.rules}
    added = [each for each in learned.overall if (each.kind, each.id) not in known]

    async def judged(claims: Sequence[Claim]) -> Judgement:
        judgement = judge(session, learning_set.synonyms, claims)
        quoted = [
            each
            if each.verdict == RIGHT
            else replace(each, claim=replace(each.claim, quote=await quote_of(client, each.claim)))
            for each in judgement.claims
        ]
        return replace(judgement, claims=quoted)

    return SessionResult(
        await judged(learned.rules), await judged(added), await judged(learned.overall), learned
    )
