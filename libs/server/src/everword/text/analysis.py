"""Split text into words: the same for indexed text and for queries. `lexemes.py` makes the index entries of them.

PostgreSQL's own parser would make `auth.rs` a host name, `2023-05-07` a number and two negative ones, and a Chinese
sentence one word. Here only letters and digits stay, and the names `C++`, `C#` and `.NET`. Runs of ideographs, kana and
Hangul become overlapping pairs, which find 学校 in 我们学校 and 학교 in 학교에서 without a dictionary. Thai, Lao, Khmer
and Burmese are split the same way, by letters with their vowels and tones. Symbols such as emoji become words of their
own. Letters that are case variants in Turkish only are unified (`case_folding.py`).
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

import regex

from everword.text.case_folding import plain_letters
from everword.text.scanner import kinds_of, kinds_table

#: Characters of scripts that write no spaces between words, with the marks that repeat, lengthen or voice one: as
#: members of a set in a regular expression.
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u3006\u3099\u309A\u30FC"
# Korean has spaces, but particles stick to its nouns.
_PAIRED = UNSPACED + r"\p{Hangul}"
#: Letters of scripts that write no spaces either, but several letters for a syllable.
SOUTHEAST = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
# A letter with its marks; Thai and Lao write some vowels before the letter that they follow.
_CLUSTER = regex.compile(r"[เ-ไເ-ໄ]?[\p{L}\p{N}](?:\u17d2\p{L}|\u1039\p{L}|[\p{M}ะาำຳະາ])*|\p{M}+")
# A text without these has no name that differs from other words by its signs only.
_SIGNS = ("++", "#", ".NET", ".Net", ".net")
_LETTER = rf"[\p{{L}}\p{{N}}\p{{M}}--[{_PAIRED}{SOUTHEAST}]]"
# Indexed tokens: runs of ideographs, kana and Hangul, single symbols, and words with their apostrophes.
_TOKEN = regex.compile(
    rf"(?P<run>[{_PAIRED}]+)"
    rf"|(?P<southeast>(?:(?!\p{{N}})[{SOUTHEAST}])+)"
    r"|(?P<signed>(?<![\p{L}\p{N}])(?i:\p{Latin}{1,12}\+\+|[CFJ]\#|\.NET)(?![\p{L}\p{N}]))"
    r"|(?P<symbol>[\p{Emoji_Presentation}\p{Extended_Pictographic}--[\p{L}\p{N}]])"
    rf"|(?P<word>{_LETTER}(?:'?{_LETTER})*)",
    regex.VERSION1,
)
# The same for a text without anything else than ASCII, which takes a fifth of the time.
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")
# Characters between such words become spaces; an apostrophe may be within a word.
_WORD_KINDS = kinds_table({each: each for each in f"{string.ascii_letters}{string.digits}'"})
_LONE = regex.compile(f"[{_PAIRED}]")
_HANGUL = regex.compile(r"\p{Hangul}+")
# After two syllables at least, or after one if it has two itself. A noun may end like a particle, but does so always.
_PARTICLE = regex.compile(
    "(?:(?:에서|에게|한테|으로|까지|부터|처럼|보다|하고|이랑|에는|에도|에서는|에서도|으로는|까지는|부터는|이나|마다|밖에|께서|께서는)"
    "|(?<=..)(?:은|는|이|가|을|를|에|의|도|와|과|로|만|랑|나))$"
)
#: Postgres keeps lexemes of at most 2,046 bytes; a longer run of letters is a blob and not a word.
MAX_WORD_CHARS = 200
#: Length of texts whose words are cached: passages and questions are split again soon. The words of longer texts take
#: many times their size.
_STORED_CHARS = 4000
Words = tuple[str, ...]


def words_of(text: str) -> list[str]:
    """Return the words of `text` in order, before stemming and stop words."""
    return list(_cut(text)[0])


def folded_words(text: str) -> list[str]:
    """Return the words of `text` in order, in lower case and cut at apostrophes."""
    return list(_parts(text)[1])


def spoken_words(text: str) -> Words:
    """Return the words of `text` in order, as they are written but cut at apostrophes."""
    return _parts(text)[0]


def is_single_character_word(word: str) -> bool:
    """Return whether a word is one ideograph, kana or syllable: in an index of pairs it can only be a prefix."""
    return _LONE.fullmatch(word) is not None


def last_characters(text: str) -> Words:
    """Return the last character of every run of ideographs, kana or Hangul; no pair begins with it."""
    return _cut(text)[1]


def _cache_last_result(
    cut: Callable[[str], tuple[Words, Words]],
) -> Callable[[str], tuple[Words, Words]]:
    """Cache the latest results: a passage is split for its index and again for its ranking record."""
    retained = lru_cache(maxsize=64)(cut)
    return lambda text: retained(text) if len(text) <= _STORED_CHARS else cut(text)


@_cache_last_result
def _cut(text: str) -> tuple[Words, Words]:
    """Return the words of `text` in order, and the last character of every run that was cut into pairs."""
    if text.isascii() and not any(map(text.__contains__, _SIGNS)):
        found = _ascii_words(text)
        if len(text) > MAX_WORD_CHARS:
            found = [word for word in found if len(word) <= MAX_WORD_CHARS]
        return tuple(found), ()
    words: list[str] = []
    last: list[str] = []
    for match in _TOKEN.finditer(plain_letters(unicodedata.normalize("NFKC", text))):
        token = match[0]
        if match["run"]:
            run = noun_of(token)
            words += _pairs(run)
            last += run[-1:] if len(run) > 1 else ""
        elif match["southeast"]:
            words += _pairs(_CLUSTER.findall(token))
        elif match["symbol"]:
            words.append(f"u{ord(token):x}")
        elif len(token) <= MAX_WORD_CHARS:
            words.append(token)
    return tuple(words), tuple(last)


@_cache_last_result
def _parts(text: str) -> tuple[Words, Words]:
    """Return the words of `text` cut at apostrophes, as they are written and in lower case."""
    # One string is cut and folded much faster than its words one by one; no word holds a space.
    spaced = " ".join(_cut(text)[0]).replace("'", " ")
    return tuple(spaced.split()), tuple(spaced.lower().split())


def _ascii_words(text: str) -> list[str]:
    """Return what `_ASCII_WORD` finds, in a third of the time where apostrophes are within words."""
    spaced = kinds_of(text, _WORD_KINDS)
    if "'" in spaced:
        bounded = f" {spaced} "
        if " '" in bounded or "' " in bounded or "''" in bounded:
            return _ASCII_WORD.findall(text)
    return spaced.split()


def _pairs(run: Sequence[str]) -> list[str]:
    """Return the overlapping pairs of a run; a single character is its own word."""
    return [first + second for first, second in pairwise(run)] or list(run)


def noun_of(run: str) -> str:
    """Return a Korean word without its particles; other runs as they are."""
    if len(run) < 3 or not _HANGUL.fullmatch(run):
        return run
    particle = _PARTICLE.search(run, 1)
    return run[: particle.start()] if particle else run
