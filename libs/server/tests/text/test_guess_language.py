"""`guess_language` names the languages whose vectors have another background."""

from __future__ import annotations

import pytest

from everword.text.text_language import guess_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("她为什么不想继续上班了?", "chinese"),
        ("彼女はなぜ昇進を断ったのですか?", ""),
        ("बीमा कितने का है?", "hindi"),
        ("ประกันราคาเท่าไร", "thai"),
        ("Hvordan skal håndverkeren få oppgjør?", "norwegian"),
        ("Hvornår begynder koncerten på lørdag?", "danish"),
        ("Ile kosztuje ubezpieczenie samochodu?", "polish"),
        ("Welche berufliche Veränderung zieht sie in Betracht?", "german"),
        ("ما لون الأريكة التي اشتروها؟", ""),
        ("404 12:30", ""),
    ],
)
def test_guess_language_returns_the_language_of_most_words(text: str, language: str) -> None:
    assert guess_language(text) == language
