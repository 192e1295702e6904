"""How frequent words are in a language, by the lists of wordfreq."""

from __future__ import annotations

import asyncio
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


@lru_cache(maxsize=65536)
def zipf(word: str, config: str) -> float:
    """Return the frequency of a word on the Zipf scale in the language of a text search configuration.

    The first call takes .2 to .5 s, unless `WordLists` are ready.
    """
    # Here, and not above: with all that it imports itself it is a fifth of what the service would import.
    import wordfreq

    language = _LANGUAGES.get(config, "en")
    return wordfreq.zipf_frequency(word, language, wordlist="small") or UNKNOWN_WORD


class WordLists:
    """Makes `zipf` ready in a thread, so that neither the start of a service nor its event loop waits for it."""

    def __init__(self) -> None:
        self._reading: asyncio.Future[float] | None = None

    def read(self) -> asyncio.Future[float]:
        """Begin to read, once."""
        if self._reading is None:
            self._reading = asyncio.ensure_future(asyncio.to_thread(zipf, "the", "english"))
            # What fails is told by whoever looks a word up.
            self._reading.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._reading

    async def ready(self) -> None:
        """Wait until words can be looked up at once. Raises nothing: what failed, `zipf` tries again."""
        reading = self.read()
        if not reading.done():
            # Many wait for it: one that is cancelled must not take it from the others.
            await asyncio.wait([reading])
