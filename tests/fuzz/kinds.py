"""Kinds of values of a field: ids of notes, consistency tokens, names of subjects; by field name and message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

#: Fields whose names differ from their kind; all other ids end with their kind, such as `merged_node_ids`.
_BY_FIELD = {
    "at_least_as_fresh": "consistency_token",
    "learned_id": "person_id",
    "NewMessage.parent_id": "message_id",
    "SaveCheckpointRequest.parent_id": "checkpoint_id",
    "AdvisorGrant.id": "grant_id",
    "LoreBook.id": "book_id",
    "LoreEntry.id": "entry_id",
    "ApiKey.id": "api_key_id",
    "GetTopicRequest.id": "topic_id",
    "ApiKey.namespace": "namespace",
    "Namespace.name": "namespace",
}
_SUFFIXES = (
    *("node_id", "edge_id", "message_id", "conversation_id", "fact_id", "document_id", "memory_id"),
    "summary_id",
)
#: Kinds of ids that are also ids of memories.
_MEMORIES = {"message_id", "summary_id", "note_id", "fact_id"}


def kind_of(field: FieldDescriptor) -> str:
    """Return the kind of values that a field takes."""
    owner, name = field.containing_type.name if field.containing_type else "", field.name
    known = _BY_FIELD.get(f"{owner}.{name}") or _BY_FIELD.get(name)
    if known:
        return known
    if name == "name" and "Namespace" in owner:
        return "namespace"
    if name == "id":
        return f"{owner.lower()}_id"
    singular = name.removesuffix("s") if field.is_repeated else name
    return next((kind for kind in _SUFFIXES if singular.endswith(f"_{kind}")), singular)


def kinds_of(field: FieldDescriptor) -> list[str]:
    """Return the kinds of a value in an answer."""
    kind = kind_of(field)
    return [kind, "memory_id"] if kind in _MEMORIES else [kind]


def strings_of(message: Any, items: int = 5) -> Iterator[tuple[FieldDescriptor, str]]:
    """Yield the strings of a message with their fields: `items` of each list, and none of maps."""
    for field, value in message.ListFields():
        values = list(value)[:items] if field.is_repeated else [value]
        if field.type == field.TYPE_STRING:
            yield from ((field, each) for each in values)
        elif field.type == field.TYPE_MESSAGE and not field.message_type.GetOptions().map_entry:
            for each in values:
                yield from strings_of(each, items)
