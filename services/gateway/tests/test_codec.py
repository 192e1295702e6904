"""What is in a long body is counted before anything is made of it."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from everword_gateway import codec

#: What looks like more values, or like the end of a string.
_TEXTS = ["", "a, [b], {c}", '"', "\\", '\\"', '"\\', "\\\\", '\\\\"', "é😀\n", '","', "[[[["]


def _draw(rng: random.Random, depth: int = 0) -> Any:
    kind = rng.random()
    if depth > 4 or kind < 0.4:
        return rng.choice([*_TEXTS, 1, 2.5, None, True])
    items = [_draw(rng, depth + 1) for _ in range(rng.randrange(5))]
    if kind < 0.7:
        return items
    return {f"{rng.choice(_TEXTS)}{n}": item for n, item in enumerate(items)}


def _values(value: Any) -> int:
    """Return how many values there are: each list and object counts, and what is in it."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_values, inner))


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 64 * 1024])
def test_values_are_counted_wherever_the_pieces_end(
    piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codec, "_PIECE_BYTES", piece)
    rng = random.Random(piece)
    for _ in range(300):
        value = _draw(rng)
        for ascii_alone in (True, False):
            body = bytearray(json.dumps(value, ensure_ascii=ascii_alone).encode())
            counted, filled = codec.measure(body)
            # An object or a list with nothing in it counts twice at most.
            assert _values(value) <= counted <= 2 * _values(value)
            longest = max(map(len, re.findall(rb'"(?:[^"\\]|\\.)*"', body)), default=0)
            assert abs(filled - longest / piece) <= 2
