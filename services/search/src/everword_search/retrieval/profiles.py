"""Ranking profiles: how what the arms say of a memory, and its time, use and importance, become one score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TypeAlias

from everword.domain.errors import InvalidArgument
from everword_search.retrieval.arms.base import SearchArm


@dataclass(frozen=True)
class BalancedOptions:
    """The changes that a request makes to the profile `balanced`; None keeps what the profile has."""

    lexical_weight: float | None = None
    semantic_weight: float | None = None
    temporal_weight: float | None = None
    importance_weight: float | None = None
    half_life: timedelta | None = None
    #: 0 for all.
    use_cap: int | None = None


#: By `ImportanceClass`: none, task, fact, preference, correction.
_IMPORTANCES = {0: 0.5, 1: 0.5, 2: 0.6, 3: 0.8, 4: 0.9}
#: By what a note was written with.
_NOTE_IMPORTANCES = {1: 0.3, 2: 0.4, 3: 0.5, 4: 0.7, 5: 0.9}


@dataclass(frozen=True)
class Recall:
    """Relevance alone, as the learned models see it; see `everword_search.ranking`."""


@dataclass(frozen=True)
class Balanced:
    """A weighted sum of relevance, time and importance; what is missing, such as a vector, counts 0."""

    #: The trigram arm finds candidates; the formula has no term for it.
    weights: Mapping[SearchArm, float] = field(
        default_factory=lambda: {
            SearchArm.LEXICAL: 0.3,
            SearchArm.TRIGRAM: 0.0,
            SearchArm.SEMANTIC: 0.3,
        }
    )
    temporal_weight: float = 0.3
    importance_weight: float = 0.1
    decay_per_day: float = 0.05
    boost_per_use: float = 0.02
    #: Uses that count; 0 for all.
    use_cap: int = 25
    #: Candidates taken from each arm.
    pool: int = 200
    #: Memories that are scored for being the newest.
    newest: int = 50

    def temporal(self, age: timedelta, uses: int) -> float:
        """Return min(1, e^(-decay·days)·(1 + boost·uses)); what lies in the future has no age."""
        days = max(0.0, age / timedelta(days=1))
        counted = min(uses, self.use_cap) if self.use_cap else uses
        return min(1.0, math.exp(-self.decay_per_day * days) * (1 + self.boost_per_use * counted))

    def changed(self, options: BalancedOptions) -> Balanced:
        """Return the profile with what a request changes. Raises InvalidArgument where no weight is left."""
        profile = self._weighted(options)
        if options.half_life is not None:
            decay = math.log(2) / (options.half_life / timedelta(days=1))
            profile = replace(profile, decay_per_day=decay)
        if options.use_cap is not None:
            profile = replace(profile, use_cap=options.use_cap)
        return profile

    def _weighted(self, options: BalancedOptions) -> Balanced:
        own = (
            self.weights[SearchArm.LEXICAL],
            self.weights[SearchArm.SEMANTIC],
            self.temporal_weight,
            self.importance_weight,
        )
        given = (
            options.lexical_weight,
            options.semantic_weight,
            options.temporal_weight,
            options.importance_weight,
        )
        if given == (None,) * 4:
            return self
        wanted = [mine if yours is None else yours for mine, yours in zip(own, given, strict=True)]
        total = sum(wanted)
        if total == 0:
            raise InvalidArgument(violations=(("balanced", "needs a weight above 0"),))
        lexical, semantic, temporal, importance = (weight / total for weight in wanted)
        arms = {SearchArm.LEXICAL: lexical, SearchArm.SEMANTIC: semantic}
        return replace(
            self,
            weights={**self.weights, **arms},
            temporal_weight=temporal,
            importance_weight=importance,
        )


Profile: TypeAlias = Recall | Balanced

PROFILES: Mapping[str, Profile] = {"recall": Recall(), "balanced": Balanced()}


def find_profile(name: str, options: BalancedOptions | None = None) -> Profile:
    """Return the profile with a name, with what a request changes of `balanced`. Raises InvalidArgument."""
    if name not in PROFILES:
        text = f"must be one of {', '.join(PROFILES)}"
        raise InvalidArgument(violations=(("profile", text),))
    profile = PROFILES[name]
    if options is None:
        return profile
    if not isinstance(profile, Balanced):
        raise InvalidArgument(violations=(("balanced", "goes with the profile balanced alone"),))
    return profile.changed(options)


def importance_of(importance_class: int, note_importance: int = 0) -> float:
    """Return how much a memory of an `ImportanceClass` matters, from 0 to 1.

    Without a class, a note matters as it was written, from 1 to 5.
    """
    if not importance_class and note_importance:
        return _NOTE_IMPORTANCES[note_importance]
    return _IMPORTANCES[importance_class]
