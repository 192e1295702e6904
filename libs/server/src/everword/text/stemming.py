"""Reduce words of every script to stems, without knowing the language of the text.

The language is guessed for each word: from its script, or in Latin letters from the word itself (`word_languages`). So
a word has the same stem in every text and every question. In a namespace whose language is not English, the rules of
that language apply to all words in Latin letters. Snowball has no stemmer for Hebrew, so its prefixes are removed here.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files

import Stemmer

from everword.text.word_languages import word_language

#: Language whose namespaces stem each word in Latin letters by the word's own language.
ANY_LANGUAGE = "english"
#: Languages by the Unicode names of their letters. Other scripts, such as Georgian and Bengali, have no stemmer.
_BY_SCRIPT = {
    "ARABIC": "arabic",
    "ARMENIAN": "armenian",
    "CYRILLIC": "russian",
    "DEVANAGARI": "hindi",
    "GREEK": "greek",
    "HEBREW": "hebrew",
    "LATIN": "",
    "TAMIL": "tamil",
}
# Letters of Persian and Urdu, and of Ukrainian, Belarusian and Serbian. The rules for Arabic and Russian would cut
# words of these languages in wrong places.
_NOT_ARABIC = re.compile("[پچژگڤڈٹڑںےہۂۓ]")
_PERSIAN = re.compile("[پچژگ]")
_NOT_RUSSIAN = re.compile("[іїєґўђјљњћџѓќѕ]")
_LETTERS = re.compile(r"[^\W\d_]")
#: Letters that are treated as the same (ё and е; Persian and Arabic yeh and kaf), and invisible characters to remove.
_SAME_LETTERS = str.maketrans(
    {
        "ё": "е",
        "ی": "ي",
        "ى": "ي",
        "ک": "ك",
        "ـ": None,
        "\u200c": None,
        "\u200d": None,
        "\u0901": "\u0902",
    }
)
#: Marks that are often left out: those of vowels in Arabic and Hebrew, and the dot below letters in Devanagari.
_OPTIONAL_MARKS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u093c]"
)
# The Hebrew article and prepositions. The prefixes for `that` and `as` are removed only before the article, because
# many words begin with the same letters.
_HEBREW_PREFIX = re.compile("[והבל](?=.{3})|מ(?=.{4})|[שכ](?=ה.{3})|כש(?=ה.{3})")
#: Endings and the minimum letters that remain; the `ית` of shorter words is part of the root.
_HEBREW_ENDINGS = {"יות": 3, "ים": 3, "ות": 3, "ית": 4, "ה": 3}
# Snowball removes the Arabic article, but not several prefixes before it, such as `and with the`, and it leaves a
# letter of `for the`. `Father` only looks like `and the`. Before an alef with hamza, a first lam is a preposition.
_ARABIC_PREFIX = re.compile("(?!والد)(?:[وف]?[بك]?ال|[وف]?لل)(?=.{2})|ل(?=[أإآ].{2})")
#: Endings of possession after a feminine noun, whose last letter they change.
_ARABIC_POSSESSIVE = re.compile("(?<=.{3})(?<!^[وفبكل].{2})(?<!ا)ت(?:ي|ك|ه|ها|نا|كم|هم|هن)$")
#: Ending of feminine plurals, and the shortest such word. Snowball takes others for verbs if they begin like one.
_ARABIC_PLURAL, _ARABIC_SHORTEST_PLURAL = "ات", 5
_FINAL = str.maketrans("ךםןףץ", "כמנפצ")
#: Words remembered for each language.
_REMEMBERED = 32_768
#: Letters that Unicode normalisation does not split into a letter and an accent.
_PLAIN = str.maketrans(
    {
        "ł": "l",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "ħ": "h",
    }
)
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_ALGORITHMS = frozenset(Stemmer.algorithms())
_stemmers = threading.local()


class Stems(dict[str, str]):
    """A cache from lower-case words to their stems in a language; a few frequent words make up most texts."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, word: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        self[word] = stem = _stem(word, self._language)
        return stem


@lru_cache(maxsize=8)
def stems(config: str) -> Stems:
    """Return the stems of words for a text search configuration, which names a language."""
    return Stems(config.rpartition(".")[2])


def _stem(word: str, language: str) -> str:
    if language == "simple":
        return word
    if word.isascii():
        return _latin_stem(word, language) if word.isalpha() else word
    script = script_of(word)
    if script == "LATIN":
        return _latin_stem(word, language)
    word = _OPTIONAL_MARKS.sub("", word).translate(_SAME_LETTERS) or word
    match _BY_SCRIPT.get(script):
        case "hebrew":
            return _hebrew_stem(word)
        case "arabic" if _NOT_ARABIC.search(word):
            return _snowball(word, "persian") if _PERSIAN.search(word) else word
        case "arabic":
            return _arabic_stem(word)
        case "russian" if _NOT_RUSSIAN.search(word):
            return word
        case str(own) if own:
            return _snowball(word, own)
    return word


def script_of(word: str) -> str:
    """Return the script of a word's first letter, such as `LATIN`; empty if it has none."""
    letter = _LETTERS.search(word)
    return unicodedata.name(letter[0], "").partition(" ")[0] if letter else ""


def _latin_stem(word: str, language: str) -> str:
    own = word_language(word) if language == ANY_LANGUAGE else language
    return _snowball(word, own) if own in _ALGORITHMS else word


def _arabic_stem(word: str) -> str:
    prefix = _ARABIC_PREFIX.match(word)
    word = word[prefix.end() :] if prefix else word
    if len(word) > 3 and word.endswith("ه"):
        word = f"{word[:-1]}ة"  # The dots of the last letter are often left out.
    word = _ARABIC_POSSESSIVE.sub("ة", word)
    if word.endswith(_ARABIC_PLURAL) and len(word) >= _ARABIC_SHORTEST_PLURAL:
        word = f"ال{word}"  # Only nouns have an article.
    return _snowball(word, "arabic")


def _hebrew_stem(word: str) -> str:
    """Remove the prefixes of articles and prepositions, and the endings of plurals and of feminine nouns."""
    for ending, root in _HEBREW_ENDINGS.items():
        if word.endswith(ending) and len(word) - len(ending) >= root:
            word = word.removesuffix(ending)
            break
    while prefix := _HEBREW_PREFIX.match(word):
        word = word[prefix.end() :]
    return word.translate(_FINAL)


def plain_spellings(word: str) -> list[str]:
    """Return the spellings of a lower-case Latin word without accents: `muller` and `mueller` for `müller`."""
    if word.isascii() or script_of(word) != "LATIN":
        return []
    spellings = [_without_accents(word), _without_accents(word.translate(_GERMAN))]
    return [each for each in dict.fromkeys(spellings) if each != word]


def _without_accents(word: str) -> str:
    parts = unicodedata.normalize("NFD", word.translate(_PLAIN))
    return "".join(each for each in parts if not unicodedata.combining(each))


def _snowball(word: str, language: str) -> str:
    """Return the stem by Snowball. Each thread has its own stemmers, because they are not thread-safe."""
    by_language: dict[str, Stemmer.Stemmer] = _stemmers.__dict__
    if language not in by_language:
        by_language[language] = Stemmer.Stemmer(language)
    stem: str = by_language[language].stemWord(word)
    return stem or word


def stop_words(config: str) -> frozenset[str]:
    """Return the lower-case words that are not indexed under a text search configuration.

    By default these are English words. Skipping function words of other languages as well lowered recall: some are
    meaningful words in English (German `die`), and frequent words have little weight anyway.
    """
    return _stop_word_lists().get(config.rpartition(".")[2], frozenset())


@cache
def _stop_word_lists() -> dict[str, frozenset[str]]:
    """Return the stop words of PostgreSQL by language."""
    text = (files("everword.text") / "stop_words.txt").read_text(encoding="utf-8")
    lines = (line.split(": ") for line in text.splitlines())
    return {language: frozenset(words.split()) for language, words in lines}
