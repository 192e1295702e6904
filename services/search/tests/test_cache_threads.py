"""Neighbouring rows of turns and of other memories in a cached namespace, and the memory that they take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from everword.v1.memory_pb2 import MEMORY_KIND_FACT, MEMORY_KIND_MESSAGE
from everword_search.cache.index import NamespaceIndex
from support.cached_passages import PassageSpec, passages_of

_TALK = b"a conversation.."


def index_of(said: Sequence[PassageSpec]) -> NamespaceIndex:
    index = NamespaceIndex(None)
    # In two batches, as from the database: the parts of one memory may be in different batches.
    for some in (said[: len(said) // 2], said[len(said) // 2 :]):
        index.add(passages_of(some), unhurried=True)
    index.trim()
    return index


def around(index: NamespaceIndex, ids: Sequence[int], reach: int) -> list[int]:
    """Return the ids of the rows up to `reach` positions around the rows with these ids."""
    snapshot = index.snapshot()
    found = snapshot.neighbouring_rows(snapshot.rows_of(np.array(ids)), reach)
    return sorted(snapshot.ids_of(found).tolist())


def turn(id_: int) -> PassageSpec:
    return PassageSpec(id_, MEMORY_KIND_MESSAGE, conversation_id=_TALK)


def test_neighbouring_rows_of_a_turn_are_turns_and_of_others_only_itself() -> None:
    facts = [PassageSpec(id_, MEMORY_KIND_FACT) for id_ in range(100, 120)]
    learned = [PassageSpec(id_, MEMORY_KIND_FACT, conversation_id=_TALK) for id_ in range(200, 220)]
    index = index_of([*map(turn, range(1, 11)), *facts, *learned])
    assert around(index, [1], 2) == [1, 2, 3]
    assert around(index, [5, 9], 1) == [4, 5, 6, 8, 9, 10]
    assert around(index, [105], 3) == [105]
    assert around(index, [100, 101, 201, 219, 2], 1) == [1, 2, 3, 100, 101, 201, 219]


def test_neighbouring_rows_include_all_parts_of_a_memory() -> None:
    document = [PassageSpec(id_, source_id=b"the first of both"[:16]) for id_ in range(1, 9)]
    others = [PassageSpec(id_, source_id=b"the other of both"[:16]) for id_ in range(9, 17)]
    index = index_of([*document[:7], *others, *document[7:]])
    assert around(index, [3], 5) == list(range(1, 9))
    assert around(index, [16], 0) == list(range(9, 17))


@pytest.mark.parametrize("conversation_id", [None, _TALK])
def test_memories_without_neighbours_take_hardly_more_memory_than_turns(
    conversation_id: bytes | None,
) -> None:
    count = 4_000
    turns = index_of([turn(id_) for id_ in range(count)])
    facts = index_of(
        [
            PassageSpec(id_, MEMORY_KIND_FACT, conversation_id=conversation_id)
            for id_ in range(count)
        ],
    )
    assert facts.nbytes - turns.nbytes < 1_000
