"""Chooses sentences under a budget: central and informative ones first, without repetition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from everword_compactor.compose.extractive.graph import Floats, SentenceSimilarity

#: Weight of redundancy in maximal marginal relevance.
_REDUNDANCY = 0.5
#: The same for a sentence with a decision, a task or a cause, which often repeats the words of its subject.
_ANNOUNCED_REDUNDANCY = 0.3
#: Bonus for the first sentence of a source, and of a speaker.
_NEW_SOURCE = 0.4
_NEW_SPEAKER = 0.05
#: Bonus for each new name, number or identifier, up to `_MOST_FACTS` of them.
_NEW_FACT = 0.15
_MOST_FACTS = 3
#: How much length counts: 0 not at all, 1 as gain per token.
_LENGTH = 0.75
#: The same for a sentence with a decision, a task or a cause: its parts belong together.
_ANNOUNCED_LENGTH = 0.5


@dataclass(frozen=True)
class Option:
    """A sentence that can be chosen."""

    #: In tokens, with everything that its line holds.
    cost: float
    #: Its own value, from 0 to 1.
    worth: float
    source: int
    speaker: str
    facts: frozenset[str]
    #: True for a decision, a task, a cause, a rule or a correction.
    is_announced: bool = False
    #: Additional cost of the lines that open its group, unless a chosen one has the same key.
    openings: tuple[tuple[object, float], ...] = ()


@dataclass
class _CoveredContent:
    """The content of the chosen sentences together."""

    sources: set[int] = field(default_factory=set)
    speakers: set[str] = field(default_factory=set)
    facts: set[str] = field(default_factory=set)

    def bonus(self, option: Option) -> float:
        new_facts = min(_MOST_FACTS, len(option.facts - self.facts))
        return (
            _NEW_SOURCE * (option.source not in self.sources)
            + _NEW_SPEAKER * (option.speaker not in self.speakers)
            + _NEW_FACT * new_facts
        )

    def add(self, option: Option) -> None:
        self.sources.add(option.source)
        self.speakers.add(option.speaker)
        self.facts |= option.facts


class _Groups:
    """The lines that begin groups, each of which is paid for once."""

    def __init__(self, options: Sequence[Option]) -> None:
        self.costs = np.zeros(len(options))
        self._closed: dict[object, tuple[list[int], float]] = {}
        for number, option in enumerate(options):
            for key, cost in option.openings:
                self._closed.setdefault(key, ([], cost))[0].append(number)
                self.costs[number] += cost
        self._keys = [[key for key, _ in option.openings] for option in options]

    def open(self, number: int) -> float:
        """Return the cost of opening the groups of an option; its further options then do not pay for them."""
        paid = float(self.costs[number])
        for key in self._keys[number]:
            members, cost = self._closed.pop(key, ([], 0.0))
            self.costs[members] -= cost
        return max(0.0, paid)


def select(
    options: Sequence[Option],
    similarity: SentenceSimilarity,
    budget: float,
    heartbeat: Callable[[], None],
) -> list[int]:
    """Return the numbers of the chosen options, ascending. At least one is chosen, even beyond the budget."""
    costs = np.array([option.cost for option in options])
    worths = np.array([option.worth for option in options])
    lengths = np.array(
        [_ANNOUNCED_LENGTH if option.is_announced else _LENGTH for option in options]
    )
    prices = costs**lengths
    repeated = np.array(
        [_ANNOUNCED_REDUNDANCY if option.is_announced else _REDUNDANCY for option in options]
    )
    redundancy = np.zeros(len(options))
    told, chosen, spent = _CoveredContent(), list[int](), 0.0
    groups = _Groups(options)
    bonuses = np.array([told.bonus(option) for option in options])
    open_ = worths > 0
    while True:
        fitting = open_ & (costs + groups.costs <= budget - spent)
        if not fitting.any():
            break
        heartbeat()
        gains = worths * (1 - repeated * redundancy) / prices
        best = _best(options, np.where(fitting, gains, -1.0), bonuses, told)
        chosen.append(best)
        open_[best] = False
        spent += options[best].cost + groups.open(best)
        told.add(options[best])
        redundancy = np.maximum(redundancy, similarity.to(best))
    # If nothing fits, the most valuable one; if all have value 0, the first.
    return sorted(chosen) or [int(np.argmax(worths))]


def _best(options: Sequence[Option], gains: Floats, bonuses: Floats, told: _CoveredContent) -> int:
    """Return the option with the largest gain. Updates `bonuses` as needed: they only ever fall."""
    while True:
        best = int(np.argmax(gains * (1 + bonuses)))
        bonus = told.bonus(options[best])
        if bonus == bonuses[best]:
            return best
        bonuses[best] = bonus
