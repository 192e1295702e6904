"""Small files of each supported document format, generated on demand."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from io import BytesIO

from docx import Document
from openpyxl import Workbook
from pptx import Presentation
from pptx.util import Inches

MARKDOWN = """---
title: "Handbook of the pump room"
---
Read this first.

# Pumps

The **main** pump runs at noon.

## Seals

- Replace the seal each May.
- Keep two spares.

```python
# not a heading
```

| Part | Maker |
|------|-------|
| seal | Orsini |
| valve | Tamm |
"""
HTML = """<!DOCTYPE html><html><head><title>Tide tables</title><style>p {color: red}</style>
<script>alert("never read")</script></head><body><nav>Home</nav><h1>Harbour</h1>
<p>The tide turns<br>at six.</p><h2>Moorings</h2><ul><li>North quay<ul><li>berth 4</li></ul></li><li>South</li></ul>
<table><tr><th>Berth</th><th>Depth</th></tr><tr><td>4</td><td>3 m</td></tr><tr><td>5</td><td>2 m</td></tr></table>
<ol start="3"><li>Moor</li><li>Pay</li></ol><p hidden>unseen words</p><pre>a   b
c</pre></body></html>"""
CSV = 'Name;City;Note\nAna;Lima;"likes; semicolons"\nBo;Oslo;\n'


@cache
def docx() -> bytes:
    document = Document()
    document.core_properties.title = "Minutes"
    document.add_paragraph("Opened at nine.")
    document.add_heading("Budget", level=1)
    document.add_paragraph("We spend less.")
    document.add_heading("Travel", level=2)
    document.add_paragraph("No flights", style="List Bullet")
    document.add_paragraph("Trains only", style="List Bullet")
    table = document.add_table(rows=0, cols=3)
    for row in (("Item", "Cost", "Owner"), ("Train", "120", "Ana"), ("Hotel", "300", "Bo")):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    return _saved(document.save)


@cache
def xlsx() -> bytes:
    workbook = Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.title = "Stock"
    for row in (("Stock of May",), ("Part", "Count", "Ordered"), ("seal", 4, True), ("valve", 2.5)):
        sheet.append(row)
    sheet.append(())
    sheet.append(("pump", 1))
    workbook.create_sheet("Makers").append(("Orsini", "Lima"))
    return _saved(workbook.save)


@cache
def pptx() -> bytes:
    deck = Presentation()
    deck.core_properties.title = "Review"
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Results"
    body = slide.placeholders[1].text_frame
    body.text = "Sales rose"
    body.add_paragraph().text = "Costs fell"
    slide.notes_slide.notes_text_frame.text = "Thank the team."
    plain = deck.slides.add_slide(deck.slide_layouts[6])
    table = plain.shapes.add_table(2, 3, Inches(1), Inches(1), Inches(5), Inches(1)).table
    for index, row in enumerate((("Region", "Sum", "Change"), ("North", "7", "up"))):
        for column, text in enumerate(row):
            table.cell(index, column).text = text
    return _saved(deck.save)


def pdf(
    pages: Sequence[Sequence[tuple[float, str]]],
    bookmarks: Sequence[tuple[str, int]] = (),
    trailer: str = "",
    catalog: str = "",
) -> bytes:
    """Return a PDF whose pages have lines, each with a font size. Bookmarks lead to page numbers from 0."""
    objects: dict[int, bytes] = {3: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"}
    first, outline = 10, 10 + 2 * len(pages)
    kids = " ".join(f"{first + 2 * page} 0 R" for page in range(len(pages)))
    objects[2] = f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode()
    for page, lines in enumerate(pages):
        number = first + 2 * page
        fonts = "/Resources<</Font<</F 3 0 R>>>>"
        objects[number] = (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]{fonts}/Contents {number + 1} 0 R>>"
        ).encode()
        stream = _content(lines)
        objects[number + 1] = b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream)
    for index, (title, page) in enumerate(bookmarks):
        following = f"/Next {outline + index + 2} 0 R" if index + 1 < len(bookmarks) else ""
        objects[outline + index + 1] = (
            f"<</Title({title})/Parent {outline} 0 R/Dest[{first + 2 * page} 0 R/Fit]{following}>>"
        ).encode()
    if bookmarks:
        last = outline + len(bookmarks)
        objects[outline] = f"<</First {outline + 1} 0 R/Last {last} 0 R>>".encode()
        catalog += f"/Outlines {outline} 0 R"
    objects[1] = f"<</Type/Catalog/Pages 2 0 R{catalog}>>".encode()
    return _written(objects, trailer)


def _content(lines: Sequence[tuple[float, str]]) -> bytes:
    height, shown = 800.0, []
    for size, text in lines:
        # An empty line is a gap.
        height -= size * 1.2
        escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        if text:
            shown.append(f"BT /F {size} Tf 50 {height:.1f} Td ({escaped}) Tj ET")
    return "\n".join(shown).encode("latin-1")


def _written(objects: Mapping[int, bytes], trailer: str) -> bytes:
    out, places = bytearray(b"%PDF-1.7\n"), dict[int, int]()
    for number, body in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 1\n0000000000 65535 f \n"
    for number, place in sorted(places.items()):
        out += b"%d 1\n%010d 00000 n \n" % (number, place)
    size = max(places) + 1
    out += f"trailer<</Size {size}/Root 1 0 R{trailer}>>\nstartxref\n{start}\n%%EOF".encode()
    return bytes(out)


def with_member(package: bytes, name: str, content: bytes, compressed: bool = True) -> bytes:
    """Return a package with one member replaced or added."""
    out = BytesIO()
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(BytesIO(package)) as source, zipfile.ZipFile(out, "w", method) as target:
        for member in source.infolist():
            if member.filename != name:
                target.writestr(member.filename, source.read(member))
        target.writestr(name, content)
    return out.getvalue()


def member(package: bytes, name: str) -> bytes:
    with zipfile.ZipFile(BytesIO(package)) as source:
        return source.read(name)


def _saved(save: Callable[[BytesIO], object]) -> bytes:
    out = BytesIO()
    save(out)
    return out.getvalue()
