"""Content words of values in English, German and Spanish, for comparisons of short texts."""

from __future__ import annotations

import re
import unicodedata
from functools import cache


def _list(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MONTHS = {
    f"{number:02}": month
    for number, month in enumerate(
        (
            "january", "february", "march", "april", "may", "june",
            "july", "august", "september", "october", "november", "december",
        ),
        start=1,
    )
}  # fmt: skip
#: Numbers that are written as words, up to twelve.
_NUMBERS = {
    word: str(number)
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf",
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    )
    for number, word in enumerate(words.split(), start=1)
    if word != "ein"
}
_NEGATIONS = _list(
    """no not never without neither nor none cannot dont doesnt cant wont avoid avoids avoiding
    kein keine keinen keiner nicht nie niemals ohne sin nunca jamas nada"""
)
_STOP_WORDS = _list(
    """a an the this that some any my his her its their our your of in on at to for from with and or by as
    is are was were be been has have had s t st nd rd th about into since until till
    der die das den dem des ein eine einen einem einer im am in an auf von vom zu zum zur mit und oder
    el la los las un una unos unas de del en con y o para por su sus"""
)
_ISO_DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_THOUSANDS = re.compile(r"(?<=\d)[,.](?=\d{3}(?!\d))")
_WORD = re.compile(r"\d+(?:[.:]\d+)*|[^\W\d_]+")


@cache
def content_words(text: str) -> frozenset[str]:
    """Return the words of a text without articles, prepositions, possessives and negations.

    Case, accents, plural endings and the notation of numbers and dates do not count.
    """
    words = (word for word in _words(text) if word not in _STOP_WORDS and word not in _NEGATIONS)
    return frozenset(_NUMBERS.get(word, _singular(word)) for word in words)


@cache
def is_negated(text: str) -> bool:
    """Return whether a text contains a negation."""
    return any(word in _NEGATIONS for word in _words(text))


def _words(text: str) -> list[str]:
    spelled = _ISO_DATE.sub(_spell_date, text.casefold().replace("’", "'"))
    spelled = _THOUSANDS.sub("", re.sub(r"n't\b", " not", spelled))
    decomposed = unicodedata.normalize("NFKD", spelled)
    plain = "".join(each for each in decomposed if not unicodedata.combining(each))
    return _WORD.findall(plain)


def _spell_date(match: re.Match[str]) -> str:
    year, month, day = match.groups()
    return f"{int(day)} {_MONTHS.get(month, month)} {year}"


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
