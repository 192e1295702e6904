"""Order a page so that replacements precede the outdated hits that they replace.

A replacement that ranks behind an outdated hit, or was not found at all, is promoted before it. The next page continues
after the last hit in its own place. The page token names the promoted hits, so that no hit is repeated or lost.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from uuid import UUID

from everword_search.endings.model import CurrentFact
from everword_search.endings.read_endings import Endings
from everword_search.retrieval.hits import RankedHit

#: Maximum promoted memories on all pages of a search, because page tokens name them.
MAX_PROMOTED = 48
#: Bytes of an id in a token: the random part of a UUIDv7.
_TAIL = 8


@dataclass(frozen=True)
class PromotedHits:
    """The memories promoted onto earlier pages."""

    tails: frozenset[bytes] = frozenset()

    @classmethod
    def read(cls, text: str) -> PromotedHits:
        tails = base64.b85decode(text)
        return cls(frozenset(tails[at : at + _TAIL] for at in range(0, len(tails), _TAIL)))

    def write(self) -> str:
        return base64.b85encode(b"".join(sorted(self.tails))).decode()

    def __contains__(self, id_: UUID) -> bool:
        return id_.bytes[-_TAIL:] in self.tails

    def with_(self, ids: Iterable[UUID]) -> PromotedHits:
        return PromotedHits(self.tails | {id_.bytes[-_TAIL:] for id_ in ids})

    @property
    def room(self) -> int:
        return MAX_PROMOTED - len(self.tails)


@dataclass
class PagePlacement:
    """The order of a page."""

    hits: list[RankedHit] = field(default_factory=list)
    #: The promoted memories.
    brought: set[UUID] = field(default_factory=set)
    #: The last hit in its own place; None if there is none.
    last: RankedHit | None = None
    #: True if some hits are left for the next page.
    is_cut: bool = False


@dataclass(frozen=True)
class PlacementInputs:
    """The facts about the memories of a search that its order depends on."""

    endings: Endings
    #: Replacements and originals on earlier pages.
    earlier: Set[UUID]
    #: Maximum promoted hits on this page.
    room: int
    #: Hits of replacements and originals that rank further behind.
    found: Mapping[UUID, RankedHit]
    #: The original messages of each pasted copy.
    originals: Mapping[UUID, Sequence[UUID]] = field(default_factory=dict)


def place(hits: Sequence[RankedHit], size: int, known: PlacementInputs) -> PagePlacement:
    """Return a page of at most `size` hits from `hits`, which follow the previous page."""
    numbered, shown = PagePlacement(), set(known.earlier)
    for hit in hits:
        if hit.source_id not in numbered.brought:
            for promoted in _in_front(hit, known, shown):
                if len(numbered.hits) < size and len(numbered.brought) < known.room:
                    numbered.hits.append(promoted)
                    numbered.brought.add(promoted.source_id)
                    shown.add(promoted.source_id)
            if len(numbered.hits) >= size:
                numbered.is_cut = True
                break
            numbered.hits.append(hit)
            shown.add(hit.source_id)
        numbered.last = hit
    return numbered


def has_misplaced_hit(
    hits: Sequence[RankedHit], endings: Endings, originals: Mapping[UUID, Sequence[UUID]]
) -> bool:
    """Return whether a hit ranks before its original, or before all of its replacements."""
    shown = set[UUID]()
    for hit in hits:
        if any(_missing_replacements(hit, endings, shown)) or not shown.issuperset(
            originals.get(hit.source_id, ())
        ):
            return True
        shown.add(hit.source_id)
    return False


def list_replacements(hits: Sequence[RankedHit], endings: Endings) -> list[UUID]:
    """Return the ids of memories that state a replacement for one of the hits, sorted."""
    ids = {
        id_
        for hit in hits
        for ending in endings.get(hit.source_id, ())
        if ending.current
        for id_ in ending.current.memory_ids
    }
    return sorted(ids)


def _missing_replacements(
    hit: RankedHit, endings: Endings, shown: Set[UUID]
) -> Iterator[CurrentFact]:
    """Yield the replacements of a hit that are not shown yet."""
    for ending in endings.get(hit.source_id, ()):
        if ending.current and shown.isdisjoint(ending.current.memory_ids):
            yield ending.current


def _in_front(hit: RankedHit, known: PlacementInputs, shown: Set[UUID]) -> list[RankedHit]:
    """Return the hits to move before a hit.

    They are its originals, its replacements, and the replacements of these, each before the hit that it replaces.
    """
    there, promoted = {*shown, hit.source_id}, list[RankedHit]()

    def bring(of: RankedHit) -> None:
        for id_ in known.originals.get(of.source_id, ()):
            original = known.found.get(id_)
            if original is not None and id_ not in there:
                there.add(id_)
                bring(original)
                promoted.append(replace(original, score=hit.score, signals=()))
        for holding in _missing_replacements(of, known.endings, there):
            current = _before(hit, holding, known)
            if current.source_id in there:
                continue
            there.add(current.source_id)
            bring(current)
            promoted.append(current)

    bring(hit)
    return promoted


def _before(hit: RankedHit, holding: CurrentFact, known: PlacementInputs) -> RankedHit:
    """Return the hit to promote before an outdated hit, with the score of that hit.

    It is the latest message that states nothing outdated itself, or else the fact.
    """
    passages = dict(zip(holding.memory_ids, holding.passage_ids, strict=True))
    endings = known.endings
    sound = (id_ for id_ in passages if not any(each.current for each in endings.get(id_, ())))
    chosen = next(sound, holding.memory_ids[0])
    own = known.found.get(chosen) or RankedHit(chosen, passages[chosen], hit.score, [], ())
    evidence = [each for each in (own.evidence, hit.evidence) if each is not None]
    match = [each for each in (own.match, hit.match) if each is not None]
    return replace(
        own,
        # The passage that states the replacement, even if another one is nearer to the query.
        passage_id=passages[chosen],
        score=hit.score,
        signals=(),
        evidence=max(evidence, default=None),
        match=max(match, default=None),
    )
