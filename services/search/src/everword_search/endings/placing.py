"""The order of a page in which what holds stands before what held. Pure.

A page is a stretch of the ranked hits. What holds instead of a hit, and does not stand before it already, is brought
before it: from further behind, or from where nothing was found. The next page goes on after the last hit that was taken
in its own place, and knows what was brought forward: nothing comes twice, and nothing is lost.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from uuid import UUID

from everword_search.endings.model import Holding
from everword_search.endings.read_endings import Endings
from everword_search.retrieval.model import Hit

#: Memories that the pages of one search bring forward at most: the token of a page names them.
MOST_BROUGHT = 48
#: Of an id, what a token holds: the random part of a UUIDv7.
_TAIL = 8


@dataclass(frozen=True)
class Brought:
    """What earlier pages brought forward."""

    tails: frozenset[bytes] = frozenset()

    @classmethod
    def read(cls, text: str) -> Brought:
        tails = base64.b85decode(text)
        return cls(frozenset(tails[at : at + _TAIL] for at in range(0, len(tails), _TAIL)))

    def write(self) -> str:
        return base64.b85encode(b"".join(sorted(self.tails))).decode()

    def __contains__(self, id_: UUID) -> bool:
        return id_.bytes[-_TAIL:] in self.tails

    def with_(self, ids: Iterable[UUID]) -> Brought:
        return Brought(self.tails | {id_.bytes[-_TAIL:] for id_ in ids})

    @property
    def room(self) -> int:
        return MOST_BROUGHT - len(self.tails)


@dataclass
class Placed:
    """A page in its order."""

    hits: list[Hit] = field(default_factory=list)
    #: What was brought forward.
    brought: set[UUID] = field(default_factory=set)
    #: The last hit that was taken in its own place; None where there is none.
    last: Hit | None = None
    #: Whether hits are left for the next page.
    is_cut: bool = False


@dataclass(frozen=True)
class Known:
    """What is known of the memories of a search beside its hits."""

    endings: Endings
    #: What stands on earlier pages, of what holds instead of something.
    earlier: Set[UUID]
    #: How many may be brought forward.
    room: int
    #: The hits of those that were found further behind.
    found: Mapping[UUID, Hit]


def place(hits: Sequence[Hit], size: int, known: Known) -> Placed:
    """Return a page of `size` hits, of those that follow the page before."""
    placed, shown = Placed(), set(known.earlier)
    for hit in hits:
        if hit.source_id not in placed.brought:
            for brought in _in_front(hit, known, shown):
                if len(placed.hits) < size and len(placed.brought) < known.room:
                    placed.hits.append(brought)
                    placed.brought.add(brought.source_id)
                    shown.add(brought.source_id)
            if len(placed.hits) >= size:
                placed.is_cut = True
                break
            placed.hits.append(hit)
            shown.add(hit.source_id)
        placed.last = hit
    return placed


def is_any_lacking(hits: Sequence[Hit], endings: Endings) -> bool:
    """Tell whether there is a hit before which nothing stands that holds instead."""
    shown = set[UUID]()
    for hit in hits:
        if any(_lacking(hit, endings, shown)):
            return True
        shown.add(hit.source_id)
    return False


def holding_instead(hits: Sequence[Hit], endings: Endings) -> list[UUID]:
    """Return the memories that say what holds instead of any of these hits."""
    ids = {
        id_
        for hit in hits
        for ending in endings.get(hit.source_id, ())
        if ending.current
        for id_ in ending.current.memory_ids
    }
    return sorted(ids)


def _lacking(hit: Hit, endings: Endings, shown: Set[UUID]) -> Iterator[Holding]:
    """Yield what holds instead of a hit and does not stand before it."""
    for ending in endings.get(hit.source_id, ()):
        if ending.current and shown.isdisjoint(ending.current.memory_ids):
            yield ending.current


def _in_front(hit: Hit, known: Known, shown: Set[UUID]) -> list[Hit]:
    """Return what is brought before a hit, in its order: what holds, and before that what holds instead of it."""
    there, brought = {*shown, hit.source_id}, list[Hit]()

    def bring(of: Hit) -> None:
        for holding in _lacking(of, known.endings, there):
            current = _before(hit, holding, known)
            if current.source_id in there:
                continue
            there.add(current.source_id)
            bring(current)
            brought.append(current)

    bring(hit)
    return brought


def _before(hit: Hit, holding: Holding, known: Known) -> Hit:
    """Return the hit of what is brought before another one, with that one's score.

    It is the latest message that itself says nothing that has been replaced, or the fact.
    """
    passages = dict(zip(holding.memory_ids, holding.passage_ids, strict=True))
    endings = known.endings
    sound = (id_ for id_ in passages if not any(each.current for each in endings.get(id_, ())))
    chosen = next(sound, holding.memory_ids[0])
    own = known.found.get(chosen) or Hit(chosen, passages[chosen], hit.score, [], ())
    evidence = [each for each in (own.evidence, hit.evidence) if each is not None]
    return replace(
        own,
        # Where it says so, wherever else it is near the query.
        passage_id=passages[chosen],
        score=hit.score,
        signals=(),
        evidence=max(evidence, default=None),
    )
