"""Titles and tags of documents, for results with a part of one."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

#: Separator between the title of a document and its headings.
BETWEEN_HEADINGS = " › "
#: A longer part is cut, because the path is shown before the text of a chunk.
_MAX_PART_CHARS = 80
_DOCUMENT_TAG = "document:"


def document_tag(document_id: UUID) -> str:
    """Return the tag by which filters find the chunks of a document. Callers do not see it."""
    return f"{_DOCUMENT_TAG}{document_id}"


def document_path(title: str, headings: Sequence[str]) -> str:
    """Return where in its document a part stands: `Handbook › Deployment › Rollback`."""
    return BETWEEN_HEADINGS.join(_parts(title, headings))


def display_path(title: str, headings: Sequence[str]) -> str:
    """Return the same with long headings cut."""
    parts = (
        part if len(part) <= _MAX_PART_CHARS else f"{part[: _MAX_PART_CHARS - 1]}…"
        for part in _parts(title, headings)
    )
    return BETWEEN_HEADINGS.join(parts)


def _parts(title: str, headings: Sequence[str]) -> Sequence[str]:
    # A document often begins with its title as a heading.
    begins = bool(headings) and headings[0].casefold() == title.casefold()
    return [title, *headings[begins:]]
