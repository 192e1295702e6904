"""Reads HTML, and other formats converted to HTML: headings, paragraphs, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from lxml import etree

from everword_ingest.documents.parsing.decoder import clean, decode
from everword_ingest.documents.parsing.formats.html_parts import (
    BLOCKS,
    HEADINGS,
    HIDDEN,
    SECTIONING,
    UNSEEN,
    Rows,
    TextTarget,
    collapse,
    is_of_site,
    written,
)
from everword_ingest.documents.parsing.media_type import HTML
from everword_ingest.documents.parsing.model import (
    DocumentUnreadable,
    ParsedDocument,
    ParseLimits,
    Unreadable,
)
from everword_ingest.documents.parsing.outline import Outline

#: Pages leave marks of emphasis open, each of which nests all that follows.
MAX_DEPTH = 1000
#: By this class the title of a document is known that other formats were turned into HTML from.
TITLE_CLASS = "document-title"
_DECLARED = re.compile(rb"<(?:meta[^>]+charset|\?xml[^>]+encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.I)
_FEED = 64 * 1024
#: Stands for a line's end among other space. No text has it.
_BREAK = "\0"


def read_html(data: bytes, limits: ParseLimits) -> ParsedDocument:
    declared = _DECLARED.search(data[:4096])
    text = decode(data, declared[1].decode("ascii", "replace") if declared else None)
    return html_document(text, None, HTML, limits)


def html_document(
    text: str, title: str | None, media_type: str, limits: ParseLimits
) -> ParsedDocument:
    page = _parse(text, limits, with_site=False)
    if page.outline.is_empty:
        # The page's content is marked as navigation.
        page = _parse(text, limits, with_site=True)
    return page.outline.finish(title or page.title, media_type)


def _parse(text: str, limits: ParseLimits, *, with_site: bool) -> _Page:
    """Return a parsed page, `with_site` including its navigation. Raises DocumentUnreadable."""
    page = _Page(Outline(limits), with_site)
    parser = etree.HTMLParser(target=page, encoding="utf-8", huge_tree=True)
    content = text.encode()
    # A page without any element, or of nothing but space, is none to the library.
    parser.feed(b"<html>")
    for start in range(0, len(content), _FEED):
        parser.feed(content[start : start + _FEED])
        if page.failure:
            raise page.failure
    parser.close()
    if page.failure:
        raise page.failure
    # Out of memory, the library may end as if the page had ended.
    if any(error.type == etree.ErrorTypes.ERR_NO_MEMORY for error in parser.feed_error_log):
        raise MemoryError
    return page


class _Page:
    """Receives the elements of a page from the parser, in order."""

    def __init__(self, outline: Outline, with_site: bool) -> None:
        self.outline = outline
        self._with_site = with_site
        self.title: str | None = None
        self.failure: DocumentUnreadable | None = None
        self._depth = 0
        self._unseen = 0
        #: Number of open elements that have a header and a footer of their own.
        self._sections = 0
        #: Number of open headers of the page. Only their headings count, since one may be the page's title.
        self._headers = 0
        self._inline: list[str] = []
        #: A title may stand amid words, which are none of it.
        self._before_title: list[str] = []
        self._heading = 0
        self._verbatim = 0
        self._places = [TextTarget()]
        self._tables: list[Rows] = []

    # The library calls these five methods, and raises their errors only at the end.
    def start(self, tag: str | bytes, attrib: Mapping[Any, Any]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.failure = DocumentUnreadable(
                Unreadable.TOO_DEEP, f"Elements are nested more than {MAX_DEPTH} deep."
            )
        if self.failure is None:
            self._guarded(self._start, tag, attrib)

    def end(self, tag: str | bytes) -> None:
        self._depth -= 1
        if self.failure is None:
            self._guarded(self._end, tag)

    def data(self, data: str | bytes) -> None:
        if not self._unseen and self.failure is None:
            self._write(str(data))

    def comment(self, text: str | bytes) -> None:
        """Ignore comments, which are not visible."""

    def close(self) -> None:
        if self.failure is None:
            self._guarded(self._finish)

    def _guarded(self, step: Callable[..., None], *arguments: object) -> None:
        try:
            step(*arguments)
        except DocumentUnreadable as failure:
            self.failure = failure

    def _write(self, text: str) -> None:
        if self._heading or not self._headers:
            self._inline.append(text)

    @property
    def _place(self) -> TextTarget:
        return self._places[-1]

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        hidden = "hidden" in attributes or HIDDEN.search(attributes.get("style", ""))
        if self._unseen or tag in UNSEEN or hidden or self._skips(tag, attributes):
            self._unseen += 1
            return
        self._sections += tag in SECTIONING
        if tag == "br":
            self._inline.append("\n" if self._verbatim else _BREAK)
        elif tag == "img":
            self._write(f" {attributes.get('alt', '')} ")
        elif tag == "title":
            self._before_title, self._inline = self._inline, []
        elif tag in HEADINGS:
            self._flush()
            self._heading = HEADINGS[tag]
        elif tag in ("ul", "ol", "menu", "li"):
            self._start_list(tag, attributes)
        elif tag in ("table", "tr", "td", "th"):
            self._start_table(tag)
        elif tag in ("pre", "textarea"):
            self._flush()
            self._verbatim += 1
        elif tag in BLOCKS:
            self._flush()
            self._headers += self._is_page_header(tag)
            if TITLE_CLASS in attributes.get("class", ""):
                self.title = ""

    def _end(self, tag: str) -> None:
        if self._unseen:
            self._unseen -= 1
            return
        self._sections -= tag in SECTIONING
        if tag == "title":
            self.title = self.title or self._line()
            self._inline = self._before_title
        elif tag in HEADINGS:
            self._end_heading()
        elif tag in ("ul", "ol", "menu", "li"):
            self._end_list(tag)
        elif tag in ("table", "tr", "td", "th"):
            self._end_table(tag)
        elif tag in ("pre", "textarea"):
            self._flush()
            self._verbatim = max(self._verbatim - 1, 0)
        elif tag in BLOCKS:
            self._flush()
            self._headers -= self._is_page_header(tag)

    def _skips(self, tag: str, attributes: Mapping[str, str]) -> bool:
        """Return whether an element belongs to the site and not to the page's content."""
        if self._with_site or self._is_page_header(tag):
            return False
        return is_of_site(tag, attributes) or (tag == "footer" and not self._sections)

    def _is_page_header(self, tag: str) -> bool:
        return tag == "header" and not self._sections and not self._with_site

    def _finish(self) -> None:
        while len(self._places) > 1:
            self._end_table("td")
        while self._tables:
            self._end_table("table")
        self._flush()
        self._close_list()

    def _flush(self) -> None:
        """End a paragraph."""
        if self._heading:
            self._inline.append(" ")
            return
        text = "".join(self._inline)
        raw = clean(text if self._verbatim else _lines(text))
        self._inline = []
        if self._verbatim and raw.strip() and len(self._places) == 1 and not self._place.lists:
            raw = "```\n" + raw.strip("\n").rstrip() + "\n```"
        if not raw.strip():
            return
        if self.title == "":
            self.title = collapse(raw)
        place = self._place
        if place.lists:
            indent = "  " * (len(place.lists) - 1)
            marker = place.marker or "  "
            place.lines.append(indent + marker + raw.strip().replace("\n", f"\n{indent}  "))
            place.marker = ""
        else:
            self._block(raw)

    def _line(self) -> str:
        """Return the paragraph that is open on one line."""
        return collapse(clean("".join(self._inline).replace(_BREAK, " ")))

    def _block(self, text: str) -> None:
        if len(self._places) == 1:
            self.outline.block(text)
        else:
            self._place.blocks.append(text)

    def _end_heading(self) -> None:
        level, self._heading = self._heading, 0
        if len(self._places) > 1:
            self._flush()
            return
        title = self._line().removesuffix("¶")
        self._inline = []
        self._close_list()
        self.outline.heading(level, title)

    def _start_list(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._flush()
        place = self._place
        if tag != "li":
            start = attributes.get("start", "1")
            number = int(start) if start.isdecimal() and len(start) < 7 else 1
            place.lists.append(number if tag == "ol" else 0)
        elif place.lists:
            place.marker = f"{place.lists[-1]}. " if place.lists[-1] else "- "
            place.lists[-1] += bool(place.lists[-1])
        else:
            place.lists.append(0)
            place.marker = "- "

    def _end_list(self, tag: str) -> None:
        self._flush()
        self._place.marker = ""
        if tag != "li" and self._place.lists:
            self._place.lists.pop()
            if not self._place.lists:
                self._close_list()

    def _close_list(self) -> None:
        lines, self._place.lines = self._place.lines, []
        if lines:
            self._block("\n".join(lines))

    def _start_table(self, tag: str) -> None:
        self._flush()
        if tag == "table" or not self._tables:
            self._close_list()
            self._tables.append(Rows())
        if tag == "tr" or (tag in ("td", "th") and not self._tables[-1].rows):
            self._tables[-1].rows.append([])
        if tag in ("td", "th"):
            self._tables[-1].heads += tag == "th" and len(self._tables[-1].rows) == 1
            self._places.append(TextTarget())

    def _end_table(self, tag: str) -> None:
        self._flush()
        if tag in ("td", "th") and len(self._places) > 1 and self._tables:
            self._close_list()
            cell = self._places.pop()
            self._tables[-1].rows[-1].append(" ".join(cell.blocks))
        elif tag == "table" and self._tables:
            table = self._tables.pop()
            for lines in written(table):
                self._block(lines)


def _lines(text: str) -> str:
    """Return a paragraph with one line for each line that it breaks itself into."""
    return "\n".join(filter(None, (collapse(line) for line in text.split(_BREAK))))
