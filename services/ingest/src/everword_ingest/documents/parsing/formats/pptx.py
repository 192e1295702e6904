"""Reads presentations: a heading for each slide, its texts, tables and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pptx import Presentation

from everword_ingest.documents.parsing.decoder import clean
from everword_ingest.documents.parsing.formats.package import open_package
from everword_ingest.documents.parsing.formats.tables import table_lines
from everword_ingest.documents.parsing.media_type import PPTX
from everword_ingest.documents.parsing.model import ParsedDocument, ParseLimits
from everword_ingest.documents.parsing.outline import Outline


def read_pptx(data: bytes, limits: ParseLimits) -> ParsedDocument:
    deck = Presentation(open_package(data, limits))
    outline = Outline(limits)
    for number, slide in enumerate(deck.slides, start=1):
        blocks = list(_blocks(slide))
        title = slide.shapes.title
        name = clean(title.text_frame.text).strip() if title is not None else ""
        # A slide of pictures alone has nothing to find.
        if not name and not blocks:
            continue
        outline.page(number)
        outline.heading(1, name or f"Slide {number}")
        for block in blocks:
            outline.block(block)
    return outline.finish(deck.core_properties.title, PPTX)


def _blocks(slide: Any) -> Iterator[str]:
    title = slide.shapes.title
    for shape in _shapes(slide.shapes):
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if shape.has_text_frame:
            yield _paragraphs(shape.text_frame)
        elif getattr(shape, "has_table", False):
            rows = ([clean(cell.text) for cell in row.cells] for row in shape.table.rows)
            yield "\n".join(table_lines(rows))
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = _paragraphs(slide.notes_slide.notes_text_frame)
        if notes:
            yield f"Notes: {notes}"


def _shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    """Yield shapes, and those in groups."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes)
        else:
            yield shape


def _paragraphs(frame: Any) -> str:
    """Return the paragraphs of a text, as a list if there are several."""
    found = [(each.level, clean(each.text).strip()) for each in frame.paragraphs]
    found = [(level, text) for level, text in found if text]
    if len(found) == 1:
        return found[0][1]
    return "\n".join(
        "  " * level + "- " + text.replace("\n", "\n" + "  " * (level + 1)) for level, text in found
    )
