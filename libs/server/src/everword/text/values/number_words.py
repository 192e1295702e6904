"""Numbers that are written as words, in eight languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex
from text_to_num import find_numbers

#: Words that may begin a number from two on, by language; a line without one is not looked at.
_FROM_TWO = {
    "en": "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    "|eighteen|nineteen|twent|thirt|fort|fift|sixt|sevent|eight|ninet|hundred|thousand|million|billion"
    "|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth",
    "de": "zwei|drei|vier|fünf|sech|sieb|acht|neun|zehn|elf|zwölf|zwanzig|hundert|tausend|million|milliard"
    "|ein(?:und|hundert|tausend)|dritt",
    "fr": "deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingt|trente"
    "|quarante|cinquante|soixante|nonante|cent|mille|million|milliard|second|troisi",
    "es": "dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieci|veint|treinta"
    "|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien|doscient|trescient|quinient|setecient|novecient|mil",
    "it": "due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|tredici|quattordici|quindici|sedici"
    "|dici|vent|quaranta|cinquanta|sessanta|settanta|ottanta|novanta|cento|mille|mila|milion",
    "pt": "dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|treze|catorze|quatorze|quinze|vinte|trinta"
    "|quarenta|cinquenta|sessenta|setenta|oitenta|noventa|cem|cento|duzent|trezent|quinhent|mil",
    "nl": "twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf|dertien|veertien|twintig|dertig|veertig"
    "|tachtig|honderd|duizend|miljoen|miljard",
}
_LIKELY = {
    language: regex.compile(rf"(?<!\p{{L}})(?:{words})") for language, words in _FROM_TWO.items()
}
_ANY = regex.compile(rf"(?<!\p{{L}})(?:{'|'.join(_FROM_TWO.values())})")
_TOKEN = regex.compile(r"\p{L}+|[^\s\p{L}]")
#: Words that mean a number and more often something else, in the same language or in another.
_AMBIGUOUS = frozenset(
    {
        *("once", "elf", "sei", "cent", "neuf", "onze", "otto", "sept", "set", "tre", "dix", "ti", "six", "second"),
        *("acht", "nove", "dici"),
    }
)  # fmt: skip
#: A word that means one of these counts, or multiplies the digits before it.
_FACTORS = frozenset({100, 1000, 10**6, 10**9})
#: Words for one and two that are no numerals, with others that are rather said than written down.
_ONE = "one eins eine einen einer einem ein un une una uno um uma een once single"
_SMALL = {
    **dict.fromkeys(_ONE.split(), 1),
    **dict.fromkeys(["twice", "both", "couple", "pair", "beide", "ambos", "duas", "zweimal"], 2),
    "dozen": 12,
    "dutzend": 12,
}  # fmt: skip
_CHINESE_DIGITS = {digit: n for n, digit in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "兩": 2,
}
_CHINESE_FACTORS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "萬": 10_000}
_CHINESE = regex.compile(f"[{''.join(_CHINESE_DIGITS)}{''.join(_CHINESE_FACTORS)}]{{1,20}}")
#: Smallest checked number: "one" and "two" are pronouns and articles, or come from "both" and "again".
SMALLEST = 3


@dataclass(frozen=True)
class NumberInWords:
    """A number that is written as words, and where."""

    start: int
    end: int
    number: int
    #: True if the words may mean something else.
    doubtful: bool


class _Word:
    """A word as `text_to_num` reads it."""

    def __init__(self, word: str) -> None:
        self._word = word

    def text(self) -> str:
        return self._word

    def nt_separated(self, previous: object) -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False


def numbers_in_words(folded: str) -> Iterator[NumberInWords]:
    """Yield the numbers from two on that a text in lower case says in words, in each language that may be meant."""
    start = 0
    for line in folded.splitlines(keepends=True):
        if _ANY.search(line):
            yield from _in_line(line, start)
        start += len(line)
    for match in _CHINESE.finditer(folded):
        number = _chinese(match[0])
        doubtful = not (
            set(match[0]) & _CHINESE_DIGITS.keys() and set(match[0]) & _CHINESE_FACTORS.keys()
        )
        yield NumberInWords(match.start(), match.end(), number, doubtful)


def small_numbers(parts: Iterable[str]) -> set[int]:
    """Return the numbers meant by words such as `both` and `dozen` in a source."""
    return {_SMALL[part] for part in parts if part in _SMALL}


def _in_line(line: str, offset: int) -> Iterator[NumberInWords]:
    spans = [match.span() for match in _TOKEN.finditer(line)]
    words = [_Word(line[start:end]) for start, end in spans]
    for language, likely in _LIKELY.items():
        if not likely.search(line):
            continue
        for found in find_numbers(words, language, 0.0):
            if not found.value or found.value != int(found.value):
                continue
            start, end = spans[found.start][0], spans[found.end - 1][1]
            factor = found.end - found.start == 1 and int(found.value) in _FACTORS
            doubtful = found.is_ordinal or factor or line[start:end] in _AMBIGUOUS
            yield NumberInWords(offset + start, offset + end, int(found.value), doubtful)


def _chinese(written: str) -> int:
    total = current = 0
    for character in written:
        if character in _CHINESE_DIGITS:
            current = _CHINESE_DIGITS[character]
        else:
            factor = _CHINESE_FACTORS[character]
            total = (
                (total + current) * factor if factor == 10_000 else total + (current or 1) * factor
            )
            current = 0
    return total + current
