"""A copy is complete only if it has what there is, whatever came between a question and its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from everword.text.ranking_record import unpack_records
from everword_search.resident.copy import Asked, NamespaceCopy
from everword_search.resident.store import Passages, PassagesRow

_NO_COLUMNS: Any = dict.fromkeys(field.name for field in fields(PassagesRow))
NOTHING = PassagesRow(**{**_NO_COLUMNS, "passages": 0, "dropped": 0})


def passages(ids: Sequence[int]) -> Passages:
    count = len(ids)
    return replace(
        NOTHING.found(),
        ids=np.array(ids, np.int64),
        kinds=np.full(count, 3, np.int16),
        source_ids=np.array([id_.to_bytes(15, "big") + b"s" for id_ in ids], "S16"),
        parts=np.zeros(count, np.int32),
        conversation_ids=np.zeros(count, "S16"),
        seqs=np.full(count, -1),
        authors=[""] * count,
        roles=np.zeros(count, np.int16),
        automated=np.zeros(count, bool),
        moments=np.zeros(count),
        lengths=np.ones(count, np.int32),
        records=unpack_records([None] * count),
        stands_for=np.ones(count, np.int32),
        repeats=np.zeros(count, bool),
    )


def copy_of(ids: Sequence[int], dropped: int = 0) -> NamespaceCopy:
    copy = NamespaceCopy(1, None, len(ids))
    assert is_complete(copy, copy.ask(500), ids, dropped, len(ids))
    assert copy.add(passages(ids))
    copy.settle()
    return copy


def is_complete(
    copy: NamespaceCopy, asked: Asked, found: Sequence[int], dropped: int, present: int
) -> bool:
    row = replace(NOTHING, passages=present, dropped=dropped)
    return copy.is_complete(asked, row, passages(found))


def test_what_was_added_long_before_an_answer_is_not_added_again() -> None:
    copy = copy_of([1, 2])
    asked = copy.ask(500)
    assert copy.add(passages([3]))
    for start in range(4, 3004, 500):
        assert copy.add(passages(range(start, start + 500)))
    assert is_complete(copy, asked, [3], 0, 3)
    assert copy.add(passages([3]))
    assert copy.present == 3003
    # Some of these came meanwhile, and some did not: neither is it what was asked about, nor can it be added.
    assert not copy.add(passages([3, 5000]))
    assert copy.present == 3003


def test_an_answer_to_what_was_asked_before_passages_were_taken_out_tells_nothing() -> None:
    """As many came late as were taken out, and the copy has lost those and lacks these."""
    copy = copy_of([1, 2, 5], dropped=4)
    asked = copy.ask(500)
    copy.keep(np.array([1, 5]), 5)
    assert not is_complete(copy, asked, [], 5, 3)
    assert not is_complete(copy, copy.ask(500), [], 5, 3)
    assert is_complete(copy, copy.ask(500), [], 5, 2)
