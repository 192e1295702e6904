"""Update masks name the changed fields by paths."""

from __future__ import annotations

import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from everword.domain.errors import InvalidArgument
from everword.rpc.translate import masked_fields

CHANGEABLE = {"active": "active", "details.title": "title"}


def test_a_mask_names_fields_by_their_paths() -> None:
    mask = FieldMask(paths=["details.title"])
    assert masked_fields(mask, CHANGEABLE) == ["title"]


def test_a_star_is_every_field_that_can_be_changed() -> None:
    assert masked_fields(FieldMask(paths=["*"]), CHANGEABLE) == ["active", "title"]


@pytest.mark.parametrize("paths", [[], ["title"], ["active", "id"], ["*", "active"]])
def test_what_cannot_be_changed_is_refused(paths: list[str]) -> None:
    with pytest.raises(InvalidArgument) as caught:
        masked_fields(FieldMask(paths=paths), CHANGEABLE)
    [(field, text)] = caught.value.violations
    assert field == "update_mask"
    assert text.endswith("name any of active, details.title")
