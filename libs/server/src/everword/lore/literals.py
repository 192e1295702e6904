"""Which of many keys a text holds, in one pass over the text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ahocorasick_rs import AhoCorasick

#: Characters at the beginning of a key (its head) that the automata search for; the rest is compared afterwards.
_HEAD = 24
#: Heads per automaton. Building it blocks all other threads: 0.1 s for a megabyte of keys.
_PART = 5000


class Literals:
    """Keys that are looked for at once.

    The automata search only for heads that contain no other head. No two of these end at the same place, so that there
    are never more matches than characters. A head that contains another one is compared at the matches of the other
    one.
    """

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = defaultdict[str, list[str]](list)
        for key in sorted({key for key in keys if key}):
            self._keys[key[:_HEAD]].append(key)
        self._longer = defaultdict[str, list[str]](list)
        shortest, heads = [], _Heads(list(self._keys))
        for head in self._keys:
            within = heads.find_within(head)
            if within is None:
                shortest.append(head)
            else:
                self._longer[within].append(head)
        self._shortest = heads if len(shortest) == len(self._keys) else _Heads(shortest)

    def __len__(self) -> int:
        return sum(map(len, self._keys.values()))

    def find(self, text: str) -> Iterator[str]:
        """Yield each key that a text holds, once."""
        found = list(self._shortest.find_all(text)) if text else []
        while found:
            head = found.pop()
            for key in self._keys[head]:
                if len(key) <= _HEAD or key in text:
                    yield key
            found += [longer for longer in self._longer.get(head, ()) if longer in text]


class _Heads:
    """Automata that search for texts, some thousand texts each."""

    def __init__(self, heads: Sequence[str]) -> None:
        parts = [heads[begin : begin + _PART] for begin in range(0, len(heads), _PART)]
        self._parts = [(AhoCorasick(part), part) for part in parts]

    def find_all(self, text: str) -> Iterator[str]:
        """Yield each head that a text contains, once."""
        for automaton, part in self._parts:
            matches = automaton.find_matches_as_indexes(text, overlapping=True)
            for place in {match[0] for match in matches}:
                yield part[place]

    def find_within(self, head: str) -> str | None:
        """Return another head that is a part of this one; None if there is none.

        A search in the whole head would find the head itself, so its text without the first character is searched, and
        its text without the last one.
        """
        for automaton, part in self._parts:
            for inner in (head[1:], head[:-1]):
                if inner and (matches := automaton.find_matches_as_indexes(inner)):
                    return part[matches[0][0]]
        return None
