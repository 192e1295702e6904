"""Items of a store as notes: their keys, content and tags.

The item `k1` of `("users", "ana")` is the note `langgraph/users.ana..k1`. Labels have no period, so two periods end the
namespace. Tags name each namespace that an item is in, because searches filter by tags, and its lifetime.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from langgraph.store.base import InvalidNamespaceError, Item, SearchItem

from everword.v1 import note_pb2

KIND = "langgraph_item"
_ROOT = "langgraph/"
#: Limits of notes.
_MAX_TAGS = 16
_MAX_TAG_CHARS = 128
#: Each label takes a tag; one is of all items, and one is for how many minutes an item lives.
MAX_LABELS = _MAX_TAGS - 2
_LIFE = "langgraph-minutes="
_ESCAPE = re.compile(r"\\(.)")

Namespace = tuple[str, ...]


def prefix_of(namespace: Namespace) -> str:
    """Return the common prefix of the keys of all notes in a namespace, and in those below it."""
    return _ROOT + "".join(f"{label}." for label in namespace)


def key_of(namespace: Namespace, key: str) -> str:
    """Return the key of an item's note."""
    return f"{prefix_of(namespace)}.{key}"


def place_of(note_key: str) -> tuple[Namespace, str]:
    """Return the namespace and the key of the item whose note has this key."""
    place = note_key.removeprefix(_ROOT)
    if place.startswith("."):
        return (), place[1:]
    namespace, _, key = place.partition("..")
    return tuple(namespace.split(".")), key


def tag_of(namespace: Namespace) -> str:
    """Return the tag of the items in a namespace or below it."""
    tag = prefix_of(namespace)
    if len(tag) <= _MAX_TAG_CHARS:
        return tag
    return _ROOT + hashlib.sha256(tag.encode()).hexdigest()


def note_of(
    namespace: Namespace, key: str, value: Mapping[str, Any], *, found: bool, minutes: float | None
) -> note_pb2.NewNote:
    """Return the note of an item: whether searches find it, and after how many minutes it ends.

    Raises InvalidNamespaceError for one of too many labels, and ValueError or TypeError for a value that is no JSON.
    """
    if len(namespace) > MAX_LABELS:
        raise InvalidNamespaceError(f"{namespace} has more than {MAX_LABELS} labels.")
    above = [namespace[:depth] for depth in range(len(namespace) + 1)] if found else []
    life = [] if minutes is None else [f"{_LIFE}{float(minutes)}"]
    note = note_pb2.NewNote(
        key=key_of(namespace, key),
        kind=KIND,
        content=_written(value),
        tags=[*map(tag_of, above), *life],
    )
    live(note)
    return note


def live(note: note_pb2.NewNote) -> bool:
    """Let an item end as long from now as it was given to live; return whether it ends at all."""
    for tag in note.tags:
        if tag.startswith(_LIFE):
            minutes = float(tag.removeprefix(_LIFE))
            note.expire_time.FromDatetime(datetime.now(UTC) + timedelta(minutes=minutes))
            return True
    return False


def item_of(note: note_pb2.Note, score: float | None = None) -> SearchItem | None:
    """Return the item that a note holds; None for one that no store wrote."""
    namespace, key = place_of(note.body.key)
    if note.body.kind != KIND or key_of(namespace, key) != note.body.key:
        return None
    try:
        value = json.loads(note.body.content, strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    return SearchItem(
        namespace=namespace,
        key=key,
        value=value,
        created_at=note.create_time.ToDatetime(UTC),
        updated_at=note.update_time.ToDatetime(UTC),
        score=score,
    )


def plain(item: SearchItem) -> Item:
    """Return an item without a score, as `get` returns it."""
    return Item(
        value=item.value,
        key=item.key,
        namespace=item.namespace,
        created_at=item.created_at,
        updated_at=item.updated_at,
    )


def _written(value: Mapping[str, Any]) -> str:
    r"""Return a value as JSON whose lines end: `\n` would be read as a letter of the next word."""
    text = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
    return _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else found[0], text)
