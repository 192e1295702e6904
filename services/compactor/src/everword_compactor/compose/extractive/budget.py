"""The length of an extractive node: a share of each line of its sources, by the line's content."""

from __future__ import annotations

from collections.abc import Iterable

from everword_compactor.compose.extractive.candidates import Candidate
from everword_compactor.compose.extractive.weight import has_value, is_dense
from everword_compactor.compose.model import BUDGET_TOKENS, Level

#: As `BuildContext` counts where the caller has no tokeniser.
BYTES_PER_TOKEN = 4
#: A node has at least and at most these shares of its sources.
LEAST_SHARE, LARGEST_SHARE = 0.15, 0.6
#: Share of ordinary lines. Two levels stay well under a fifth of the transcript.
SHARES = {
    Level.LEAF: 0.33,
    Level.BRANCH: 0.25,
    Level.ROOT: 0.25,
    Level.DAY: 0.2,
    Level.WEEK: 0.25,
    Level.MONTH: 0.25,
    Level.YEAR: 0.25,
}
#: Share of lines with a decision, a task or a cause, if more, and of lines full of numbers and identifiers, which
#: cannot be said in fewer words.
_ANNOUNCED_SHARES = {Level.LEAF: 0.95, Level.DAY: 0.65}
_ANNOUNCED_SHARE = 0.6
DENSE_SHARE = 0.6
#: Lines below this weight, such as those of an assistant's lecture, count less.
_WEIGHTY, _LIGHT = 0.3, 1.0
#: Factor of lines with a name or a number.
_VALUED = 1.5
#: Largest number of tokens, if more than a model writes: a model can say the same in fewer words.
_MOST_TOKENS = dict.fromkeys((Level.DAY, Level.WEEK, Level.MONTH, Level.YEAR), 3_000)
#: Fewer tokens are not made shorter: a share of a share of a share of little would be nothing.
_ENOUGH_TOKENS = {Level.DAY: 300, Level.WEEK: 600, Level.MONTH: 1_000, Level.YEAR: 1_500}


def budget_of(level: Level, size: float, candidates: Iterable[Candidate]) -> float:
    """Return the number of tokens of a node, from those of its sources and from the lines to choose from."""
    requested = sum(
        _share(level, candidate) * tokens_of(candidate.bullet.text) for candidate in candidates
    )
    share = min(max(requested, LEAST_SHARE * size), LARGEST_SHARE * size)
    return min(max(share, _ENOUGH_TOKENS.get(level, 0)), most_tokens(level))


def longest_budget(level: Level, size: float) -> float:
    """Return the number of tokens of a node whose usual length says too little of its sources."""
    return min(max(LARGEST_SHARE * size, _ENOUGH_TOKENS.get(level, 0)), most_tokens(level))


def most_tokens(level: Level) -> int:
    """Return the most tokens of an extractive node of a level."""
    return _MOST_TOKENS.get(level, BUDGET_TOKENS[level])


def tokens_of(text: str) -> int:
    """Return the estimated number of tokens of a text."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def _share(level: Level, candidate: Candidate) -> float:
    if is_dense(candidate.bullet.text):
        return DENSE_SHARE
    if candidate.weight < _WEIGHTY:
        return SHARES[level] * _LIGHT
    if candidate.is_announced:
        return _ANNOUNCED_SHARES.get(level, _ANNOUNCED_SHARE)
    return SHARES[level] * (_VALUED if has_value(candidate.bullet.text) else 1.0)
