"""The short form of `make test-fuzz-parsers`."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from fuzz.parsers import TARGETS
from fuzz.values import HOSTILE

SEED = 20261126
#: Cases per parser; fewer for parsers that take a millisecond or more.
CASES = 2_950
FEWER = {"sleep": 1_000, "statements": 200, "import": 0}
#: Building blocks of the formats.
_PARTS = [
    '{"messages":',
    '[{"role":"user","content":',
    "- [chat: ",
    '"',
    "exit code: ",
    "3d",
    "[1]",
]


@pytest.mark.parametrize("name", [name for name in TARGETS if FEWER.get(name, CASES)])
def test_parsers_raise_no_unexpected_error_on_fuzzed_input(name: str) -> None:
    for data in _cases(FEWER.get(name, CASES)):
        try:
            TARGETS[name](data)
        except Exception as error:
            error.add_note(f"{name} was given {data!r}")
            raise


def _cases(count: int) -> Iterator[bytes]:
    """Yield texts of building blocks, hostile texts, and bytes, the same in each run."""
    rng = random.Random(SEED)
    for _ in range(count):
        parts = rng.choices([*_PARTS, *(each[:300] for each in HOSTILE)], k=rng.randint(1, 4))
        data = "".join(parts).encode()
        if rng.random() < 0.5:
            at = rng.randrange(len(data) + 1)
            data = data[:at] + rng.randbytes(rng.randint(1, 30)) + data[at + rng.randint(0, 3) :]
        yield data
