"""Files for copies, as many as there are descriptors for."""

from __future__ import annotations

import resource

import pytest

from everword_search.cache.descriptors import allow_files

_UNLIMITED = resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("soft", "hard", "most", "raised_to"),
    [
        (1_024, 1_024, 256, None),
        (1_024, 524_288, 1_000, 2_512),
        (1_024, _UNLIMITED, 1_000, 2_512),
        (1_024, 2_000, 744, 2_000),
        (20_000, 20_000, 1_000, None),
        (_UNLIMITED, _UNLIMITED, 1_000, None),
        (256, 256, 0, None),
    ],
)
def test_the_soft_limit_is_raised_as_far_as_files_need_it(
    soft: int, hard: int, most: int, raised_to: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = [(soft, hard)]

    def limit(_: int, wanted: tuple[int, int]) -> None:
        assert wanted[1] == hard
        limits.append(wanted)

    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", limit)
    assert allow_files(1_000) == most
    assert limits[-1][0] == (raised_to or soft)
