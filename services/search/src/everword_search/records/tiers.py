"""Tiers: how much of a memory's text is returned."""

from __future__ import annotations

from dataclasses import replace
from enum import IntEnum

from everword.domain.records import MemoryRecord
from everword.text.tiers import ABSTRACT_SOURCE_CHARS, OVERVIEW_SOURCE_CHARS, abstract, overview
from everword_search.records.model import max_parts


class Tier(IntEnum):
    """Abstract, overview or full text. Values equal proto `Tier`."""

    UNSPECIFIED = 0
    ABSTRACT = 1
    OVERVIEW = 2
    FULL = 3

    @property
    def is_short(self) -> bool:
        return self in _SOURCES


#: Characters of a text that are read to derive its short form.
_SOURCES = {Tier.ABSTRACT: ABSTRACT_SOURCE_CHARS, Tier.OVERVIEW: OVERVIEW_SOURCE_CHARS}
_CUTS = {Tier.ABSTRACT: abstract, Tier.OVERVIEW: overview}


def chars_read(tier: Tier, otherwise: int | None) -> int | None:
    """Return the maximum characters to read of each text for a tier; `otherwise` for the full text."""
    return _SOURCES.get(tier, otherwise)


def parts_read(tier: Tier) -> int | None:
    """Return the maximum passages to read of each text for a tier; None for all."""
    chars = chars_read(tier, None)
    return max_parts(chars) if chars else None


def in_tier(record: MemoryRecord, tier: Tier, *, masks: bool) -> MemoryRecord:
    """Return a memory with its text shortened to a tier; a tool call without content is shortened from its sentence.

    Short texts contain no credentials if `masks`; a full text stays as it was sent.
    """
    if tier not in _CUTS:
        return record
    text = record.synthesized_content or record.content
    # A synthesized sentence is always whole; only the content may have been truncated.
    cut_before = record.content_truncated and text is record.content
    said = _CUTS[tier](text, cut_before=cut_before, masks=masks)
    truncated = record.content_truncated or said != record.content
    return replace(record, content=said, content_truncated=truncated)
