"""Parsed formats: headings are paths, rows name their columns, lists stay lists, no text is lost."""

from __future__ import annotations

import pytest

from everword_ingest.documents.parsing.model import ParsedDocument, ParseLimits
from everword_ingest.documents.parsing.worker import read_document
from support import files


def read(data: bytes | str, name: str) -> ParsedDocument:
    content = data.encode() if isinstance(data, str) else data
    parsed = read_document(content, name, None, ParseLimits())
    for section in parsed.sections:
        end = section.start + len(section.text)
        assert parsed.text[section.start : end] == section.text
    return parsed


def sections(parsed: ParsedDocument) -> list[tuple[tuple[str, ...], str]]:
    return [(section.heading_path, section.text) for section in parsed.sections]


def test_markdown_text_is_unchanged_and_split_at_headings() -> None:
    parsed = read(files.MARKDOWN, "pump.md")
    assert parsed.media_type == "text/markdown"
    assert parsed.title == "Handbook of the pump room"
    assert parsed.text == files.MARKDOWN
    [front, pumps, seals] = sections(parsed)
    assert front[0] == ()
    assert front[1].endswith("Read this first.")
    assert pumps == (("Pumps",), "The **main** pump runs at noon.")
    assert seals[0] == ("Pumps", "Seals")
    assert seals[1].startswith("- Replace the seal each May.\n- Keep two spares.")
    assert "# not a heading" in seals[1]


def test_markdown_headings_lose_markup_and_quoted_ones_are_ignored() -> None:
    text = "Setext\n======\n\na\n\n### [Deep](http://x.y) `code` *it*\n\n> # quoted\n\n# Alone\n## Below\n\nb\n# End"
    assert sections(read(text, "a.markdown")) == [
        (("Setext",), "a"),
        (("Setext", "Deep code it"), "> # quoted"),
        (("Alone", "Below"), "b"),
        (("End",), "End"),
    ]


def test_plain_text_has_chapter_headings_but_ignores_tables_of_contents() -> None:
    contents = "CHAPTER I. Out\n\nCHAPTER II. Home\n\nCHAPTER III. Rest"
    text = (
        f"THE SEA\n\n{contents}\n\nIt begins.\n\nBOOK ONE\n\nChapter 1\nThe Boat\n\n"
        "We left at dawn.\nChapter 2 is not told here.\n\nChapter 2\n\nWe came home.\n"
    )
    parsed = read(text, "sea.txt")
    assert parsed.text == text
    assert sections(parsed) == [
        ((), "THE SEA\n\nCHAPTER I. Out\n\nCHAPTER II. Home"),
        (("CHAPTER III. Rest",), "It begins."),
        (("BOOK ONE", "Chapter 1 The Boat"), "We left at dawn.\nChapter 2 is not told here."),
        (("BOOK ONE", "Chapter 2"), "We came home."),
    ]


def test_html_is_read_as_rendered() -> None:
    parsed = read(files.HTML, "tides.html")
    assert parsed.title == "Tide tables"
    assert sections(parsed) == [
        (("Harbour",), "The tide turns\nat six."),
        (
            ("Harbour", "Moorings"),
            "- North quay\n  - berth 4\n- South\n\nBerth | Depth\nBerth: 4; Depth: 3 m\nBerth: 5; Depth: 2 m\n\n"
            "3. Moor\n4. Pay\n\n```\na   b\nc\n```",
        ),
    ]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<html>just words", "just words"),
        ("<html><p>a<p>b", "a\n\nb"),
        ("<html><table><tr><td>a<ul><li>b<li>c</ul><td><table><tr><td>d</table>", "a - b - c | d"),
        ("<html><li>loose<li>items", "- loose\n- items"),
        ("<html><h1>&lt;b&gt; &amp;</h1>x &#8232; y", "# <b> &\n\nx y"),
        ("<html><h2>a<div>b</div><br>c</h2>d", "## a b c\n\nd"),
        ("<html><div style='display: none'>gone<div>too</div></div>seen", "seen"),
        ("<html><p>a\x00b\x1fc&#7;d</p>", "abcd"),
        ("<html><p>one <title>t</title>two<h1>a <title>u</title>b</h1>", "one\n\ntwo\n\n# a b"),
        ("<html><svg><title>icon</title></svg><p>text <img alt='a pump'> end", "text a pump end"),
    ],
)
def test_malformed_html_is_read_as_by_browsers(html: str, text: str) -> None:
    assert read(html, "page.html").text == text


PAGE = """<a class="skip-link" href="#m">Skip to content</a>
<header><img alt="Logo"><h1>Tea house</h1><nav>Home</nav><p>Log in</p></header>
<div id="cookie-banner">We use cookies <button>Accept</button></div>
<main><article><header><h2>Green tea</h2><p>By Ana</p></header><p>Steep at 70 degrees.</p>
<section id="cookies"><h3>Cookies</h3><p>Almond cookies go well with it.</p></section>
<footer>Updated in May</footer></article></main>
<dialog>Subscribe!</dialog><div role="navigation">Next page</div><footer>Imprint</footer>"""


def test_html_navigation_header_footer_and_consent_are_left_out() -> None:
    assert sections(read(PAGE, "tea.html")) == [
        (("Tea house", "Green tea"), "By Ana\n\nSteep at 70 degrees."),
        (
            ("Tea house", "Green tea", "Cookies"),
            "Almond cookies go well with it.\n\nUpdated in May",
        ),
    ]
    # A page of nothing else keeps its text.
    assert read("<nav><a>Home</a> <a>Shop</a></nav>", "menu.html").text == "Home Shop"


def test_word_documents_have_headings_lists_and_tables() -> None:
    parsed = read(files.docx(), "minutes.docx")
    assert parsed.title == "Minutes"
    assert sections(parsed) == [
        ((), "Opened at nine."),
        (("Budget",), "We spend less."),
        (
            ("Budget", "Travel"),
            "- No flights\n- Trains only\n\nItem | Cost | Owner\n"
            "Item: Train; Cost: 120; Owner: Ana\nItem: Hotel; Cost: 300; Owner: Bo",
        ),
    ]


def test_word_document_insertions_and_fields_are_read_but_not_deletions() -> None:
    inserted = (
        b"<w:p><w:ins><w:r><w:t>Added later.</w:t></w:r></w:ins>"
        b"<w:del><w:r><w:delText>Struck.</w:delText></w:r></w:del></w:p>"
        b"<w:sdt><w:sdtContent><w:p><w:r><w:t>In a field.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    body = files.member(files.docx(), "word/document.xml")
    changed = body.replace(b"<w:body>", b"<w:body>" + inserted)
    parsed = read(files.with_member(files.docx(), "word/document.xml", changed), "a.docx")
    assert parsed.text.startswith("Added later.\n\nIn a field.\n\nOpened at nine.")
    assert "Struck" not in parsed.text


def test_spreadsheet_sheets_become_headings_and_rows_name_their_columns() -> None:
    assert sections(read(files.xlsx(), "stock.xlsx")) == [
        (
            ("Stock",),
            "Stock of May\nPart | Count | Ordered\nPart: seal; Count: 4; Ordered: TRUE\n"
            "Part: valve; Count: 2.5\n\nPart: pump; Count: 1",
        ),
        (("Makers",), "Orsini | Lima"),
    ]


def test_slides_become_headings_with_slide_numbers_as_pages() -> None:
    parsed = read(files.pptx(), "review.pptx")
    assert parsed.title == "Review"
    assert [(each.heading_path, each.text, each.page) for each in parsed.sections] == [
        (("Results",), "- Sales rose\n- Costs fell\n\nNotes: Thank the team.", 1),
        (("Slide 2",), "Region | Sum | Change\nRegion: North; Sum: 7; Change: up", 2),
    ]


def test_csv_rows_name_their_columns_for_any_separator() -> None:
    assert read(files.CSV, "people.csv").text == (
        "Name | City | Note\nName: Ana; City: Lima; Note: likes; semicolons\nName: Bo; City: Oslo"
    )
    assert read("a\tb\n1\t2\n", "x.tsv").text == "a | b\na: 1; b: 2"
    assert read("1,2\n3,4\n", "x.csv").text == "1 | 2\n3 | 4"
    assert read('k,v\nx,"two\nlines"\n', "x.csv").text == "k | v\nk: x; v: two lines"


def test_pdf_lines_are_joined_into_paragraphs_under_the_outline() -> None:
    long = "The main pump runs at noon and again at night, when the tide is low"
    pages = [
        [
            (11, "Manual"),
            (11, ""),
            (11, "1. Pumps"),
            (11, ""),
            (11, long),
            (11, "and power is cheap."),
        ],
        [(11, "Seals wear out."), (11, ""), (11, "- Replace them"), (11, "- Keep spares")],
    ]
    parsed = read(files.pdf(pages, bookmarks=[("Pumps", 0), ("Seals", 1)]), "manual.pdf")
    assert [(each.heading_path, each.text, each.page) for each in parsed.sections] == [
        ((), "Manual", 1),
        (("1. Pumps",), f"{long} and power is cheap.", 1),
        (("Seals",), "Seals wear out.\n\n- Replace them\n- Keep spares", 2),
    ]


def test_pdf_without_outline_uses_larger_text_as_headings() -> None:
    body = [
        (11.0, f"Line {number} of a text that is long enough to be one.") for number in range(9)
    ]
    pages = [[(20.0, "Harbour"), *body], [(14.0, "Moorings"), *body], body]
    parsed = read(files.pdf(pages), "harbour.pdf")
    assert [(each.heading_path, each.page) for each in parsed.sections] == [
        (("Harbour",), 1),
        (("Harbour", "Moorings"), 2),
        (("Harbour", "Moorings"), 3),
    ]


def test_overlong_heading_becomes_a_paragraph() -> None:
    words = "word " * 100
    assert sections(read(f"<html><h1>{words}</h1>", "a.html")) == [((), words.strip())]
    assert sections(read(f"# {words}\n\nx", "a.md"))[0][0] == ()
