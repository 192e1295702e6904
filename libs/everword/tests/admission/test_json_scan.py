"""The number of values and the longest string of JSON are measured before parsing."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from everword.admission import json_scan

#: Strings with brackets, commas, quotes and backslashes.
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
    """Return the number of values: lists, objects and their items."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_values, inner))


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 64 * 1024])
def test_scan_json_counts_values_for_any_piece_size(
    piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_scan, "PIECE_BYTES", piece)
    rng = random.Random(piece)
    for _ in range(300):
        value = _draw(rng)
        for ascii_alone in (True, False):
            body = bytearray(json.dumps(value, ensure_ascii=ascii_alone).encode())
            found = json_scan.scan_json(body)
            # An empty object or list counts twice at most.
            assert _values(value) <= found.values <= 2 * _values(value)
            longest = max(map(len, re.findall(rb'"(?:[^"\\]|\\.)*"', body)), default=0)
            assert abs(found.string_pieces - longest / piece) <= 2
            assert found.is_list == isinstance(value, list) or piece == 1
            assert not found.has_long_number


@pytest.mark.parametrize(
    ("text", "is_long"),
    [
        (f"[{'1' * 100}]", False),
        (f"[{'1' * 101}]", True),
        (f'{{"a": -{"9" * 101}.5}}', True),
        (f'{{"a": 0.{"7" * 101}e9}}', True),
        (f'["{"1" * 101}"]', False),
        (f'["{"1" * 101}\\"", {"2" * 50}]', False),
        (f"[{'1' * 200_000}]", True),
    ],
)
def test_scan_json_finds_a_number_that_is_too_long(text: str, is_long: bool) -> None:
    assert json_scan.scan_json(text.encode()).has_long_number == is_long


@pytest.mark.parametrize("broken", [b"", b'"', b"\\", b'{"a": "', b"[" * 1000, b"\xff" * 100])
def test_scan_json_scans_malformed_text_to_its_end(broken: bytes) -> None:
    assert json_scan.scan_json(broken).values >= 1
