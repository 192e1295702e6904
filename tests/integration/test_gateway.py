"""Every RPC over HTTP and JSON, by the Connect protocol."""

from __future__ import annotations

import base64
import json
import shlex
import struct
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from google.rpc import error_details_pb2

from everword.client import Client, ClientSettings
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import search_service_pb2 as pb
from everword_web.gateway.methods import methods_of
from support.callers import bearer, make_namespaces, within
from support.calls import append
from support.command_line import run
from support.databases import cloned
from support.documents import code_blocks
from support.http_process import serving
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

OPERATORS_KEY = "operators-key-for-tests"
OPERATOR = bearer(OPERATORS_KEY)
SEARCH = "/everword.v1.SearchService/Search"
JSON = {"content-type": "application/json"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database, admin_key=OPERATORS_KEY, embedder=False) as stack:
            await make_namespaces(stack, "acme", "other", metadata=OPERATOR)
            await append(
                stack, "The Okapi project ships in May.", metadata=(*OPERATOR, *within("acme"))
            )
            yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url(stack: Stack) -> AsyncIterator[str]:
    key = await _key(stack, "acme")
    origin = ("--origin", "https://app.example.com")
    async with serving(
        stack, "web", "--gateway", "{address}", *origin, EVERWORD_API_KEY=key
    ) as url:
        yield url


@pytest_asyncio.fixture(loop_scope="module")
async def acme(stack: Stack, url: str) -> AsyncIterator[httpx2.AsyncClient]:
    async with _caller(url, await _key(stack, "acme")) as client:
        yield client


def _caller(url: str, key: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=url, headers={"authorization": f"Bearer {key}"}, timeout=30)


async def _key(stack: Stack, namespace: str) -> str:
    api_key = admin.ApiKey(namespace=namespace, role=admin.API_KEY_ROLE_WRITE)
    created = await stack.admin.CreateApiKey(
        admin.CreateApiKeyRequest(api_key=api_key), metadata=OPERATOR
    )
    return created.secret


def _reason(body: Any) -> str:
    """Return the reason in an error's details, from its bytes."""
    [detail] = [each for each in body["details"] if each["type"] == "google.rpc.ErrorInfo"]
    info = error_details_pb2.ErrorInfo.FromString(base64.b64decode(detail["value"] + "=="))
    assert detail["debug"]["reason"] == info.reason
    assert info.domain == "everword.dev"
    return info.reason


async def test_search_over_http_post_in_json_and_binary(acme: httpx2.AsyncClient) -> None:
    found = await acme.post(SEARCH, json={"query": "When does Okapi ship?", "pageSize": 3})
    assert found.status_code == 200
    assert found.json()["results"][0]["memory"]["content"] == "The Okapi project ships in May."
    request = pb.SearchRequest(query="Okapi").SerializeToString()
    binary = {"content-type": "application/proto"}
    answered = await acme.post(SEARCH, content=request, headers=binary)
    assert pb.SearchResponse.FromString(answered.content).results[0].memory.content


async def test_gateway_uses_the_key_of_the_caller_and_never_its_own(
    stack: Stack, url: str, acme: httpx2.AsyncClient
) -> None:
    async with _caller(url, await _key(stack, "other")) as other:
        found = await other.post(SEARCH, json={"query": "Okapi"})
        assert "results" not in found.json()
    async with httpx2.AsyncClient(base_url=url) as nobody:
        refused = await nobody.post(SEARCH, json={"query": "Okapi"})
    assert refused.status_code == 401
    assert refused.json()["code"] == "unauthenticated"
    assert acme.headers["authorization"]


async def test_http_errors_correspond_to_grpc_errors(acme: httpx2.AsyncClient) -> None:
    missing = await acme.post(
        "/everword.v1.NoteService/GetNote", json={"key": {"key": "no such note"}}
    )
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    assert _reason(missing.json()) == "NOTE_NOT_FOUND"
    broken = await acme.post(SEARCH, json={"query": ""})
    assert (broken.status_code, broken.json()["code"]) == (400, "invalid_argument")
    types = [each["type"] for each in broken.json()["details"]]
    assert types == ["google.rpc.ErrorInfo", "google.rpc.BadRequest"]
    late = await acme.post(SEARCH, json={"query": "x"}, headers={"connect-timeout-ms": "0"})
    assert late.json()["code"] == "deadline_exceeded"


@pytest.mark.parametrize(
    ("path", "body", "headers", "status"),
    [
        (SEARCH, b"{", JSON, 400),
        (SEARCH, b'{"query": "x", "nope": 1}', JSON, 400),
        (SEARCH, b"[" * 100_000, JSON, 400),
        (SEARCH, b"\xff\xfe", JSON, 400),
        (SEARCH, b"\xff\xff\xff", {"content-type": "application/proto"}, 400),
        (SEARCH, b"", {"content-type": "text/plain"}, 415),
        (SEARCH, b"{}", {**JSON, "connect-timeout-ms": "soon"}, 400),
        (SEARCH, b"{}", {"content-type": "application/connect+json"}, 400),
        ("/everword.v1.SearchService/Guess", b"{}", JSON, 501),
        ("/everword.v1.IngestService/ImportMessages", b"{}", JSON, 501),
        ("/nothing", b"{}", JSON, 404),
    ],
)
async def test_unreadable_http_request_is_refused_with_its_status(
    acme: httpx2.AsyncClient, path: str, body: bytes, headers: dict[str, str], status: int
) -> None:
    answered = await acme.post(path, content=body, headers=headers)
    assert answered.status_code == status, answered.text
    assert "Traceback" not in answered.text


async def test_every_rpc_is_served_over_http_and_refuses_invalid_requests(
    acme: httpx2.AsyncClient,
) -> None:
    async with Client.connect(ClientSettings()) as client:
        methods = methods_of(client)
    assert len(methods) >= 80
    for method in methods.values():
        if method.streams_requests or method.streams_responses:
            continue
        answered = await acme.post(method.path, json={"no_such_field": 1})
        assert answered.status_code == 400, method.path
        assert _reason(answered.json()) == "VALIDATION_FAILED"


async def test_streamed_response_is_sent_in_envelopes(acme: httpx2.AsyncClient) -> None:
    message = json.dumps({"context": {"query": "Okapi"}}).encode()
    answered = await acme.post(
        "/everword.v1.ContextService/StreamContext",
        content=struct.pack(">BI", 0, len(message)) + message,
        headers={"content-type": "application/connect+json"},
    )
    parts = []
    data = answered.content
    while data:
        flags, length = struct.unpack_from(">BI", data)
        parts.append((flags, json.loads(data[5 : 5 + length])))
        data = data[5 + length :]
    assert parts[-1] == (2, {})
    assert all(flags == 0 for flags, _ in parts[:-1])
    assert "ships in May" in json.dumps(parts)


async def test_cors_allows_only_configured_origins(acme: httpx2.AsyncClient) -> None:
    asking = {"access-control-request-method": "POST", "origin": "https://app.example.com"}
    allowed = await acme.options(SEARCH, headers=asking)
    assert allowed.headers["access-control-allow-origin"] == "https://app.example.com"
    refused = await acme.options(SEARCH, headers={**asking, "origin": "https://evil.example"})
    assert "access-control-allow-origin" not in refused.headers


async def test_request_from_an_unlisted_origin_is_refused_without_preflight(
    acme: httpx2.AsyncClient,
) -> None:
    # With DNS rebinding, a browser treats another site's page as the same origin, and asks for no permission.
    body = {"query": "Okapi"}
    answered = await acme.post(SEARCH, json=body, headers={"origin": "http://evil.example:50056"})
    assert (answered.status_code, answered.json()["code"]) == (403, "permission_denied")
    assert "--origin" in answered.json()["message"]
    named = await acme.post(SEARCH, json=body, headers={"origin": "https://app.example.com"})
    assert named.status_code == 200


async def test_unsupported_content_type_is_refused_with_a_hint(acme: httpx2.AsyncClient) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    answered = await acme.post(SEARCH, content=b'{"query": "Okapi"}', headers=form)
    assert answered.status_code == 415
    assert "application/json" in answered.json()["message"]


async def test_curl_command_of_the_documentation_works(stack: Stack, url: str) -> None:
    [block] = [each for each in code_blocks("docs/http.md", "sh") if "curl" in each]
    command = shlex.split(block.replace("\\\n", " ").replace("http://127.0.0.1:50056", url))
    key = await _key(stack, "acme")
    filled = [part.replace("$EVERWORD_API_KEY", key) for part in command]
    answered = (await run(stack, *filled)).json()
    assert answered["results"][0]["memory"]["content"] == "The Okapi project ships in May."
