"""Reads Word documents: mammoth turns them into HTML by their styles, with lists, tables, notes and insertions."""

from __future__ import annotations

import zipfile
from io import BytesIO

import mammoth
from lxml import etree

from everword_ingest.documents.parsing.formats.html import TITLE_CLASS, html_document
from everword_ingest.documents.parsing.formats.package import open_package
from everword_ingest.documents.parsing.media_type import DOCX
from everword_ingest.documents.parsing.model import ParsedDocument, ParseLimits

_STYLES = f"""
p[style-name='Title'] => p.{TITLE_CLASS}:fresh
p[style-name='Heading 7'] => h6:fresh
p[style-name='Heading 8'] => h6:fresh
p[style-name='Heading 9'] => h6:fresh
"""
_TITLE = "{http://purl.org/dc/elements/1.1/}title"


def read_docx(data: bytes, limits: ParseLimits) -> ParsedDocument:
    package = open_package(data, limits)
    title = _title(package)
    result = mammoth.convert_to_html(
        package, style_map=_STYLES, convert_image=mammoth.images.img_element(lambda image: {})
    )
    return html_document(result.value, title, DOCX, limits)


def _title(package: BytesIO) -> str | None:
    with zipfile.ZipFile(package) as members:
        if "docProps/core.xml" not in members.namelist():
            return None
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        root = etree.fromstring(members.read("docProps/core.xml"), parser)
    return root.findtext(_TITLE)
