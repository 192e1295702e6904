"""The evidence that decides the verdict of a search."""

from __future__ import annotations

from uuid import uuid4

import pytest

from everword.domain.calibration import DECIDING, Calibration
from everword_search.retrieval.coverage import QueryCoverage
from everword_search.retrieval.hits import FoundHits, RankedHit
from everword_search.retrieval.model import Verdict
from everword_search.retrieval.relevance import Relevance, deciding_evidence


def test_deciding_evidence_ignores_results_after_the_first_ten() -> None:
    early = [None, *(0.1 * place for place in range(DECIDING - 1))]
    assert deciding_evidence([*early, 9.0]) == tuple(early[1:])
    assert deciding_evidence([None]) == ()


@pytest.mark.parametrize(("match", "is_relevant"), [(0.1, True), (-0.1, False), (None, False)])
def test_verdict_agrees_with_the_relevance_of_the_first_results(
    match: float | None, is_relevant: bool
) -> None:
    relevance = Relevance(Calibration([-5.0, 5.0], [0.001, 0.9], floor=0.2))
    hit = RankedHit(uuid4(), 1, 0.5, [], (), evidence=-5.0, match=match)
    off_topic = QueryCoverage(absent=1.0, memories=200)
    found = FoundHits([hit], (-5.0,), [hit], off_topic)
    verdict = relevance.verdict(found, relevance.chance(found))
    assert (verdict is Verdict.RELEVANT) == is_relevant
