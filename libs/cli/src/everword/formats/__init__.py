"""Import formats: one module for each, which yields records.

`source_reader.py` lists the formats and detects them by the contents of a file. To add one, write a module with a
function `reader`, which recognises the format by names of fields or tables, and add it to that list.
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
