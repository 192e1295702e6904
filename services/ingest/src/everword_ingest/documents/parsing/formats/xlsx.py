"""Reads workbooks: a heading for each sheet, and its tables by rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time

from openpyxl import load_workbook

from everword_ingest.documents.parsing.decoder import clean
from everword_ingest.documents.parsing.formats.package import open_package
from everword_ingest.documents.parsing.formats.tables import TableWriter, names_columns
from everword_ingest.documents.parsing.media_type import XLSX
from everword_ingest.documents.parsing.model import ParsedDocument, ParseLimits
from everword_ingest.documents.parsing.outline import Outline


def read_xlsx(data: bytes, limits: ParseLimits) -> ParsedDocument:
    """Return the values of all sheets, hidden ones too. A formula is read as its last stored result."""
    workbook = load_workbook(
        open_package(data, limits), read_only=True, data_only=True, keep_links=False
    )
    outline = Outline(limits)
    for sheet in workbook.worksheets:
        # The declared size of a sheet may be wrong.
        sheet.reset_dimensions()
        outline.heading(1, clean(sheet.title))
        for table in _tables(sheet.iter_rows(values_only=True)):
            outline.block(table)
    return outline.finish(workbook.properties.title, XLSX)


def _tables(rows: Iterator[tuple[object, ...]]) -> Iterator[str]:
    """Yield the tables of a sheet; empty rows end one. What follows without names of its own has those before."""
    table, lines = TableWriter(), list[str]()
    for values in rows:
        cells = [clean(_text(value)) for value in values]
        if not any(cell.strip() for cell in cells):
            if lines:
                yield "\n".join(lines)
                lines = []
            continue
        if not lines and table.header is not None and names_columns(cells):
            table = TableWriter()
        lines.append(table.line(cells))
    if lines:
        yield "\n".join(lines)


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            return format(value, ".15g")
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime():
            return value.isoformat(" ", "seconds")
        case _:
            return str(value)
