"""Text is read in the encoding that it is in, and holds nothing that Postgres would refuse."""

from __future__ import annotations

import random

import pytest

from everword_ingest.documents.parsing.decoder import clean, decode
from everword_ingest.documents.parsing.model import DocumentUnreadable, ParseLimits, Unreadable
from everword_ingest.documents.parsing.worker import read_document

GERMAN = "Grüße aus Köln: die Brücke über den Fluß ist für Fußgänger geöffnet – 5 € Gebühr."
RUSSIAN = "Мост через реку открыт для пешеходов, плата за вход не взимается до конца месяца."
JAPANESE = "橋は歩行者に開放されています。入場料は月末まで無料です。どうぞお越しください。"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-32"),
        (GERMAN, "cp1252"),
        (RUSSIAN, "utf-16"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (JAPANESE * 4, "shift_jis"),
        (JAPANESE * 4, "euc_jp"),
    ],
)
def test_decode_detects_the_encoding(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_text_is_decoded_with_the_charset_of_its_media_type() -> None:
    for name, text, media_type in (
        ("a.html", f"<html><p>{RUSSIAN}", 'text/html; charset="Windows-1251"'),
        ("a.csv", "имя,сумма", "text/csv;header=present;charset=windows-1251"),
        # Servers declare UTF-8 for files of any encoding.
        ("a.txt", RUSSIAN, "text/plain; charset=utf-8; x"),
    ):
        charset = "utf-8" if "utf-8" in media_type else "cp1251"
        parsed = read_document(text.encode(charset), name, media_type, ParseLimits())
        assert text.removeprefix("<html><p>").split(",")[0] in parsed.text
    # Text that is UTF-8 in spite of its declared charset, and an unknown charset.
    for charset in ("iso-8859-1", "martian"):
        media_type = f"text/plain; charset={charset}"
        parsed = read_document(RUSSIAN.encode(), "a.txt", media_type, ParseLimits())
        assert parsed.text == RUSSIAN


def test_html_is_decoded_with_its_declared_encoding() -> None:
    page = '<html><head><meta charset="iso-8859-2"></head><body>Łódź, řeka</body></html>'
    assert (
        read_document(page.encode("iso8859_2"), "a.html", None, ParseLimits()).text == "Łódź, řeka"
    )
    # The declared name may be no encoding, or no text encoding.
    for lie in ("zip", "rot13", "unicode_escape", "nonsense", "x" * 500):
        page = f'<html><head><meta charset="{lie}"></head><body>Grüße</body></html>'
        assert read_document(page.encode(), "a.html", None, ParseLimits()).text == "Grüße"


def test_decode_with_few_broken_characters_keeps_the_encoding() -> None:
    data = (GERMAN * 50).encode() + "ß".encode()[:1]
    assert decode(data) == GERMAN * 50 + "\ufffd"


def test_clean_removes_control_characters_and_normalises_line_ends() -> None:
    every = "".join(map(chr, range(0x3000))) + "\ufffe\uffff\ufeff\ud800\r\n\u2028end"
    text = clean(every)
    assert not {c for c in text if c < " " or "\x7f" <= c < "\xa0"} - {"\n", "\t"}
    text.encode()
    assert text.endswith("\n\nend")


def test_decode_refuses_random_bytes() -> None:
    for seed in range(20):
        data = random.Random(seed).randbytes(5000)
        with pytest.raises(DocumentUnreadable) as caught:
            decode(data)
        assert caught.value.reason is Unreadable.UNSUPPORTED
