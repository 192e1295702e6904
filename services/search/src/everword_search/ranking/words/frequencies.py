"""Frequencies of words in a language, by the lists of wordfreq."""

from __future__ import annotations

from functools import lru_cache

#: Languages by text search configuration; for others, words are taken to be as frequent as in English.
_LANGUAGES = {
    "arabic": "ar",
    "catalan": "ca",
    "danish": "da",
    "dutch": "nl",
    "english": "en",
    "finnish": "fi",
    "french": "fr",
    "german": "de",
    "greek": "el",
    "hungarian": "hu",
    "indonesian": "id",
    "italian": "it",
    "lithuanian": "lt",
    "norwegian": "nb",
    "portuguese": "pt",
    "romanian": "ro",
    "russian": "ru",
    "spanish": "es",
    "swedish": "sv",
    "tamil": "ta",
    "turkish": "tr",
}
#: What is taken for the frequency of a word that no list has.
UNKNOWN_WORD = 1.0
_LONGEST = 64


def zipf(word: str, config: str) -> float:
    """Return the frequency of a word on the Zipf scale in the language of a text search configuration.

    The first call takes .2 to .5 s, unless `WordLists` are ready.
    """
    # No list has such words, and many of them would take much memory.
    return _zipf(word, config) if len(word) <= _LONGEST else UNKNOWN_WORD


@lru_cache(maxsize=65536)
def _zipf(word: str, config: str) -> float:
    # Here, and not above: with all that it imports itself it is a fifth of what the service would import.
    import wordfreq

    try:
        return wordfreq.zipf_frequency(word, language_of(config), wordlist="small") or UNKNOWN_WORD
    except ValueError:
        # Digits that `regex` knows and int() does not, such as U+10D40.
        return UNKNOWN_WORD


def language_of(config: str) -> str:
    """Return the language of a text search configuration, by its code of two letters."""
    return _LANGUAGES.get(config, "en")


def words_by_frequency(language: str) -> dict[str, float]:
    """Return the words of a language that are not rare, 25,000 to 30,000, with their frequencies on the Zipf scale."""
    import wordfreq

    # The list of the words with each frequency, a hundredth less from one to the next.
    lists = wordfreq.read_cBpack(str(wordfreq.available_languages("small")[language]))
    return {word: 9 - index / 100 for index, words in enumerate(lists) for word in words}
