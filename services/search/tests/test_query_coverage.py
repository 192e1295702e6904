"""`QueryCoverage` decides whether a question is off topic for the memories of a namespace."""

from __future__ import annotations

import pytest

from everword_search.retrieval.coverage import QueryCoverage


@pytest.mark.parametrize(
    ("coverage", "chance", "is_off_topic"),
    [
        (QueryCoverage(absent=0.4, nearest=0.0, memories=200), 0.0, False),
        # All words are missing: a near vector means the same in other words; with more memories, it must be nearer.
        (QueryCoverage(absent=1.0, nearest=1.0, memories=15), 0.05, True),
        (QueryCoverage(absent=1.0, nearest=3.0, memories=15), 0.05, False),
        (QueryCoverage(absent=1.0, nearest=3.0, memories=2000), 0.05, True),
        (QueryCoverage(absent=1.0, nearest=5.0, memories=2000), 0.05, False),
        (QueryCoverage(absent=1.0, nearest=3.0, memories=15), 0.02, True),
        # A high probability of an answer outweighs far vectors.
        (QueryCoverage(absent=1.0, nearest=0.0, memories=200), 0.6, False),
        (QueryCoverage(absent=0.5, nearest=None, memories=200), 0.05, True),
        (QueryCoverage(absent=0.5, nearest=None, memories=2), 0.1, False),
        (QueryCoverage(absent=1.0, nearest=0.0, memories=200), 1.0, False),
        (QueryCoverage(absent=1.0, nearest=9.0, memories=15), 0.0, True),
        # For a question of a single word, the vector must be nearer.
        (QueryCoverage(absent=1.0, nearest=2.3, memories=20, is_one_word=True), 0.06, True),
        (QueryCoverage(absent=1.0, nearest=2.3, memories=20), 0.06, False),
        (QueryCoverage(absent=1.0, nearest=4.3, memories=20, is_one_word=True), 0.06, False),
        # The probability of an answer is unknown.
        (QueryCoverage(absent=1.0, nearest=None), None, True),
        (QueryCoverage(absent=1.0, nearest=3.9), None, True),
        (QueryCoverage(absent=1.0, nearest=4.0), None, False),
    ],
)
def test_query_coverage_detects_off_topic_questions(
    coverage: QueryCoverage, chance: float | None, is_off_topic: bool
) -> None:
    assert coverage.is_off_topic(chance) is is_off_topic
