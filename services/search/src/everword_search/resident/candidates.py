"""The candidates of a search from memory: what `read_candidates` reads from the database."""

from __future__ import annotations

import numpy as np

from everword_search.ranking.arrays import Ints
from everword_search.ranking.store import Candidates
from everword_search.resident.resident import Resident


def find_candidates(
    resident: Resident, passage_ids: Ints, reach: int, max_parts: int
) -> Candidates | None:
    """Return the passages of the memories that were found, and of turns around them; None without any.

    `passage_ids` are those that were found, ascending.
    """
    snapshot = resident.snapshot
    found = snapshot.rows_of(passage_ids)
    if not len(found):
        return None  # stored since, and found by an arm that asks the database
    rows = snapshot.rows_around(found, reach)
    columns = snapshot.columns
    is_found = np.zeros(snapshot.size, bool)
    is_found[found] = True
    is_read = columns["alive"][rows] & ((columns["parts"][rows] < max_parts) | is_found[rows])
    rows = snapshot.in_threads(rows[is_read])
    if not len(rows):
        return None
    return Candidates(
        columns["ids"][rows],
        columns["source_ids"][rows],
        columns["threads"][rows],
        None,
        columns["seqs"][rows],
        columns["authors"][rows],
        snapshot.author_names,
        columns["roles"][rows],
        columns["moments"][rows],
        snapshot.records(rows),
        columns["stands_for"][rows].astype(np.int64),
        columns["repeats"][rows],
        is_found[rows],
        resident.wanted[rows],
        rows,
    )
