"""Update masks: the fields of a resource that a caller wants changed."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf import field_mask_pb2

from everword.domain.errors import InvalidArgument

#: Stands for every field that can be changed.
ALL = "*"


def masked_fields(mask: field_mask_pb2.FieldMask, changeable: Mapping[str, str]) -> list[str]:
    """Return the fields that `mask` names; `changeable` has them by their paths in the resource.

    Raises InvalidArgument where the mask names nothing, or what cannot be changed.
    """
    paths = list(changeable) if mask.paths == [ALL] else list(mask.paths)
    wrong = sorted(set(paths) - changeable.keys())
    if wrong or not paths:
        known = ", ".join(sorted(changeable))
        text = f"{', '.join(wrong) or 'an empty mask'} cannot be changed; name any of {known}"
        raise InvalidArgument(violations=(("update_mask", text),))
    return [changeable[path] for path in paths]
