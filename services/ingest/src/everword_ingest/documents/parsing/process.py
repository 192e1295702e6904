"""Reads a file in a process of its own, which may use only so much and is the only thing that a file can end."""

from __future__ import annotations

from everword_ingest.documents.parsing.model import ParsedDocument, ParseLimits

_DEFAULT = ParseLimits()


async def parse_document(
    data: bytes, file_name: str, media_type: str | None, limits: ParseLimits = _DEFAULT
) -> ParsedDocument:
    """Return a file as text. The event loop is free meanwhile; cancelling ends the process.

    Where `media_type` is None, or `application/octet-stream`, the content and the name tell it.
    Raises DocumentUnreadable.
    """
    raise NotImplementedError
