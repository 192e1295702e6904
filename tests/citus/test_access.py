"""Keys, limits, budgets and namespaces over gRPC on a distributed database."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import grpc
import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask

from everword.db.pool import Database
from everword.quotas import quotas
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import cost_service_pb2 as costs
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import search_service_pb2 as search
from everword_ingest.housekeeping.housekeeping import Housekeeping
from support.callers import make_namespaces, within
from support.calls import append, message, target
from support.citus_cluster import SHARDS, WORKERS
from support.citus_database import Distributed
from support.command_line import everword
from support.costs import Accounts, budget, kinds, spent
from support.keyed_stack import keyed
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")
ADMIN_KEY = "an operator's key of 32 characters"
WRITE = admin.API_KEY_ROLE_WRITE


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def operator(distributed: Distributed) -> AsyncIterator[Stack]:
    """Yield the services, called with an operator's key; the deployment is open again afterwards."""
    async with (
        running_stack(distributed.database, admin_key=ADMIN_KEY, embedder=False) as stack,
        keyed(stack, ADMIN_KEY) as called,
    ):
        yield called
    with distributed.database.connect() as conn:
        conn.execute("DELETE FROM api_keys WHERE description = 'for a test'")
        conn.execute("UPDATE deployment SET closed = false")


async def _create(operator: Stack, namespace: str, **bound: Any) -> admin.CreateApiKeyResponse:
    key = admin.ApiKey(namespace=namespace, role=WRITE, description="for a test", **bound)
    return await operator.admin.CreateApiKey(admin.CreateApiKeyRequest(api_key=key))


def _by(agent: str, text: str, subject: str = "") -> ingest.AppendMessagesRequest:
    conversation = target(f"of {subject}", agent=agent, subject=subject)
    return ingest.AppendMessagesRequest(conversation=conversation, messages=[message(text)])


async def _found(stack: Stack, query: str = "mango") -> set[str]:
    found = await stack.search.Search(search.SearchRequest(query=query))
    return {each.memory.content for each in found.results}


async def test_scoped_keys_read_and_write_only_their_agent_or_subject(operator: Stack) -> None:
    await make_namespaces(operator, "orchard", "elsewhere")
    bounds: list[dict[str, str]] = [{}, {"agent": "mine"}, {"subject": "ana"}]
    async with AsyncExitStack() as keys:
        whole, agent, subject = [
            await keys.enter_async_context(
                keyed(operator, (await _create(operator, "orchard", **bound)).secret)
            )
            for bound in bounds
        ]
        for name, of in (("mine", "bo"), ("other", "ana"), ("other", "bo")):
            request = _by(name, f"Mango of {name} and {of}.", subject=of)
            writer = agent if name == "mine" else subject if of == "ana" else whole
            await writer.ingest.AppendMessages(request)
        assert await _found(whole) == {
            *("Mango of mine and bo.", "Mango of other and ana.", "Mango of other and bo.")
        }
        assert await _found(agent) == {"Mango of mine and bo."}
        assert await _found(subject) == {"Mango of other and ana."}
        foreign = _by("other", "As another.")
        assert (await refused(agent.ingest.AppendMessages(foreign))).reason == "KEY_OUT_OF_SCOPE"
        listed = await agent.search.ListConversations(search.ListConversationsRequest())
        assert {each.key.agent for each in listed.conversations} == {"mine"}
        refusal = await refused(
            whole.search.Search(search.SearchRequest(query="mango"), metadata=within("elsewhere"))
        )
        assert refusal.reason == "ACCESS_DENIED"


async def test_rotated_key_ends_after_the_overlap_and_revoked_key_at_once(operator: Stack) -> None:
    await make_namespaces(operator, "keys")
    made = await _create(operator, "keys", agent="mine")
    rotated = await operator.admin.RotateApiKey(
        admin.RotateApiKeyRequest(api_key_id=made.api_key.id)
    )
    assert rotated.previous.expire_time.ToSeconds() > 0
    assert (rotated.api_key.agent, rotated.api_key.namespace) == ("mine", "keys")
    for secret in (made.secret, rotated.secret):
        async with keyed(operator, secret) as called:
            assert await _found(called) == set()
    request = admin.RevokeApiKeyRequest(api_key_id=rotated.api_key.id)
    revoked = (await operator.admin.RevokeApiKey(request)).api_key
    assert revoked.revoke_time.ToSeconds() > 0
    assert (await operator.admin.RevokeApiKey(request)).api_key == revoked
    listed = await operator.admin.ListApiKeys(admin.ListApiKeysRequest(namespace="keys"))
    assert [each.id for each in listed.api_keys] == [made.api_key.id, rotated.api_key.id]
    await asyncio.sleep(1.1)  # Servers remember a key for a second.
    async with keyed(operator, rotated.secret) as ended:
        refusal = await refused(ended.search.Browse(search.BrowseRequest()))
    assert refusal.code is grpc.StatusCode.UNAUTHENTICATED


async def _limit(operator: Stack, namespace: str, **limits: int) -> admin.Namespace:
    request = admin.UpdateNamespaceRequest(
        namespace=admin.Namespace(name=namespace, limits=admin.NamespaceLimits(**limits)),
        update_mask=FieldMask(paths=[f"limits.{each}" for each in limits]),
    )
    return (await operator.admin.UpdateNamespace(request)).namespace


async def test_rate_and_storage_limits_refuse_calls(
    operator: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "FOLD_S", 0.2)
    await make_namespaces(operator, "metered")
    await _limit(operator, "metered", messages_per_minute=1000, stored_bytes=10)
    secret = (await _create(operator, "metered")).secret
    async with keyed(operator, secret) as tenant:
        await append(tenant, "Twenty bytes of text.")
        pool = Database(operator.database.settings("ingest"), "ingest")
        await pool.open()
        try:
            await Housekeeping(pool).measure_stored()
        finally:
            await pool.close()
        await _reaches(tenant, "STORAGE_LIMIT_REACHED")
        await _limit(operator, "metered", stored_bytes=0, messages_per_minute=2)
        await _reaches(tenant, "RATE_LIMIT_REACHED")


async def _reaches(tenant: Stack, reason: str) -> None:
    """Append until a limit is reached: each process reads limits at its next exchange."""
    async with asyncio.timeout(20):
        while True:
            try:
                await append(tenant, "One more.")
            except grpc.aio.AioRpcError as error:
                if reason in str(error.trailing_metadata()):
                    return
            await asyncio.sleep(0.3)


async def test_calls_are_charged_exactly_and_a_spent_budget_is_reported(operator: Stack) -> None:
    accounts = await Accounts.opened(operator, "accounts")
    limits = [
        await accounts.limit(request)
        for request in (budget(cost="0.001", warn_percent=50), budget(tokens=5_000, agent="mine"))
    ]
    stored = await operator.ingest.AppendMessages(
        _by("mine", "Whose agent pays?"),
        metadata=accounts.metadata,
    )
    recorded = await accounts.record(
        spent("gpt-5-mini", 100, 7, cached_tokens=10, provider="openai"),
        spent("house-model", 5_000, 100, conversation_id=stored.conversation_id),
        request_id="once",
    )
    assert [each.cost.amount for each in recorded.usages] == ["0.00003675", ""]
    # The second call has the agent of its conversation.
    assert kinds(recorded.events) == ["warning", "exceeded"]
    assert {each.budget.id for each in recorded.events} == {limits[1].budget.id}
    repeated = await accounts.record(
        spent("gpt-5-mini", 100, 7, cached_tokens=10, provider="openai"),
        spent("house-model", 5_000, 100, conversation_id=stored.conversation_id),
        request_id="once",
    )
    assert (repeated.replayed, repeated.events) == (True, recorded.events)
    await asyncio.gather(*(accounts.record(spent(read=1, cost="0.0001")) for _ in range(12)))
    standing = await accounts.standing(limits[0].budget.id)
    assert Decimal(standing.spent.amount) == Decimal("0.00123675")
    assert await accounts.total() == Decimal("0.00123675")
    groups = await accounts.groups(costs.COST_GROUPING_AGENT)
    assert {each.agent: each.calls for each in groups} == {"": 13, "mine": 1}


async def test_namespaces_are_created_changed_and_listed(operator: Stack) -> None:
    settings = admin.NamespaceSettings(time_zone="Europe/Amsterdam", text_search_config="dutch")
    request = admin.UpdateNamespaceRequest(
        namespace=admin.Namespace(name="settings", settings=settings),
        update_mask=FieldMask(paths=["settings.time_zone", "settings.text_search_config"]),
    )
    await make_namespaces(operator, "settings")
    changed = (await operator.admin.UpdateNamespace(request)).namespace
    assert (changed.settings.time_zone, changed.settings.text_search_config) == (
        *("Europe/Amsterdam", "dutch"),
    )
    got: Any = await operator.admin.GetNamespace(admin.GetNamespaceRequest(name="settings"))
    assert got.namespace == changed
    listed = await operator.admin.ListNamespaces(admin.ListNamespacesRequest())
    assert changed in listed.namespaces
    again = admin.CreateNamespaceRequest(namespace=admin.Namespace(name="settings"))
    assert (await refused(operator.admin.CreateNamespace(again))).reason == (
        "NAMESPACE_ALREADY_EXISTS"
    )


async def test_doctor_shows_nodes_shards_and_balance(
    operator: Stack, distributed: Distributed
) -> None:
    variables = {
        "EVERWORD_API_KEY": ADMIN_KEY,
        "EVERWORD_ADMIN_DATABASE_URL": distributed.cluster.coordinator,
    }
    finished = await everword(operator, "doctor", "--json", **variables)
    found = {each["check"]: each for each in json.loads(finished.output)}
    nodes = [
        found[f"node {urlsplit(url).netloc.split('@')[1]}"] for url in distributed.cluster.nodes
    ]
    assert [each["found"].split(",")[:2] for each in nodes] == [
        ["coordinator", " without shards"],
        *([["worker", f" {SHARDS // WORKERS} shards"]] * WORKERS),
    ]
    # Other tests add namespaces.
    assert re.match(r"\S+ [\d.]+ k?B on 127\.0\.0\.1:\d+", found["largest namespaces"]["found"])
    assert found["balance"] == {
        "check": "balance",
        "ok": True,
        "found": "nodes have equal shares",
        "advice": "",
    }
    shown = await everword(operator, "doctor", **variables)
    assert "nodes have equal shares" in shown.output
