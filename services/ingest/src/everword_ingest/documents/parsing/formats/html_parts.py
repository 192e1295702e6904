"""Meaning of HTML elements, and the buffers for the text between them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from everword_ingest.documents.parsing.formats.tables import TableWriter, table_lines

#: Elements whose text is not displayed.
UNSEEN = frozenset(
    "script style template noscript svg iframe object embed canvas audio video datalist".split()  # noqa: SIM905
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}
#: Elements that begin and end a paragraph.
BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset "  # noqa: SIM905
    "figcaption figure footer form header hr legend main nav optgroup option p search section summary".split()
)
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
#: Elements with content of their own: a `header` or `footer` outside of these is the page's.
SECTIONING = frozenset(
    ("article", "aside", "blockquote", "dialog", "fieldset", "main", "section", "td")
)
#: Roles of elements that all pages of a site have in common.
_SITE_ROLES = frozenset(("banner", "contentinfo", "menu", "menubar", "navigation", "search"))
#: Ids and classes of requests for consent and of links past the navigation. A section about cookies has no such name.
_SITE_NAMES = re.compile(
    r"\b(?:cookie|consent|gdpr)s?[-_]?(?:banner|bar|box|consent|dialog|law|message|modal|notice|overlay|popup|wall)"
    r"|\b(?:onetrust|cookiebot|cybotcookiebot|usercentrics)|\bskip-?(?:link|nav|to)",
    re.I,
)


def is_of_site(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element is navigation, a request for consent, or a dialog that is not open."""
    if tag == "nav" or (tag == "dialog" and "open" not in attributes):
        return True
    if not attributes:
        return False
    names = f"{attributes.get('id', '')} {attributes.get('class', '')}"
    return attributes.get("role") in _SITE_ROLES or bool(_SITE_NAMES.search(names))


@dataclass
class TextTarget:
    """The destination of text: the page, or a cell of a table."""

    #: Blocks of a cell; those of the page go to the outline.
    blocks: list[str] = field(default_factory=list)
    #: Number of the next item of each open list; 0 for lists without numbers.
    lists: list[int] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    #: Prefix of the next line of a list.
    marker: str = ""


@dataclass
class Rows:
    """A table that is open."""

    rows: list[list[str]] = field(default_factory=list)
    #: How many cells of the first row are headings.
    heads: int = 0


def written(table: Rows) -> list[str]:
    rows = [row for row in table.rows if any(cell.strip() for cell in row)]
    if not rows:
        return []
    if len(rows[0]) > 1 and table.heads == len(table.rows[0]):
        # It says itself that its first row names the columns.
        header = list(map(collapse, rows[0]))
        writer = TableWriter(header)
        lines = [" | ".join(filter(None, header)), *map(writer.line, rows[1:])]
    else:
        lines = list(table_lines(rows))
    return ["\n".join(filter(None, lines))]


def collapse(text: str) -> str:
    """Return text on one line, with one space between words."""
    return " ".join(text.split())
