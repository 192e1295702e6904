"""Reads tables of comma-separated values, or of what else separates them."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import islice

from everword_ingest.documents.parsing.decoder import decode
from everword_ingest.documents.parsing.formats.tables import TableWriter
from everword_ingest.documents.parsing.media_type import CSV
from everword_ingest.documents.parsing.model import ParsedDocument, ParseLimits
from everword_ingest.documents.parsing.outline import Outline

_DELIMITERS = ",;\t|"
_SAMPLE_ROWS, _SAMPLE_CHARS = 50, 64 * 1024


def read_csv(data: bytes, limits: ParseLimits) -> ParsedDocument:
    """Return rows in one block. A field may be as long as the file."""
    text = decode(data)
    csv.field_size_limit(max(len(text), csv.field_size_limit()))
    outline, table, lines = Outline(limits), TableWriter(), list[str]()
    for row in csv.reader(text.splitlines(keepends=True), delimiter=_delimiter(text)):
        line = table.line(row)
        if line:
            lines.append(line)
    outline.block("\n".join(lines))
    return outline.finish(None, CSV)


def _delimiter(text: str) -> str:
    """Return what cuts most rows into the same number of fields, more than one."""
    lines = text[:_SAMPLE_CHARS].splitlines(keepends=True)
    if len(text) > _SAMPLE_CHARS and len(lines) > 1:
        lines.pop()

    def agreeing(delimiter: str) -> tuple[int, int]:
        rows = islice(csv.reader(lines, delimiter=delimiter), _SAMPLE_ROWS)
        widths = Counter(len(row) for row in rows if len(row) > 1)
        if not widths:
            return 0, 0
        [(width, count)] = widths.most_common(1)
        return count, width

    return max(_DELIMITERS, key=agreeing)
