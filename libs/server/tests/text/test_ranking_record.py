"""The ranking record of a passage: packing and unpacking traits and hashes."""

from __future__ import annotations

import struct
from concurrent.futures import ThreadPoolExecutor
from zlib import crc32

import numpy as np
import pytest

from everword.text.ranking_record import (
    ASKS,
    ENDS_ASKING,
    HAS_CODE,
    HAS_DIGITS,
    QUOTES,
    SHOWS_OR_LINKS,
    Traits,
    message_traits,
    pack_record,
    stems_of,
    term_hash,
    unpack_records,
)

PLAIN = Traits(flags=0, words=3, time_words=0, self_words=0)


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("", 0),
        ("Fine, thanks.", 0),
        ("Really? Fine.", ASKS),
        ("Where is it? \n", ASKS | ENDS_ASKING),
        ("どこ？", ASKS | ENDS_ASKING),
        ("أين هو؟", ASKS | ENDS_ASKING),
        ("At 9", HAS_DIGITS),
        ("At ٩", HAS_DIGITS),
        ("[Image: a red kite]", SHOWS_OR_LINKS),
        ("![kite](kite.png)", SHOWS_OR_LINKS),
        ("See HTTPS://kites.example", SHOWS_OR_LINKS),
        ("Kites [and images]", 0),
        ("```\nfly()\n```", HAS_CODE),
        ('I read "The Kite Runner" twice', QUOTES),
        ("„Der Vorleser“ war gut", QUOTES),
        ("《三体》很好看", QUOTES),
        ('A kite 5" wide', HAS_DIGITS),
    ],
)
def test_message_traits_flags_describe_the_message(text: str, flags: int) -> None:
    assert message_traits(text).flags == flags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yesterday and TODAY.", 2),
        ("two weeks ago, last weekend", 3),
        ("the 1st, 2nd and 23rd of May 2023", 4),
        ("I may go in March", 1),
        ("Wednesdays, monthly, lasting, 12345", 0),
        ("x" * 1998 + " today", 0),
    ],
)
def test_message_traits_counts_time_words_at_the_beginning(text: str, expected: int) -> None:
    assert message_traits(text).time_words == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm sure I've told my aunt about me.", 4),
        ("My turn. Me too.", 2),
        ("It is mine; i, MY, meme, Mystery, amid", 0),
    ],
)
def test_message_traits_counts_first_person_words(text: str, expected: int) -> None:
    assert message_traits(text).self_words == expected


def test_message_traits_counts_words_in_any_script() -> None:
    assert message_traits("don't re-open the サーバー").words == 7


@pytest.mark.parametrize(
    ("config", "stems"),
    [
        ("english", ["carolin", "s", "not", "run", "the", "o", "brien", "race"]),
        ("pg_catalog.english", ["carolin", "s", "not", "run", "the", "o", "brien", "race"]),
        ("simple", ["caroline", "s", "not", "running", "the", "o", "brien", "races"]),
        ("klingon", ["caroline", "s", "not", "running", "the", "o", "brien", "races"]),
    ],
)
def test_stems_of_splits_at_apostrophes_and_stems_by_configuration(
    config: str, stems: list[str]
) -> None:
    assert stems_of("Caroline’s not running the O'Brien races!", config) == stems


def test_stems_of_other_languages_and_scripts() -> None:
    assert stems_of("Die Häuser", "german") == ["die", "haus"]
    assert stems_of("我喜欢猫 dogs", "english") == ["我喜", "喜欢", "欢猫", "dog"]


def test_ranking_record_has_the_documented_layout() -> None:
    """Records of one version are read for years: this is the format, byte by byte."""
    traits = Traits(flags=ASKS | HAS_DIGITS, words=300, time_words=2, self_words=1)
    record = pack_record("Red kites", traits, "english")
    assert record == bytes.fromhex("0105 2c01 02 01 0000") + struct.pack(
        "<2I", crc32(b"red"), crc32(b"kite")
    )


def test_unpack_records_returns_arrays() -> None:
    one = pack_record("Red kites", Traits(ENDS_ASKING, 2, 3, 4), "english")
    none = pack_record("", PLAIN, "english")
    two = pack_record("The kite", Traits(HAS_CODE, 2, 0, 0), "english")
    records = unpack_records([one, none, two])
    assert records.flags.tolist() == [ENDS_ASKING, 0, HAS_CODE]
    assert records.words.tolist() == [2, 3, 2]
    assert records.time_words.tolist() == [3, 0, 0]
    assert records.self_words.tolist() == [4, 0, 0]
    assert records.begins.tolist() == [0, 2, 2]
    assert records.counts.tolist() == [2, 0, 2]
    assert records.terms.tolist() == [term_hash(stem) for stem in ("red", "kite", "the", "kite")]
    assert records.terms.dtype == np.uint32


def test_unpack_records_of_missing_or_unknown_version_has_no_words() -> None:
    known = pack_record("kite", PLAIN, "english")
    records = unpack_records([None, b"", b"\x02" + known[1:], known])
    assert records.words.tolist() == [0, 0, 0, 3]
    assert records.counts.tolist() == [0, 0, 0, 1]
    assert not len(unpack_records([]).counts)


def test_ranking_record_saturates_at_field_limits() -> None:
    huge = Traits(0, words=70_000, time_words=300, self_words=300)
    record = pack_record(" ".join(f"w{n}" for n in range(500)), huge, "english")
    records = unpack_records([record])
    assert (records.words[0], records.time_words[0], records.self_words[0]) == (65535, 255, 255)
    assert len(records.terms) == 480
    assert records.terms[-1] == term_hash("w479")


def test_stems_of_is_thread_safe() -> None:
    """A stemmer must not be shared by threads; each has its own."""
    texts = [f"running {n} houses and their kites" for n in range(200)]
    alone = [stems_of(text, "english") for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: stems_of(text, "english"), texts)) == alone
