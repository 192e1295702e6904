"""The result of reading a file, the limits for reading it, and the reasons why a file is unreadable."""

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
    #: Start of `text` in the document's text, in characters.
    start: int


@dataclass(frozen=True)
class ParsedDocument:
    """A file as text."""

    title: str | None
    #: Media type by the content, such as `application/pdf`.
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
    """A part of a document that is readable on its own, with its headings."""

    heading_path: tuple[str, ...]
    #: `text[start:end]` of the document; before a later part of a Markdown table its header is repeated.
    content: str
    start: int
    end: int
    #: Page of the chunk's start.
    page: int | None


@dataclass(frozen=True)
class ParseLimits:
    """Limits of the parser's process, which is killed when it exceeds them."""

    wall_s: float = 60.0
    cpu_s: int = 30
    memory_bytes: int = 1024 * _MIB
    max_file_bytes: int = 10 * _MIB
    #: Size of all members of a package (docx, xlsx, pptx) after decompression.
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
    #: The file, its unpacked content, its text or the memory for reading it exceeds the limit.
    TOO_LARGE = "TOO_LARGE"
    #: Its elements are nested too deeply.
    TOO_DEEP = "TOO_DEEP"
    #: Reading it took too long.
    TIMED_OUT = "TIMED_OUT"


class DocumentUnreadable(Exception):
    """A file cannot be read. `detail` is a sentence for its uploader, without paths or content of the file."""

    def __init__(self, reason: Unreadable, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(f"{reason}: {detail}")
