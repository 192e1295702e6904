"""Requests are checked against what their protos state, on the bytes that came in."""

from __future__ import annotations

import pytest

from everword.admission.limits import MAX_REQUEST_BYTES, MOST_REQUEST_BYTES
from everword.domain.errors import InvalidArgument, RequestTooLarge
from everword.rpc.interceptors.validation import MAX_VIOLATIONS, ValidationInterceptor
from everword.v1 import admin_service_pb2, conversation_pb2, ingest_service_pb2, memory_pb2

SERVICES = [
    *admin_service_pb2.DESCRIPTOR.services_by_name.values(),
    *ingest_service_pb2.DESCRIPTOR.services_by_name.values(),
]
#: Each request is of one RPC.
PATHS = {
    method.input_type: f"/{service.full_name}/{method.name}"
    for service in SERVICES
    for method in service.methods
}
APPEND = PATHS[ingest_service_pb2.AppendMessagesRequest.DESCRIPTOR]
GET_NAMESPACE = PATHS[admin_service_pb2.GetNamespaceRequest.DESCRIPTOR]


@pytest.fixture(scope="module")
def validation() -> ValidationInterceptor:
    return ValidationInterceptor(SERVICES)


def _append(**message: object) -> ingest_service_pb2.AppendMessagesRequest:
    fields = {"content": "hello", "role": memory_pb2.ROLE_USER, **message}
    return ingest_service_pb2.AppendMessagesRequest(
        conversation=ingest_service_pb2.ConversationTarget(
            key=conversation_pb2.ConversationKey(session_key="s")
        ),
        messages=[memory_pb2.NewMessage(**fields)],  # type: ignore[arg-type]
    )


def _fields(validation: ValidationInterceptor, request: object) -> list[str]:
    """Return the fields that a refusal of `request` names."""
    with pytest.raises(InvalidArgument) as caught:
        validation.check(
            request.SerializeToString(),  # type: ignore[attr-defined]
            type(request).FromString,  # type: ignore[attr-defined]
            PATHS[request.DESCRIPTOR],  # type: ignore[attr-defined]
        )
    return [field for field, _ in caught.value.violations]


def test_valid_request_is_returned_unchanged(validation: ValidationInterceptor) -> None:
    request = _append(metadata={"zero": 0, "text": "fine"}, token_count=0)
    parse = ingest_service_pb2.AppendMessagesRequest.FromString
    assert validation.check(request.SerializeToString(), parse, APPEND) == request


def test_zero_bytes_in_numbers_are_not_nul_characters(validation: ValidationInterceptor) -> None:
    request = _append(token_count=1 << 21, metadata={"number": 1.5})
    raw = request.SerializeToString()
    assert b"\0" in raw
    assert validation.check(raw, type(request).FromString, APPEND) == request


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({"content": "a\0b"}, "messages[0].content"),
        ({"tags": ["fine", "a\0b"]}, "messages[0].tags"),
        ({"metadata": {"a\0b": 1}}, "messages[0].metadata.fields (a key)"),
        ({"metadata": {"a": "x\0"}}, "messages[0].metadata.fields['a'].string_value"),
        (
            {"metadata": {"a": ["x\0"]}},
            "messages[0].metadata.fields['a'].list_value.values[0].string_value",
        ),
        (
            {"content_blocks": [memory_pb2.ContentBlock(type="text", text="\0")]},
            "messages[0].content_blocks[0].text",
        ),
    ],
)
def test_nul_character_in_any_field_is_refused(
    validation: ValidationInterceptor, message: dict[str, object], field: str
) -> None:
    assert _fields(validation, _append(**message)) == [field]


def test_nul_character_in_a_map_key_is_refused(
    validation: ValidationInterceptor,
) -> None:
    settings = admin_service_pb2.NamespaceSettings(
        channel_policies={"a\0": admin_service_pb2.ChannelPolicy(index=True)}
    )
    request = admin_service_pb2.CreateNamespaceRequest(
        namespace=admin_service_pb2.Namespace(name="acme", settings=settings)
    )
    assert _fields(validation, request) == ["namespace.settings.channel_policies (a key)"]


def test_a_violation_names_its_place_in_lists(validation: ValidationInterceptor) -> None:
    request = _append()
    request.messages.add(content="no role")
    assert _fields(validation, request) == ["messages[1].role"]


def test_number_of_named_violations_is_limited(validation: ValidationInterceptor) -> None:
    request = _append()
    for _ in range(50):
        request.messages.add(content="no role")
    assert len(_fields(validation, request)) == MAX_VIOLATIONS


def test_malformed_protobuf_raises_invalid_argument(validation: ValidationInterceptor) -> None:
    parse = admin_service_pb2.GetNamespaceRequest.FromString
    with pytest.raises(InvalidArgument, match="UTF-8"):
        validation.check(b"\x0a\x02\xff\xfe", parse, GET_NAMESPACE)


@pytest.mark.parametrize(
    ("path", "limit"), [(APPEND, MOST_REQUEST_BYTES), (GET_NAMESPACE, MAX_REQUEST_BYTES)]
)
def test_a_request_over_its_limit_is_refused_before_it_is_parsed(
    validation: ValidationInterceptor, path: str, limit: int
) -> None:
    def parse(raw: bytes) -> None:
        raise AssertionError("parsed")

    with pytest.raises(RequestTooLarge) as caught:
        validation.check(bytes(limit + 1), parse, path)
    assert caught.value.metadata["limit_bytes"] == str(limit)
