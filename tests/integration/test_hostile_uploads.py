"""Hostile and damaged uploads are read or refused in time; refused files leave no row in any table.

The randomly generated files are the short form of `make test-fuzz-documents`.
"""

from __future__ import annotations

import signal
import struct
import sys
import warnings
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from io import BytesIO

import pytest
import pytest_asyncio

from everword_ingest.documents.parsing import parse_document, process
from everword_ingest.documents.parsing.model import ParseLimits
from fuzz.documents import Uploads, run, uploading
from fuzz.files import Upload, samples
from support import files
from support.callers import make_namespaces
from support.databases import cloned
from support.stack import Stack, running_stack

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
    with warnings.catch_warnings(), zipfile.ZipFile(out, "a") as package:
        warnings.filterwarnings("ignore", "Duplicate")
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


#: The name of each, what makes it, and the reasons that there may be, of which one is given.
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


pytestmark = pytest.mark.asyncio(loop_scope="module")
FILES = 30
SEED = 20261125


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            await make_namespaces(stack, "hostile")
            yield stack


@pytest.fixture
def uploads(stack: Stack) -> Iterator[Uploads]:
    with uploading(stack, "hostile") as uploads:
        yield uploads


@pytest.mark.long
async def test_damaged_files_are_read_or_refused_and_kill_only_their_parser(
    stack: Stack,
) -> None:
    outcome = await run(stack, FILES, SEED, lambda made: None)
    assert outcome.faults == [], f"seed {SEED}: {outcome.faults[:5]}"
    assert outcome.files == FILES
    # Otherwise all files would be refused before anything is parsed.
    read = {name for name, result in outcome.results if result == "READ"}
    assert len(read & set(samples())) >= 6
    assert {result for _, result in outcome.results} >= {"READ", "MALFORMED", "MISNAMED"}


async def test_hostile_files_are_refused_and_leave_no_row(uploads: Uploads) -> None:
    for name, make, reasons in HOSTILE:
        result, faults = await uploads.send(Upload(make(), name, None), f"Hostile {name}")
        assert result in reasons.split(), (name, reasons)
        assert faults == [], (name, reasons)


@pytest.mark.parametrize(
    ("number", "result"), [(signal.SIGKILL, "TOO_LARGE"), (signal.SIGSEGV, "MALFORMED")]
)
async def test_killed_parser_leaves_no_row(
    uploads: Uploads, number: signal.Signals, result: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = f"import os; os.kill(os.getpid(), {int(number)})"
    monkeypatch.setattr(process, "_WORKER", (sys.executable, "-I", "-c", ending))
    assert await uploads.send(Upload(b"words", "a.txt", None), "Killed") == (result, [])


async def test_parser_timeout_leaves_no_row(
    uploads: Uploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    impatient = replace(ParseLimits(), wall_s=0.3)
    monkeypatch.setattr(parse_document, "__defaults__", (impatient,))
    slow = Upload(b"<html>" + b"<b>x</b>\n" * 900_000, "a.html", None)
    assert await uploads.send(slow, "Slow") == ("TIMED_OUT", [])


async def test_accepted_upload_leaves_rows(uploads: Uploads) -> None:
    """The row counts do notice an accepted upload."""
    before = uploads.rows.now()
    assert await uploads.send(Upload(b"Some words.", "a.txt", None), "Kept") == ("READ", [])
    after = uploads.rows.now()
    written = {"documents", "document_versions", "document_chunks", "memories", "embedding_queue"}
    assert written <= {table for table, count in after.items() if count > before[table]}
