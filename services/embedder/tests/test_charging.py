"""The tokens of a call are divided among namespaces without a remainder."""

from __future__ import annotations

import random

from everword_embedder.queue.charges import divided


def test_divided_tokens_are_proportional_and_sum_to_the_total() -> None:
    assert divided(10, {1: 1, 2: 1, 3: 1}) == {1: 4, 2: 3, 3: 3}
    assert divided(1, {1: 1, 2: 100}) == {2: 1}
    assert divided(0, {1: 1}) == {}
    assert divided(5, {}) == {}
    rng = random.Random(7)
    for _ in range(200):
        sizes = {key: rng.randrange(1, 1000) for key in range(rng.randrange(1, 9))}
        tokens = rng.randrange(1, 5000)
        assert sum(divided(tokens, sizes).values()) == tokens
