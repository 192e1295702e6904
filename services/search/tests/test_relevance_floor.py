"""Which search results are worth their tokens in a context."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from everword_search.context.relevance_floor import choose_relevant
from everword_search.retrieval.model import Verdict


def result(evidence: float | None, match: float | None, words: int = 30) -> Any:
    """Return a search result with these estimates and a text of this length."""
    text = "harbour " * words
    hit = SimpleNamespace(evidence=evidence, match=match)
    return SimpleNamespace(hit=hit, memory=SimpleNamespace(content=text), passage=text)


BEST = result(-0.5, 4.0)


def test_result_far_below_the_best_is_left_out() -> None:
    weak = result(-7.0, -5.0)
    chosen = choose_relevant([BEST, weak], Verdict.RELEVANT)
    assert chosen.results == [BEST]
    assert chosen.is_complete


def test_equally_good_results_are_all_chosen() -> None:
    equal = [result(-0.5, 4.0) for _ in range(60)]
    chosen = choose_relevant(equal, Verdict.RELEVANT)
    assert chosen.results == equal
    assert not chosen.is_complete


def test_a_longer_context_needs_more_relevant_results() -> None:
    middling = result(-4.0, 0.0)
    assert middling in choose_relevant([BEST, middling], Verdict.RELEVANT).results
    many = [result(-0.5, 4.0) for _ in range(40)]
    assert middling not in choose_relevant([*many, middling], Verdict.RELEVANT).results


def test_a_longer_text_needs_more_relevance() -> None:
    short, long = result(-4.5, -1.0, words=15), result(-4.5, -1.0, words=240)
    assert choose_relevant([BEST, short, long], Verdict.RELEVANT).results == [BEST, short]


def test_after_the_best_eight_results_need_a_match() -> None:
    far, near = [result(-6.0, -6.5, words=2) for _ in range(20)], result(-6.0, -5.0, words=2)
    assert choose_relevant([*far, near], Verdict.RELEVANT).results == [*far[:8], near]


def test_at_most_three_near_results_are_chosen_if_nothing_is_relevant() -> None:
    near, far = [result(-4.5, -2.0, words=5) for _ in range(30)], result(-4.5, -7.0)
    chosen = choose_relevant([far, *near], Verdict.NOTHING_RELEVANT)
    assert chosen.results == near[:3]
    assert chosen.is_complete


def test_results_of_unknown_evidence_follow_the_verdict() -> None:
    unknown = [result(0.3, None), result(None, None)]
    assert choose_relevant(unknown, Verdict.RELEVANT).results == unknown
    assert choose_relevant(unknown, Verdict.NOTHING_RELEVANT).results == []
