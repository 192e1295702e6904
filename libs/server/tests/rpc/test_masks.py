"""Update masks name the changed fields by paths."""

from __future__ import annotations

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from everword.domain.errors import InvalidArgument
from everword.rpc.translate import masked_fields

CHANGEABLE = {"active": "active", "details.title": "title"}


def test_masked_fields_resolves_paths() -> None:
    mask = FieldMask(paths=["details.title"])
    assert masked_fields(mask, CHANGEABLE) == ["title"]


def test_masked_fields_of_star_returns_all_changeable_fields() -> None:
    assert masked_fields(FieldMask(paths=["*"]), CHANGEABLE) == ["active", "title"]


@pytest.mark.parametrize("paths", [[], ["title"], ["active", "id"], ["*", "active"]])
def test_masked_fields_refuses_fields_that_cannot_be_changed(paths: list[str]) -> None:
    with pytest.raises(InvalidArgument) as caught:
        masked_fields(FieldMask(paths=paths), CHANGEABLE)
    [(field, text)] = caught.value.violations
    assert field == "update_mask"
    assert text.endswith("name any of active, details.title")
