"""Signs of life from work that takes many small steps."""

from __future__ import annotations

import time
from collections.abc import Callable

#: A sign of life is a statement to the database: steps take less time than that.
EVERY_S = 1.0


def seldom(beat: Callable[[], None]) -> Callable[[], None]:
    """Return `beat` for calls at each step: it is called once a second."""
    last = time.monotonic()

    def step() -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY_S:
            beat()
            last = time.monotonic()

    return step
