"""Whether a question is about what was spoken of."""

from __future__ import annotations

import pytest

from everword_search.retrieval.coverage import QueryCoverage


@pytest.mark.parametrize(
    ("spoken", "chance", "is_off_topic"),
    [
        (QueryCoverage(absent=0.4, nearest=0.0, memories=200), 0.0, False),
        # Said in other words, if it is near; among many, it has to be nearer.
        (QueryCoverage(absent=1.0, nearest=1.0, memories=15), 0.05, True),
        (QueryCoverage(absent=1.0, nearest=3.0, memories=15), 0.05, False),
        (QueryCoverage(absent=1.0, nearest=3.0, memories=200), 0.05, True),
        (QueryCoverage(absent=1.0, nearest=5.0, memories=200), 0.05, False),
        (QueryCoverage(absent=1.0, nearest=3.0, memories=15), 0.02, True),
        # A good chance makes up for what is not near.
        (QueryCoverage(absent=1.0, nearest=0.0, memories=200), 0.6, False),
        (QueryCoverage(absent=0.5, nearest=None, memories=200), 0.1, True),
        (QueryCoverage(absent=0.5, nearest=None, memories=2), 0.1, False),
        (QueryCoverage(absent=1.0, nearest=0.0, memories=200), 1.0, False),
        (QueryCoverage(absent=1.0, nearest=9.0, memories=15), 0.0, True),
        # A single word has to be nearer.
        (QueryCoverage(absent=1.0, nearest=2.78, memories=20, is_one_word=True), 0.06, True),
        (QueryCoverage(absent=1.0, nearest=2.78, memories=20), 0.06, False),
        (QueryCoverage(absent=1.0, nearest=4.3, memories=20, is_one_word=True), 0.06, False),
        # Where no chance can be told.
        (QueryCoverage(absent=1.0, nearest=None), None, True),
        (QueryCoverage(absent=1.0, nearest=3.9), None, True),
        (QueryCoverage(absent=1.0, nearest=4.0), None, False),
    ],
)
def test_query_coverage_detects_off_topic_questions(
    spoken: QueryCoverage, chance: float | None, is_off_topic: bool
) -> None:
    assert spoken.is_off_topic(chance) is is_off_topic
