"""Malicious files, and the reason of each refusal."""

from __future__ import annotations

import struct
import warnings
import zipfile
from collections.abc import Callable
from io import BytesIO

from support import files

DOCUMENT, SHEET, SLIDE = "word/document.xml", "xl/worksheets/sheet1.xml", "ppt/slides/slide1.xml"
LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE z [<!ENTITY a "ha">'
    + b"".join(
        b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10 if n else b"ha") for n in range(12)
    )
    + b"]><z>&a11;</z>"
)
OUTSIDE = b'<!DOCTYPE z [<!ENTITY a SYSTEM "file:///etc/passwd">]><z>&a;</z>'


def docx_saying(xml: bytes) -> bytes:
    return files.with_member(files.docx(), DOCUMENT, xml)


def nested(depth: int) -> bytes:
    inner = b"<w:p><w:r><w:t>deep</w:t></w:r></w:p>"
    body = files.member(files.docx(), DOCUMENT)
    opening, closing = b"<w:sdt><w:sdtContent>", b"</w:sdtContent></w:sdt>"
    return body.replace(b"<w:body>", b"<w:body>" + opening * depth + inner + closing * depth)


def lying_bomb() -> bytes:
    """Return a package with a member whose declared size is far below its inflated size."""
    data = bytearray(docx_saying(b"<a>" + b" " * 60_000_000 + b"</a>"))
    real = struct.pack("<L", 60_000_007)
    while (place := data.find(real)) >= 0:
        data[place : place + 4] = struct.pack("<L", 100_000)
    return bytes(data)


def encrypted_member() -> bytes:
    data = bytearray(files.docx())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = -1
        while (place := data.find(mark, place + 1)) >= 0:
            data[place + offset] |= 1
    return bytes(data)


def twice() -> bytes:
    out = BytesIO(files.docx())
    with warnings.catch_warnings(), zipfile.ZipFile(out, "a") as package:
        warnings.filterwarnings("ignore", "Duplicate")
        package.writestr(DOCUMENT, b"<a/>")
    return out.getvalue()


def locked_pdf() -> bytes:
    key = "(" + "x" * 32 + ")"
    lock = f"/Encrypt<</Filter/Standard/V 1/R 2/O{key}/U{key}/P -4>>/ID[(a)(b)]"
    return files.pdf([[(11, "secret")]], trailer=lock)


def looping_pdf() -> bytes:
    """Return a PDF whose page tree and outline contain cycles."""
    data = files.pdf([[(11, "words")]], bookmarks=[("a", 0), ("b", 0)])
    return data.replace(b"/Kids[10 0 R]/Count 1", b"/Kids[2 0 R]/Count 9")


def lost_page() -> bytes:
    """Return a PDF whose page tree names a second page that is missing."""
    data = files.pdf([[(11, "first")], [(11, "second")], [(11, "third")]])
    return data.replace(b"12 0 obj", b"92 0 obj")


#: Name, function that makes the file, and the possible error reasons, one of which must occur.
HOSTILE: list[tuple[str, Callable[[], bytes], str]] = [
    ("a.docx", lambda: docx_saying(b"<a>" + b" " * 50_000_000 + b"</a>"), "TOO_LARGE"),
    ("a.docx", lying_bomb, "TOO_LARGE MALFORMED"),
    ("a.docx", lambda: docx_saying(LAUGHS), "MALFORMED"),
    ("a.docx", lambda: docx_saying(OUTSIDE.decode().encode("utf-16")), "MALFORMED"),
    ("a.xlsx", lambda: files.with_member(files.xlsx(), SHEET, LAUGHS), "MALFORMED"),
    ("a.pptx", lambda: files.with_member(files.pptx(), SLIDE, OUTSIDE), "MALFORMED"),
    ("a.docx", lambda: docx_saying(nested(5000)), "TOO_DEEP"),
    ("a.docx", lambda: files.with_member(files.docx(), "../../out.xml", b"<a/>"), "MALFORMED"),
    ("a.docx", lambda: files.with_member(files.docx(), "/etc/out.xml", b"<a/>"), "MALFORMED"),
    ("a.docx", twice, "MALFORMED"),
    ("a.docx", encrypted_member, "ENCRYPTED"),
    ("a.docx", lambda: files.docx()[: len(files.docx()) // 2], "MALFORMED"),
    ("a.docx", lambda: docx_saying(b"<w:document"), "MALFORMED"),
    ("a.pdf", locked_pdf, "ENCRYPTED"),
    ("a.pdf", lambda: files.pdf([[(11, "x")]])[:60], "MALFORMED"),
    ("a.pdf", looping_pdf, "MALFORMED EMPTY TOO_LARGE"),
    ("a.pdf", lost_page, "MALFORMED"),
    ("a.html", lambda: b"<html>" + b"<div>" * 500_000, "TOO_DEEP"),
    ("a.md", lambda: b"\n".join(b"# a%d" % n for n in range(30_000)), "TOO_LARGE"),
    ("a.txt", lambda: b"x" * (11 * 1024 * 1024), "REQUEST_TOO_LARGE"),
]  # fmt: skip
