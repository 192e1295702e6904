"""How much of the text of memories is returned: abstract, overview, or full."""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum

from everword.domain.records import MemoryRecord
from everword.text.tiers import ABSTRACT_SOURCE_CHARS, OVERVIEW_SOURCE_CHARS, abstract, overview
from everword_search.records.model import max_parts


class Tier(IntEnum):
    """How much of a text. Values equal proto `Tier`."""

    UNSPECIFIED = 0
    ABSTRACT = 1
    OVERVIEW = 2
    FULL = 3

    @property
    def is_short(self) -> bool:
        return self in _SOURCES


#: How much of a text is read for it.
_SOURCES = {Tier.ABSTRACT: ABSTRACT_SOURCE_CHARS, Tier.OVERVIEW: OVERVIEW_SOURCE_CHARS}
_CUTS = {Tier.ABSTRACT: abstract, Tier.OVERVIEW: overview}


def chars_read(tier: Tier, otherwise: int | None) -> int | None:
    """Return the most characters of each text to read for a tier; `otherwise` where it is the full text."""
    return _SOURCES.get(tier, otherwise)


def parts_read(tier: Tier) -> int | None:
    """Return the most passages of each text to read for a tier; None for all."""
    chars = chars_read(tier, None)
    return max_parts(chars) if chars else None


def in_tier(record: MemoryRecord, tier: Tier, *, masks: bool) -> MemoryRecord:
    """Return a memory with as much of its text as a tier has: of a tool call without words, of the sentence for it.

    What is short is derived, and holds no credentials where the namespace `masks` them; a full text is as it was sent.
    """
    if tier not in _CUTS:
        return record
    text = record.synthesized_content or record.content
    # A sentence is whole: what may have been cut is the content.
    cut_before = record.content_truncated and text is record.content
    said = _CUTS[tier](text, cut_before=cut_before, masks=masks)
    truncated = record.content_truncated or said != record.content
    return replace(record, content=said, content_truncated=truncated)
