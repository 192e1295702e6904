"""Recognition of names by the words of a language."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from everword.text.values import names


def test_concurrent_threads_load_the_word_list_once() -> None:
    """Sixteen threads of a worker took 400 MB for a table of 25 MB."""
    names._load_english.cache_clear()
    at_once = Barrier(8)

    def read() -> int:
        at_once.wait()
        return id(names._english())

    with ThreadPoolExecutor(8) as threads:
        found = [each.result() for each in [threads.submit(read) for _ in range(8)]]
    assert len(set(found)) == 1
    assert names._load_english.cache_info().misses == 1
