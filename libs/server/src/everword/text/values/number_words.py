"""Numbers that are written as words."""

from __future__ import annotations

from collections.abc import Iterable

import regex

_UP_TO_TWELVE = {
    "en": "one two three four five six seven eight nine ten eleven twelve",
    "en ordinals": "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    "de": "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "fr": "un deux trois quatre cinq six sept huit neuf dix onze douze",
    "es": "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "it": "uno due tre quattro cinque sei sette otto nove dieci undici dodici",
    "pt": "um dois três quatro cinco seis sete oito nove dez onze doze",
    "nl": "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
    "zh": "一 二 三 四 五 六 七 八 九 十",
}
_OTHER = {
    "eine": 1, "einen": 1, "einer": 1, "une": 1, "una": 1, "uma": 1, "once": 1, "single": 1,
    "twice": 2, "both": 2, "couple": 2, "pair": 2, "duas": 2, "两": 2, "兩": 2, "dozen": 12,
    "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
    "nineteen": 19, "hundred": 100, "thousand": 1000, "million": 1_000_000,
}  # fmt: skip
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
#: Number words that sources may hold, by word. Some words have two meanings: `once` is eleven in Spanish.
WORDS: dict[str, set[int]] = {}
for _line in _UP_TO_TWELVE.values():
    for _number, _word in enumerate(_line.split(), start=1):
        WORDS.setdefault(_word, set()).add(_number)
for _word, _number in {**_OTHER, **_TENS}.items():
    WORDS.setdefault(_word, set()).add(_number)

_ENGLISH = dict(zip(_UP_TO_TWELVE["en"].split(), range(1, 13), strict=True))
#: What is checked of a text. One and two are not: they are pronouns and articles, or come from "both" and "again".
_CHECKED = regex.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<unit>{'|'.join(list(_ENGLISH)[:9])}))?"
    rf"|(?P<small>{'|'.join(list(_ENGLISH)[2:])}))\b(?: (?P<times>hundred|thousand|million)\b)?"
)


def numbers_in_words(parts: Iterable[str]) -> set[int]:
    """Return the numbers that the words of a source say, in some languages; also `twenty five`."""
    found: set[int] = set()
    before: str | None = None
    for part in parts:
        for number in WORDS.get(part, ()):
            found.add(number)
            if before in _TENS and number < 10:
                found.add(_TENS[before] + number)
            if number in {100, 1000, 1_000_000}:
                found |= {factor * number for factor in WORDS.get(before or "", ())}
        before = part
    return found


def find_number_words(folded: str) -> list[tuple[str, int]]:
    """Return the English number words from three on in a text in lower case, with what they say."""
    found = []
    for match in _CHECKED.finditer(folded):
        number = _TENS.get(match["tens"] or "", 0)
        number += _ENGLISH.get(match["unit"] or match["small"] or "", 0)
        number *= WORDS[match["times"]].copy().pop() if match["times"] else 1
        found.append((match[0], number))
    return found
