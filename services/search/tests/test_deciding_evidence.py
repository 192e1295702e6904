"""The evidence that decides the verdict of a search."""

from __future__ import annotations

from everword.domain.calibration import DECIDING
from everword_search.retrieval.relevance import deciding_evidence


def test_deciding_evidence_ignores_results_after_the_first_ten() -> None:
    early = [None, *(0.1 * place for place in range(DECIDING - 1))]
    assert deciding_evidence([*early, 9.0]) == tuple(early[1:])
    assert deciding_evidence([None]) == ()
