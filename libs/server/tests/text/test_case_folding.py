"""Names and words match if they differ only in case or apostrophes, also in Turkish."""

from __future__ import annotations

from uuid import UUID

from everword.graph.labels import label_key
from everword.people.names import KnownPerson, find_person
from everword.text.analysis import folded_words, words_of
from everword.text.author_names import name_words, without_names
from everword.text.case_folding import fold_case, plain_letters
from everword.text.values.fold_text import parts_of

SPELLINGS = ("İrem Işık", "irem ışık", "İREM IŞIK", "i\u0307rem işik", "IREM IŞIK")


def test_fold_case_unifies_the_four_letters_i_and_all_apostrophes() -> None:
    assert {fold_case(each) for each in ("İ", "I", "ı", "i", "i\u0307", "I\u0307")} == {"i"}
    assert {fold_case(f"O{each}B") for each in "'’‘ʼ＇"} == {"o'b"}
    assert fold_case("STRASSE") == fold_case("Straße")
    assert plain_letters("Kadın İLE Çay") == "Kadin ILE Çay"


def test_name_functions_treat_turkish_spellings_as_equal() -> None:
    for function in (
        lambda text: [word.lower() for word in words_of(text)],
        folded_words,
        name_words,
        label_key,
        parts_of,
    ):
        found = [function(each) for each in SPELLINGS]
        assert all(each == found[0] for each in found), found


def test_find_person_matches_a_name_in_every_turkish_spelling() -> None:
    known = [
        KnownPerson(UUID(int=1), ["İrem Işık"], ""),
        KnownPerson(UUID(int=2), ["Can O'Brien"], ""),
    ]
    for name in (*SPELLINGS, "IREM", "irem"):
        assert find_person(name, "", known) == UUID(int=1), name
    for name in ("can o’brien", "CAN OʼBRIEN"):
        assert find_person(name, "", known) == UUID(int=2), name


def test_without_names_removes_a_turkish_name_from_a_question() -> None:
    names = name_words("İrem")
    for name in ("İrem", "irem", "İREM", "Irem’s"):
        assert without_names(f"Where does {name} live?", names) == "Where does live?"
