"""Turns the bytes of a file into text with headings, in a process of its own, and the text into chunks.

Only light modules are imported here: the libraries that read formats are loaded in the parser's process alone.
"""

from everword_ingest.documents.parsing.chunker import chunk_document
from everword_ingest.documents.parsing.model import (
    Chunk,
    DocumentUnreadable,
    ParsedDocument,
    ParseLimits,
    Section,
    Unreadable,
)
from everword_ingest.documents.parsing.process import parse_document, parse_text

__all__ = [
    "Chunk",
    "DocumentUnreadable",
    "ParseLimits",
    "ParsedDocument",
    "Section",
    "Unreadable",
    "chunk_document",
    "parse_document",
    "parse_text",
]
