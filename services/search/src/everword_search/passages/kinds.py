"""Kinds of memory that a search treats differently."""

from __future__ import annotations

from everword.v1.memory_pb2 import (
    MEMORY_KIND_MESSAGE,
    MEMORY_KIND_SUMMARY,
    MEMORY_KIND_TOPIC,
)

#: Kind whose memories are turns of a conversation: neighbouring turns are ranked with them.
TURN = MEMORY_KIND_MESSAGE
#: Kinds whose memories stand for other memories. They come on top of the limit of an arm, to displace none of those.
STANDING_FOR_OTHERS = (MEMORY_KIND_SUMMARY, MEMORY_KIND_TOPIC)
