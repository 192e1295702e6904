"""Cuts a document into chunks of about 512 tokens along its structure."""

from __future__ import annotations

from everword_ingest.documents.parsing.model import Chunk, ParsedDocument

#: What a chunk may have at most, its headings not counted.
MAX_TOKENS = 512


def chunk_document(parsed: ParsedDocument) -> list[Chunk]:
    """Return all chunks, in reading order. Takes about a second for each MiB: call it in a thread.

    No chunk goes beyond a heading. Every word is in a chunk's content or headings.
    """
    raise NotImplementedError
