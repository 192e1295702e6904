"""Files made to do harm get one clear error, in the parser's process with its real limits."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from io import BytesIO

import pytest

from everword_ingest.documents.parsing import DocumentUnreadable, parse_document
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
    """Return a package whose member says that it is small and inflates to much."""
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
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(out, "a") as package:
        package.writestr(DOCUMENT, b"<a/>")
    return out.getvalue()


def locked_pdf() -> bytes:
    key = "(" + "x" * 32 + ")"
    lock = f"/Encrypt<</Filter/Standard/V 1/R 2/O{key}/U{key}/P -4>>/ID[(a)(b)]"
    return files.pdf([[(11, "secret")]], trailer=lock)


def looping_pdf() -> bytes:
    """Return a PDF whose tree of pages and outline lead back to themselves."""
    data = files.pdf([[(11, "words")]], bookmarks=[("a", 0), ("b", 0)])
    return data.replace(b"/Kids[10 0 R]/Count 1", b"/Kids[2 0 R]/Count 9")


def lost_page() -> bytes:
    """Return a PDF whose second page is not there, though the tree of pages names it."""
    data = files.pdf([[(11, "first")], [(11, "second")], [(11, "third")]])
    return data.replace(b"12 0 obj", b"92 0 obj")


@pytest.mark.parametrize(
    ("name", "make", "reason"),
    [
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
        ("a.pdf", lambda: files.pdf([[]] * 10_000), "EMPTY"),
        ("a.pdf", lost_page, "MALFORMED"),
        ("a.html", lambda: b"<html>" + b"<div>" * 500_000, "TOO_DEEP"),
        ("a.md", lambda: b"\n".join(b"# a%d" % n for n in range(30_000)), "TOO_LARGE"),
        ("a.txt", lambda: b"x" * (11 * 1024 * 1024), "TOO_LARGE"),
        ("a.csv", lambda: b"\n".join([b"n" * 60 + b",m"] + [b"1,2"] * 300_000), "TOO_LARGE"),
    ],
)  # fmt: skip
async def test_hostile_files_are_refused(name: str, make: Callable[[], bytes], reason: str) -> None:
    data = make()
    with pytest.raises(DocumentUnreadable) as caught:
        await parse_document(data, name, None)
    assert caught.value.reason in reason.split(), caught.value
    assert "/" not in caught.value.detail
    assert "Traceback" not in caught.value.detail


async def test_what_is_odd_but_harmless_is_read() -> None:
    laughing = b"<!DOCTYPE html [<!ENTITY a 'ha'>]><html><body>words &a;</body></html>"
    assert "words" in (await parse_document(laughing, "a.html", None)).text
    line = b"a," * 3_000_000
    assert len((await parse_document(line, "a.csv", None)).sections) == 1
    script = "/OpenAction<</S/JavaScript/JS(app.alert(1))>>"
    parsed = await parse_document(files.pdf([[(11, "seen")]], catalog=script), "a.pdf", None)
    assert parsed.text == "seen"
    miscounted = files.pdf([[(11, "x")]]).replace(b"/Count 1", b"/Count 99999999")
    assert (await parse_document(miscounted, "a.pdf", None)).text == "x"
    quoted = b">" * 200_000 + b" deep"
    assert (await parse_document(quoted, "a.md", None)).text == quoted.decode()


async def test_macros_are_never_read_and_the_text_beside_them_is() -> None:
    types = files.member(files.docx(), "[Content_Types].xml").replace(
        b"openxmlformats-officedocument.wordprocessingml.document.main+xml",
        b"ms-word.document.macroEnabled.main+xml",
    )
    data = files.with_member(files.docx(), "[Content_Types].xml", types)
    # Inflated, it would be a bomb.
    data = files.with_member(data, "word/vbaProject.bin", bytes(50_000_000))
    parsed = await parse_document(
        data, "a.docm", "application/vnd.ms-word.document.macroEnabled.12"
    )
    assert "We spend less." in parsed.text


async def test_macro_sheets_and_slides_are_read_too() -> None:
    for data, name, plain, kind in (
        (files.xlsx(), "a.xlsm", b"spreadsheetml.sheet", b"ms-excel.sheet"),
        (files.pptx(), "a.pptm", b"presentationml.presentation", b"ms-powerpoint.presentation"),
    ):
        types = files.member(data, "[Content_Types].xml")
        plain = b"openxmlformats-officedocument." + plain + b".main+xml"
        changed = types.replace(plain, kind + b".macroEnabled.main+xml")
        assert changed != types
        changed_file = files.with_member(data, "[Content_Types].xml", changed)
        assert (await parse_document(changed_file, name, None)).sections
