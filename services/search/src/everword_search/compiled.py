"""What takes hundreds of passages as arrays: compiled where it could be, else in numpy.

This alone decides which: callers import from here. Either all parts are compiled or none, so that a search is as fast
as what is said of it.
"""

from __future__ import annotations

import logging

log = logging.getLogger(__name__)

#: Why numpy computes; empty where the compiled parts do.
LACKING = ""
try:
    from everword_search.cache.scans.scan import GROUP, cosines, nearest_signs
    from everword_search.cache.scans.score import add_scores
    from everword_search.ranking.features.compare import (
        DESCRIBED,
        MOST_WORDS,
        describe_turns,
        match_words,
    )
    from everword_search.ranking.models.trees import MOST_LEAVES, add_up
except ImportError as error:
    from everword_search.cache.scans.scan_numpy import GROUP, cosines, nearest_signs
    from everword_search.cache.scans.score_numpy import add_scores
    from everword_search.ranking.features.compare_numpy import (
        DESCRIBED,
        MOST_WORDS,
        describe_turns,
        match_words,
    )
    from everword_search.ranking.models.trees_numpy import MOST_LEAVES, add_up

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
    """Say what it costs that the compiled parts are lacking, and what to install."""
    if LACKING:
        log.warning(
            "search is not compiled",
            extra={
                "cost": "a search takes at least twice as long",
                "install": "a C compiler (apt-get install gcc python3-dev), then everword-search again",
                "error": LACKING,
            },
        )
