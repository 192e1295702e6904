"""Which of many keys a text holds, in one pass over the text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ahocorasick_rs import AhoCorasick


class Literals:
    """Keys that are looked for at once.

    The automaton looks for those alone that hold no other key. No two of them end at the same place, so that there are
    never more matches than characters. A key that holds another is looked for where that one was found.
    """

    def __init__(self, keys: Iterable[str]) -> None:
        wanted = sorted({key for key in keys if key})
        self._keys = len(wanted)
        everything = AhoCorasick(wanted) if wanted else None
        self._longer = defaultdict[str, list[str]](list)
        shortest = []
        for key in wanted:
            assert everything is not None
            within = _held(everything, key, wanted)
            if within is None:
                shortest.append(key)
            else:
                self._longer[within].append(key)
        self._shortest = shortest
        self._automaton = AhoCorasick(shortest) if shortest else None

    def __len__(self) -> int:
        return self._keys

    def find(self, text: str) -> Iterator[str]:
        """Yield each key that a text holds, once."""
        if self._automaton is None or not text:
            return
        matches = self._automaton.find_matches_as_indexes(text, overlapping=True)
        found = [self._shortest[place] for place in {match[0] for match in matches}]
        while found:
            key = found.pop()
            yield key
            found += [longer for longer in self._longer.get(key, ()) if longer in text]


def _held(everything: AhoCorasick, key: str, keys: list[str]) -> str | None:
    """Return a key that another one holds, if there is any: it is in that one without its first or its last letter."""
    for part in (key[1:], key[:-1]):
        if part and (matches := everything.find_matches_as_indexes(part)):
            return keys[matches[0][0]]
    return None
