"""The candidates of a search from memory: what `read_candidates` reads from the database."""

from __future__ import annotations

import numpy as np

from everword_search.cache.cached_index import CachedIndex
from everword_search.cache.columns.row import some_of
from everword_search.ranking.arrays import Ints
from everword_search.ranking.store import Candidates


def find_candidates(
    cached: CachedIndex, passage_ids: Ints, reach: int, max_parts: int
) -> Candidates | None:
    """Return the passages of the memories that were found, and of turns around them; None without any.

    `passage_ids` are those that were found, ascending.
    """
    snapshot = cached.snapshot
    found = snapshot.rows_of(passage_ids)
    if not len(found):
        return None  # stored since, and found by an arm that asks the database
    rows = snapshot.rows_around(found, reach)
    read = snapshot.read(rows)
    is_found_at = np.zeros(snapshot.size, bool)
    is_found_at[found] = True
    is_found = is_found_at[rows]
    is_read = snapshot.columns["alive"][rows] & ((read["parts"] < max_parts) | is_found)
    order = np.lexsort((read["parts"], read["seqs"], read["threads"]))
    order = order[is_read[order]]
    if not len(order):
        return None
    rows, read = rows[order], some_of(read, order)
    return Candidates(
        read["ids"].copy(),
        read["source_ids"].copy(),
        read["threads"].copy(),
        None,
        read["seqs"].copy(),
        read["authors"].copy(),
        snapshot.author_names,
        read["roles"].copy(),
        read["moments"].copy(),
        snapshot.records(read),
        read["stands_for"].astype(np.int64),
        read["repeats"].copy(),
        is_found[order],
        cached.wanted[rows],
        rows,
    )
