"""Chunks hold every word once, along the structure, and are of a size that says something."""

from __future__ import annotations

import random
import re
import time
from statistics import median

import pytest

from everword.text.tokens.counter import packaged_counter
from everword_ingest.documents.parsing import Chunk, ParsedDocument, ParseLimits, chunk_document
from everword_ingest.documents.parsing.chunker import MAX_TOKENS
from everword_ingest.documents.parsing.worker import read_document
from support import files

WORDS = ["pump", "seal", "valve", "tide", "berth", "Orsini", "2026", "3.5", "Köln", "橋", "e.g."]
#: Ends of lines between parts of a chunk count too.
SLACK = 8


def count(text: str) -> int:
    return packaged_counter().count(text)


def read(data: str | bytes, name: str) -> ParsedDocument:
    content = data.encode() if isinstance(data, str) else data
    return read_document(content, name, None, ParseLimits())


def sentence(chosen: random.Random, words: int = 0) -> str:
    drawn = chosen.choices(WORDS, k=words or chosen.randint(2, 30))
    return " ".join(drawn).capitalize() + chosen.choice([".", "?", "!", ".”"])


def markdown(chosen: random.Random) -> str:
    parts = []
    for _ in range(chosen.randint(1, 25)):
        match chosen.randrange(9):
            case 0 | 1:
                parts.append("#" * chosen.randint(1, 6) + f" Heading {chosen.randint(1, 5)}")
            case 2:
                parts.append(
                    "\n".join(f"- {sentence(chosen)}" for _ in range(chosen.randint(1, 60)))
                )
            case 3:
                rows = (
                    f"| {chosen.choice(WORDS)} | {sentence(chosen)} |"
                    for _ in range(chosen.randint(1, 60))
                )
                parts.append("\n".join(["| Part | Said |", "|---|:-:|", *rows]))
            case 4:
                lines = (f"x{number} = f({number})\n" for number in range(chosen.randint(1, 200)))
                parts.append("```\n" + "\n".join(lines) + "```")
            case 5:
                parts.append(sentence(chosen, words=chosen.choice([50, 900])))
            case 6:
                parts.append("".join(chosen.choices("abc橋-_/", k=chosen.randint(1, 9000))))
            case _:
                parts.append(" ".join(sentence(chosen) for _ in range(chosen.randint(1, 80))))
    return ("\n" * chosen.randint(2, 4)).join(parts)


def check(parsed: ParsedDocument, chunks: list[Chunk]) -> None:
    """Assert the properties of all chunks."""
    place = 0
    titles = {" ".join(title.split()) for chunk in chunks for title in chunk.heading_path}
    for chunk in [*chunks, None]:
        between = parsed.text[place : chunk.start if chunk else None]
        for line in filter(None, map(str.strip, between.split("\n"))):
            assert line.strip("#= ") in {*titles, ""}, f"{line!r} is in no chunk"
        if chunk:
            assert chunk.end > chunk.start >= place
            shown = parsed.text[chunk.start : chunk.end]
            assert chunk.content.endswith(shown)
            assert shown.strip()
            assert count(chunk.content) <= MAX_TOKENS + SLACK
            place = chunk.end
    for section in parsed.sections:
        end = section.start + len(section.text)
        holding = [each for each in chunks if each.start < end and each.end > section.start]
        assert {each.heading_path for each in holding} == {section.heading_path}


@pytest.mark.parametrize("seed", range(40))
def test_chunks_of_random_documents_contain_every_word_under_its_heading(seed: int) -> None:
    chosen = random.Random(seed)
    text = markdown(chosen)
    for name in ("a.md", "a.txt"):
        parsed = read(text, name)
        check(parsed, chunk_document(parsed))


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (files.HTML, "a.html"),
        (files.CSV, "a.csv"),
        (files.docx(), "a.docx"),
        (files.xlsx(), "a.xlsx"),
        (files.pptx(), "a.pptx"),
        (files.pdf([[(11, "First page.")], [(11, "Second page.")]]), "a.pdf"),
    ],
)
def test_chunks_of_each_format_contain_every_word(data: str | bytes, name: str) -> None:
    parsed = read(data, name)
    check(parsed, chunk_document(parsed))


def test_chunks_do_not_split_sentences_rows_or_items_that_fit() -> None:
    chosen = random.Random(7)
    prose = " ".join(sentence(chosen) for _ in range(200))
    items = "\n".join(f"- {sentence(chosen)} {sentence(chosen)}" for _ in range(200))
    chunks = chunk_document(read(f"# Prose\n\n{prose}\n\n# Items\n\n{items}", "a.md"))
    for chunk in chunks:
        if chunk.heading_path == ("Items",):
            assert chunk.content.startswith("- ")
            assert chunk.content.split("\n")[-1] in items.split("\n")
        else:
            assert re.search(r"[.?!]”?$", chunk.content)
    rows = "".join(f"Ana {number},Lima,{sentence(chosen)}\n" for number in range(300))
    for chunk in chunk_document(read(f"Name,City,Said\n{rows}", "a.csv"))[1:]:
        assert all(line.startswith("Name: Ana ") for line in chunk.content.split("\n"))


def test_later_chunks_of_a_table_repeat_its_header() -> None:
    rows = "\n".join(f"| {number} | some words about row {number} |" for number in range(300))
    parsed = read(f"# T\n\n| No | About |\n|----|-------|\n{rows}\n\nAfter the table.", "a.md")
    chunks = chunk_document(parsed)
    assert len(chunks) > 5
    for chunk in chunks:
        assert chunk.content.startswith("| No | About |\n|----|-------|\n| ")
    assert chunks[-1].content.endswith("After the table.")


def test_later_chunks_of_a_list_repeat_its_lead_in() -> None:
    items = "\n".join(f"- item {number} is a thing to pack for the trip" for number in range(200))
    parsed = read(f"# Trip\n\nBring along:\n\n{items}\n\nAfter the list.", "a.md")
    chunks = chunk_document(parsed)
    assert len(chunks) > 2
    for chunk in chunks:
        assert chunk.content.startswith("Bring along:\n\n- item ")
        assert count(chunk.content) <= MAX_TOKENS + SLACK
    assert chunks[-1].content.endswith("After the list.")


def test_chunks_have_similar_sizes() -> None:
    chosen = random.Random(3)
    sizes = []
    for _ in range(30):
        paragraphs = (
            " ".join(sentence(chosen) for _ in range(chosen.randint(1, 8)))
            for _ in range(chosen.randint(4, 40))
        )
        chunks = chunk_document(read("\n\n".join(paragraphs), "a.txt"))
        sizes += [count(chunk.content) for chunk in chunks if len(chunks) > 1]
    assert median(sizes) > 0.7 * MAX_TOKENS
    assert min(sizes) > 0.3 * MAX_TOKENS


def test_chunk_may_span_pages_and_has_the_page_where_it_begins() -> None:
    pages = [[(11.0, f"Page {page} says little.")] for page in range(1, 5)]
    [chunk] = chunk_document(read(files.pdf(pages), "a.pdf"))
    assert (chunk.page, chunk.heading_path) == (1, ())
    assert chunk.content.split("\n\n") == [line for [(_, line)] in pages]
    pages = [[(11.0, f"Line {line} of page {page}.") for line in range(60)] for page in range(1, 5)]
    chunks = chunk_document(read(files.pdf(pages), "a.pdf"))
    for chunk in chunks:
        first = re.search(r"of page (\d)", chunk.content)
        assert first is not None
        assert chunk.page == int(first[1])


@pytest.mark.parametrize(
    "unit",
    [*"a-|\t[橋。", "-|", "a|\n---\n", "```\n", ". ", " \n", "a.b?", "a\n", "# \n", "> ", "* "],
)
def test_chunking_of_hostile_text_is_fast(unit: str) -> None:
    text = "x" + unit * (400_000 // len(unit)) + "x"
    began = time.process_time()
    parsed = read(text, "a.txt")
    check(parsed, chunk_document(parsed))
    assert time.process_time() - began < 8
