"""Ranking profiles: the balanced formula against numbers worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from everword.domain.errors import InvalidArgument
from everword.v1 import memory_pb2 as memory
from everword_search.retrieval.arms.base import SearchArm
from everword_search.retrieval.profiles import (
    PROFILES,
    Balanced,
    find_profile,
    importance_of,
)

NOON = datetime(2026, 4, 18, 12, tzinfo=UTC)
BALANCED = Balanced()


@pytest.mark.parametrize(
    ("days", "uses", "expected"),
    [
        (0, 0, 1.0),
        (1, 0, 0.951229425),
        (14, 0, 0.496585304),
        (14, 1, 0.506517010),
        (14, 25, 0.744877956),  # 0.496585304 · 1.5
        (14, 100, 0.744877956),  # no more than 25 count
        (60, 25, 0.074680603),  # 0.049787068 · 1.5
        (0.5, 0, 0.975309912),
        (4, 25, 1.0),  # 0.818730753 · 1.5, were it not for the limit
        (-3, 0, 1.0),  # what lies ahead is not newer than now
    ],
)
def test_balanced_temporal_score_depends_on_decay_and_uses(
    days: float, uses: int, expected: float
) -> None:
    assert BALANCED.temporal(timedelta(days=days), uses) == pytest.approx(expected, abs=1e-9)


def test_balanced_without_use_cap_counts_every_use() -> None:
    unbounded = Balanced(use_cap=0)
    # 0.049787068 · (1 + 0.02 · 100)
    assert unbounded.temporal(timedelta(days=60), 100) == pytest.approx(0.149361205, abs=1e-9)


def test_importance_of_each_importance_class() -> None:
    assert {name: importance_of(value) for name, value in memory.ImportanceClass.items()} == {
        "IMPORTANCE_CLASS_UNSPECIFIED": 0.5,
        "IMPORTANCE_CLASS_TASK": 0.5,
        "IMPORTANCE_CLASS_FACT": 0.6,
        "IMPORTANCE_CLASS_PREFERENCE": 0.8,
        "IMPORTANCE_CLASS_CORRECTION": 0.9,
    }


def test_balanced_profile_has_the_documented_weights() -> None:
    profile = PROFILES["balanced"]
    assert isinstance(profile, Balanced)
    assert profile.weights == {
        SearchArm.LEXICAL: 0.3,
        SearchArm.SEMANTIC: 0.3,
        SearchArm.TRIGRAM: 0.0,
    }
    assert (profile.temporal_weight, profile.importance_weight) == (0.3, 0.1)
    assert (profile.use_cap, profile.pool, profile.newest) == (25, 200, 50)


@pytest.mark.parametrize("name", ["", "Recall", "nonesuch"])
def test_find_profile_refuses_unknown_profile_and_names_the_known_ones(
    name: str,
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        find_profile(name)
    assert caught.value.violations == (("profile", "must be one of recall, balanced"),)
