"""The length of an extractive node: a share of its sources, larger where these are short or full of identifiers."""

from __future__ import annotations

import re

from everword_compactor.compose.model import BUDGET_TOKENS, Level

#: Tokens of a node to those of its sources: two levels stay well under a fifth of the transcript.
SHARES = {
    Level.LEAF: 0.28,
    Level.BRANCH: 0.3,
    Level.ROOT: 0.3,
    Level.DAY: 0.2,
    Level.WEEK: 0.3,
    Level.MONTH: 0.3,
    Level.YEAR: 0.3,
}
#: Share for lines full of numbers and identifiers, which cannot be said in fewer words.
DENSE_SHARE = 0.6
#: Largest number of tokens, if more than a model writes: a model can say the same in fewer words.
_MOST_TOKENS = dict.fromkeys((Level.DAY, Level.WEEK, Level.MONTH, Level.YEAR), 3_000)
#: So many tokens need not be made fewer: a share of a share of a share of little would be nothing.
_ENOUGH_TOKENS = {Level.DAY: 300, Level.WEEK: 600, Level.MONTH: 1_000, Level.YEAR: 1_500}
_DIGIT = re.compile(r"\d")
#: Number of words with a digit from which a line is dense.
_DENSE_WORDS = 3


def is_dense(text: str) -> bool:
    """Return whether a line has several numbers or identifiers."""
    return sum(_DIGIT.search(word) is not None for word in text.split()) >= _DENSE_WORDS


def budget_of(level: Level, tokens: float, dense: float) -> float:
    """Return the largest number of tokens of a node, from those of its sources, `dense` of them in lines full of
    identifiers.
    """
    share = SHARES[level]
    requested = share * tokens + max(0.0, DENSE_SHARE - share) * dense
    return min(max(requested, _ENOUGH_TOKENS.get(level, 0)), most_tokens(level))


def most_tokens(level: Level) -> int:
    """Return the most tokens of an extractive node of a level."""
    return _MOST_TOKENS.get(level, BUDGET_TOKENS[level])
