"""Opens the package of an Office document: a zip whose members may inflate to anything."""

from __future__ import annotations

import re
import zipfile
import zlib
from io import BytesIO

from everword_ingest.documents.parsing.media_type import encrypted
from everword_ingest.documents.parsing.model import DocumentUnreadable, ParseLimits, Unreadable

MAX_MEMBERS = 10_000
#: XML shrinks to a twentieth, rarely to a hundredth; what shrinks more is made to be small.
MAX_RATIO = 200
#: From this size on the ratio counts.
_SMALL = 1024 * 1024
_PORTION = 64 * 1024
#: Members that hold text and how it belongs together. Pictures, fonts, macros and embedded files are emptied.
_TEXT = re.compile(r"\.(xml|rels)$", re.I)
#: Parts of an Office document never declare a document type; one that does defines entities.
_DECLARATION = re.compile(
    rb"<!(?:DOCTYPE|ENTITY)|<\0!\0(?:D\0O\0C\0T\0Y|E\0N\0T\0I\0T)|\0<\0!\0(?:D\0O\0C\0T\0Y|E\0N\0T\0I\0T)",
    re.I,
)


def open_package(data: bytes, limits: ParseLimits) -> BytesIO:
    """Return the package with its text alone, checked while it is inflated. Raises DocumentUnreadable.

    Its libraries would inflate each member whole, without a look at its size.
    """
    try:
        with zipfile.ZipFile(BytesIO(data)) as package:
            return _copy(package, limits)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        OSError,
        ValueError,
    ) as error:
        raise _malformed("it is damaged or cut off") from error


def _copy(package: zipfile.ZipFile, limits: ParseLimits) -> BytesIO:
    members = package.infolist()
    _check_members(members, limits)
    copy, left = BytesIO(), limits.max_inflated_bytes
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as target:
        for member in members:
            content = _inflate(package, member, left) if _TEXT.search(member.filename) else b""
            left -= len(content)
            target.writestr(zipfile.ZipInfo(member.filename), content)
    copy.seek(0)
    return copy


def _check_members(members: list[zipfile.ZipInfo], limits: ParseLimits) -> None:
    """Check the declared sizes and names of the members, before anything is decompressed."""
    if len(members) > MAX_MEMBERS:
        raise DocumentUnreadable(
            Unreadable.TOO_LARGE, f"The file's package has more than {MAX_MEMBERS} members."
        )
    names = [member.filename for member in members]
    if len(set(names)) < len(names):
        raise _malformed("it has two members of the same name")
    if any(name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name) for name in names):
        raise _malformed("the path of a member leads out of it")
    if any(member.flag_bits & 1 for member in members):
        raise encrypted()
    text = [member for member in members if _TEXT.search(member.filename)]
    if sum(member.file_size for member in text) > limits.max_inflated_bytes:
        raise _inflates()
    if any(_is_bomb(member.file_size, member.compress_size) for member in text):
        raise _inflates()


def _inflate(package: zipfile.ZipFile, member: zipfile.ZipInfo, left: int) -> bytes:
    """Return a member's content; its real size is counted, whatever size the package declares."""
    content = bytearray()
    with package.open(member) as source:
        while batch := source.read(_PORTION):
            content += batch
            if len(content) > left or _is_bomb(len(content), member.compress_size):
                raise _inflates()
    if _DECLARATION.search(content):
        raise _malformed("it declares a document type, which Office documents never do")
    return bytes(content)


def _is_bomb(inflated: int, packed: int) -> bool:
    return inflated > _SMALL and inflated > MAX_RATIO * max(packed, 1)


def _inflates() -> DocumentUnreadable:
    return DocumentUnreadable(Unreadable.TOO_LARGE, "The file's package inflates to too much.")


def _malformed(what: str) -> DocumentUnreadable:
    return DocumentUnreadable(Unreadable.MALFORMED, f"The file's package cannot be read: {what}.")
