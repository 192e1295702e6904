"""Whether a question is about what was spoken of: what the verdict goes by beside the evidence for results."""

from __future__ import annotations

import math
from dataclasses import dataclass

#: A question may be about something else where so much of what it says, by weight, is said nowhere.
_ABSENT = 0.5
#: Then it is, unless the chance of an answer, as log-odds, and how near the nearest result is make up for it together:
#: so much for each deviation; less for each e-fold of the memories that were looked at, of many one is near by chance;
#: and so much in all. Chosen by the development conversations (docs/retrieval/nothing-relevant.md).
_NEAR_WEIGHT, _MANY_WEIGHT, _LEAST = 0.65, 0.5, -2.5
#: The same for a single word. Vectors of single words are near more, and no other word of it could be said.
_LEAST_OF_ONE_WORD = -2.0
#: How near something counts where nothing has a vector: about as near as the nearest of what is about something else.
_NO_VECTOR = 2.0
#: Without a calibration, the deviations from which on something says what is asked in other words.
_SAID_OTHERWISE = 4.0


@dataclass(frozen=True)
class Spoken:
    """How far what was found speaks of what the query says."""

    #: Share of what the query says, by weight, that nothing found holds.
    absent: float = 0.0
    #: How near the nearest of the first results is, in deviations from the model's background; None without a vector.
    nearest: float | None = None
    #: Memories that were looked at, with those next to what was found.
    memories: int = 1
    #: Whether a memory holds all that the query says.
    is_whole: bool = False
    #: Whether the query is a single word.
    is_one_word: bool = False

    def is_elsewhere(self, chance: float | None) -> bool:
        """Tell whether the query is about something else.

        `chance` is that one of the first results answers; None where that cannot be told, and little speaks for them.
        """
        if self.absent < _ABSENT:
            return False
        if chance is None:
            return (self.nearest or 0.0) < _SAID_OTHERWISE
        near = _NO_VECTOR if self.nearest is None else self.nearest
        many = _MANY_WEIGHT * math.log(max(1, self.memories))
        least = _LEAST_OF_ONE_WORD if self.is_one_word else _LEAST
        return _log_odds(chance) + _NEAR_WEIGHT * near - many < least


def _log_odds(chance: float) -> float:
    if 0 < chance < 1:
        return math.log(chance / (1 - chance))
    return math.inf if chance >= 1 else -math.inf
