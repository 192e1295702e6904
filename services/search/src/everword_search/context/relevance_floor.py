"""Choose the search results that are worth their tokens. Pure.

The budget of a context is a limit, not a target: with every item that is added, the next one has to be more relevant.
An item is chosen if its odds of an answer, relative to the best result's, outweigh its tokens times the tokens before
it. docs/context.md has the measurements behind the constants.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from everword_search.retrieval.model import SearchResult, Verdict

#: Log-odds of a match (a relevance of .003) that an item needs after the best ones.
_LEAST_MATCH, _BEST = math.log(0.003 / 0.997), 8
#: If the search found nothing relevant, at most this many items, all of that match. The verdict is wrong for up to half
#: of the questions in conversations unlike those that its model was trained on.
_MOST_OF_NOTHING = 3
#: Weight of the match relative to the evidence.
_MATCH_WEIGHT = 0.3
#: The first item of `_USUAL_TOKENS` costs `ln(_USUAL_TOKENS / _FREE_TOKENS)`; an item is left out above `_MOST_COST`.
_FREE_TOKENS, _USUAL_TOKENS, _SMALLEST = 100, 60, 30
_MOST_COST = 6.0
#: Bytes of text per token, and tokens of an item's line without its text.
_BYTES_PER_TOKEN, _LINE_TOKENS = 4.5, 14
#: Characters that a context shows of a memory.
_SHOWN_CHARS = 2000


@dataclass(frozen=True)
class ChosenResults:
    """The results that a context may contain, best first."""

    results: list[SearchResult]
    #: True if no further result of the search could be chosen.
    is_complete: bool


def choose_relevant(
    results: Sequence[SearchResult], verdict: Verdict, query: str = ""
) -> ChosenResults:
    """Return the results that are worth their tokens; all of them if their evidence is unknown.

    Results are not compared with one that repeats the query.
    """
    judged = [each for each in results if _is_judged(each)]
    if not judged:
        chosen = [] if verdict is Verdict.NOTHING_RELEVANT else list(results)
        return ChosenResults(chosen, is_complete=not chosen)
    if verdict is Verdict.NOTHING_RELEVANT:
        near = [each for each in judged if not _is_remote(each)]
        return ChosenResults(near[:_MOST_OF_NOTHING], is_complete=True)
    others = [each for each in judged if not repeats(each, query)]
    best = max(each.hit.evidence or 0.0 for each in others or judged)
    chosen, before, last = list[SearchResult](), 0.0, True
    for result in results:
        tokens = _tokens(result)
        last = _is_worth(result, best, tokens, before + tokens)
        if last and (len(chosen) < _BEST or not _is_remote(result)):
            chosen.append(result)
            before += tokens
    return ChosenResults(chosen, is_complete=not last)


def repeats(result: SearchResult, query: str) -> bool:
    """Return whether a result is the query itself, said before: nothing is as similar to it, and it answers nothing."""
    return bool(query) and result.memory.content.strip() == query.strip()


def _is_judged(result: SearchResult) -> bool:
    return result.hit.evidence is not None and result.hit.match is not None


def _is_remote(result: SearchResult) -> bool:
    """Return whether a result has next to nothing to do with the query."""
    return result.hit.match is not None and result.hit.match < _LEAST_MATCH


def _is_worth(result: SearchResult, best: float, tokens: float, total: float) -> bool:
    hit = result.hit
    if hit.evidence is None or hit.match is None:
        # Promoted for another result, such as an original text of a pasted one.
        return True
    cost = math.log(total / _FREE_TOKENS) + math.log(max(tokens, _SMALLEST) / _USUAL_TOKENS)
    return best - hit.evidence - _MATCH_WEIGHT * hit.match + cost <= _MOST_COST


def _tokens(result: SearchResult) -> float:
    """Return about how many tokens a result costs in a context."""
    shown = max(result.memory.content[:_SHOWN_CHARS], result.passage, key=len)
    return len(shown.encode()) / _BYTES_PER_TOKEN + _LINE_TOKENS
