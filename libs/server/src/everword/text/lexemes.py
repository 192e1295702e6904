"""Make the entries of the word index, for passages and for queries: stems, without stop words.

PostgreSQL stores them as a tsvector but does not analyse text itself, so one analyser serves the database, the cache in
memory and the ranking records.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache

from everword.text.analysis import folded_words, last_characters
from everword.text.compounds import SHORTEST_COMPOUND, compound_ends
from everword.text.lexeme_hash import hash_lexeme
from everword.text.literals import JOINERS, literal_tokens
from everword.text.stemming import plain_spellings, stems, stop_words

_NO_JOINERS = str.maketrans(dict.fromkeys(JOINERS))
#: Longer literals are URLs and encoded data, which are not typed into a search.
_LONGEST_LITERAL = 60
#: Words in each in-memory cache of analysed words.
_REMEMBERED = 32_768


@dataclass(frozen=True)
class AnalysedText:
    """A word or phrase of a query, analysed for full-text search; a stop word has no lexemes."""

    text: str
    lexemes: list[str]
    #: Hash of each lexeme, as stored in the cache.
    hashes: list[int]
    #: A tsquery as text.
    phrase: str


def index_vector(passage: str, author: str, occurred_at: datetime, config: str) -> str:
    """Return the tsvector of a passage as text, including its author and time, which questions may name.

    `occurred_at` is in the time zone of the namespace, because people name days by their own calendar.
    """
    place, head, further = _head(author, occurred_at.date(), config)
    words, known, entries, others = folded_words(passage), _entries(config), [*head], [*further]
    for at, word in enumerate(words, place):
        entry, more = known[word]
        if entry:
            entries.append(f"{entry}{at}")
        if more:
            others += more
    # Texts in scripts without spaces are indexed as pairs of characters, and no pair begins with the last character of
    # a run. It is appended at the end of the vector, so that it does not split a phrase.
    others += (*literal_lexemes(passage), *last_characters(passage))
    entries += [f"{_quoted(each)}:{at}" for at, each in enumerate(others, place + len(words))]
    return " ".join(entries)


class _Entries(dict[str, tuple[str, tuple[str, ...]]]):
    """Caches for each word its tsvector entry up to the colon (empty for stop words) and its additional lexemes."""

    def __init__(self, config: str) -> None:
        super().__init__()
        self._config = config

    def __missing__(self, word: str) -> tuple[str, tuple[str, ...]]:
        if len(self) >= _REMEMBERED:
            self.clear()
        known, stops = stems(self._config), stop_words(self._config)
        others = {known[other] for other in further_words((word,))} - stops - {known[word]}
        entry = "" if word in stops else f"{known[word]}:"
        self[word] = found = entry, tuple(sorted(others))
        return found


@lru_cache(maxsize=8)
def _entries(config: str) -> _Entries:
    return _Entries(config)


@lru_cache(maxsize=256)
def _head(author: str, day: date, config: str) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    """Analyse the author and the date, which every passage begins with.

    Return the position of the passage's first word, the entries of these words, and their additional lexemes.
    """
    text = f"{author} {day.day} {day:%B} {day.year}"
    words, known = folded_words(text), _entries(config)
    entries = (f"{known[word][0]}{at}" for at, word in enumerate(words, 1) if known[word][0])
    further = (*(each for word in words for each in known[word][1]), *last_characters(text))
    return len(words) + 1, tuple(entries), further


def further_words(words: Iterable[str]) -> list[str]:
    """Return other words by which words can be found: spellings without accents, and last parts of compounds."""
    return [
        other
        for word in words
        if len(word) >= SHORTEST_COMPOUND or not word.isascii()
        for other in _further_words_of(word)
    ]


@lru_cache(maxsize=_REMEMBERED)
def _further_words_of(word: str) -> tuple[str, ...]:
    return (*plain_spellings(word), *compound_ends(word))


def literal_lexemes(text: str) -> list[str]:
    """Return the lexemes of a text's literals, such as `node.js` and `jira-123`, as they are typed."""
    return [token for token in literal_tokens(text) if _is_unit(token)]


def _is_unit(token: str) -> bool:
    """Return whether a literal is an entry of its own: no code such as `f(x)`, and no `well-known` compound."""
    return (
        len(token) <= _LONGEST_LITERAL
        and token.translate(_NO_JOINERS).isalnum()
        and not token.isalnum()
        and not token.replace("-", "").isalpha()
    )


def analyse(text: str, config: str) -> AnalysedText:
    """Analyse a word or phrase of a query for full-text search."""
    known, stops = stems(config), stop_words(config)
    placed = [
        (place, known[word]) for place, word in enumerate(folded_words(text)) if word not in stops
    ]
    lexemes = sorted({lexeme for _, lexeme in placed})
    return AnalysedText(text, lexemes, [hash_lexeme(each) for each in lexemes], _phrase(placed))


def any_of_query(texts: Iterable[str], config: str) -> str:
    """Return a tsquery that matches any of the texts; empty if all are stop words."""
    phrases = (analyse(text, config).phrase for text in texts)
    return " | ".join(f"({phrase})" for phrase in dict.fromkeys(phrases) if phrase)


def quote_lexeme(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def _quoted(lexeme: str) -> str:
    return lexeme if lexeme.isalnum() else quote_lexeme(lexeme)


def _phrase(placed: Sequence[tuple[int, str]]) -> str:
    """Return the tsquery of lexemes at their places; a stop word leaves a gap."""
    query, before = "", 0
    for place, lexeme in placed:
        query += f" <{place - before}> {quote_lexeme(lexeme)}" if query else quote_lexeme(lexeme)
        before = place
    return query
