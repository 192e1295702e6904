"""No RPC reads or changes another namespace, whatever its arguments.

The fields are found through the descriptors: a new RPC or a new id fails here until it is added.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor

from everword import v1
from everword.chat.settings import ChatSettings
from everword.v1 import context_service_pb2 as context
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import search_service_pb2 as search
from everword.v1 import stats_pb2 as stats
from support.callers import within
from support.cases import unchanged
from support.databases import cloned
from support.erased import count
from support.foreign import (
    MODEL,
    NO_CONVERSATION,
    NO_MEMORY,
    NO_PAGE,
    NO_TOKEN,
    SUMMARIES_EMPTY,
    SUMMARIES_REFUSED,
    Call,
    Theirs,
    answer_request,
    append_request,
    browse_request,
    class_request,
    conversations_request,
    ensure_request,
    import_batch,
    search_request,
    significant_request,
    update_request,
    wait_request,
)
from support.foreign_addresses import ADDRESSES_REFUSED
from support.foreign_checkpoints import CHECKPOINTS_EMPTY, CHECKPOINTS_REFUSED
from support.foreign_costs import COSTS_EMPTY, COSTS_REFUSED
from support.foreign_documents import DOCUMENTS_EMPTY, DOCUMENTS_REFUSED
from support.foreign_erasures import ERASURES_REFUSED, RETENTION_EMPTY
from support.foreign_facts import FACTS_EMPTY, FACTS_REFUSED
from support.foreign_filled import fill_theirs
from support.foreign_filters import FILTERS_EMPTY, FILTERS_REFUSED, last_part
from support.foreign_graph import GRAPH_EMPTY, GRAPH_REFUSED
from support.foreign_lore import LORE_EMPTY, LORE_REFUSED
from support.foreign_notes import NOTES_EMPTY, NOTES_REFUSED
from support.foreign_patterns import (
    PATTERNS_EMPTY,
    PATTERNS_REFUSED,
)
from support.foreign_people import PEOPLE_EMPTY, PEOPLE_REFUSED
from support.foreign_reads import READS_REFUSED
from support.foreign_topics import TOPICS_EMPTY, TOPICS_REFUSED
from support.isolation import forget_namespaces
from support.probes import NAMELESS, WITHIN, numbers, rows_of
from support.refusals import Refusal, read_refusal
from support.stack import Stack, running_stack
from support.twins import tell_apart, twins
from support.waiting import until

SHARED = pytest.mark.asyncio(loop_scope="module")
THEIRS = within("theirs")
#: Ids chosen by callers, which are looked up only within the namespace.
OWN_IDS = {"request_id", "external_id", "client_session_id", "client_session_ids", "channel_id"}
OWN_IDS |= {"run_id", "run_ids"}
TOKENS = {"page_token", "resume_token", "consistency_token", "at_least_as_fresh"}
#: RPCs that take no ids of stored resources, and create one of the caller's own. A grant only opens its creator's
#: namespace, which tests/e2e/test_handoff.py checks.
MAKING = {"CreateAdvisorGrant", "SetBudget", "SetRetentionPolicy", "RunRetention"}
#: RPCs of operators, who may access all namespaces.
OPERATORS = "AdminService"
#: Prices belong to the deployment, and are public.
EVERYBODYS = {"LoadPrices", "ListPrices"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests, which leave nothing behind that another could find."""
    with cloned(postgres_url) as database:
        chat = ChatSettings("http://127.0.0.1:9", MODEL)
        async with running_stack(database, chat=chat) as stack:
            yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def theirs(stack: Stack) -> Theirs:
    """Fill the namespace `theirs`; the callers of the tests work in `default`."""
    return await fill_theirs(stack)


#: By RPC and field: the call with a foreign value, and the reason of its refusal.
REFUSED: dict[str, tuple[str, Call]] = {
    **SUMMARIES_REFUSED,
    **FACTS_REFUSED,
    **PATTERNS_REFUSED,
    **PEOPLE_REFUSED,
    **GRAPH_REFUSED,
    **NOTES_REFUSED,
    **LORE_REFUSED,
    **COSTS_REFUSED,
    **ERASURES_REFUSED,
    **TOPICS_REFUSED,
    **CHECKPOINTS_REFUSED,
    **ADDRESSES_REFUSED,
    **DOCUMENTS_REFUSED,
    **FILTERS_REFUSED,
    **READS_REFUSED,
    "EnsureConversation conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.ingest.EnsureConversation(update_request(t.conversation_id)),
    ),
    "AppendMessages conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.ingest.AppendMessages(append_request(t.conversation_id)),
    ),
    "AppendMessages messages.parent_id": (
        NO_MEMORY,
        lambda s, t: s.ingest.AppendMessages(answer_request(t.message_id)),
    ),
    "ImportMessages batch.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: import_batch(s, append_request(t.conversation_id)),
    ),
    "ImportMessages batch.messages.parent_id": (
        NO_MEMORY,
        lambda s, t: import_batch(s, answer_request(t.message_id)),
    ),
    "Sleep conversation_id": (
        NO_CONVERSATION,
        lambda s, t: last_sleep(s, conversation_id=t.conversation_id),
    ),
    "MarkUsed memory_ids": (
        NO_MEMORY,
        lambda s, t: s.ingest.MarkUsed(ingest.MarkUsedRequest(memory_ids=[t.message_id])),
    ),
    "UpdateMemory memory.id": (
        NO_MEMORY,
        lambda s, t: s.ingest.UpdateMemory(class_request(t.message_id)),
    ),
    "WaitForIndexing consistency_token": (
        NO_TOKEN,
        lambda s, t: s.ingest.WaitForIndexing(wait_request(t.consistency_token)),
    ),
    "StreamContext context.conversation_id": (
        NO_CONVERSATION,
        lambda s, t: last_part(
            s, context.BuildContextRequest(query="words", conversation_id=t.conversation_id)
        ),
    ),
    "StreamContext context.at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: last_part(
            s, context.BuildContextRequest(query="words", at_least_as_fresh=t.consistency_token)
        ),
    ),
    "BuildContext conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.context.BuildContext(
            context.BuildContextRequest(query="words", conversation_id=t.conversation_id)
        ),
    ),
    "Compact conversation_id": (
        NO_CONVERSATION,
        lambda s, t: s.maintenance.Compact(
            maintenance.CompactRequest(conversation_id=t.conversation_id)
        ),
    ),
    "BuildContext at_least_as_fresh": (
        NO_TOKEN,
        lambda s, t: s.context.BuildContext(
            context.BuildContextRequest(query="words", at_least_as_fresh=t.consistency_token)
        ),
    ),
}

#: By RPC, and field if any: the call, and a check that its answer contains nothing of the other namespace.
EMPTY: dict[str, tuple[Call, Callable[[Any], bool]]] = {
    **SUMMARIES_EMPTY,
    **FACTS_EMPTY,
    **PATTERNS_EMPTY,
    **PEOPLE_EMPTY,
    **GRAPH_EMPTY,
    **NOTES_EMPTY,
    **LORE_EMPTY,
    **COSTS_EMPTY,
    **RETENTION_EMPTY,
    **TOPICS_EMPTY,
    **CHECKPOINTS_EMPTY,
    **DOCUMENTS_EMPTY,
    **FILTERS_EMPTY,
    "EnsureConversation": (
        lambda s, t: s.ingest.EnsureConversation(ensure_request(), metadata=within("third")),
        lambda answer: answer.conversation.message_count == 0,
    ),
    "Search": (lambda s, t: s.search.Search(search_request()), lambda answer: not answer.results),
    "Browse": (lambda s, t: s.search.Browse(browse_request()), lambda answer: not answer.memories),
    "ListConversations": (
        lambda s, t: s.search.ListConversations(conversations_request()),
        lambda answer: not answer.conversations,
    ),
    "GetStats": (
        lambda s, t: s.search.GetStats(search.GetStatsRequest()),
        lambda answer: (
            (answer.corpus, answer.embedding.pending, list(answer.tasks))
            == (stats.CorpusStats(), 0, [])
        ),
    ),
    "StreamContext": (
        lambda s, t: last_part(s, context.BuildContextRequest(query="words")),
        lambda answer: (answer.end.token_count, answer.end.omitted) == (0, 0),
    ),
    "BuildContext": (
        lambda s, t: s.context.BuildContext(context.BuildContextRequest(query="words")),
        lambda answer: (answer.text, answer.omitted) == ("", 0),
    ),
    "GetQueueStatus": (
        lambda s, t: s.maintenance.GetQueueStatus(maintenance.GetQueueStatusRequest()),
        lambda answer: answer == maintenance.GetQueueStatusResponse(),
    ),
    "RollUp": (
        lambda s, t: s.maintenance.RollUp(maintenance.RollUpRequest()),
        lambda answer: answer.periods == 0,
    ),
    "RecordSignificant": (
        lambda s, t: s.ingest.RecordSignificant(significant_request(), metadata=within("third")),
        lambda answer: answer.replayed,
    ),
    "Compact": (
        lambda s, t: s.maintenance.Compact(maintenance.CompactRequest()),
        lambda answer: answer == maintenance.CompactResponse(),
    ),
    "RetryJobs": (
        lambda s, t: s.maintenance.RetryJobs(maintenance.RetryJobsRequest()),
        lambda answer: answer.jobs == 0,
    ),
    "Backfill": (
        lambda s, t: s.maintenance.Backfill(
            maintenance.BackfillRequest(target=maintenance.BACKFILL_TARGET_EMBEDDINGS)
        ),
        lambda answer: answer.items == 0,
    ),
}


async def last_sleep(stack: Stack, **fields: str) -> maintenance.SleepResponse:
    """Return the first response of Sleep; no worker runs in these calls."""
    call = stack.maintenance.Sleep(maintenance.SleepRequest(**fields))
    try:
        async for response in call:
            return response
    finally:
        call.cancel()
    raise AssertionError("it said nothing")


def _methods() -> Iterator[MethodDescriptor]:
    """Yield every tenant RPC."""
    for entry in pkgutil.iter_modules(v1.__path__, "everword.v1."):
        if entry.name.endswith("_service_pb2"):
            module = importlib.import_module(entry.name)
            for service in module.DESCRIPTOR.services_by_name.values():
                if service.name != OPERATORS:
                    yield from service.methods


def _reaching(kind: Descriptor, prefix: str = "") -> Iterator[str]:
    """Yield the paths of fields with ids or tokens of stored resources."""
    field: FieldDescriptor
    if "id" in kind.fields_by_name:
        # A changed resource is named only by its id.
        yield f"{prefix}id"
        return
    for field in kind.fields:
        path = f"{prefix}{field.name}"
        inner = field.message_type
        if inner is not None and inner.file.package == "everword.v1":
            yield from _reaching(inner, f"{path}.")
        elif field.name in TOKENS or (
            field.name.removesuffix("s").endswith("_id") and field.name not in OWN_IDS
        ):
            yield path


def test_every_rpc_and_every_id_of_one_is_tried() -> None:
    tried = {*REFUSED, *EMPTY, *MAKING, *EVERYBODYS}
    for method in _methods():
        assert any(entry.split()[0] == method.name for entry in tried), method.name
        for path in _reaching(method.input_type):
            assert f"{method.name} {path}" in tried


def test_fields_that_reach_are_recognised() -> None:
    assert set(_reaching(search.ListMessagesRequest.DESCRIPTOR)) == {
        "conversation_id",
        "page_token",
        "at_least_as_fresh",
    }
    assert "batch.messages.parent_id" in _reaching(ingest.ImportMessagesRequest.DESCRIPTOR)


def test_numbers_and_bytes_name_nothing_but_beside_an_id_or_a_name() -> None:
    found = {(method.name, path) for method in _methods() for path in numbers(method)}
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
async def test_what_is_theirs_does_not_exist_for_others(stack: Stack, theirs: Theirs) -> None:
    wrong = []
    await _retention_ended(stack)
    with unchanged(stack.database):
        for case, (reason, call) in REFUSED.items():
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
        for case, (call, is_empty) in EMPTY.items():
            answer = await _answered(call(stack, theirs))
            if isinstance(answer, Refusal) or not is_empty(answer):
                wrong.append((case, answer))
    assert wrong == []


@SHARED
async def test_the_same_calls_find_what_is_the_callers_own(stack: Stack, theirs: Theirs) -> None:
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
async def test_nothing_tells_what_is_theirs_from_what_never_was(
    stack: Stack, theirs: Theirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers, errors and statements are equal for any field, even without the services' own filters."""
    before = rows_of(stack.database, "theirs")
    async with twins(stack, "ours-1", "ours-2") as both:
        # Reasons in lists are text of the service itself.
        named = {"request_id": "pattern", "reason": "Their reason."}
        texts = await both.texts_of("theirs") | named
        assert await tell_apart(both, theirs, texts) == []
    forget_namespaces(monkeypatch)
    async with twins(stack, "bare-1", "bare-2") as both:
        assert await tell_apart(both, theirs, {}) == []
    assert rows_of(stack.database, "theirs") == before
