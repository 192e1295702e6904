"""The words of each language: pairs of a text and a question that must, or must not, have a word in common."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from everword.text.analysis import words_of
from everword.text.lexeme_hash import hash_lexeme
from everword.text.lexemes import (
    analyse,
    any_of_query,
    further_words,
    index_vector,
    literal_lexemes,
)
from everword.text.stemming import plain_spellings

DAY = datetime(2026, 5, 3, tzinfo=UTC)
ENTRY = re.compile(r"('(?:[^']|'')*'|[^\s:]+):\d+")


def indexed(text: str, config: str = "english") -> set[str]:
    return {each.strip("'") for each in ENTRY.findall(index_vector(text, "", DAY, config))}


def asked(question: str, config: str = "english") -> set[str]:
    """Return the lexemes that a question without operators looks for."""
    words = [each for word in words_of(question) for each in analyse(word, config).lexemes]
    return {*words, *literal_lexemes(question)}


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Die Pflanze braucht mehr Licht.", "Pflanzen"),
        ("Die Häuser am Hafen wurden verkauft.", "Haus"),
        ("Sie arbeitet jetzt in Bremen.", "arbeiten"),
        ("Nous avons vendu la maison.", "maisons"),
        ("Compró dos casas en Sevilla.", "casa"),
        ("Las canciones eran bonitas.", "canción"),
        ("I gatti dormono sul divano.", "gatto"),
        ("De honden slapen buiten.", "hond"),
        ("Jag köpte två böcker igår.", "böckerna"),
        ("Evlerimiz çok eski.", "evler"),
        ("A házak régiek.", "ház"),
        ("Kupiła nowe książki.", "książka"),
        ("Мы купили новую книгу.", "книги"),
        ("Ещё одна ёлка стоит дома.", "елка еще"),
        ("اشترينا الكتاب أمس", "كتاب"),
        ("والكتاب على الطاولة", "كتاب"),
        ("كِتَابٌ جديد", "كتاب"),
        ("وجدت مكانا للكتاب", "الكتاب"),
        ("خرجنا وبالمدرسة حفل", "مدرسه"),
        ("بعت سيارتي أمس", "سيارات"),
        ("هدية لأختي", "أخت"),
        ("כשהרופא הגיע", "רופאה"),
        ("קנינו שתי מכוניות", "במכונית"),
        ("מכרנו את הבית בחיפה", "בית"),
        ("גרים בבית גדול", "הבית"),
        ("בַּיִת גדול", "בית"),
        ("लड़कों ने खाना खाया", "लड़का"),
        ("Τα σπίτια είναι παλιά", "σπίτι"),
        ("She was running home.", "runs"),
    ],
)
def test_question_in_another_form_finds_the_word(text: str, question: str) -> None:
    assert asked(question) <= indexed(text)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("I met Müller yesterday.", "muller"),
        ("I met Müller yesterday.", "Mueller"),
        ("We flew to Zürich.", "Zurich"),
        ("The café was closed.", "cafe"),
        ("Przeprowadzka do Łodzi, Łódź", "Lodz"),
        ("Die Straße ist gesperrt.", "Strasse"),
        ("İstanbul çok güzel", "istanbul"),
        ("ＡＰＩ と Ｐｙｔｈｏｎ", "python"),
    ],
)
def test_words_are_found_without_their_accents(text: str, question: str) -> None:
    assert asked(question) & indexed(text)


def test_accented_word_has_more_entries_so_that_the_exact_spelling_ranks_first() -> None:
    assert asked("muller") <= indexed("Müller kam.") & indexed("Muller kam.")
    assert len(indexed("Müller kam.")) > len(indexed("Muller kam."))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Meine Krankenversicherung zahlt.", "Versicherung"),
        ("Unsere Arbeitsverträge enden.", "Vertrag"),
        ("Der Haustürschlüssel fehlt.", "Schlüssel"),
        ("De ziekenhuisopname duurde lang.", "opname"),
    ],
)
def test_compounds_are_found_by_their_last_word(text: str, question: str) -> None:
    assert asked(question) <= indexed(text)


def test_words_with_prefixes_are_no_compounds() -> None:
    assert not further_words(["entscheidung", "beziehung", "verstand", "gelegenheit"])


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("ฉันกินข้าวที่ตลาดเมื่อวานนี้", "ตลาด"),
        ("เขาย้ายไปอยู่กรุงเทพ", "กรุงเทพ"),
        ("ຂ້ອຍຮັກພາສາລາວ", "ພາສາ"),
        ("ខ្ញុំទៅផ្សារម្សិលមិញ", "ផ្សារ"),
        ("ကျွန်တော်မြန်မာနိုင်ငံမှာနေတယ်", "မြန်မာ"),
        ("我们决定迁移数据库", "数据库"),
        ("昨日ラーメン屋に行った", "ラーメン"),
        ("iPhoneを買った", "iphone"),
        ("학교에서 돌아오는 길", "학교가"),
        ("집에서 일했다", "집까지"),
    ],
)
def test_words_of_text_without_spaces_and_with_particles_are_found(
    text: str, question: str
) -> None:
    assert asked(question) <= indexed(text)


@pytest.mark.parametrize(
    "unit",
    [
        *("C++", "C#", ".NET", "node.js", "GB/s", "JIRA-123", "v1.2.3", "10.0.0.1", "a/b.py:12"),
        *("ann@example.org", "a_name"),
    ],
)
def test_unit_is_found_as_typed_and_differs_from_its_parts(unit: str) -> None:
    text, parts = f"We talked about {unit}, again.", re.sub(r"\W|_", " ", unit)
    assert asked(unit) <= indexed(text)
    assert asked(unit) - indexed(f"We talked about {parts}, again.")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The man wore a hat.", "Mantel"),
        ("We sell cars.", "care"),
        ("Paola called.", "Paolo"),
        ("Мы купили дом.", "дым"),
        ("C is a language.", "C++"),
        ("ฉันกินข้าว", "ตลาด"),
        ("كتاب جديد", "مكتبة"),
    ],
)
def test_other_words_are_not_found(text: str, question: str) -> None:
    assert not asked(question) & indexed(text)


@pytest.mark.parametrize(
    ("config", "word", "lexemes"),
    [
        ("english", "the", []),
        ("english", "Running", ["run"]),
        ("german", "die", []),
        ("german", "running", ["running"]),
        ("pg_catalog.german", "Häuser", ["haus"]),
        ("simple", "the", ["the"]),
        ("simple", "Häuser", ["häuser"]),
    ],
)
def test_words_follow_the_language_of_the_namespace(
    config: str, word: str, lexemes: list[str]
) -> None:
    assert analyse(word, config).lexemes == lexemes


def test_phrase_leaves_gaps_for_stop_words() -> None:
    assert analyse("man of the war", "english").phrase == "'man' <3> 'war'"
    assert analyse("the", "english").phrase == ""
    assert any_of_query(["the", "dogs", "cats", "dog"], "english") == "('dog') | ('cat')"


def test_vector_has_a_position_for_each_word_and_quotes_signs() -> None:
    vector = index_vector("It's node.js, the node.", "Ann", DAY, "english")
    assert vector == "ann:1 3:2 may:3 2026:4 node:7 js:8 node:10 'node.js':11"


def test_plain_spellings_are_those_of_latin_words_with_accents() -> None:
    assert plain_spellings("müller") == ["muller", "mueller"]
    assert plain_spellings("łódź") == ["lodz"]
    assert plain_spellings("muller") == plain_spellings("ёлка") == []


def test_hash_is_a_signed_64_bit_number() -> None:
    """`tests/integration/test_lexemes.py` compares it with PostgreSQL's."""
    assert {hash_lexeme(each).bit_length() <= 63 for each in ("", "a", "x" * 99)} == {True}
