"""Limits are checked on the received bytes, before they are parsed."""

from __future__ import annotations

import time
from typing import Any

import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import DecodeError
from google.protobuf.struct_pb2 import Struct, Value

from everword.admission.limits import limits_table
from everword.admission.wire import MalformedError, count_fields
from everword.domain.errors import InvalidArgument
from everword.rpc.interceptors.validation import ValidationInterceptor
from everword.v1 import admin_service_pb2 as admin
from everword.v1 import conversation_pb2 as conversation
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import memory_pb2 as memory
from everword.v1 import search_service_pb2 as search

SERVICES = [
    service
    for module in (admin, ingest, maintenance, search)
    for service in module.DESCRIPTOR.services_by_name.values()
]
PATHS = {
    method.input_type: f"/{service.full_name}/{method.name}"
    for service in SERVICES
    for method in service.methods
}
LIMITS = limits_table(SERVICES)
UUID = "0190b5c2-0000-7000-8000-000000000000"


def violations(request: Any, raw: bytes | None = None) -> list[tuple[str, str]]:
    """Return the violations of a request, or of `raw` in its place."""
    sent = request.SerializeToString() if raw is None else raw
    return count_fields(sent, LIMITS[PATHS[request.DESCRIPTOR]], 10)[1]


def nested(levels: int) -> Struct:
    """Return a Struct with this many levels of objects."""
    struct = Struct()
    for _ in range(levels - 1):
        struct = Struct(fields={"a": Value(struct_value=struct)})
    return struct


def text_struct(chars: int) -> Struct:
    return Struct(fields={"a": Value(string_value="x" * chars)})


def a_search(**fields: Any) -> search.SearchRequest:
    return search.SearchRequest(query="x", filter=memory.MemoryFilter(**fields))


def an_append(*messages: memory.NewMessage) -> ingest.AppendMessagesRequest:
    return ingest.AppendMessagesRequest(conversation_id=UUID, messages=messages)


VOICED = admin.NamespaceSettings(
    voice=admin.Voice(channel_instructions={str(n): "" for n in range(50_000)})
)
FLOODS: dict[str, tuple[Any, str]] = {
    "kinds": (a_search(kinds=[99] * 1_000_000), "filter.kinds"),
    "ids": (search.BatchGetMemoriesRequest(memory_ids=[""] * 300_000), "memory_ids"),
    "messages": (an_append(*[memory.NewMessage()] * 300_000), "messages"),
    "tags": (an_append(memory.NewMessage(tags=[""] * 300_000)), "messages[0].tags"),
    "protected": (
        maintenance.FlushConversationRequest(protected_message_ids=[""] * 300_000),
        "protected_message_ids",
    ),
    "channels": (
        admin.UpdateNamespaceRequest(namespace=admin.Namespace(settings=VOICED)),
        "namespace.settings.voice.channel_instructions",
    ),
    "paths": (
        ingest.EnsureConversationRequest(update_mask=FieldMask(paths=["a"] * 1000)),
        "update_mask.paths",
    ),
}


@pytest.mark.parametrize("name", FLOODS)
def test_overlong_list_is_refused_before_parsing(name: str) -> None:
    request, field = FLOODS[name]

    def parse(raw: bytes) -> None:
        raise AssertionError("parsed")

    raw = request.SerializeToString()
    begun = time.thread_time()
    with pytest.raises(InvalidArgument) as caught:
        ValidationInterceptor(SERVICES).check(raw, parse, PATHS[request.DESCRIPTOR])
    assert [path for path, _ in caught.value.violations] == [field]
    # 81 s when each element was checked.
    assert time.thread_time() - begun < 3


def test_fields_at_all_depths_count_toward_the_limit() -> None:
    blocks = [memory.ContentBlock(type="t")] * 256
    request = an_append(*[memory.NewMessage(content_blocks=blocks)] * 1000)
    assert violations(request) == [("", "has more than 250,000 fields in all")]
    request = an_append(*[memory.NewMessage(content_blocks=blocks[:100])] * 1000)
    assert violations(request) == []


def test_scan_stops_after_ten_violations() -> None:
    request = an_append(*[memory.NewMessage(tags=["a"] * 33)] * 50)
    assert len(violations(request)) == 10


@pytest.mark.parametrize(("levels", "refused"), [(30, False), (31, True)])
def test_struct_over_the_depth_limit_is_refused(levels: int, refused: bool) -> None:
    request = an_append(memory.NewMessage(metadata=nested(levels)))
    found = violations(request)
    assert bool(found) is refused
    for path, text in found:
        assert path.startswith("messages[0].metadata.fields['a'].struct_value.fields['a']")
        assert text == "is more than 30 levels deep"


def test_lists_in_a_struct_count_as_levels() -> None:
    value = Value(null_value=0)  # type: ignore[arg-type]
    for _ in range(30):
        value = Value(list_value={"values": [value]})  # type: ignore[arg-type]
    assert violations(an_append(memory.NewMessage(metadata=Struct(fields={"a": value}))))


@pytest.mark.parametrize(("chars", "refused"), [(65_000, False), (65_536, True)])
def test_struct_over_the_size_limit_is_refused(chars: int, refused: bool) -> None:
    request = an_append(memory.NewMessage(metadata=text_struct(chars)))
    expected = [("messages[0].metadata", "is over 65,536 bytes")] if refused else []
    assert violations(request) == expected


def test_repeated_occurrences_of_a_message_field_are_merged() -> None:
    """Protobuf merges a field's messages if it occurs twice."""
    piece = a_search(kinds=[1] * 10).SerializeToString()
    assert violations(a_search(), piece) == []
    assert violations(a_search(), piece * 2) == [("filter.kinds", "has more than 16 items")]
    details = conversation.ConversationDetails(settings=text_struct(40_000))
    settings = ingest.EnsureConversationRequest(details=details).SerializeToString()
    found = violations(ingest.EnsureConversationRequest(), settings * 2)
    assert found == [("details.settings", "is over 65,536 bytes")]


def test_packed_and_unpacked_list_items_are_counted() -> None:
    row = a_search(kinds=[1] * 16).SerializeToString()
    assert violations(a_search(), row) == []
    # filter { kinds: 1 }, seventeen times.
    alone = b"\x1a\x22" + b"\x08\x01" * 17
    assert search.SearchRequest.FromString(alone).filter.kinds == [1] * 17
    assert violations(a_search(), alone) == [("filter.kinds", "has more than 16 items")]


def test_map_over_the_pair_limit_is_refused() -> None:
    def settings(pairs: int) -> admin.CreateNamespaceRequest:
        policies = {str(number): admin.ChannelPolicy() for number in range(pairs)}
        return admin.CreateNamespaceRequest(
            namespace=admin.Namespace(settings=admin.NamespaceSettings(channel_policies=policies))
        )

    assert violations(settings(100)) == []
    path = "namespace.settings.channel_policies"
    assert violations(settings(101)) == [(path, "has more than 100 pairs")]


def test_unknown_fields_count_toward_the_limit() -> None:
    unknown = b"\x98\x06\x01"  # number 99
    assert violations(a_search(), unknown * 20_000) == []
    assert violations(a_search(), unknown * 20_001) == [("", "has more than 20,000 fields in all")]


@pytest.mark.parametrize(
    "raw",
    [
        b"\x80" * 100,  # a tag without an end
        b"\x0a" + b"\xff" * 20,  # a length without an end
        b"\x20" + b"\xff" * 20 + b"\x01",  # a number without an end
        b"\x0a\x05abc",  # a string that is longer than the message
        b"\x1a\x02\x12\x05abcde",  # one that is longer than its message
        b"\x21abc",  # a number of 8 bytes with 3
        b"\x0b\x0c",  # a group
        b"\x0e",  # an unknown wire type
        b"\x0a",
    ],
)
def test_malformed_bytes_raise_malformed_error(raw: bytes) -> None:
    """The scan stops at the first malformed field, and so refuses the request before it is parsed."""
    with pytest.raises(MalformedError):
        violations(a_search(), raw)


def test_message_too_deep_for_protobuf_is_refused_before_parsing() -> None:
    """Deeper than protobuf goes itself, within a type that has no other bound."""
    inner = b""
    for _ in range(120):
        inner = b"\x0a" + _length(inner)  # Struct.fields, and so on
    details = b"\x3a" + _length(inner)  # ConversationDetails.settings
    raw = b"\x12" + _length(details)  # EnsureConversationRequest.details
    with pytest.raises(DecodeError):
        ingest.EnsureConversationRequest.FromString(raw)
    assert violations(ingest.EnsureConversationRequest(), raw)


def _length(inner: bytes) -> bytes:
    size, head = len(inner), b""
    while size >= 0x80:
        head += bytes([size & 0x7F | 0x80])
        size >>= 7
    return head + bytes([size]) + inner
