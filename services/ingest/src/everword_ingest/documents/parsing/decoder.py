"""Turns bytes into text: finds the encoding, and leaves out what no text holds."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from everword_ingest.documents.parsing.model import DocumentUnreadable, Unreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    # Before UTF-16, whose mark begins this one.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
#: Bytes used to guess an encoding.
_SAMPLE = 64 * 1024
#: Common encodings of files. Latin-1 is left out: cp1252 has its letters, and printable signs instead of control
#: characters.
_LIKELY = [
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257"),
    *("iso8859_2", "koi8_r", "shift_jis", "euc_jp", "euc_kr", "big5", "gb18030", "cp437", "cp850"),
]
_LINE_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
#: Control characters, halves of surrogate pairs, byte order marks, and noncharacters.
_NO_TEXT = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufdd0-\ufdef\ufffe\uffff]"
)


def clean(text: str) -> str:
    """Return text with line feeds as the only ends of lines and tabs as the only other control characters."""
    return _NO_TEXT.sub("", _LINE_ENDS.sub("\n", text))


def decode(data: bytes, declared: str | None = None) -> str:
    """Return the clean text of bytes. `declared` is the encoding that the file itself names.

    Raises DocumentUnreadable if they are not text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return clean(_decoded(data[len(mark) :], encoding))
    wide = _wide_encoding(data)
    if wide:
        return clean(_decoded(data, wide))
    # A text file may end in a block padded with zeros, but has no other zeros.
    if data[:_SAMPLE].count(0) > min(len(data), _SAMPLE) // 20:
        raise DocumentUnreadable(
            Unreadable.UNSUPPORTED, "The file is neither text nor a supported format."
        )
    for encoding in filter(None, ("utf-8", _known_encoding(declared))):
        try:
            return clean(data.decode(encoding))
        except UnicodeDecodeError:
            continue
    return clean(_guessed(data))


def recode(data: bytes, charset: str) -> bytes:
    """Return text of a charset in UTF-8; unchanged if it is UTF-8 already, or not of the charset."""
    known = _known_encoding(charset)
    if known is None or data.startswith(tuple(mark for mark, _ in _MARKS)):
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        try:
            return data.decode(known).encode()
        except UnicodeDecodeError:
            pass
    return data


def _known_encoding(declared: str | None) -> str | None:
    try:
        name = codecs.lookup((declared or "").strip()).name
    except (LookupError, ValueError):
        return None
    # Browsers read these as cp1252. A codec such as `zip` is not a text encoding.
    return "cp1252" if name in ("iso8859-1", "ascii") else name if name in _TEXT_CODECS else None


_TEXT_CODECS = {codecs.lookup(name).name for name in (*_LIKELY, "utf-8", "iso8859-15", "iso8859-5")}


def _wide_encoding(data: bytes) -> str | None:
    """Return the name of a UTF-16 encoding without a byte order mark, in which every second byte of Western text is
    zero.
    """
    head = data[:512]
    if len(head) < 4:
        return None
    half = len(head) // 2
    if head[1::2].count(0) > 0.8 * half and head[::2].count(0) == 0:
        return "utf-16-le"
    if head[::2].count(0) > 0.8 * half and head[1::2].count(0) == 0:
        return "utf-16-be"
    return None


def _decoded(data: bytes, encoding: str) -> str:
    """Return text in an encoding that is certain. A few broken characters are shown as such."""
    text = data.decode(encoding, "replace")
    if text.count("\ufffd") > max(8, len(text) // 50):
        raise DocumentUnreadable(Unreadable.MALFORMED, "The text of the file is damaged.")
    return text


def _guessed(data: bytes) -> str:
    # A few broken characters do not make it another encoding, and a part of one may be cut off at the end.
    text = data.decode("utf-8", "replace")
    if text.count("\ufffd") <= len(text) // 1000 and len(text) < len(data):
        return text
    controls = sum(data[:_SAMPLE].count(byte) for byte in (*range(1, 9), *range(14, 27), 127))
    if controls > len(data[:_SAMPLE]) // 100:
        raise DocumentUnreadable(
            Unreadable.UNSUPPORTED, "The file is neither text nor a supported format."
        )
    best = from_bytes(data[:_SAMPLE], cp_isolation=_LIKELY).best()
    # A short text is not enough to guess; most are Western.
    return data.decode(best.encoding if best else "cp1252", "replace")
