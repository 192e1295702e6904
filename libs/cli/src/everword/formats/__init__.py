"""Formats that memories are imported from: a module each, which yields records one after the other.

`reading.py` tells formats from each other by what is in a file, and lists them. To add one: a module with `reader`,
which knows its own by the names of fields or tables, and a line there.
"""

from everword.formats.preview import Preview, preview_records
from everword.formats.records import Record, belonging
from everword.formats.source_reader import ADDRESSES, FORMATS, SourceReader, open_reading

__all__ = [
    "ADDRESSES",
    "FORMATS",
    "Preview",
    "Record",
    "SourceReader",
    "belonging",
    "open_reading",
    "preview_records",
]
