"""Hostile files get one clear error, in the parser's process with its real limits.

The files of `support.hostile_files` are uploaded in `tests/integration/test_hostile_uploads.py`.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from everword_ingest.documents.parsing import DocumentUnreadable, parse_document
from support import files


@pytest.mark.parametrize(
    ("name", "make", "reason"),
    [
        ("a.pdf", lambda: files.pdf([[]] * 10_000), "EMPTY"),
        ("a.csv", lambda: b"\n".join([b"n" * 60 + b",m"] + [b"1,2"] * 300_000), "TOO_LARGE"),
    ],
)
async def test_very_large_file_is_refused_with_its_reason(
    name: str, make: Callable[[], bytes], reason: str
) -> None:
    data = make()
    with pytest.raises(DocumentUnreadable) as caught:
        await parse_document(data, name, None)
    assert caught.value.reason in reason.split(), caught.value
    assert "/" not in caught.value.detail
    assert "Traceback" not in caught.value.detail


async def test_odd_but_harmless_file_is_read() -> None:
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


async def test_word_document_with_macros_is_read_without_them() -> None:
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


async def test_spreadsheets_and_slides_with_macros_are_read() -> None:
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
