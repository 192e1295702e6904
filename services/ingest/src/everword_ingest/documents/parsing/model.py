"""What a file is turned into, how much may be spent on it, and why it may not be readable."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

_MIB = 1024 * 1024


@dataclass(frozen=True)
class Section:
    """Text under one heading, in reading order; a part of it, where a page ends in between."""

    #: From the outermost heading to the innermost; empty before the first heading.
    heading_path: tuple[str, ...]
    #: Without its heading. Only a heading that nothing stands under has itself as its text.
    text: str
    #: The page or slide from 1, where the format has them.
    page: int | None
    #: Where `text` begins in the document's text, in characters.
    start: int


@dataclass(frozen=True)
class ParsedDocument:
    """A file as text."""

    title: str | None
    #: What the file is by its content, such as `application/pdf`.
    media_type: str
    #: The whole document in the manner of Markdown. It has no control characters except tabs and line feeds.
    text: str
    sections: tuple[Section, ...]
    #: Number of pages, and of pages without text; 0 for a format without pages.
    pages: int = 0
    empty_pages: int = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about parts of the file that could not be read."""
        if not self.empty_pages:
            return ()
        verb = "has" if self.empty_pages == 1 else "have"
        return (f"{self.empty_pages} of {self.pages} pages {verb} no text",)


@dataclass(frozen=True)
class Chunk:
    """A part of a document that is understood by itself, with its headings."""

    heading_path: tuple[str, ...]
    #: `text[start:end]` of the document; before a later part of a Markdown table its header is repeated.
    content: str
    start: int
    end: int
    #: Where the chunk begins.
    page: int | None


@dataclass(frozen=True)
class ParseLimits:
    """What the parser's process may use; it is ended where it uses more."""

    wall_s: float = 60.0
    cpu_s: int = 30
    memory_bytes: int = 1024 * _MIB
    max_file_bytes: int = 10 * _MIB
    #: Of all members of a package (docx, xlsx, pptx) once they are inflated.
    max_inflated_bytes: int = 128 * _MIB
    #: Rows name their columns, so a table's text is longer than its file.
    max_text_bytes: int = 16 * _MIB
    max_sections: int = 20_000


class Unreadable(StrEnum):
    """Why a file cannot be read."""

    #: Nothing is in it, or no text: a scanned page, a deck of pictures.
    EMPTY = "EMPTY"
    #: It is none of the formats that are read.
    UNSUPPORTED = "UNSUPPORTED"
    #: Its name or the media type it came with says otherwise than its content.
    MISNAMED = "MISNAMED"
    #: It needs a password.
    ENCRYPTED = "ENCRYPTED"
    #: It is cut off, damaged, or made to do harm.
    MALFORMED = "MALFORMED"
    #: The file, what it unpacks to, its text or the memory for reading it is over the limit.
    TOO_LARGE = "TOO_LARGE"
    #: Its elements are nested too deeply.
    TOO_DEEP = "TOO_DEEP"
    #: Reading it took too long.
    TIMED_OUT = "TIMED_OUT"


class DocumentUnreadable(Exception):
    """A file cannot be read. `detail` is a sentence for its uploader and never holds a path or what the file says."""

    def __init__(self, reason: Unreadable, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(f"{reason}: {detail}")
