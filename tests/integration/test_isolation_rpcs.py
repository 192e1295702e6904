"""No RPC reaches into another namespace, by whatever it is given.

The fields that could reach are found through the descriptors: a new RPC or a new id fails here until it is added.
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
from support.erased import count
from support.foreign import MODEL, NO_PAGE, NO_TOKEN, Theirs, search_request, wait_request
from support.foreign_calls import empty_calls, refused_calls
from support.foreign_filled import fill_theirs
from support.isolation import forget_namespaces
from support.probes import NAMELESS, WITHIN, numbers, public_methods, reaching, rows_of
from support.refusals import Refusal, read_refusal
from support.stack import Stack, running_stack
from support.twins import tell_apart, twins
from support.waiting import until

SHARED = pytest.mark.asyncio(loop_scope="module")
THEIRS = within("theirs")
#: They name nothing that is stored, and make something of the caller's own. A grant opens its maker's namespace alone:
#: tests/e2e/test_handoff.py holds that.
MAKING = {"CreateAdvisorGrant", "SetBudget", "SetRetentionPolicy", "RunRetention"}
#: Prices are the deployment's, and public.
EVERYBODYS = {"LoadPrices", "ListPrices", "ListPrices page_token"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """One stack for all: no test leaves anything behind that another could find."""
    with cloned(postgres_url) as database:
        chat = ChatSettings("http://127.0.0.1:9", MODEL)
        async with running_stack(database, chat=chat) as stack:
            yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def theirs(stack: Stack) -> Theirs:
    """Fill the namespace `theirs`; the callers of the tests work in `default`."""
    return await fill_theirs(stack)


def test_every_rpc_and_every_id_of_one_is_tried() -> None:
    tried = {*refused_calls(), *empty_calls(), *MAKING, *EVERYBODYS}
    for method in public_methods():
        assert any(entry.split()[0] == method.name for entry in tried), method.name
        for path in reaching(method.input_type):
            assert f"{method.name} {path}" in tried


def test_fields_that_reach_are_recognised() -> None:
    assert set(reaching(search.ListMessagesRequest.DESCRIPTOR)) == {
        "conversation_id",
        "page_token",
        "at_least_as_fresh",
    }
    assert "batch.messages.parent_id" in reaching(ingest.ImportMessagesRequest.DESCRIPTOR)


def test_numbers_and_bytes_name_nothing_but_beside_an_id_or_a_name() -> None:
    found = {(method.name, path) for method in public_methods() for path in numbers(method)}
    unsaid = {(rpc, str(path), path.field.name) for rpc, path in found if not path.within}
    nameless = set[str]().union(*NAMELESS.values())
    assert [each for each in unsaid if each[2] not in nameless] == [], "say what these name"
    # What no request has any more is not listed either.
    assert {name for _, _, name in unsaid} == nameless
    assert {path.field.full_name.rpartition("v1.")[2] for _, path in found if path.within} == set(
        WITHIN
    )


async def _answered(call: Any) -> Any:
    """Return the answer of a call, or its refusal."""
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        return read_refusal(error)


async def _retention_ended(stack: Stack) -> None:
    """Wait for the retention runs of other tests, which change their rows in the background."""
    running = "SELECT count(*) FROM retention_runs WHERE state = 1"
    await until(lambda: count(stack, running) == 0)


@SHARED
async def test_what_is_theirs_does_not_exist_for_others(stack: Stack, theirs: Theirs) -> None:
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
async def test_what_is_theirs_is_in_no_answer_to_others(stack: Stack, theirs: Theirs) -> None:
    wrong = []
    await _retention_ended(stack)
    with unchanged(stack.database):
        for case, (call, is_empty) in empty_calls().items():
            answer = await _answered(call(stack, theirs))
            if isinstance(answer, Refusal) or not is_empty(answer):
                wrong.append((case, answer))
    assert wrong == []


@SHARED
async def test_the_same_calls_find_what_is_the_callers_own(stack: Stack, theirs: Theirs) -> None:
    """The cases above would pass where nothing can be found at all."""
    read = search.GetMemoryRequest(memory_id=theirs.message_id)
    assert (await stack.search.GetMemory(read, metadata=THEIRS)).memory.id == theirs.message_id
    for page, token in theirs.page_tokens.items():
        assert token, page
    found = await stack.search.Search(search_request(filter=theirs.filter), metadata=THEIRS)
    assert found.results[0].memory.conversation_id == theirs.conversation_id
    waited = wait_request(theirs.consistency_token)
    await stack.ingest.WaitForIndexing(waited, metadata=THEIRS)


@SHARED
async def test_nothing_tells_what_is_theirs_from_what_never_was(
    stack: Stack, theirs: Theirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither answers nor errors nor statements, whatever stands in any field; nor without the services' filters."""
    before = rows_of(stack.database, "theirs")
    async with twins(stack, "ours-1", "ours-2") as both:
        # The reasons that lists show are the service's own words.
        named = {"request_id": "pattern", "reason": "Their reason."}
        texts = await both.texts_of("theirs") | named
        assert await tell_apart(both, theirs, texts) == []
    forget_namespaces(monkeypatch)
    async with twins(stack, "bare-1", "bare-2") as both:
        assert await tell_apart(both, theirs, {}) == []
    assert rows_of(stack.database, "theirs") == before
