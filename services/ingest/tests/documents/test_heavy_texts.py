"""Parsing and chunking repetitive text takes about as long as prose of the same length."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from everword_ingest.documents.parsing import (
    DocumentUnreadable,
    ParsedDocument,
    ParseLimits,
    Section,
    chunk_document,
    parse_text,
)
from everword_ingest.documents.parsing.worker import read_document, read_text
from support.heavy_texts import CROWDED_TEXTS, HEAVY_TEXTS, prose

KIB = 1024
SIZE = 256 * KIB
#: Ten times the time of prose of this length, and three times the time of the slowest of these texts.
LONGEST_S = 0.75
TEXTS = {name: make for name, make in HEAVY_TEXTS.items() if make(KIB).strip()}


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU time of `work` in this thread, the shortest of three tries."""
    times = list[float]()
    for _ in range(3):
        begun = time.thread_time()
        work()
        times.append(time.thread_time() - begun)
        if times[-1] < LONGEST_S / 3:
            break
    return min(times)


def read_and_cut(text: str) -> None:
    chunk_document(read_text(text.encode(), ParseLimits()))


@pytest.mark.parametrize("name", TEXTS)
def test_reading_and_chunking_of_heavy_texts_is_fast(name: str) -> None:
    read_and_cut(prose(KIB))  # loads the vocabulary
    text = TEXTS[name](SIZE)
    assert seconds(lambda: read_and_cut(text)) < LONGEST_S


@pytest.mark.parametrize("name", CROWDED_TEXTS)
def test_reading_stops_at_the_first_section_over_the_limit(name: str) -> None:
    limits = ParseLimits(max_sections=100)
    text = CROWDED_TEXTS[name](KIB * KIB)

    def read() -> None:
        with pytest.raises(DocumentUnreadable, match="more than 100 sections"):
            read_text(text.encode(), limits)

    assert seconds(read) < LONGEST_S


def test_plain_text_with_too_many_headings_is_refused() -> None:
    chapters = "".join(f"Chapter {n}\n\nIt rains.\n\n" for n in range(1, 200))
    with pytest.raises(DocumentUnreadable, match="more than 100 sections"):
        read_document(chapters.encode(), "a.txt", None, ParseLimits(max_sections=100))


def test_chunks_of_many_pages_under_one_heading_begin_on_their_pages() -> None:
    page = "word " * 100
    text = page * 400
    sections = tuple(Section((), page.rstrip(), n + 1, n * len(page)) for n in range(400))
    chunks = chunk_document(ParsedDocument(None, "application/pdf", text, sections))
    assert len(chunks) > 70
    for chunk in chunks:
        assert chunk.page == chunk.start // len(page) + 1


@pytest.mark.parametrize("text", ["%PDF-1.7 is how such files begin.", "<html><h1>x</h1></html>"])
async def test_parse_text_always_reads_markdown(text: str) -> None:
    parsed = await parse_text(f"{text}\n\n# Title\n\nwords")
    assert parsed.media_type == "text/markdown"
    assert parsed.sections[-1].heading_path == ("Title",)
    assert parsed.text.startswith(text)


def test_appended_text_changes_only_the_last_two_chunks() -> None:
    text = prose(100 * KIB)
    before = chunk_document(read_text(text.encode(), ParseLimits()))
    for added in ("\nOne more sentence.", "\n" + prose(3 * KIB)):
        after = chunk_document(read_text((text + added).encode(), ParseLimits()))
        assert after[: len(before) - 2] == before[:-2]
        assert len(after) >= len(before)
