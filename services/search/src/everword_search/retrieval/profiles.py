"""Ranking profiles: how the arms' scores, time, use and importance are combined into one score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TypeAlias

from everword.domain.caller import NamespaceScope
from everword.domain.errors import InvalidArgument
from everword_search.retrieval.arms.base import SearchArm


@dataclass(frozen=True)
class BalancedOptions:
    """Overrides of the profile `balanced` by a request; None keeps the profile's value."""

    lexical_weight: float | None = None
    semantic_weight: float | None = None
    temporal_weight: float | None = None
    importance_weight: float | None = None
    half_life: timedelta | None = None
    #: 0 counts all uses.
    use_cap: int | None = None


#: Importance by `ImportanceClass`: none, task, fact, preference, correction.
_IMPORTANCES = {0: 0.5, 1: 0.5, 2: 0.6, 3: 0.8, 4: 0.9}
#: Importance by a note's own level, from 1 to 5.
_NOTE_IMPORTANCES = {1: 0.3, 2: 0.4, 3: 0.5, 4: 0.7, 5: 0.9}


@dataclass(frozen=True)
class Recall:
    """Relevance only, by the learned models; see `everword_search.ranking`."""


@dataclass(frozen=True)
class Balanced:
    """A weighted sum of relevance, time and importance; a missing part, such as a vector, counts 0."""

    #: The trigram arm only finds candidates; its weight in the formula is 0.
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
    #: Maximum uses that count; 0 counts all.
    use_cap: int = 25
    #: Share of the best evidence from which time and importance count in full; below, by the square of the ratio.
    full_quality: float = 0.5
    #: Candidates taken from each arm.
    pool: int = 200
    #: Number of newest memories that are scored as well.
    newest: int = 50

    def temporal(self, age: timedelta, uses: int) -> float:
        """Return min(1, e^(-decay·days)·(1 + boost·uses)); a future memory has age 0."""
        days = max(0.0, age / timedelta(days=1))
        counted = min(uses, self.use_cap) if self.use_cap else uses
        return min(1.0, math.exp(-self.decay_per_day * days) * (1 + self.boost_per_use * counted))

    def weight_of(self, arm: SearchArm, only_asks: bool) -> float:
        """Return the weight of an arm; half of it for a text that only asks, so that answers rank above it."""
        return self.weights[arm] * (0.5 if only_asks else 1.0)

    def quality(self, evidence: float | None, best: float, only_asks: bool) -> float:
        """Return the factor of time and importance, from 0 to 1.

        Without it, a fresh remark such as "Still there?" would rank above the answer. `evidence` is None if unknown.
        """
        if only_asks:
            return 0.0
        if evidence is None or best <= 0:
            return 1.0
        return min(1.0, (evidence / (self.full_quality * best)) ** 2)

    def changed(self, options: BalancedOptions) -> Balanced:
        """Return the profile with the request's overrides. Raises InvalidArgument if all weights are 0."""
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
        requested = [
            mine if yours is None else yours for mine, yours in zip(own, given, strict=True)
        ]
        total = sum(requested)
        if total == 0:
            raise InvalidArgument(violations=(("balanced", "needs a weight above 0"),))
        lexical, semantic, temporal, importance = (weight / total for weight in requested)
        arms = {SearchArm.LEXICAL: lexical, SearchArm.SEMANTIC: semantic}
        return replace(
            self,
            weights={**self.weights, **arms},
            temporal_weight=temporal,
            importance_weight=importance,
        )


Profile: TypeAlias = Recall | Balanced

PROFILES: Mapping[str, Profile] = {"recall": Recall(), "balanced": Balanced()}


def profile_name(requested: str, namespace: NamespaceScope) -> str:
    """Return the profile that a request names, else the one of its namespace, else `recall`."""
    return requested or namespace.ranking_profile or "recall"


def find_profile(name: str, options: BalancedOptions | None = None) -> Profile:
    """Return the named profile, with overrides for `balanced`.

    Raises InvalidArgument for an unknown name, and for overrides of another profile.
    """
    if name not in PROFILES:
        text = f"must be one of {', '.join(PROFILES)}"
        raise InvalidArgument(violations=(("profile", text),))
    profile = PROFILES[name]
    if options is None:
        return profile
    if not isinstance(profile, Balanced):
        raise InvalidArgument(violations=(("balanced", "requires the profile balanced"),))
    return profile.changed(options)


def importance_of(importance_class: int, note_importance: int = 0) -> float:
    """Return the importance of a memory from 0 to 1.

    A note without an `ImportanceClass` has the importance of its own level, from 1 to 5.
    """
    if not importance_class and note_importance:
        return _NOTE_IMPORTANCES[note_importance]
    return _IMPORTANCES[importance_class]
