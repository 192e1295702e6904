"""Words that differ from another word by one letter, for queries such as "Rotterdm" if only Rotterdam occurs.

No extra index is kept. All words that result from a wrong, missing, additional or swapped letter are looked up in the
word index: about 450 for a word of eight letters, in a namespace of any size.
"""

from __future__ import annotations

import string
from collections.abc import Collection, Sequence

import regex

from everword.text.lexemes import analyse
from everword.text.word_languages import word_language
from everword_search.passages.store import QueriedWords

#: Maximum letters of a word; longer words get no variants.
_MOST = 24
#: Minimum letters of a stem that a variant loses more than two letters for.
_LEAST_STEM = 4
#: Letters other than those of ASCII, by text search configuration.
_ALSO = {
    "danish": "æøå",
    "dutch": "éëï",
    "finnish": "äöå",
    "french": "éèàçêâîôûëïüœ",
    "german": "äöüß",
    "hungarian": "áéíóöőúüű",
    "italian": "àèéìòù",
    "norwegian": "æøå",
    "portuguese": "áâãàçéêíóôõú",
    "romanian": "ăâîșț",
    "spanish": "áéíóúñü",
    "swedish": "äöå",
    "turkish": "çğıöşü",
}
#: Accented forms of letters that are often typed without the accent, in any language: Gdansk for Gdańsk.
_MARKED = {
    "a": "áàâäãåāąă",
    "c": "çćč",
    "d": "ďđ",
    "e": "éèêëēęě",
    "g": "ğ",
    "i": "íìîïīı",
    "l": "ł",
    "n": "ñńň",
    "o": "óòôöõøōő",
    "r": "ř",
    "s": "śšşș",
    "t": "ťțţ",
    "u": "úùûüūůű",
    "y": "ýÿ",
    "z": "źżž",
}
_SCRIPTS = ("абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "αάβγδεέζηήθιίκλμνξοόπρσςτυύφχψωώ")
_WORD = regex.compile(r"\p{L}+")


def queried_words(
    words: Sequence[str], config: str, only_marked: Collection[str] = ()
) -> QueriedWords:
    """Return the words (in lower case) with their variants.

    Words in `only_marked` get only the variants that add an accent.
    """
    pairs = [
        (place, near, query)
        for place, word in enumerate(words)
        for near in (accented_variants(word) if word in only_marked else near_words(word, config))
        if (query := _query(near, word, config))
    ]
    return QueriedWords(
        words,
        [place for place, _, _ in pairs],
        [near for _, near, _ in pairs],
        [analyse(word, config).phrase for word in words],
        [query for _, _, query in pairs],
    )


def _query(near: str, word: str, config: str) -> str:
    """Return the tsquery of a variant; empty if its stem is short, or only a beginning of the misspelt word.

    Endings of other languages make a variant of `rotterdm` equal to `rotter`, and one of `hicimos` equal to `hip`.
    """
    found = analyse(near, config)
    for lexeme in found.lexemes:
        if len(lexeme) < _LEAST_STEM and len(lexeme) < len(near) - 2:
            return ""
        is_beginning = word.startswith(lexeme) and len(lexeme) < len(near) - 1
        if is_beginning and word_language(near) != "english":
            return ""
    return found.phrase


def near_words(word: str, config: str) -> list[str]:
    """Return the variants of a lower-case word by one wrong, missing, additional or swapped letter, sorted."""
    if len(word) > _MOST or not _WORD.fullmatch(word):
        return []
    letters = _letters(word, config)
    cuts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    near = {head + tail[1:] for head, tail in cuts if tail}
    near |= {head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1}
    near |= {head + letter + tail[1:] for head, tail in cuts if tail for letter in letters}
    near |= {head + letter + tail for head, tail in cuts for letter in letters}
    near |= set(accented_variants(word))
    return sorted(near - {word, ""})


def accented_variants(word: str) -> list[str]:
    """Return the variants of a lower-case word with an accent added to one letter."""
    return [
        word[:place] + marked + word[place + 1 :]
        for place, letter in enumerate(word)
        for marked in _MARKED.get(letter, "")
    ]


def _letters(word: str, config: str) -> str:
    if any(letter in string.ascii_lowercase for letter in word):
        return string.ascii_lowercase + _ALSO.get(config, "")
    return next((script for script in _SCRIPTS if word[0] in script), "")
