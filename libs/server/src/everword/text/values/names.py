"""Names of people, places and things in a text: words with capitals that the language does not require.

Languages are recognised by their common words. German capitalises every noun, so that only a word after a title is a
name there; in an unknown language there are no names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from threading import Lock

import regex

from everword.text.common_words import language_of
from everword.text.values.calendar_words import MONTHS, WEEKDAY_NAMES
from everword.text.values.fold_text import WORD, Key, without_marks
from everword.text.values.numbers import Readings

_LOADING = Lock()
_TOKEN = regex.compile(r"[\p{L}\p{M}]+(?:['-][\p{L}\p{M}]+)*|\n|[^\s\p{L}]")
_CAPITALISED = regex.compile(r"\p{Lu}\p{Ll}[\p{L}\p{M}'-]*")
_LATIN = regex.compile(r"[\p{Latin}\p{M}'-]+")
#: Characters after which a sentence, or something like it, begins.
_OPENING = frozenset('.!?:;•*#>|\n"“”„«»/…')
_BULLETS = frozenset('-–—•*>#_|"“„«([')
_TITLES = frozenset(
    {"dr", "mr", "mrs", "ms", "prof", "st", "herr", "herrn", "frau", "mme", "sr", "sra", "familie"}
)
_LANGUAGE_NAMES = """
english german french spanish italian portuguese dutch chinese japanese korean russian arabic latin anglais allemand
français espagnol italien inglés alemán francés español inglese tedesco
"""
_CAPITALISED_WORDS = """
internet web christmas easter god user assistant agent system tool bonjour celsius fahrenheit euro
"""
#: Capitalised by convention, or said in another language in the source.
_NO_NAMES = frozenset(
    {
        *MONTHS,
        *WEEKDAY_NAMES,
        *_TITLES,
        *_LANGUAGE_NAMES.split(),
        *_CAPITALISED_WORDS.split(),
    }
)
#: Names that are mostly written shorter.
_SHORT_FORMS = {
    "united": ("us", "usa", "uk", "un", "uae"),
    "states": ("us", "usa"),
    "america": ("us", "usa"),
    "kingdom": ("uk",),
    "nations": ("un",),
    "european": ("eu",),
    "union": ("eu", "ue"),
    "york": ("ny", "nyc"),
    "angeles": ("la",),
    "francisco": ("sf",),
}
#: Endings in which forms of a name may differ.
_ENDINGS = ("s", "es", "n", "an", "ian", "ish", "ese", "er", "in", "ns", "ians", "a", "e")
_ORDINARY_ENDINGS = regex.compile(
    r"(?:ed|ing|ly|tions?|ments?|ness|able|ible|ity|ers?|ors?|ful|less|al|ive|ous|is[ei]ng|i[sz]ed?|ists?|isms?|ware)$"
)
#: Share of capitalised words that makes a line a heading.
_HEADING_SHARE = 0.6


@dataclass(frozen=True)
class _Token:
    text: str
    start: int
    #: True if a sentence, a list item or a label begins with it.
    opens: bool


def find_names(plain: str) -> Iterator[tuple[str, Readings]]:
    """Yield the names of a text with their readings: the name itself, inflected forms, or its short form."""
    language = language_of(_english_marks(token.casefold()) for token in _TOKEN.findall(plain))
    if not language:
        return
    may_be_name = _german if language == "de" else _by_capitals(language)
    for line in _lines(plain):
        heading = _is_heading(line)
        for place, token in enumerate(line):
            word = token.text.split("'")[0] if "'" in token.text[2:] else token.text
            folded = word.casefold()
            if (
                len(word) < 2
                or not _CAPITALISED.fullmatch(token.text)
                or not _LATIN.fullmatch(word)
                or folded in _NO_NAMES
            ):
                continue
            before = line[place - 1].text.casefold() if place else ""
            if may_be_name(folded, before, token.opens or heading):
                yield word, _readings(word, line, place)


def _readings(word: str, line: list[_Token], place: int) -> Readings:
    folded = without_marks(word.casefold())
    # Hyphenated parts may occur separately, but all of them must occur.
    parts = [part for part in folded.split("-") if part]
    readings: Readings = [frozenset({(WORD, part) for part in parts})]
    forms = {folded + ending for ending in _ENDINGS}
    forms |= {
        folded.removesuffix(ending)
        for ending in _ENDINGS
        if folded.endswith(ending) and len(folded) - len(ending) >= 3
    }
    forms.update(_SHORT_FORMS.get(folded, ()))
    initials = _initials(line, place)
    if len(initials) > 1:
        forms.add(initials)
    keys: list[Key] = [(WORD, form) for form in sorted(forms)]
    return readings + [frozenset({key}) for key in keys]


def _english_marks(folded: str) -> str:
    """Return a word, or for the possessive of one what only English has."""
    return "the" if folded.endswith("'s") else folded


def _initials(line: list[_Token], place: int) -> str:
    """Return the initials of the run of capitalised words around a place."""
    first = last = place
    while first and _CAPITALISED.fullmatch(line[first - 1].text):
        first -= 1
    while last + 1 < len(line) and _CAPITALISED.fullmatch(line[last + 1].text):
        last += 1
    return "".join(token.text[0] for token in line[first : last + 1]).casefold()


def _lines(plain: str) -> Iterator[list[_Token]]:
    """Yield the words of each line, with whether a sentence begins there."""
    line: list[_Token] = []
    opens, before = True, ""
    for match in _TOKEN.finditer(plain):
        text = match[0]
        if text == "\n":
            if line:
                yield line
            line, opens = [], True
        elif text[0].isalpha():
            line.append(_Token(text, match.start(), opens))
            opens = False
        elif text in _OPENING:
            # Not after "Dr." and initials.
            initial = before.isalpha() and len(before) == 1
            opens = not (text == "." and (before.casefold() in _TITLES or initial))
        elif text in _BULLETS and not line:
            opens = True
        before = text
    if line:
        yield line


def _is_heading(line: list[_Token]) -> bool:
    capitals = sum(1 for token in line if token.text[0].isupper())
    return len(line) > 1 and capitals > _HEADING_SHARE * len(line)


def _german(folded: str, before: str, opens: bool) -> bool:
    return before in _TITLES


def _by_capitals(language: str) -> Callable[[str, str, bool], bool]:
    def may_be_name(folded: str, before: str, opens: bool) -> bool:
        if not opens:
            return True
        # The first word of a sentence is a name if the language has no such word.
        return language == "en" and len(folded) > 2 and not _is_word(folded)

    return may_be_name


def _is_word(folded: str) -> bool:
    known = _english()
    parts = folded.split("-")
    return all(part in known or _ORDINARY_ENDINGS.search(part) is not None for part in parts)


def _english() -> Mapping[str, str]:
    """Return the words of English, as they are written: a name has its capital there. The first call takes .3 s."""
    # Threads that begin at once would each read them, 25 MB.
    with _LOADING:
        return _load_english()


@cache
def _load_english() -> Mapping[str, str]:
    from simplemma.strategies.dictionaries import DefaultDictionaryFactory

    return DefaultDictionaryFactory().get_dictionary("en")
