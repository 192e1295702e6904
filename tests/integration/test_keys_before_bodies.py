"""HTTP servers check a key before they read a body, and parsing a body does not block the event loop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from statistics import quantiles

import httpx2
import pytest
import pytest_asyncio

from everword.v1 import admin_service_pb2 as admin
from everword.v1 import note_service_pb2 as handoff
from support.callers import bearer, make_namespaces
from support.databases import cloned
from support.hostile_bodies import APPEND, BATCH, TOOL_CALL, beside, flood, hostile_bodies
from support.http_process import serving, serving_all
from support.loops import BUSY
from support.raw_http import CHUNKED, Answer, begun, post
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

OPERATORS_KEY = "operators-key-for-tests"
OPERATOR = bearer(OPERATORS_KEY)
PATH = "/everword.v1.IngestService/AppendMessages"
SEARCH = "/everword.v1.SearchService/Search"
JSON = {"content-type": "application/json"}
#: Seconds for which hostile bodies are sent; `make test-floods` sends larger ones for longer.
FLOOD_S = 2.0
#: Limit of the 95th percentile of health checks, in seconds.
HEALTH_S = 0.1 * BUSY
#: Limit of the 95th percentile of another tenant's calls, in seconds.
CALL_S = 1.0 * BUSY


@dataclass(frozen=True)
class Served:
    """An HTTP server process, and a request for it."""

    url: str
    pid: int
    path: str
    headers: dict[str, str]
    #: A valid request, and a template for a hostile value.
    good: bytes
    around: bytes
    max_bytes: int


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database, admin_key=OPERATORS_KEY, embedder=False) as stack:
            await make_namespaces(stack, "acme", "other", metadata=OPERATOR)
            yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both(stack: Stack) -> AsyncIterator[dict[str, Served]]:
    accept = {"accept": "application/json, text/event-stream"}
    append = APPEND % b'[{"role": "ROLE_USER", "content": "A lamp."}]'
    tool = json.loads(TOOL_CALL % b"1")
    del tool["params"]["arguments"]["more"]
    async with serving_all(stack) as (urls, process):
        yield {
            "gateway": Served(
                *(urls["gateway"], process.pid, PATH, JSON, append, APPEND, 64 * 1024)
            ),
            "mcp": Served(
                *(urls["mcp"], process.pid, "/mcp", {**JSON, **accept}),
                *(json.dumps(tool).encode(), TOOL_CALL, 1024 * 1024),
            ),
        }


@pytest.fixture(params=["gateway", "mcp"])
def served(both: dict[str, Served], request: pytest.FixtureRequest) -> Served:
    found: Served = both[request.param]
    return found


async def _key(stack: Stack, namespace: str) -> dict[str, str]:
    """Return the header with a new key."""
    api_key = admin.ApiKey(namespace=namespace, role=admin.API_KEY_ROLE_WRITE)
    created = await stack.admin.CreateApiKey(
        admin.CreateApiKeyRequest(api_key=api_key), metadata=OPERATOR
    )
    return {"authorization": f"Bearer {created.secret}"}


def _message(answer: Answer) -> str:
    body = answer.json()
    return str(body.get("error", body)["message"])


@pytest.mark.parametrize(
    "shown",
    [{}, {"authorization": "Bearer no-such-key"}, {"authorization": "Basic YTpi"}],
    ids=["none", "wrong", "another scheme"],
)
@pytest.mark.parametrize("length", [{"content-length": "1000000"}, CHUNKED], ids=["told", "not"])
async def test_request_without_valid_key_is_refused_before_its_body_is_sent(
    served: Served, shown: dict[str, str], length: dict[str, str]
) -> None:
    async with begun(served.url, served.path, {**served.headers, **shown, **length}) as request:
        async with asyncio.timeout(5):
            answer = await request.answer()
    assert answer.status == 401
    assert "key" in _message(answer).lower()
    if served.path == PATH:
        assert answer.json()["code"] == "unauthenticated"
        assert [each["type"] for each in answer.json()["details"]] == ["google.rpc.ErrorInfo"]


@pytest.mark.parametrize("shown", [{}, {"authorization": "Bearer no-such-key"}], ids=["no", "bad"])
async def test_hostile_bodies_without_a_valid_key_are_not_parsed(
    served: Served, shown: dict[str, str]
) -> None:
    bodies = list(hostile_bodies(served.around, served.max_bytes).values())
    headers = {**served.headers, **shown}

    async def send(body: bytes) -> int:
        return (await post(served.url, served.path, body, headers)).status

    found = await beside(served.url, served.pid, flood(send, bodies, FLOOD_S))
    assert set(found.statuses) == {401}
    assert quantiles(found.health, n=20)[-1] <= HEALTH_S
    # Receiving a body takes some milliseconds; parsing most of them would take 100 to 800 ms.
    assert found.cpu_s / found.statuses.total() <= 0.05


async def test_tiny_chunks_without_a_key_cost_little_cpu_time(
    served: Served,
) -> None:
    chunks, sent = b"1\r\na\r\n" * 2000, 0

    async def send(chunk: bytes) -> int:
        nonlocal sent
        async with begun(served.url, served.path, {**served.headers, **CHUNKED}) as request:
            answered = asyncio.ensure_future(request.answer())
            # As fast as they are read, for the whole time.
            for _piece in range(100):
                await request.send(chunks)
                sent += len(chunks)
                await asyncio.sleep(0)
            return (await answered).status

    found = await beside(served.url, served.pid, flood(send, [b""] * 2, FLOOD_S))
    assert set(found.statuses) == {401}
    assert sent > 10_000_000
    # For each megabyte a parser in Python takes .4 s, one in C .05.
    assert found.cpu_s / sent * 1e6 <= 0.15


async def test_hostile_bodies_of_a_tenant_delay_neither_health_nor_other_tenants(
    stack: Stack, served: Served
) -> None:
    hostile, other = await _key(stack, "acme"), await _key(stack, "other")
    bodies = list(hostile_bodies(served.around, served.max_bytes).values())

    async def send(body: bytes) -> int:
        return (await post(served.url, served.path, body, {**served.headers, **hostile})).status

    async def call() -> None:
        headers = {**served.headers, **other}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as client:
            answer = await client.post(served.url + served.path, content=served.good)
        assert answer.status_code == 200

    await call()
    found = await beside(served.url, served.pid, flood(send, bodies, FLOOD_S), call)
    # Some of these bodies are valid for a tool: the hostile value is an unknown argument, which is ignored.
    assert {400} <= set(found.statuses) <= {200, 400}
    assert quantiles(found.health, n=20)[-1] <= HEALTH_S
    assert quantiles(found.calls, n=20)[-1] <= CALL_S


async def test_mcp_refuses_batches_and_too_many_values_before_parsing(
    stack: Stack, both: dict[str, Served]
) -> None:
    mcp = both["mcp"]
    headers = {**mcp.headers, **await _key(stack, "acme")}
    for body, reason in (
        (BATCH, "Send one message in each request"),
        (TOOL_CALL % (b"[%b1]" % (b"1," * 10_000)), "more than 10,000 JSON values"),
        (TOOL_CALL % (b"1" * 101), "more than 100 digits"),
    ):
        answer = await post(mcp.url, mcp.path, body, headers)
        assert answer.status == 400
        assert reason in _message(answer)


async def test_key_check_spends_neither_grant_calls_nor_rate_limits(stack: Stack) -> None:
    """A key check spends neither a grant's calls nor a namespace's rate."""
    key = await _key(stack, "acme")
    metadata = (("authorization", key["authorization"]),)
    made = await stack.notes.CreateAdvisorGrant(
        handoff.CreateAdvisorGrantRequest(
            key=handoff.HandoffKey(repo="acme/shop", issue="1"), max_calls=2
        ),
        metadata=metadata,
    )
    # A new process knows no keys.
    async with (
        serving(stack, "web", "--gateway", "{address}") as url,
        httpx2.AsyncClient(headers={"authorization": f"Bearer {made.secret}"}) as advisor,
    ):
        asked = {"key": {"repo": "acme/shop", "issue": "1"}}
        path = "/everword.v1.NoteService/GetHandoff"
        statuses = [(await advisor.post(url + path, json=asked)).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]


async def test_gateway_without_any_key_is_open_until_the_first_key_is_created(
    postgres_url: str,
) -> None:
    with cloned(postgres_url) as database:
        async with (
            running_stack(database, embedder=False) as stack,
            serving(stack, "web", "--gateway", "{address}") as url,
            httpx2.AsyncClient(base_url=url) as client,
        ):
            assert (await client.post(SEARCH, json={"query": "x"})).status_code == 200
            api_key = admin.ApiKey(role=admin.API_KEY_ROLE_ADMIN)
            await stack.admin.CreateApiKey(admin.CreateApiKeyRequest(api_key=api_key))
            await asyncio.sleep(1.1)
            assert (await client.post(SEARCH, json={"query": "x"})).status_code == 401


async def test_console_refuses_a_form_with_many_fields_or_a_long_sign_in(stack: Stack) -> None:
    async with (
        serving(stack, "web", "--console", "{address}") as url,
        httpx2.AsyncClient(base_url=url, headers={"origin": url}) as visitor,
    ):
        form = {"content-type": "application/x-www-form-urlencoded"}
        many = await visitor.post("/sign-in", content="a=&" * 1000, headers=form)
        assert many.status_code == 400
        assert "more fields than any form" in many.text
        long = await visitor.post("/sign-in", content="key=" + "a" * 20_000, headers=form)
        assert long.status_code == 400
        assert "too long" in long.text
