"""`python -m support.http_health URL`: asks for `/healthz` until its input ends, and prints the seconds, as JSON.

It prints an empty line after the first answer.
"""

from __future__ import annotations

import json
import select
import sys
import time
from contextlib import closing
from http.client import HTTPConnection

PAUSE_S = 0.02


def watch(url: str) -> list[float]:
    """Return the seconds that each answer took. Raises if an answer is not 200."""
    took: list[float] = []
    with closing(HTTPConnection(url.removeprefix("http://"), timeout=30)) as connection:
        while not select.select([sys.stdin], [], [], PAUSE_S)[0]:
            started = time.perf_counter()
            connection.request("GET", "/healthz")
            response = connection.getresponse()
            response.read()
            if response.status != 200:
                raise RuntimeError(f"{url} does not serve: {response.status}")
            took.append(time.perf_counter() - started)
            if len(took) == 1:
                print(flush=True)
    return took


if __name__ == "__main__":
    print(json.dumps(watch(sys.argv[1])))
