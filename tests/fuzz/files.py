"""Generates files for uploads: valid ones of each format, damaged ones, and random bytes."""

from __future__ import annotations

import random
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from io import BytesIO

from support import files

#: Signatures that parsers check first, and byte sequences that break parsers.
PARTS = [
    *(b"", b"\0", b"\xff\xfe", b"%PDF-1.7", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    *(b"<", b">", b"</", b"&#x0;", b"&#99999999;", b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"<![CDATA["),
    *(b"<<", b">>", b"endobj", b"stream\n", b"/Kids[1 0 R]", b"/Count -1", b"99999999999", b"-1"),
    *(b"<div>" * 400, b"<table><tr><td>" * 90, b"<w:p>" * 300, b"[" * 900, b"> " * 500, b'"', b"```"),
    *(b"<ul><li>" * 120, b"\n" * 3000, b"a," * 5000, b"\n---|---\n", b"# ", "橋\u2028\u202e".encode()),
]  # fmt: skip
NAMES = ["a.md", "a.txt", "a.html", "a.csv", "a.pdf", "a.docx", "a.xlsx", "a.pptx", "a.exe", "a"]

#: An element without children, an attribute's value, and words.
_ELEMENT = re.compile(rb"<([\w:]+)(?:\s[^<>]*)?(?:/>|>[^<>]*</\1>)")
_VALUE = re.compile(rb'="[^"<]*"')
_WORDS = re.compile(rb">[^<>]+<")
_VALUES = [
    *(
        b"",
        b"0",
        b"-1",
        b"1048576",
        b"99999999999",
        b"XFD1",
        b"A99999999",
        b"true",
        b"rId1",
        b"../x",
    ),
    *(b"Heading1", b"&#xFFFD;", b"&#x7;", b"s", b"inlineStr", b"nan", b"1e999", b"x" * 3000),
]


@dataclass(frozen=True)
class Upload:
    """A file as a client sends it."""

    data: bytes
    name: str
    media_type: str | None


@cache
def samples() -> dict[str, bytes]:
    pages = [[(20.0, "Title"), (11.0, "Some words."), (11.0, "More.")], [(11.0, "Second page.")]]
    return {
        "a.md": files.MARKDOWN.encode(),
        "a.txt": ("Chapter 1\n\n" + "It begins here. " * 200).encode("utf-16"),
        "a.html": files.HTML.encode(),
        "a.csv": files.CSV.encode() * 20,
        "a.pdf": files.pdf(pages, bookmarks=[("Title", 0), ("Second", 1)]),
        "a.docx": files.docx(),
        "a.xlsx": files.xlsx(),
        "a.pptx": files.pptx(),
    }


def draw_upload(chosen: random.Random) -> Upload:
    name, data = chosen.choice(list(samples().items()))
    if chosen.random() < 0.05:
        data = chosen.randbytes(chosen.randint(0, 20_000))
    elif data.startswith(b"PK") and chosen.random() < 0.6:
        data = _damage_member(data, chosen)
    elif chosen.random() < 0.8:
        data = _damaged(data, chosen)
    if chosen.random() < 0.05:
        name = chosen.choice(NAMES)
    media_type = chosen.choice([None] * 9 + ["application/octet-stream", "text/plain", "x/y;;", ""])
    return Upload(data, name, media_type)


def _damage_member(package: bytes, chosen: random.Random) -> bytes:
    """Damage a member of a package; damage to the package itself would hide it."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(package)) as source, zipfile.ZipFile(out, "w") as target:
        members = source.infolist()
        # Most members are styles and themes.
        struck = {chosen.choice([name for name in source.namelist() if _is_text(name)])}
        if chosen.random() < 0.3:
            struck.add(chosen.choice(members).filename)
        for each in members:
            content = source.read(each)
            if each.filename in struck:
                if chosen.random() < 0.1:
                    continue
                change = _damaged if chosen.random() < 0.2 else _changed_xml
                content = change(content, chosen)
            target.writestr(each.filename, content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _is_text(name: str) -> bool:
    return name.startswith(("word/document", "xl/worksheets/sheet", "xl/workbook", "ppt/slides/"))


def _changed_xml(data: bytes, chosen: random.Random) -> bytes:
    """Change XML but keep it well formed."""
    for _ in range(chosen.choice([1, 2, 5, 20])):
        found = chosen.choice([_ELEMENT, _VALUE, _WORDS])
        places = list(found.finditer(data))
        if not places:
            continue
        match = chosen.choice(places)
        if found is _ELEMENT:
            new = match[0] * chosen.choice([0, 2, 2, 300])
        elif found is _VALUE:
            new = b'="%s"' % chosen.choice(_VALUES)
        else:
            new = b">%s<" % chosen.choice(_VALUES)
        data = data[: match.start()] + new + data[match.end() :]
    return data


def _damaged(data: bytes, chosen: random.Random) -> bytes:
    for _ in range(chosen.choice([1, 1, 1, 2, 3, 8])):
        data = chosen.choice(_DAMAGES)(data, chosen)
    return data


def _flip(data: bytes, chosen: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chosen.choice([1, 1, 3, 20])):
        if changed:
            changed[chosen.randrange(len(changed))] = chosen.randrange(256)
    return bytes(changed)


def _cut(data: bytes, chosen: random.Random) -> bytes:
    return data[: chosen.randint(0, len(data))]


def _drop(data: bytes, chosen: random.Random) -> bytes:
    start = chosen.randint(0, len(data))
    return data[:start] + data[start + chosen.choice([1, 10, 200]) :]


def _insert(data: bytes, chosen: random.Random) -> bytes:
    place = chosen.randint(0, len(data))
    return data[:place] + chosen.choice(PARTS) + data[place:]


def _repeat(data: bytes, chosen: random.Random) -> bytes:
    start = chosen.randint(0, len(data))
    part = data[start : start + chosen.choice([4, 40, 400])]
    return data[:start] + part * chosen.choice([2, 50, 500]) + data[start:]


def _splice(data: bytes, chosen: random.Random) -> bytes:
    other = chosen.choice(list(samples().values()))
    return data[: chosen.randint(0, len(data))] + other[chosen.randint(0, len(other)) :]


def _count(data: bytes, chosen: random.Random) -> bytes:
    """Change a number, such as a length, a position or a number of columns."""
    digits = [place for place, byte in enumerate(data[:200_000]) if 48 <= byte <= 57]
    if not digits:
        return data
    place = chosen.choice(digits)
    number = chosen.choice([b"0", b"-1", b"7", b"65536", b"2147483648", b"99999999999999999999"])
    return data[:place] + number + data[place + 1 :]


_DAMAGES: list[Callable[[bytes, random.Random], bytes]] = [
    *(_flip, _flip, _cut, _drop, _insert, _insert, _repeat, _splice, _count, _count),
]
