"""The text of a memory around the passage that matched, and parts of it of any length. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from everword.text.credentials import mask_credentials, mask_passage
from everword.text.sections import SECTION_CHARS, find_section
from everword.text.structure import (
    collapse_runs,
    has_json,
    shorten_structure,
    trim_to_delimiters,
)
from everword_search.ranking.words.question_words import QuestionWords
from everword_search.retrieval.excerpts import Span, find_excerpt

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
    #: The question, by which parts shorter than the passage are chosen.
    question: QuestionWords | None = None

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
        """Return at most about `max_chars` characters; cuts are marked with an ellipsis.

        It is the whole text if that fits, else a section around the passage. If the passage does not fit, or the whole
        text has less than a section, it is an excerpt of the sentences that match the question, at least the best one.
        Without a question it is at least the passage.
        """
        if self.is_whole and len(self.text) <= max_chars:
            return mask_credentials(self.text) if self.masks else self.text
        if self.is_whole and (self._has_json or (self.of_tool and self.start == self.end)):
            words = shorten_structure(self.text, max_chars, self.passage, self._weight)
            return mask_credentials(words) if self.masks else words
        excerpt = self._excerpt(max_chars)
        spans = excerpt or [find_section(self.text, self.start, self.end, max_chars)]
        goes_before = spans[0][0] > 0 or self.goes_before
        goes_after = spans[-1][1] < len(self.text) or self.goes_after
        shown = "… " if goes_before else ""
        for number, (start, end) in enumerate(spans):
            if number:
                is_line_end = self.text[spans[number - 1][1] - 1] == "\n"
                shown += "\n… " if is_line_end else " … "
            shown += self._part(start, end, trims=self.of_tool and not excerpt)
        return f"{shown}{' …' if goes_after else ''}"

    def _part(self, start: int, end: int, *, trims: bool) -> str:
        """Return a part of the text, with its credentials masked if `masks`; with `trims` without incomplete values."""
        words = self.text[start:end].strip()
        if trims:
            cut_before, cut_after = start > 0 or self.goes_before, end < len(self.text)
            words = trim_to_delimiters(words, start=cut_before, end=cut_after or self.goes_after)
        if self.masks:
            # The words around a credential may be what identifies it.
            words = mask_passage(words, self.text[max(0, start - _AROUND) : end + _AROUND])
        return words

    def _excerpt(self, max_chars: int) -> list[Span]:
        """Return the spans of an excerpt; none if a section is shown."""
        if self.question is None or self.start == self.end:
            return []
        is_short = self.is_whole and len(self.text) <= SECTION_CHARS and not self.of_tool
        if not is_short and max_chars >= self.end - self.start:
            return []
        passage = self.start, self.end
        within = (0, len(self.text)) if is_short else passage
        return find_excerpt(self.text, within, passage, self.question, max_chars)

    def _weight(self, text: str) -> float:
        """Return the weight of the question's words in a text."""
        return self.question.weight(self.question.found_in(text)) if self.question else 0.0

    def masked(self) -> FullText:
        """Return the text with credentials masked in the parts that are shown: masking a whole long text is slow."""
        return replace(self, masks=True)

    def asked(self, question: QuestionWords) -> FullText:
        """Return the text with the question by which excerpts are chosen."""
        return replace(self, question=question)
