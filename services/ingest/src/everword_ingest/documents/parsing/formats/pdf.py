"""Reads PDF with Chrome's reader, without forms and scripts: its lines become paragraphs under its outline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from everword_ingest.documents.parsing.decoder import clean
from everword_ingest.documents.parsing.formats.pdf_lines import PdfLine, find_headings, paragraphs
from everword_ingest.documents.parsing.media_type import PDF, encrypted
from everword_ingest.documents.parsing.model import (
    DocumentUnreadable,
    ParsedDocument,
    ParseLimits,
    Unreadable,
)
from everword_ingest.documents.parsing.outline import Outline

MAX_PAGES = 10_000
#: More bookmarks than this are not looked at.
_MAX_BOOKMARKS = 10_000
#: Characters for a hyphen at a line's end that is not part of the word.
_SOFT_HYPHENS = ("\x02", "\ufffe", "\xad")


def read_pdf(data: bytes, limits: ParseLimits) -> ParsedDocument:
    pdf = _open(data)
    if len(pdf) > MAX_PAGES:
        raise DocumentUnreadable(Unreadable.TOO_LARGE, f"The file has more than {MAX_PAGES} pages.")
    pages = [list(_lines(pdf, number)) for number in range(len(pdf))]
    if not any(pages):
        raise DocumentUnreadable(
            Unreadable.EMPTY, "The file contains no text; text in pictures is not recognised."
        )
    outline = Outline(limits)
    headings = find_headings(pages, _bookmarks(pdf))
    for number, lines in enumerate(pages):
        outline.page(number + 1)
        for level, text in paragraphs(lines, headings[number]):
            if level:
                outline.heading(level, text)
            else:
                outline.block(text)
    parsed = outline.finish(clean(pdf.get_metadata_value("Title")), PDF)
    return replace(parsed, pages=len(pages), empty_pages=pages.count([]))


def _open(data: bytes) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
            raise encrypted() from error
        raise


def _lines(pdf: pdfium.PdfDocument, number: int) -> Iterator[PdfLine]:
    """Yield the lines of a page. Raises DocumentUnreadable for a damaged one: its words would go missing unnoticed."""
    try:
        page = pdf[number]
        text_page = page.get_textpage()
    except pdfium.PdfiumError as error:
        text = f"Page {number + 1} of the file is damaged."
        raise DocumentUnreadable(Unreadable.MALFORMED, text) from error
    place = 0
    for line in text_page.get_text_range().split("\r\n"):
        shown = clean(line).strip()
        if shown:
            first = place + len(line) - len(line.lstrip())
            last = place + len(line.rstrip()) - 1
            broken = line.rstrip(" ").endswith(_SOFT_HYPHENS)
            yield PdfLine(shown.removesuffix("\xad"), broken, *_box(text_page, first, last))
        place += len(line) + 2
    text_page.close()
    page.close()


def _box(page: pdfium.PdfTextPage, first: int, last: int) -> tuple[float, float, float, float]:
    """Return where a line begins and ends, its bottom, and its height."""
    try:
        left, bottom, _, top = page.get_charbox(first, loose=True)
        _, _, right, _ = page.get_charbox(max(last, first), loose=True)
    except pdfium.PdfiumError:
        return 0.0, 0.0, 0.0, 0.0
    return left, right, bottom, top - bottom


def _bookmarks(pdf: pdfium.PdfDocument) -> dict[int, list[tuple[int, str]]]:
    """Return the levels and titles of the outline's entries, by the page that they lead to."""
    found: dict[int, list[tuple[int, str]]] = {}
    for count, bookmark in enumerate(pdf.get_toc(max_depth=9)):
        if count == _MAX_BOOKMARKS:
            break
        destination = bookmark.get_dest()
        page = destination.get_index() if destination else None
        title = " ".join(clean(bookmark.get_title()).split())
        if page is not None and title:
            found.setdefault(page, []).append((bookmark.level + 1, title))
    return found
