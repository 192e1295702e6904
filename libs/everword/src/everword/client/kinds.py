"""Words for the kinds of memory; they and their numbers follow from proto `MemoryKind`."""

from __future__ import annotations

from typing import Literal, get_args

from everword.v1 import memory_pb2

#: A type checker needs the words written out; a test compares them with the proto.
Kind = Literal["message", "summary", "note", "fact", "chunk", "node", "lore", "topic"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_PREFIX = "MEMORY_KIND_"


def kind_number(kind: Kind) -> memory_pb2.MemoryKind.ValueType:
    """Return the number of a kind in requests. Raises ValueError for any other word."""
    return memory_pb2.MemoryKind.Value(_PREFIX + kind.upper())


def kind_word(number: int) -> str:
    """Return the word for a kind in an answer; "kind 9" for the number of a kind that a later release added."""
    known = memory_pb2.MemoryKind.DESCRIPTOR.values_by_number.get(number)
    return known.name.removeprefix(_PREFIX).lower() if known else f"kind {number}"
