"""Plain texts are read in one compiled pass: what is found must be what `everword.text` finds."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from everword.text.analysis import folded_words, indexed_text, words_of
from everword.text.literals import literals_of
from everword.text.passages import split_passages
from everword.text.ranking_record import (
    MAX_TERMS,
    message_traits,
    pack_header,
    pack_record,
    word_hashes,
)
from everword_ingest.indexing import PlacedMessage, build_passages
from everword_ingest.model import NewMessage
from everword_ingest.plain import Plain, read_plain
from support.ascii_texts import texts

ENGLISH, SIMPLE = "pg_catalog.english", "public.simple"
#: Each is at a limit, or just beyond it.
EDGES = [
    *("?" + space for space in " \t\n\v\f\r\x1c\x1d\x1e\x1f\x00\x7f"),
    *(between.join(["ab"] * count) for count in (120, 121) for between in " '-/"),
    *(f"{between}a" * count for count in (480, 481, 1000) for between in "'-"),
    *("w" * size + end for size in (198, 199, 200, 201) for end in ("", "'s", "-s", "'", " today")),
    *(f"{'. ' * 995}{word}" for word in ("a2023", "at 2023", "today", "todays", "is today")),
    *("today_", "_", "café", "today\u00a0", "ſt", "3ſt", "\U0001f600"),
]


@pytest.fixture(scope="module")
def all_texts() -> list[str]:
    composed = texts()
    return [*composed, *(text.replace("_", "") for text in composed), *EDGES]


def _is_plain(text: str) -> bool:
    words = re.findall(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*", text)
    return (
        text.isascii()
        and "_" not in text
        and len(text) <= 2000
        and len(re.findall(r"[A-Za-z0-9][A-Za-z0-9'-]*", text)) <= 120
        and all(len(word) <= 200 for word in words)
    )


def _read(text: str, config: str = ENGLISH) -> Plain:
    plain = read_plain(text, word_hashes(config))
    assert plain is not None, text
    return plain


def test_what_is_not_plain_is_left_to_others(all_texts: list[str]) -> None:
    plain = [text for text in all_texts if read_plain(text, word_hashes(ENGLISH)) is not None]
    assert plain == [text for text in all_texts if _is_plain(text)]
    assert len(all_texts) - 1000 > len(plain) > 5000


@pytest.mark.parametrize("config", [ENGLISH, SIMPLE])
def test_records_are_the_same(all_texts: list[str], config: str) -> None:
    for text in filter(_is_plain, all_texts):
        plain, traits = _read(text, config), message_traits(text)
        assert plain.traits == traits, text
        assert pack_header(plain.traits) + plain.terms == pack_record(text, traits, config), text


def test_words_are_the_same(all_texts: list[str]) -> None:
    for text in filter(_is_plain, all_texts):
        assert _read(text).words == " ".join(words_of(text)), text
        assert split_passages(text) == [text]


def test_literals_are_looked_for_where_there_may_be_any(all_texts: list[str]) -> None:
    expected = re.compile(r"[0-9]|[a-z][A-Z]|[A-Za-z][./:@#\\-][A-Za-z]")
    for text in filter(_is_plain, all_texts):
        assert _read(text).may_hold_literal == (expected.search(text) is not None), text
        assert _read(text).may_hold_literal or literals_of(text) is None, text


@pytest.mark.parametrize("author", ["Ann", "山田", "", "my_Bot 3"])
async def test_passages_are_those_that_the_library_makes(all_texts: list[str], author: str) -> None:
    spoken_at = datetime(2026, 12, 31, 20, tzinfo=UTC)
    placed = [
        PlacedMessage(UUID(int=at), at, NewMessage(text, role=1, author=author), spoken_at, "")
        for at, text in enumerate(all_texts)
    ]
    shown = spoken_at.astimezone(ZoneInfo("Asia/Tokyo"))
    expected = [
        (
            *(entry.id, part, content, indexed_text(content, author, shown), literals_of(content)),
            pack_record(content, message_traits(entry.message.text), ENGLISH),
        )
        for entry in placed
        for part, content in enumerate(split_passages(entry.message.text))
    ]
    for messages in (placed, placed[:50]):  # in a thread, and without one
        portions = build_passages(messages, "Asia/Tokyo", ENGLISH)
        built = [passage async for portion in portions for passage in portion]
        assert [
            (p.placed.id, p.part, p.content, p.indexed_text, p.literals, p.ranking) for p in built
        ] == [row for row in expected if row[0] <= messages[-1].id]


def test_words_are_hashed_in_order_and_no_more_than_are_kept() -> None:
    asked: list[str] = []

    class Recorded(dict[str, bytes]):
        def __missing__(self, word: str) -> bytes:
            asked.append(word)
            return len(asked).to_bytes(4, "little")

    text = "-".join(["It's", "I"] * 200)
    plain = read_plain(text, Recorded())
    assert plain is not None
    assert asked == folded_words(text)[:MAX_TERMS]
    assert plain.terms == b"".join(n.to_bytes(4, "little") for n in range(1, MAX_TERMS + 1))


def test_what_is_no_hash_is_refused() -> None:
    for term in (b"123", b"12345"):
        with pytest.raises(ValueError, match="word has no 4 bytes"):
            read_plain("A word", {"a": b"1234", "word": term})
    for nothing in ("1234", None):
        with pytest.raises(TypeError):
            read_plain("word", {"word": nothing})  # type: ignore[dict-item]
    with pytest.raises(KeyError):
        read_plain("A word", {"a": b"1234"})
    with pytest.raises(TypeError):
        read_plain(None, {})  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        read_plain("word", None)  # type: ignore[arg-type]
