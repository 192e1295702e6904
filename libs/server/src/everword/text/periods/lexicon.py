"""Tag the words of a text by their role in names of times.

Each tag is one character, so that the rules of `grammar` can be regular expressions over the tags:

    D day from today   C calendar unit from today   U unit   K weekend   M month   m month or a common word   W weekday
    w weekday or a common word   V weekdays   A season   a season or a common word   P part of the day   Z part of a day
    H holiday   I date in digits   n number   v vague number   j ordinal   Y year   y decade   q quarter
    L last   f before last   T this   N next   p past   g ago or before   G ago or since   S since   B before   F after
    u until   b between   R from   & and   r to   o of   i in, on, at   e early   d mid   l late   h half
    k week of the calendar if before or after a number
    1 2 3 early, mid, late if written after the month   s c t z since, before, until, after if written after the time
    . end of a clause   x any other word
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import regex

from everword.text.periods.words import LANGUAGES

#: Scripts without spaces between words: Japanese, Chinese and Thai.
_UNSPACED = r"\u3005\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e4f"
_TOKEN = regex.compile(
    r"(?P<iso>(?<![\w./:-])(?:19|20)\d\d-(?:[Ww][0-5]\d|\d\d(?:-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d)?Z?)?)?)(?![\w/:-]))"
    r"|(?P<written>(?<![\w./:-])(?:\d{1,2}[./]\d{1,2}[./](?:(?:19|20)\d\d|\d\d)|(?:19|20)\d\d/\d{1,2}/\d{1,2})(?![\w/:-]))"
    r"|(?P<short>(?<![\w./:-])\d{1,2}\.\d{1,2}\.(?!\d))"
    r"|(?P<cjk>(?:(?P<cy>\d{4})[年年년] ?)?(?P<cm>\d{1,2})[月월](?: ?(?P<cd>\d{1,2})[日号일])?"
    r"|(?P<cyear>(?:19|20)\d\d)[年년])"
    r"|(?P<decade>(?<![\w-])(?:(?:19|20)\d0|['’]?[2-9]0)['’]?s\b|(?<![\w-])(?:twenties|thirties|forties|fifties|sixties"
    r"|seventies|eighties|nineties)\b)"
    r"|(?P<ordinal>(?<![\w.,])\d{1,2}(?:st|nd|rd|th|er|º|ª)\b|(?<![\w.,])\d{1,2}\.(?= ?\p{L}))"
    r"|(?P<quarter>\b[QqH][1-4]\b)"
    r"|(?P<number>(?<![\w.:/]|\p{L}-|\d,)\d+(?![\p{Latin}\p{Cyrillic}_:/%\d]|\.\d|,(?!(?:19|20)\d\d)\d)"
    r"|(?<=\d,)(?:19|20)\d\d(?!\d))"
    rf"|(?P<character>[{_UNSPACED}])"
    rf"|(?P<word>(?:(?![{_UNSPACED}])\p{{L}}\p{{M}}*)+)"
    r"|(?P<dash>[-–—~〜])"
    r"|(?P<stop>[.?!;:()\n…。?！]|\S)"
)
#: Punctuation that is ignored, because it may be inside of a time: `May 3, 2026`.
_SILENT = frozenset(",'’\"“”،、_*")
#: Scripts of one language, and those whose words may be joined to others: they are always read.
_EVIDENT = regex.compile(rf"[\d{_UNSPACED}\u0620-\u064a\u0900-\u0963\p{{Hangul}}]")
_WORD = regex.compile(r"\p{L}+")
_SCRIPTS = {
    "ja": regex.compile(r"[\u3040-\u30ff]"),
    "ar": regex.compile(r"[\u0620-\u064a]"),
    "ko": regex.compile(r"\p{Hangul}"),
    "th": regex.compile(r"\p{Thai}"),
    "hi": regex.compile(r"\p{Devanagari}"),
}
_HAN = regex.compile(r"[\u3400-\u9fff]")
_OTHER_DIGIT = regex.compile(r"[^\P{Nd}0-9]")
#: Words. Shorter texts do not show their language clearly, so more languages are tried.
_SHORT_TEXT = 6
_YEARS = range(1900, 2100)
_LARGEST = 9999
#: Tokens of a text that are read.
_MOST_TOKENS = 200
_WORDS = {
    "months": "M", "short months": "m", "weekdays": "W", "short weekdays": "w", "plural weekdays": "V", "numbers": "n",
    "ordinals": "j",
}  # fmt: skip
_NAMED = {
    "units": "U", "calendar": "C", "days": "D", "seasons": "A", "weak seasons": "a", "parts": "P", "moments": "Z",
    "holidays": "H", "vague": "v",
}  # fmt: skip
#: Months that are also other words.
_COMMON_MONTHS = frozenset({"may", "march", "مارس", "آب", "اب"})
#: A text without digits names a time only if it has a word with one of these tags.
_NECESSARY = frozenset("DCUKMmWwVAaPZH")
#: Separates alternative names of one weekday or number in the word lists.
_OR = "|"
Tags = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Token:
    """A tagged word or phrase."""

    tag: str
    #: Depends on the tag: a number, a unit's name, a Span for a found time, and so on.
    value: Any
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Lexicon:
    """The words and phrases of a language that occur in names of times."""

    language: str
    #: Phrases and their tags by the first word, longest first.
    phrases: Mapping[str, list[tuple[tuple[str, ...], Tags]]]
    articles: frozenset[str]
    #: The longest word of each phrase with a tag of `_NECESSARY`.
    necessary: frozenset[str]

    def read(self, text: str) -> list[Token]:
        """Return the tagged words of a text; articles are left out."""
        words = [
            each
            for each in _words(text, self.language)
            if each.tag != "word" or each.value not in self.articles
        ]
        tokens: list[Token] = []
        index = 0
        while index < len(words) and len(tokens) < _MOST_TOKENS:
            word = words[index]
            if word.tag != "word":
                tokens.append(word)
                index += 1
                continue
            length, tags = self._longest(words, index)
            last = words[index + length - 1]
            written = text[word.start : last.end]
            tokens += [
                Token(_tag_as_written(tag, written, tokens), value, word.start, last.end, written)
                for tag, value in tags
            ]
            index += length
        return tokens

    def _longest(self, words: list[Token], index: int) -> tuple[int, Tags]:
        for form in _forms(words[index].value, self.language):
            for phrase, tags in self.phrases.get(form, ()):
                following = words[index + 1 : index + len(phrase)]
                if len(following) == len(phrase) - 1 and all(
                    each.tag == "word" and wanted in _forms(each.value, self.language)
                    for each, wanted in zip(following, phrase[1:], strict=True)
                ):
                    return len(phrase), tags
        return 1, (("x", None),)


def _tag_as_written(tag: str, written: str, before: list[Token]) -> str:
    """Return the tag of a word, depending on its capital letter.

    `may` is surely a month only with a capital inside of a sentence, and a short weekday such as `sun` only with one.
    """
    if tag == "M" and written.lower() in _COMMON_MONTHS:
        is_name = written[0].isupper() and bool(before) and before[-1].tag != "."
        return "M" if is_name else "m"
    return "m" if tag == "w" and not written[0].isupper() else tag


@lru_cache(maxsize=8192)
def fold_word(word: str) -> str:
    """Return a word in lower case without accents."""
    folded = "".join(
        each
        for each in unicodedata.normalize("NFKD", word.lower())
        if not unicodedata.combining(each)
    )
    return folded.translate(_ARABIC)


#: `fold_word` takes syllables apart, so these must be, too.
_KOREAN_PARTICLES = tuple(
    unicodedata.normalize("NFKD", each)
    for each in ("에는", "에도", "에", "의", "은", "는", "이", "가", "을", "를", "날", "엔")
)
_ARABIC = str.maketrans({"ى": "ي", "ة": "ه", "ـ": "", "ß": "ss"})


def _forms(word: str, language: str) -> Iterator[str]:
    """Yield the forms of a word to look up: the word itself, and it without a particle, preposition or article."""
    yield word
    if language == "ko":
        for ending in _KOREAN_PARTICLES:
            if word.endswith(ending) and len(word) > len(ending):
                yield word[: -len(ending)]
    if language == "ar":
        if word[0] in "وف" and len(word) > 3:
            word = word[1:]
            yield word
        for prefix in ("بال", "لل", "ال", "ب", "ل"):
            if word.startswith(prefix) and len(word) > len(prefix) + 2:
                yield word[len(prefix) :]


def without_unknown_digits(text: str) -> str:
    """Return the text with spaces in place of digits that `regex` knows but int() rejects, such as U+10D40."""
    return _OTHER_DIGIT.sub(lambda digit: digit[0] if digit[0].isdecimal() else " ", text)


def _words(text: str, language: str) -> Iterator[Token]:
    text = without_unknown_digits(text)
    for match in _TOKEN.finditer(text):
        kind, written = match.lastgroup or "", match[0]
        span = match.start(), match.end(), written
        match kind:
            case "word" | "character":
                yield Token("word", fold_word(written), *span)
            case "number":
                yield _number(written, span)
            case "ordinal":
                yield Token("j", int(regex.sub(r"\D", "", written)), *span)
            case "decade":
                yield Token("y", fold_word(written), *span)
            case "quarter":
                yield Token("q", written.upper(), *span)
            case "dash":
                inside = (
                    text[max(span[0] - 1, 0) : span[0]].isalpha()
                    and text[span[1] : span[1] + 1].isalnum()
                )
                if not inside:
                    yield Token("r", None, *span)
            case "stop":
                if written not in _SILENT:
                    yield Token("." if written in ".?!;:()\n…。！" else "x", None, *span)
            case _:
                yield Token("I", match, *span)


def _number(written: str, span: tuple[int, int, str]) -> Token:
    value = int(written) if len(written) <= len(str(_LARGEST)) else _LARGEST + 1
    if value > _LARGEST:
        return Token("x", None, *span)
    return Token("Y" if value in _YEARS and len(written) == 4 else "n", value, *span)


@lru_cache(maxsize=32)
def lexicon_of(language: str) -> Lexicon:
    """Return the lexicon of a language."""
    source: Mapping[str, Any] = LANGUAGES[language]
    articles = frozenset(fold_word(each.strip()) for each in source.get("articles", "").split(","))
    entries: dict[tuple[str, ...], Tags] = {}

    def add(phrases: str, *tags: tuple[str, Any]) -> None:
        for phrase in phrases.split(","):
            words = tuple(
                each.value
                for each in _words(phrase, language)
                if each.tag == "word" and each.value not in articles
            )
            if words:
                entries.setdefault(words, tags)

    for key, value in source.items():
        if key in _WORDS:
            for number, alternatives in enumerate(value.split(","), 0 if "week" in key else 1):
                add(alternatives.replace(_OR, ","), (_WORDS[key], number))
        elif key in _NAMED:
            for name, phrases in value.items():
                add(phrases, (_NAMED[key], name))
        elif key == "last seasons":
            for name, phrases in value.items():
                add(phrases, ("L", -1), ("A", name))
        elif key == "pairs":
            for name, phrases in value.items():
                add(phrases, ("n", 2), ("U", name))
        elif key == "phrases":
            for tags, phrases in value.items():
                add(phrases, *_compound_tags(tags, (), ()))
        elif len(key) == 1:
            add(value, (key, -1 if key == "L" else None))
    _add_compounds(entries, source)
    if language == "zh":
        _add_days_of_weeks(entries)
    return _indexed(language, entries, articles)


def _add_compounds(entries: dict[tuple[str, ...], Tags], source: Mapping[str, Any]) -> None:
    """Add the compounds of a language, such as `Sonntagabend` and `Aprilwoche`.

    A rule of `compounds` has the first part, the last part and the tags. A part is a tag, or several, for all words
    with it, otherwise the words themselves; `stems` are further first parts. In the tags, `*` means the tags of the
    first part, and `+` those of the last.
    """
    words = [(each[0], tags) for each, tags in entries.items() if len(each) == 1]
    stems: list[tuple[str, Tags]] = [
        (fold_word(stem.strip()), (tag,))
        for tag, written in source.get("stems", {}).items()
        for stem in written.split(",")
    ]

    def parts(named: str, known: list[tuple[str, Tags]]) -> list[tuple[str, Tags]]:
        if named.isupper():
            return [(word, tags) for word, tags in known if tags[0][0] in named]
        return [(fold_word(word.strip()), ()) for word in named.split(",")]

    for firsts, lasts, written in source.get("compounds", ()):
        for first, of_first in parts(firsts, words + stems):
            for last, of_last in parts(lasts, words):
                tags = _compound_tags(written, of_first, of_last)
                for joint in ("",) if first.endswith("s") else ("", "s"):
                    entries.setdefault((first + joint + last,), tags)


def _compound_tags(written: str, first: Tags, last: Tags) -> Tags:
    tags: list[tuple[str, Any]] = []
    for each in written.split():
        tag, _, value = each.partition(":")
        tags += first if tag == "*" else last if tag == "+" else [(tag, value or None)]
    return tuple(tags)


def _add_days_of_weeks(entries: dict[tuple[str, ...], Tags]) -> None:
    """Add phrases such as `上周五`."""
    for words, tags in [*entries.items()]:
        if tags[0][0] == "C" and tags[0][1][0] == "week":
            for number, name in enumerate("一二三四五六日"):
                entries.setdefault((*words, name), (*tags, ("W", number)))


def _indexed(
    language: str, entries: dict[tuple[str, ...], Tags], articles: frozenset[str]
) -> Lexicon:
    phrases: dict[str, list[tuple[tuple[str, ...], Tags]]] = {}
    for words, tags in sorted(entries.items(), key=lambda item: -len(item[0])):
        phrases.setdefault(words[0], []).append((words, tags))
    # The longest word of a phrase is the one least likely in other texts.
    necessary = {
        max(words, key=len) for words, tags in entries.items() if tags[-1][0] in _NECESSARY
    }
    return Lexicon(language, phrases, articles, frozenset(necessary))


@lru_cache(maxsize=1)
def _all_necessary() -> frozenset[str]:
    return frozenset().union(*(lexicon_of(language).necessary for language in LANGUAGES))


def may_name_time(text: str) -> bool:
    """Return whether a text has a digit, a script without spaces, or a word that names a time in any language."""
    if _EVIDENT.search(text):
        return True
    return not _all_necessary().isdisjoint(map(fold_word, _WORD.findall(text)))


@lru_cache(maxsize=1)
def _function_words() -> Mapping[str, frozenset[str]]:
    return {
        language: frozenset(fold_word(words["function"]).split())
        for language, words in LANGUAGES.items()
        if language not in _SCRIPTS and language != "zh"
    }


def likely_languages(text: str, usual: str) -> list[str]:
    """Return the possible languages of a text among those with a lexicon, by its script or its most frequent words.

    `usual` comes first if it is possible.
    """
    for language, script in _SCRIPTS.items():
        if script.search(text):
            return [language]
    if _HAN.search(text):
        return ["ja", "zh"] if usual == "ja" else ["zh", "ja"]
    words = [fold_word(word) for word in _WORD.findall(text)]
    counts = {
        language: len(known.intersection(words)) for language, known in _function_words().items()
    }
    enough = max(counts.values()) - (len(words) <= _SHORT_TEXT)
    likely = [each for each, count in counts.items() if count >= enough]
    return sorted(likely, key=lambda each: each != usual)
