"""The content decides the type of a file; a contradicting name is an error."""

from __future__ import annotations

import pytest

from everword_ingest.documents.parsing import media_type as types
from everword_ingest.documents.parsing.media_type import find_media_type
from everword_ingest.documents.parsing.model import DocumentUnreadable, Unreadable
from support import files

PDF = files.pdf([[(11, "words")]])


@pytest.mark.parametrize(
    ("data", "name", "given", "found"),
    [
        (PDF, "a.pdf", None, types.PDF),
        (PDF, "upload", "application/octet-stream", types.PDF),
        (b"\n\n" + PDF, "A.PDF", "application/pdf", types.PDF),
        (files.docx(), "", None, types.DOCX),
        (files.xlsx(), "b.xlsx", types.XLSX, types.XLSX),
        (files.pptx(), "c.pptx", None, types.PPTX),
        (files.HTML.encode(), "page", None, types.HTML),
        (files.HTML.encode(), "page.htm", "text/html; charset=utf-8", types.HTML),
        (files.HTML.encode(), "source.txt", None, types.PLAIN),
        (b"<p>no head</p>", "a.html", None, types.HTML),
        (b"# a", "a.md", "text/plain", types.MARKDOWN),
        (b"A PDF begins with %PDF-1.7.", "a.md", None, types.MARKDOWN),
        (b"junk" + PDF, "a.pdf", None, types.PDF),
        (b"# a", "a", "text/markdown", types.MARKDOWN),
        (b"a,b", "a.csv", "text/csv", types.CSV),
        (b"print()", "a.py", None, types.PLAIN),
        (b"{}", "C:\\folder\\a.json", "application/json", types.PLAIN),
    ],
)
def test_find_media_type_detects_the_type(
    data: bytes, name: str, given: str | None, found: str
) -> None:
    assert find_media_type(data, name, given) == found


@pytest.mark.parametrize(
    ("data", "name", "given", "reason", "says"),
    [
        (b"", "a.md", None, Unreadable.EMPTY, "empty"),
        (b"\0\0\0 \n", "a.md", None, Unreadable.EMPTY, "empty"),
        (PDF, "a.docx", None, Unreadable.MISNAMED, "name says Word (docx), but its content is PDF"),
        (PDF, "a", "text/plain", Unreadable.MISNAMED, "media type says text, but its content is PDF"),
        (b"words", "a.pdf", None, Unreadable.MISNAMED, "name says PDF, but its content is not"),
        (b"words", "a", types.XLSX, Unreadable.MISNAMED, "media type says Excel"),
        (b"a,b", "a.csv", "text/html", Unreadable.MISNAMED, "name says CSV, but its media type says HTML"),
        (files.HTML.encode(), "a.csv", None, Unreadable.MISNAMED, "but its content is HTML"),
        (files.docx(), "a.pptx", None, Unreadable.MISNAMED, "PowerPoint (pptx), but its content is Word"),
        (b"\x89PNG\r\n\x1a\n", "a.png", None, Unreadable.UNSUPPORTED, "a PNG image"),
        (b"PK\x05\x06" + bytes(18), "a.zip", None, Unreadable.UNSUPPORTED, "a zip archive"),
        (b"PK\x03\x04" + bytes(50), "a.docx", None, Unreadable.MALFORMED, "damaged"),
        (b"{\\rtf1 a}", "a.rtf", None, Unreadable.UNSUPPORTED, "RTF"),
    ],
)  # fmt: skip
def test_find_media_type_refuses_unsupported_files_with_reason(
    data: bytes, name: str, given: str | None, reason: Unreadable, says: str
) -> None:
    with pytest.raises(DocumentUnreadable, match=says.replace("(", r"\(").replace(")", r"\)")) as e:
        find_media_type(data, name, given)
    assert e.value.reason is reason


def test_old_and_encrypted_office_documents_are_distinguished() -> None:
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    with pytest.raises(DocumentUnreadable, match="old Office document") as caught:
        find_media_type(head, "a.doc", None)
    assert caught.value.reason is Unreadable.UNSUPPORTED
    with pytest.raises(DocumentUnreadable, match="password") as caught:
        find_media_type(head + "EncryptedPackage".encode("utf-16-le"), "a.docx", None)
    assert caught.value.reason is Unreadable.ENCRYPTED
