"""No RPC reads or changes another namespace, whatever its arguments.

The fields are found through the descriptors: a new RPC or a new id fails here until it is added.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import pytest_asyncio

from everword.chat.settings import ChatSettings
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import search_service_pb2 as search
from support.callers import within
from support.cases import unchanged
from support.databases import cloned
from support.erasure_checks import count
from support.foreign_calls import empty_calls, refused_calls
from support.foreign_filled import fill_other_namespace
from support.foreign_namespaces import (
    MODEL,
    NO_PAGE,
    NO_TOKEN,
    Theirs,
    search_request,
    wait_request,
)
from support.isolation import forget_namespaces
from support.probes import NAMELESS, WITHIN, numbers, public_methods, reaching, rows_of
from support.refusals import Refusal, read_refusal
from support.stack import Stack, running_stack
from support.twins import find_differences, twins
from support.waits import until

SHARED = pytest.mark.asyncio(loop_scope="module")
THEIRS = within("theirs")
#: They name nothing that is stored, and make something of the caller's own. A grant opens its maker's namespace alone:
#: tests/e2e/test_handoff.py holds that.
MAKING = {"CreateAdvisorGrant", "SetBudget", "SetRetentionPolicy", "RunRetention"}
#: Prices are the deployment's, and public.
EVERYBODYS = {"LoadPrices", "ListPrices", "ListPrices page_token"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests, which leave nothing behind that another could find."""
    with cloned(postgres_url) as database:
        chat = ChatSettings("http://127.0.0.1:9", MODEL)
        async with running_stack(database, chat=chat, embedder=False) as stack:
            yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def theirs(stack: Stack) -> Theirs:
    """Fill the namespace `theirs`; the callers of the tests work in `default`."""
    return await fill_other_namespace(stack)


def test_every_rpc_and_each_of_its_id_fields_is_covered() -> None:
    tried = {*refused_calls(), *empty_calls(), *MAKING, *EVERYBODYS}
    for method in public_methods():
        assert any(entry.split()[0] == method.name for entry in tried), method.name
        for path in reaching(method.input_type):
            assert f"{method.name} {path}" in tried


def test_fields_that_refer_to_resources_are_recognised() -> None:
    assert set(reaching(search.ListMessagesRequest.DESCRIPTOR)) == {
        "conversation_id",
        "page_token",
        "at_least_as_fresh",
    }
    assert "batch.messages.parent_id" in reaching(ingest.ImportMessagesRequest.DESCRIPTOR)


def test_numeric_and_bytes_fields_refer_to_no_resource_unless_listed() -> None:
    found = {(method.name, path) for method in public_methods() for path in numbers(method)}
    unsaid = {(rpc, str(path), path.field.name) for rpc, path in found if not path.within}
    nameless = set[str]().union(*NAMELESS.values())
    assert [each for each in unsaid if each[2] not in nameless] == [], "say what these name"
    # Fields that no request has any more must be removed from the list.
    assert {name for _, _, name in unsaid} == nameless
    assert {path.field.full_name.rpartition("v1.")[2] for _, path in found if path.within} == set(
        WITHIN
    )


async def _answered(call: Any) -> Any:
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        return read_refusal(error)


async def _retention_ended(stack: Stack) -> None:
    """Wait for the retention runs of other tests, which change their rows in the background."""
    running = "SELECT count(*) FROM retention_runs WHERE state = 1"
    await until(lambda: count(stack, running) == 0)


@SHARED
async def test_foreign_resources_are_reported_as_not_found(stack: Stack, theirs: Theirs) -> None:
    wrong = []
    await _retention_ended(stack)
    with unchanged(stack.database):
        for case, (reason, call) in refused_calls().items():
            answer = await _answered(call(stack, theirs))
            token = reason in {NO_PAGE, NO_TOKEN}
            code = grpc.StatusCode.INVALID_ARGUMENT if token else grpc.StatusCode.NOT_FOUND
            if not isinstance(answer, Refusal) or (answer.reason, answer.code) != (reason, code):
                wrong.append((case, answer))
    assert wrong == []


@SHARED
async def test_foreign_resources_are_in_no_response(stack: Stack, theirs: Theirs) -> None:
    wrong = []
    await _retention_ended(stack)
    with unchanged(stack.database):
        for case, (call, is_empty) in empty_calls().items():
            answer = await _answered(call(stack, theirs))
            if isinstance(answer, Refusal) or not is_empty(answer):
                wrong.append((case, answer))
    assert wrong == []


@SHARED
async def test_same_calls_find_the_resources_of_the_caller(stack: Stack, theirs: Theirs) -> None:
    """The cases above would also pass if nothing could be found at all."""
    read = search.GetMemoryRequest(memory_id=theirs.message_id)
    assert (await stack.search.GetMemory(read, metadata=THEIRS)).memory.id == theirs.message_id
    for page, token in theirs.page_tokens.items():
        assert token, page
    found = await stack.search.Search(search_request(filter=theirs.filter), metadata=THEIRS)
    assert found.results[0].memory.conversation_id == theirs.conversation_id
    waited = wait_request(theirs.consistency_token)
    await stack.ingest.WaitForIndexing(waited, metadata=THEIRS)


@SHARED
async def test_answers_for_foreign_and_nonexistent_ids_are_equal(
    stack: Stack, theirs: Theirs
) -> None:
    """Answers, errors and statements are equal for any field."""
    before = rows_of(stack.database, "theirs")
    async with twins(stack, "ours-1", "ours-2") as both:
        # Reasons in lists are text of the service itself.
        named = {"request_id": "pattern", "reason": "Their reason."}
        texts = await both.texts_of("theirs") | named
        assert await find_differences(both, theirs, texts) == []
    assert rows_of(stack.database, "theirs") == before


@SHARED
async def test_answers_for_foreign_ids_are_equal_without_filters_of_services(
    stack: Stack, theirs: Theirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database's policies alone isolate namespaces."""
    before = rows_of(stack.database, "theirs")
    forget_namespaces(monkeypatch)
    async with twins(stack, "bare-1", "bare-2") as both:
        assert await find_differences(both, theirs, {}) == []
    assert rows_of(stack.database, "theirs") == before
