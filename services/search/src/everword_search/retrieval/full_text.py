"""The text of a memory around the passage that matched, and parts of it of any length. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from everword.text.credentials import mask_credentials, mask_passage
from everword.text.sections import find_section
from everword.text.structure import (
    collapse_runs,
    has_json,
    shorten_structure,
    trim_to_delimiters,
)

#: Characters around a part in which credentials are recognised.
_AROUND = 500


@dataclass(frozen=True)
class FullText:
    """The text of a memory as far as it was read, with the place of the passage that matched."""

    text: str
    #: Span of the passage; empty, at the beginning, if none matched.
    start: int = 0
    end: int = 0
    #: True if the memory goes on before or after `text`.
    goes_before: bool = False
    goes_after: bool = False
    #: True for the output of a tool, whose lines are no sentences.
    of_tool: bool = False
    #: True if shown parts have their credentials masked.
    masks: bool = False

    @classmethod
    def around(cls, before: str, passage: str, after: str) -> FullText:
        """Return a text in three parts, without long runs of characters."""
        before, passage, after = map(collapse_runs, (before, passage, after))
        start = len(before)
        return cls(before + passage + after, start, start + len(passage))

    @classmethod
    def of(cls, content: str, passage: str) -> FullText | None:
        """Return a whole memory; None if its content does not contain the passage."""
        before, found, after = content.partition(passage)
        return cls.around(before, found, after) if found or not passage else None

    @classmethod
    def of_beginning(cls, text: str, goes_after: bool = False) -> FullText:
        """Return a text that is shown from its beginning, or the part of it that was read."""
        return cls(collapse_runs(text), goes_after=goes_after)

    @property
    def is_whole(self) -> bool:
        """Return whether the text is the whole memory."""
        return not self.goes_before and not self.goes_after

    @property
    def passage(self) -> str:
        return self.text[self.start : self.end]

    @cached_property
    def _has_json(self) -> bool:
        return has_json(self.text)

    def shown(self, max_chars: int) -> str:
        """Return at most about `max_chars` characters, but at least the passage; cuts are marked with an ellipsis."""
        if self.is_whole and len(self.text) <= max_chars:
            return mask_credentials(self.text) if self.masks else self.text
        if self.is_whole and (self._has_json or (self.of_tool and self.start == self.end)):
            words = shorten_structure(self.text, max_chars, self.passage)
            return mask_credentials(words) if self.masks else words
        start, end = find_section(self.text, self.start, self.end, max_chars)
        cut_before, cut_after = (
            start > 0 or self.goes_before,
            end < len(self.text) or self.goes_after,
        )
        words = self.text[start:end].strip()
        if self.of_tool:
            words = trim_to_delimiters(words, start=cut_before, end=cut_after)
        if self.masks:
            # The words around a credential may be what identifies it.
            words = mask_passage(words, self.text[max(0, start - _AROUND) : end + _AROUND])
        return f"{'… ' if cut_before else ''}{words}{' …' if cut_after else ''}"

    def masked(self) -> FullText:
        """Return the text with credentials masked in the parts that are shown: masking a whole long text is slow."""
        return replace(self, masks=True)
