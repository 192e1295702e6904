"""Detects the type of a file: by its content first, then by its name and its declared media type."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from pathlib import PurePosixPath

from everword_ingest.documents.parsing.model import DocumentUnreadable, Unreadable

PLAIN, MARKDOWN, HTML, CSV = "text/plain", "text/markdown", "text/html", "text/csv"
PDF = "application/pdf"
_OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = f"{_OFFICE}wordprocessingml.document"
XLSX = f"{_OFFICE}spreadsheetml.sheet"
PPTX = f"{_OFFICE}presentationml.presentation"
PACKAGES = (DOCX, XLSX, PPTX)
#: Types that are text in some encoding.
TEXTS = (PLAIN, MARKDOWN, HTML, CSV)

#: Names for error messages.
NAMES = {
    PLAIN: "text",
    MARKDOWN: "Markdown",
    HTML: "HTML",
    CSV: "CSV",
    PDF: "PDF",
    DOCX: "Word (docx)",
    XLSX: "Excel (xlsx)",
    PPTX: "PowerPoint (pptx)",
}
_BY_EXTENSION = {
    ".txt": PLAIN,
    ".text": PLAIN,
    ".log": PLAIN,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mdown": MARKDOWN,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".csv": CSV,
    ".tsv": CSV,
    ".pdf": PDF,
    ".docx": DOCX,
    ".docm": DOCX,
    ".dotx": DOCX,
    ".dotm": DOCX,
    ".xlsx": XLSX,
    ".xlsm": XLSX,
    ".xltx": XLSX,
    ".xltm": XLSX,
    ".pptx": PPTX,
    ".pptm": PPTX,
    ".potx": PPTX,
    ".ppsx": PPTX,
    ".ppsm": PPTX,
}
_BY_MEDIA_TYPE = {
    **{name: name for name in NAMES},
    "text/x-markdown": MARKDOWN,
    "application/xhtml+xml": HTML,
    "application/csv": CSV,
    "text/tab-separated-values": CSV,
    "application/x-pdf": PDF,
    "application/vnd.ms-word.document.macroenabled.12": DOCX,
    "application/vnd.ms-excel.sheet.macroenabled.12": XLSX,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": PPTX,
}
#: How the type of a package's main part begins. Macros are named after it, and never read.
_MAIN_PARTS = (
    (re.compile(rb"(wordprocessingml\.|ms-word\.)(document|template)[.\w]*\+xml", re.I), DOCX),
    (re.compile(rb"(spreadsheetml\.|ms-excel\.)(sheet|template)\.[.\w]*main\+xml", re.I), XLSX),
    (
        re.compile(
            rb"(presentationml\.|ms-powerpoint\.)(presentation|template|slideshow)\.[.\w]*main\+xml",
            re.I,
        ),
        PPTX,
    ),
)
#: How formats begin that are not read, and their names.
_OTHERS = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"{\\rtf", "an RTF document"),
    (b"SQLite format 3\0", "a database"),
)
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOOKS_LIKE_HTML = re.compile(
    rb"\s*(<\?xml[^>]*>\s*)?(<!--((?!-->).)*-->\s*)*<(!doctype\s+html|html)\b", re.I | re.S
)


def find_media_type(data: bytes, file_name: str, media_type: str | None) -> str:
    """Return one of the media types that are read.

    Raises DocumentUnreadable: UNSUPPORTED, MISNAMED, ENCRYPTED, EMPTY, MALFORMED.
    """
    if not data.strip(b"\0 \t\r\n"):
        raise DocumentUnreadable(Unreadable.EMPTY, "The file is empty.")
    claims = _claims(file_name, media_type)
    found = _by_content(data, claims)
    if found is None:
        return _text_type(data, claims)
    for source, claimed in claims:
        if claimed != found and not (found == HTML and claimed in (PLAIN, MARKDOWN)):
            raise _misnamed(source, claimed, f"its content is {NAMES[found]}")
    # The source of a page may be kept as text.
    return claims[0][1] if claims else found


def find_charset(media_type: str | None) -> str:
    """Return the charset that a media type names, such as `windows-1251`; empty for none."""
    for parameter in (media_type or "").split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'")
    return ""


def _claims(file_name: str, media_type: str | None) -> list[tuple[str, str]]:
    """Return the types by the name and by the media type, if known."""
    claims = []
    by_name = _BY_EXTENSION.get(PurePosixPath(file_name.replace("\\", "/")).suffix.lower())
    if by_name:
        claims.append(("name", by_name))
    by_type = _BY_MEDIA_TYPE.get((media_type or "").split(";")[0].strip().lower())
    # A sender that knows no better says `text/plain`.
    if by_type and not (by_type == PLAIN and by_name in (MARKDOWN, CSV, HTML)):
        claims.append(("media type", by_type))
    return claims


def _by_content(data: bytes, claims: list[tuple[str, str]]) -> str | None:
    """Return the type by the first bytes; None for text."""
    # Readers look for it in the first KiB, where a text may speak of it.
    claimed = any(claim == PDF for _, claim in claims)
    if data.lstrip().startswith(b"%PDF-") or (claimed and b"%PDF-" in data[:1024]):
        return PDF
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _package_type(data, claims)
    if data.startswith(_OLD_OFFICE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise encrypted()
        raise _unsupported("an old Office document; save it as docx, xlsx or pptx")
    for beginning, name in _OTHERS:
        if data.startswith(beginning):
            raise _unsupported(name)
    return HTML if _LOOKS_LIKE_HTML.match(data[:4096].removeprefix(b"\xef\xbb\xbf")) else None


def _package_type(data: bytes, claims: list[tuple[str, str]]) -> str:
    try:
        with zipfile.ZipFile(BytesIO(data)) as package:
            if package.getinfo("[Content_Types].xml").flag_bits & 1:
                raise encrypted()
            with package.open("[Content_Types].xml") as part:
                types = part.read(1024 * 1024)
    except DocumentUnreadable:
        raise
    except KeyError:
        raise _unsupported("a zip archive") from None
    except Exception as error:
        # A zip file that cannot be opened is a damaged document if its name or type is one.
        if any(claimed in PACKAGES for _, claimed in claims):
            raise DocumentUnreadable(
                Unreadable.MALFORMED,
                "The file is damaged or cut off: its package cannot be opened.",
            ) from error
        raise _unsupported("a zip archive") from error
    for pattern, found in _MAIN_PARTS:
        if pattern.search(types):
            return found
    raise _unsupported("a package of another kind")


def _text_type(data: bytes, claims: list[tuple[str, str]]) -> str:
    """Return which text it is. Text has no signs of its own, so its name is believed."""
    for source, claimed in claims:
        if claimed in (PDF, *PACKAGES):
            raise _misnamed(source, claimed, "its content is not")
    kinds = {claimed for _, claimed in claims}
    if len(kinds) > 1:
        raise _misnamed("name", claims[0][1], f"its media type says {NAMES[claims[1][1]]}")
    return claims[0][1] if claims else PLAIN


def encrypted() -> DocumentUnreadable:
    return DocumentUnreadable(Unreadable.ENCRYPTED, "The file needs a password; remove it first.")


def _unsupported(name: str) -> DocumentUnreadable:
    return DocumentUnreadable(
        Unreadable.UNSUPPORTED, f"The file is {name}, which is not supported."
    )


def _misnamed(source: str, claimed: str, truth: str) -> DocumentUnreadable:
    return DocumentUnreadable(
        Unreadable.MISNAMED, f"The file's {source} says {NAMES[claimed]}, but {truth}."
    )
