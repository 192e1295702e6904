"""Freed memory is returned to the system, and threads share memory arenas."""

import subprocess
import sys

import numpy as np
import psutil
import pytest

from everword.processes.heap import give_back

MB = 1_000_000
#: Counts the arenas of glibc once eight threads have allocated at the same time.
_COUNT_ARENAS = """
import ctypes, sys, threading
from everword.processes.heap import share_arenas

libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
if sys.argv[1] == "shared":
    share_arenas()
at_once = threading.Barrier(8)

def allocate():
    at_once.wait()
    libc.malloc(ctypes.c_size_t(5_000))
    at_once.wait()

threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
told = libc.fopen(b"/dev/stdout", b"w")
libc.malloc_info(0, ctypes.c_void_p(told))
libc.fclose(ctypes.c_void_p(told))
"""


def test_give_back_returns_freed_memory_between_live_objects() -> None:
    def resident() -> float:
        return psutil.Process().memory_info().rss / MB

    # Too small to be mapped by themselves, and with something that stays after each.
    large = [(np.ones(12_000), np.ones(64)) for _ in range(600)]
    stays = [small for _, small in large]
    filled = resident()
    del large
    retained = resident()
    give_back()
    assert filled - resident() > 40, (filled, retained, resident())
    assert len(stays) == 600


@pytest.mark.parametrize("how", ["shared", "apart"])
def test_threads_share_memory_arenas_if_configured(how: str) -> None:
    command = [sys.executable, "-c", _COUNT_ARENAS, how]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert (told.count("<heap nr=") <= 2) is (how == "shared"), told
