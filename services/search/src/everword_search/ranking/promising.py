"""Which of the memories that the arms find are looked at closely: those with the best sums of scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from everword_search.model import Ranked


def most_promising(found: Sequence[Ranked], most: int) -> list[Ranked]:
    """Return what each arm found without what is not among the best of all arms.

    Those are the `most` best memories by the sums of their scores, all that equal the last of them, and the summaries
    among them, which push none of the others aside.
    """
    source_ids = np.concatenate([each.source_ids for each in found])
    _, firsts, which = np.unique(source_ids, return_index=True, return_inverse=True)
    sums = np.bincount(which, np.concatenate([each.scores for each in found]), len(firsts))
    summaries = np.concatenate([each.summaries for each in found])[firsts]
    others = sums[~summaries]
    if len(others) <= most:
        return list(found)
    least = np.partition(others, len(others) - most)[len(others) - most]
    ends = np.cumsum([len(each.source_ids) for each in found])
    kept = np.split((sums >= least)[which], ends[:-1])
    return [each.where(rows) for each, rows in zip(found, kept, strict=True)]
