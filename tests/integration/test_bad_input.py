"""Invalid writes are refused with reason and field, and store nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import grpc
import pytest
import pytest_asyncio
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.struct_pb2 import Struct, Value
from google.protobuf.timestamp_pb2 import Timestamp

from everword.client.channel import open_channel
from everword.v1 import conversation_pb2 as conversation
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import memory_pb2 as memory
from support.callers import raw_call
from support.calls import append, append_request, message, target
from support.cases import Case, unchanged
from support.databases import cloned
from support.foreign_namespaces import class_request
from support.refusals import refused
from support.stack import Stack, running_stack

SHARED = pytest.mark.asyncio(loop_scope="module")
MIB = 1024 * 1024
YEAR_10000 = Timestamp(seconds=253_402_300_800)


def _message(field: str, **fields: Any) -> Case:
    """Return a case of a message with an invalid `field`."""
    request = append_request(message(**fields))
    return Case(lambda s: s.ingest.AppendMessages(request), f"messages[0].{field}")


def _append(field: str | None, request: ingest.AppendMessagesRequest, **how: Any) -> Case:
    return Case(lambda s: s.ingest.AppendMessages(request), field, **how)


def _struct(value: Value) -> Struct:
    return Struct(fields={"key": value})


def _messages(count: int, size: int = 1) -> ingest.AppendMessagesRequest:
    return append_request(*["x" * size] * count)


MESSAGES: dict[str, Case] = {
    "content over 1 MiB": _message("content", content="x" * (MIB + 1)),
    "content over 1 MiB in bytes, not characters": _message(
        "content", content="ä" * (MIB // 2 + 1)
    ),
    "tool_args over 1 MiB": _message("tool_args", tool_args="x" * (MIB + 1)),
    "tool_result over 1 MiB": _message("tool_result", tool_result="x" * (MIB + 1)),
    "NUL in content": _message("content", content="a\0b"),
    "NUL in author": _message("author", author="\0"),
    "NUL in a tag": _message("tags", tags=["a\0b"]),
    "NUL in a key of metadata": _message("metadata.fields (a key)", metadata={"a\0b": 1}),
    "NUL in a value of metadata": _message(
        "metadata.fields['a'].string_value", metadata={"a": "\0"}
    ),
    "NUL in an external id": _message("external_id", external_id="\0"),
    "NUL in a content block": _message(
        "content_blocks[0].json",
        content_blocks=[memory.ContentBlock(type="json", json="\0")],
    ),
    "a role that there is not": _message("role", role=99),
    "no role": _message("role", role=0),
    "a class that there is not": _message("importance_class", importance_class=99),
    "a negative token count": _message("token_count", token_count=-1),
    "the same tag twice": _message("tags", tags=["a", "a"]),
    "an empty tag": _message("tags[0]", tags=[""]),
    "33 tags": _message("tags", tags=[str(number) for number in range(33)]),
    "a malformed parent": _message("parent_id", parent_id="the one before"),
    "a time after the year 9999": _message("create_time", create_time=YEAR_10000),
    "a time before the year 1": _message(
        "create_time", create_time=Timestamp(seconds=-62_135_596_801)
    ),
    "a time with too many nanoseconds": _message(
        "create_time", create_time=Timestamp(nanos=1_000_000_000)
    ),
    "metadata that is not a number": _message(
        "metadata", metadata=_struct(Value(number_value=float("nan")))
    ),
    "metadata that has no end": _message(
        "metadata", metadata=_struct(Value(number_value=float("inf")))
    ),
    "a content block of no type": _message(
        "content_blocks[0].type", content_blocks=[memory.ContentBlock(text="text")]
    ),
}

APPENDS: dict[str, Case] = {
    "no message": _append("messages", ingest.AppendMessagesRequest(conversation=target())),
    "1,001 messages": _append("messages", _messages(1001)),
    "a request over 16 MiB": _append(
        None,
        _messages(17, MIB),
        code=grpc.StatusCode.RESOURCE_EXHAUSTED,
        reason="REQUEST_TOO_LARGE",
    ),
    "no conversation": _append(
        "target", ingest.AppendMessagesRequest(messages=[message("Hello.")])
    ),
    "a malformed conversation id": _append(
        "conversation_id",
        ingest.AppendMessagesRequest(conversation_id="1", messages=[message("Hello.")]),
    ),
    "an unknown conversation": _append(
        None,
        ingest.AppendMessagesRequest(conversation_id=str(uuid4()), messages=[message("Hello.")]),
        code=grpc.StatusCode.NOT_FOUND,
        reason="CONVERSATION_NOT_FOUND",
    ),
    "an empty session key": _append(
        "conversation.key.session_key", append_request("Hello.", session_key="")
    ),
    "NUL in the session key": _append(
        "conversation.key.session_key", append_request("Hello.", session_key="a\0b")
    ),
    "NUL in the request id": _append("request_id", append_request("Hello.", request_id="\0")),
    "one external id for two messages": _append(
        None,
        append_request(message("One.", external_id="e"), message("Two.", external_id="e")),
        code=grpc.StatusCode.ALREADY_EXISTS,
        reason="EXTERNAL_ID_CONFLICT",
    ),
    "settings of an appended conversation that are not a number": _append(
        "conversation.details.settings",
        ingest.AppendMessagesRequest(
            conversation=ingest.ConversationTarget(
                key=conversation.ConversationKey(session_key="s"),
                details=conversation.ConversationDetails(
                    settings=_struct(Value(number_value=float("nan")))
                ),
            ),
            messages=[message("Hello.")],
        ),
    ),
    "settings that are not a number": Case(
        lambda s: s.ingest.EnsureConversation(
            ingest.EnsureConversationRequest(
                key=conversation.ConversationKey(session_key="s"),
                details=conversation.ConversationDetails(
                    settings=_struct(Value(number_value=float("nan")))
                ),
            )
        ),
        "details.settings",
    ),
    "the second message of an imported batch": Case(
        lambda s: s.ingest.ImportMessages(
            iter(
                [
                    ingest.ImportMessagesRequest(
                        batch=append_request("Good.", message("No role.", role=0))
                    )
                ]
            )
        ),
        "batch.messages[1].role",
    ),
    "the time of an imported message": Case(
        lambda s: s.ingest.ImportMessages(
            iter(
                [
                    ingest.ImportMessagesRequest(
                        batch=append_request(message("Late.", create_time=YEAR_10000))
                    )
                ]
            )
        ),
        "batch.messages[0].create_time",
    ),
}


def _update(*paths: str, **details: Any) -> ingest.EnsureConversationRequest:
    return ingest.EnsureConversationRequest(
        conversation_id=str(uuid4()),
        details=conversation.ConversationDetails(**details),
        update_mask=FieldMask(paths=paths),
    )


OTHER_WRITES: dict[str, Case] = {
    "an update of an unknown field": Case(
        lambda s: s.ingest.EnsureConversation(_update("details.subject")),
        "update_mask",
    ),
    "an update of nothing": Case(lambda s: s.ingest.EnsureConversation(_update()), "update_mask"),
    "an update without a mask": Case(
        lambda s: s.ingest.EnsureConversation(
            ingest.EnsureConversationRequest(conversation_id=str(uuid4()))
        ),
        "update_mask",
    ),
    "an update of an unknown conversation": Case(
        lambda s: s.ingest.EnsureConversation(_update("details.title")),
        None,
        grpc.StatusCode.NOT_FOUND,
        "CONVERSATION_NOT_FOUND",
    ),
    "settings of an update that are not a number": Case(
        lambda s: s.ingest.EnsureConversation(
            _update("details.settings", settings=_struct(Value(number_value=float("nan"))))
        ),
        "details.settings",
    ),
    "the use of an unknown memory": Case(
        lambda s: s.ingest.MarkUsed(
            ingest.MarkUsedRequest(memory_ids=[str(uuid4())], request_id="r")
        ),
        None,
        grpc.StatusCode.NOT_FOUND,
        "MEMORY_NOT_FOUND",
    ),
    "the use of nothing": Case(lambda s: s.ingest.MarkUsed(ingest.MarkUsedRequest()), "memory_ids"),
    "the use of what is no id": Case(
        lambda s: s.ingest.MarkUsed(ingest.MarkUsedRequest(memory_ids=["x"])), "memory_ids[0]"
    ),
    "the use of 201 memories": Case(
        lambda s: s.ingest.MarkUsed(
            ingest.MarkUsedRequest(memory_ids=[str(uuid4()) for _ in range(201)])
        ),
        "memory_ids",
    ),
    "the class of an unknown memory": Case(
        lambda s: s.ingest.UpdateMemory(class_request(str(uuid4()))),
        None,
        grpc.StatusCode.NOT_FOUND,
        "MEMORY_NOT_FOUND",
    ),
    "a class that there is not": Case(
        lambda s: s.ingest.UpdateMemory(class_request(str(uuid4()), 99)),  # type: ignore[arg-type]
        "memory.importance_class",
    ),
    "a consistency token from nowhere": Case(
        lambda s: s.ingest.WaitForIndexing(
            ingest.WaitForIndexingRequest(
                consistency_token="bm93aGVyZQ", stage=ingest.INDEXING_STAGE_LEXICAL
            )
        ),
        None,
        reason="CONSISTENCY_TOKEN_INVALID",
    ),
    "a stage that there is not": Case(
        lambda s: s.ingest.WaitForIndexing(
            ingest.WaitForIndexingRequest(consistency_token="x", stage=99)  # type: ignore[arg-type]
        ),
        "stage",
    ),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests, since refused calls store nothing."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            await append(stack, "What was there before.")
            yield stack


@SHARED
@pytest.mark.parametrize("name", MESSAGES)
async def test_a_bad_message_is_refused_and_nothing_is_stored(shared: Stack, name: str) -> None:
    await MESSAGES[name].check(shared)


@SHARED
@pytest.mark.parametrize("name", APPENDS)
async def test_a_bad_append_is_refused_and_nothing_is_stored(shared: Stack, name: str) -> None:
    await APPENDS[name].check(shared)


@SHARED
@pytest.mark.parametrize("name", OTHER_WRITES)
async def test_a_bad_write_is_refused_and_changes_nothing(shared: Stack, name: str) -> None:
    await OTHER_WRITES[name].check(shared)


@SHARED
async def test_refusal_of_large_request_has_its_size_and_limit(shared: Stack) -> None:
    request = _messages(17, MIB)
    refusal = await refused(shared.ingest.AppendMessages(request))
    assert refusal.metadata["bytes"] == str(request.ByteSize())
    assert refusal.metadata["limit_bytes"] == str(16 * MIB)


async def test_a_request_id_with_another_body_is_refused(stack: Stack) -> None:
    await stack.ingest.AppendMessages(append_request("First.", request_id="r"))
    other = append_request("Another.", request_id="r")
    with unchanged(stack.database):
        refusal = await refused(stack.ingest.AppendMessages(other))
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.ALREADY_EXISTS,
        "REQUEST_ID_CONFLICT",
    )


@SHARED
@pytest.mark.parametrize(
    ("raw", "what"),
    [
        # key { session_key: <two bytes of invalid UTF-8> }
        (b"\x0a\x04\x0a\x02\xff\xfe", "no UTF-8"),
        # key { session_key: <a surrogate> }
        (b"\x0a\x05\x0a\x03\xed\xa0\x80", "a lone surrogate"),
        (b"\x0a\xff", "a length that is not there"),
        (b"not protobuf at all", "not valid protobuf"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_undecodable_requests_are_refused(shared: Stack, raw: bytes, what: str) -> None:
    async with open_channel(shared.addresses["ingest"]) as channel:
        method = "/everword.v1.IngestService/EnsureConversation"
        with unchanged(shared.database):
            refusal = await refused(raw_call(channel, method, raw))
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "VALIDATION_FAILED",
    ), what
    assert "UTF-8" in refusal.message


async def test_the_largest_request_that_is_allowed_is_stored(stack: Stack) -> None:
    """The limits do not refuse requests within them."""
    content = "word " * (MIB // 5)
    await stack.ingest.AppendMessages(append_request(message(content[:MIB])))
    await stack.ingest.AppendMessages(append_request(*["x"] * 1000))
    with stack.database.connect() as conn:
        found = conn.execute("SELECT count(*), max(octet_length(content)) FROM messages").fetchone()
    assert found == (1001, len(content))
