"""Frequencies of words by language, from the lists of wordfreq."""

from __future__ import annotations

from functools import lru_cache

#: Languages by text search configuration; any other uses English frequencies.
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
#: Zipf frequency assumed for a word that is in no list.
UNKNOWN_WORD = 1.0
_LONGEST = 64


def zipf(word: str, config: str) -> float:
    """Return the frequency of a word on the Zipf scale, in the language of a text search configuration.

    The first call takes .2 to .5 s, unless `WordLists` are ready.
    """
    # No list has longer words, and caching many of them would take much memory.
    return _zipf(word, config) if len(word) <= _LONGEST else UNKNOWN_WORD


@lru_cache(maxsize=65536)
def _zipf(word: str, config: str) -> float:
    # Imported here, because with its own imports it makes up a fifth of the service's.
    import wordfreq

    try:
        return wordfreq.zipf_frequency(word, language_of(config), wordlist="small") or UNKNOWN_WORD
    except ValueError:
        # `regex` accepts digits that int() rejects, such as U+10D40.
        return UNKNOWN_WORD


def language_of(config: str) -> str:
    """Return the two-letter language code of a text search configuration."""
    return _LANGUAGES.get(config, "en")


def words_by_frequency(language: str) -> dict[str, float]:
    """Return the 25,000 to 30,000 common words of a language with their Zipf frequencies."""
    import wordfreq

    # The file has a list of words per frequency; each list's frequency is 0.01 lower than its predecessor's.
    lists = wordfreq.read_cBpack(str(wordfreq.available_languages("small")[language]))
    return {word: 9 - index / 100 for index, words in enumerate(lists) for word in words}
