"""Every field of every request has a limit in the contract, found through the descriptors."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest
from buf.validate import validate_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor, ServiceDescriptor

import everword.internal.v1
import everword.v1
from everword.admission.limits import (
    FIELD_MASK,
    MOST_REQUEST_BYTES,
    STRUCT,
    limits_table,
    most_elements,
)

#: Unbounded repetitions of a regular expression.
_ENDLESS = re.compile(r"[*+]|\{\d*,\}")
#: Types with limits of their own, in `everword.admission.limits`; tests of `everword.admission.wire` hold these.
_LIMITED_TYPES = {STRUCT, FIELD_MASK}


def _services() -> list[ServiceDescriptor]:
    found: list[ServiceDescriptor] = []
    for package in (everword.v1, everword.internal.v1):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            if module.name.endswith("_service_pb2"):
                descriptor = importlib.import_module(module.name).DESCRIPTOR
                found += descriptor.services_by_name.values()
    return found


#: In one order, since all processes of a run have to collect the same tests.
REQUESTS = sorted(
    {method.input_type for service in _services() for method in service.methods},
    key=lambda message: message.full_name,
)


def _without_limit(message: Descriptor, path: str) -> Iterator[str]:
    """Yield the fields of a message, and of those within it, that have no limit."""
    for field in message.fields:
        rules = field.GetOptions().Extensions[validate_pb2.field]
        yield from _field_without_limit(field, rules, f"{path}.{field.name}")


def _field_without_limit(field: FieldDescriptor, rules: Any, path: str) -> Iterator[str]:
    within = field.message_type
    if field.is_repeated and most_elements(field) is None:
        yield path
    if within is not None and within.GetOptions().map_entry:
        entry = within.fields_by_name
        yield from _field_without_limit(entry["key"], rules.map.keys, f"{path} (a key)")
        yield from _field_without_limit(entry["value"], rules.map.values, f"{path} (a value)")
    elif within is not None:
        if within.full_name not in _LIMITED_TYPES:
            yield from _without_limit(within, path)
    elif not _is_bounded(field, rules.repeated.items if field.is_repeated else rules):
        yield path


def _is_bounded(field: FieldDescriptor, rules: Any) -> bool:
    """Return whether a scalar value has a limit. Numbers have one by nature."""
    if field.type == FieldDescriptor.TYPE_BYTES:
        return bool(rules.bytes.HasField("max_len"))
    if field.type != FieldDescriptor.TYPE_STRING:
        return True
    said = rules.string
    pattern = said.pattern
    return any(said.HasField(name) for name in ("max_len", "max_bytes", "uuid")) or (
        (pattern.startswith("^") and pattern.endswith("$")) and not _ENDLESS.search(pattern)
    )


@pytest.mark.parametrize("request_type", REQUESTS, ids=lambda request: request.name)
def test_every_field_of_a_request_has_a_limit(request_type: Descriptor) -> None:
    assert list(_without_limit(request_type, request_type.name)) == []


def test_fields_without_limit_are_detected() -> None:
    """Responses have no limits, which shows that the search finds missing ones."""
    file = everword_file("summary")
    found = list(_without_limit(file.message_types_by_name["Summary"], "Summary"))
    assert {"Summary.content", "Summary.faithfulness.wrong_tags", "Summary.id"} <= set(found)
    status = everword_file("maintenance_service").message_types_by_name["LevelStatus"]
    assert list(_without_limit(status, "LevelStatus")) == [
        "LevelStatus.by_models",
        "LevelStatus.by_models (a key)",
    ]


def everword_file(name: str) -> Any:
    return importlib.import_module(f"everword.v1.{name}_pb2").DESCRIPTOR


def test_only_requests_with_whole_texts_may_exceed_one_mebibyte() -> None:
    table = limits_table(_services())
    assert len(table) == len(REQUESTS) > 30
    large = {
        path.rpartition("/")[2]: each for path, each in table.items() if each.max_bytes > 1 << 20
    }
    texts = {"WriteDocument", "SaveCheckpoint", "ImportLoreBook"}
    assert set(large) == {"AppendMessages", "ImportMessages", "Embed"} | texts
    assert max(each.max_bytes for each in table.values()) == MOST_REQUEST_BYTES
