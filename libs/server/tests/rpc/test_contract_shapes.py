"""The contracts keep the shapes that protos/README.md states."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor

import everword.v1

TIMESTAMP = "google.protobuf.Timestamp"
#: `valid_at` and `known_at` are moments on an axis.
NAMES_OF_TIMES = ("_time", ".valid_at", ".known_at")


def _files() -> Iterator[Any]:
    for module in pkgutil.iter_modules(everword.v1.__path__, "everword.v1."):
        if module.name.endswith("_pb2"):
            yield importlib.import_module(module.name).DESCRIPTOR


METHODS: list[MethodDescriptor] = [
    method
    for file in _files()
    for service in file.services_by_name.values()
    for method in service.methods
]
MESSAGES: list[Descriptor] = [
    message for file in _files() for message in file.message_types_by_name.values()
]
UPDATES = [method for method in METHODS if method.name.startswith("Update")]
PAGED = [method for method in METHODS if "page_token" in method.input_type.fields_by_name]


def _type(field: FieldDescriptor) -> str:
    return field.message_type.name if field.message_type else ""


def test_timestamp_field_names_end_with_time() -> None:
    times = [
        field.full_name
        for message in MESSAGES
        for field in message.fields
        if field.message_type and field.message_type.full_name == TIMESTAMP
    ]
    assert len(times) > 10
    assert [name for name in times if not name.endswith(NAMES_OF_TIMES)] == []


@pytest.mark.parametrize("method", UPDATES, ids=lambda method: method.name)
def test_update_methods_take_and_return_a_resource_with_update_mask(
    method: MethodDescriptor,
) -> None:
    resource, mask = method.input_type.fields
    returned, *token = method.output_type.fields
    assert _type(resource) == _type(returned) == method.name.removeprefix("Update")
    assert [each.name for each in token] in ([], ["consistency_token"])
    assert (mask.name, _type(mask)) == ("update_mask", "FieldMask")


@pytest.mark.parametrize("method", PAGED, ids=lambda method: method.name)
def test_list_responses_begin_with_items_and_next_page_token(method: MethodDescriptor) -> None:
    items, token = method.output_type.fields[:2]
    # ExpandSummary returns a tree, whose first level is paged.
    assert items.is_repeated or method.name == "ExpandSummary"
    assert token.name == "next_page_token"
    assert "page_size" in method.input_type.fields_by_name


def test_filter_fields_use_one_message_type_per_resource() -> None:
    filters = {
        _type(message.fields_by_name["filter"])
        for message in MESSAGES
        if "filter" in message.fields_by_name
    }
    assert filters == {
        "MemoryFilter",
        "ConversationFilter",
        "SummaryFilter",
        "NoteFilter",
        "DocumentFilter",
        "LoreBookFilter",
        "CostFilter",
    }
