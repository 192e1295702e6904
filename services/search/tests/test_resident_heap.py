"""Memory that was freed goes back to the system."""

import numpy as np
import psutil

from everword_search.resident.heap import give_back

MB = 1_000_000


def test_freed_memory_between_what_stays_goes_back() -> None:
    def resident() -> float:
        return psutil.Process().memory_info().rss / MB

    # Too small to be mapped by themselves, and with something that stays after each.
    large = [(np.ones(12_000), np.ones(64)) for _ in range(600)]
    stays = [small for _, small in large]
    filled = resident()
    del large
    kept = resident()
    give_back()
    assert filled - resident() > 40, (filled, kept, resident())
    assert len(stays) == 600
