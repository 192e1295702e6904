"""`everword doctor`: check a deployment, and advise what to do."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from typing import Any
from uuid import uuid4

import click
import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from everword.cli.cluster_checks import check_cluster
from everword.cli.findings import Finding
from everword.cli.output import age, json_option, line, print_table
from everword.cli.session import explain, remote
from everword.client import CallError, Client, ClientSettings
from everword.client.channel import open_channel
from everword.client.servers import SERVER_HEADER
from everword.v1 import conversation_pb2, memory_pb2
from everword.v1.maintenance_service_pb2 import (
    GetCompactionStatusRequest,
    GetQueueStatusRequest,
    SleepRequest,
)
from everword.v1.search_service_pb2 import GetStatsRequest, GetStatsResponse
from everword.v1.stats_pb2 import Alert, EmbeddingServer, LocalModelForm

_HEALTH_TIMEOUT_S = 5.0
#: Seconds; a job that has been pending for longer probably has no worker.
_FORGOTTEN_S = 600
_SESSION = "everword-doctor"
#: A large model on a processor needs a minute to be loaded, and some more to answer.
_MODEL_TIMEOUT_S = 180.0
_FORMS = {
    "json_schema": "schema",
    "json_object": "object mode (the server refuses schemas)",
    "text": "instruction (the server refuses JSON modes)",
}


@click.command()
@click.option(
    "--write",
    "writes",
    is_flag=True,
    help=f"Store a message in the conversation {_SESSION}, too, and search for it.",
)
@click.option(
    "--admin-database-url",
    envvar="EVERWORD_ADMIN_DATABASE_URL",
    default="",
    help="Check the nodes of a distributed database, too, as the owner of the schema.",
)
@json_option
@remote
async def doctor(client: Client, writes: bool, admin_database_url: str, as_json: bool) -> None:
    """Check a deployment, and advise what to do about problems.

    Exits with status 1 if it finds a problem.
    """
    findings: list[Finding] = []
    if admin_database_url:
        findings += await asyncio.to_thread(check_cluster, admin_database_url)
    findings += [finding async for finding in _findings(client, writes)]
    if as_json:
        click.echo(json.dumps([asdict(each) for each in findings], ensure_ascii=False, indent=2))
    else:
        rows = [("ok" if each.ok else "WRONG", each.check, each.found) for each in findings]
        print_table(("", "check", "found"), rows)
        for each in findings:
            if each.advice:
                line(f"{each.check}: {each.advice}")
    if not all(each.ok for each in findings):
        raise SystemExit(1)


async def _findings(client: Client, writes: bool) -> AsyncIterator[Finding]:
    settings = ClientSettings.from_environment()
    services = {
        "ingest": settings.ingest_address,
        "search": settings.search_address,
        "compactor": settings.compactor_address,
    }
    healthy = True
    for name, address in services.items():
        finding = await _health(name, address, settings)
        healthy &= finding.ok
        yield finding
    if not healthy:
        return
    try:
        stats = await client.search_service.GetStats(GetStatsRequest())
    except CallError as error:
        yield Finding("key", False, explain(error), _key_advice(error))
        return
    yield Finding("key", True, "opens a namespace" if settings.api_key else "none is needed")
    for finding in _of_stats(stats):
        yield finding
    async for finding in _model(client):
        yield finding
    yield await _queue(client)
    if unread := await _unread_sessions(client):
        yield unread
    if writes:
        yield await _round_trip(client)


async def _health(name: str, address: str, settings: ClientSettings) -> Finding:
    """Ask a service whether it serves."""
    started = time.perf_counter()
    async with open_channel(address, settings.tls) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        try:
            answer = await stub.Check(
                health_pb2.HealthCheckRequest(),
                timeout=_HEALTH_TIMEOUT_S,
                metadata=((SERVER_HEADER, name),),
            )
        except grpc.aio.AioRpcError as error:
            found = f"{address}: {error.code().name}"
            advice = (
                f"start it, or set EVERWORD_ADDRESS, or EVERWORD_{name.upper()}_ADDRESS, to where it listens; a "
                "server with TLS needs EVERWORD_TLS_CA here"
            )
            return Finding(name, False, found, advice)
    elapsed = f"{(time.perf_counter() - started) * 1000:.0f} ms"
    if answer.status == health_pb2.HealthCheckResponse.SERVING:
        return Finding(name, True, f"{address}, {elapsed}")
    advice = "look at its log: Postgres cannot be reached, or `everword migrate` has to be run"
    return Finding(name, False, f"{address}: not serving", advice)


def _key_advice(error: CallError) -> str:
    if error.code is grpc.StatusCode.UNAUTHENTICATED:
        return "set EVERWORD_API_KEY to a key that `everword keys create` made"
    if error.code is grpc.StatusCode.PERMISSION_DENIED:
        return "take a key of this namespace, or leave --namespace out"
    return "name a namespace that there is: `everword namespaces list`"


def _of_stats(stats: GetStatsResponse) -> list[Finding]:
    """Return findings from the namespace's statistics."""
    findings = []
    for alert in stats.alerts:
        critical = alert.severity == Alert.SEVERITY_CRITICAL
        findings.append(Finding("alert", not critical, alert.text))
    embedding = stats.embedding
    if not embedding.model:
        advice = "`everword models add` names one; without it, only words are searched for"
        findings.append(Finding("vectors", False, "no model embeds", advice))
    else:
        found = f"{embedding.coverage:.1%} by {embedding.model}, {embedding.pending} pending"
        waited = embedding.oldest_pending_age.ToSeconds() > _FORGOTTEN_S
        advice = (
            "no embedder worker runs, or its model does not answer: look at its log"
            if waited
            else ""
        )
        findings.append(Finding("vectors", not waited, found, advice))
    if embedding.local_forms:
        findings.append(Finding("local model", True, _local_model(embedding.local_forms)))
    if embedding.HasField("server"):
        findings.append(_embedding_server(embedding.server))
    return findings


def _embedding_server(server: EmbeddingServer) -> Finding:
    """Return what requests to the server of embeddings have shown."""
    if server.error:
        advice = "start the server, or correct EVERWORD_EMBED_API_KEY or `everword models`; searches go by words alone"
        return Finding("embedding server", False, server.error, advice)
    tokens = f"at most {server.max_tokens} tokens" if server.max_tokens else "tokens unknown"
    seconds = server.request_time.ToTimedelta().total_seconds()
    found = (
        f"{server.dimensions} dimensions, {tokens}, vectors in {'base64' if server.base64 else 'JSON'}, "
        f"last request {seconds * 1000:.0f} ms"
    )
    return Finding("embedding server", True, found)


def _local_model(forms: Sequence[LocalModelForm]) -> str:
    """Return the form of the weights in use and its speed, and the other forms for comparison."""

    def described(form: LocalModelForm) -> str:
        question, passage = (
            each.ToTimedelta().total_seconds() for each in (form.question_time, form.passage_time)
        )
        return f"{form.name}: {question * 1000:.1f} ms a question, {1 / passage:.0f} passages/s a thread"

    in_use = next((described(form) for form in forms if form.in_use), "")
    others = "; ".join(described(form) for form in forms if not form.in_use)
    return f"weights as {in_use} ({others})" if others else f"weights as {in_use}"


async def _model(client: Client) -> AsyncIterator[Finding]:
    """Ask the language model a short question; nothing is reported if none is configured."""
    request = GetCompactionStatusRequest(check_model=True)
    try:
        status = await client.maintenance_service.GetCompactionStatus(
            request, timeout=_MODEL_TIMEOUT_S
        )
    except CallError as error:
        advice = "use a faster model or server"
        yield Finding("language model", False, explain(error), advice)
        return
    if not status.HasField("model_check"):
        return
    check = status.model_check
    if check.error:
        advice = "set EVERWORD_CHAT_URL, EVERWORD_CHAT_MODEL and EVERWORD_CHAT_API_KEY right, and restart"
        yield Finding("language model", False, f"{status.model}: {check.error}", advice)
        return
    seconds = check.answer_time.ToTimedelta().total_seconds()
    found = (
        f"{status.model} answers in {seconds:.1f} s, JSON by {_FORMS[check.answer_form]}, "
        f"context of {check.context_tokens} tokens"
    )
    yield Finding("language model", True, found)


async def _queue(client: Client) -> Finding:
    """Report tasks whose jobs have been pending for too long, and failed jobs."""
    status = await client.maintenance_service.GetQueueStatus(GetQueueStatusRequest())
    late = [task for task in status.tasks if task.oldest_pending_age.ToSeconds() > _FORGOTTEN_S]
    if late:
        named = ", ".join(f"{task.task} for {age(task.oldest_pending_age)}" for task in late)
        advice = "start a worker of each of these tasks: deploy/README.md lists them"
        return Finding("background", False, f"waits: {named}", advice)
    if status.failed_jobs:
        failed = status.failed_jobs[0]
        found = f"{len(status.failed_jobs)} jobs failed, such as {failed.task}: {failed.error}"
        return Finding("background", False, found, "repair the cause, then `everword retry-failed`")
    return Finding("background", True, "no job has waited for long, and none failed")


async def _unread_sessions(client: Client) -> Finding | None:
    """Report sessions that were processed before a language model was configured; None if there are none."""
    try:
        request = SleepRequest(again=True, dry_run=True)
        [response] = [each async for each in client.maintenance_service.Sleep(request)]
    except CallError:
        # No model is configured, or the key may not write.
        return None
    if not response.estimate.sessions_without_model:
        return None
    found = f"{response.estimate.sessions_without_model} sessions were processed without a language model"
    return Finding(
        "sleep", True, found, "`everword sleep --again` reads them, and shows the cost before"
    )


async def _round_trip(client: Client) -> Finding:
    """Store a message and find it."""
    word = f"doctor{uuid4().hex[:12]}"
    started = time.perf_counter()
    message = memory_pb2.NewMessage(
        role=memory_pb2.ROLE_SYSTEM, content=f"A check by everword doctor: {word}", automated=True
    )
    key = conversation_pb2.ConversationKey(session_key=_SESSION, agent=_SESSION)
    try:
        written = await client.append(key, [message])
        found = await client.search(
            word,
            filter=memory_pb2.MemoryFilter(include_automated=True),
            limit=1,
            at_least_as_fresh=written.consistency_token,
        )
    except CallError as error:
        return Finding("write", False, explain(error), "take a key with the role write")
    elapsed = (time.perf_counter() - started) * 1000
    if [each.memory.id for each in found.results] == [written.messages[0].message_id]:
        return Finding("write", True, f"stored and found within {elapsed:.0f} ms")
    return Finding("write", False, "stored, and not found", "look at the log of search")
