"""Select the compiled loops, or their numpy versions if they are not installed.

Callers import from this module. Either all loops are compiled or none is: with only some, a search would be slow
without a warning.
"""

from __future__ import annotations

import logging

log = logging.getLogger(__name__)

#: Import error that made the numpy versions necessary; empty if the compiled loops run.
LACKING = ""
try:
    from everword_search.kernels.compare import (
        DESCRIBED,
        MOST_WORDS,
        describe_turns,
        match_words,
    )
    from everword_search.kernels.scan import GROUP, cosines, nearest_signs
    from everword_search.kernels.score import add_scores
    from everword_search.kernels.trees import MOST_LEAVES, add_up
except ImportError as error:
    from everword_search.kernels.compare_numpy import (
        DESCRIBED,
        MOST_WORDS,
        describe_turns,
        match_words,
    )
    from everword_search.kernels.scan_numpy import GROUP, cosines, nearest_signs
    from everword_search.kernels.score_numpy import add_scores
    from everword_search.kernels.trees_numpy import MOST_LEAVES, add_up

    LACKING = str(error)

__all__ = [
    "DESCRIBED",
    "GROUP",
    "LACKING",
    "MOST_LEAVES",
    "MOST_WORDS",
    "add_scores",
    "add_up",
    "cosines",
    "describe_turns",
    "match_words",
    "nearest_signs",
    "warn_if_slow",
]


def warn_if_slow() -> None:
    """Log a warning with the cost and the remedy if the compiled loops are missing."""
    if LACKING:
        log.warning(
            "search is not compiled",
            extra={
                "cost": "a search takes at least twice as long",
                "install": "a C compiler (apt-get install gcc python3-dev), then everword-search again",
                "error": LACKING,
            },
        )
