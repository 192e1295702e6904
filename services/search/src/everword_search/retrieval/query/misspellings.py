"""Correct misspelt words of a question that occur nowhere: `Rotterdm` to Rotterdam."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

import regex

from everword.db.pool import Connection
from everword.domain.caller import current_scope
from everword.text.periods import find_periods
from everword.text.text_language import is_english
from everword_search.cache.cached_index import CachedIndex
from everword_search.passages import store
from everword_search.passages.store import NearWordRow
from everword_search.ranking.words.frequencies import UNKNOWN_WORD, language_of, zipf
from everword_search.retrieval.arms.near_words import queried_words
from everword_search.retrieval.query.analysis import analyse_query
from everword_search.retrieval.query.parse_query import ParsedQuery
from everword_search.retrieval.query.query import ClauseKind, Operand, QueryClause, QueryClauses

#: Minimum letters of a word to correct; shorter words are similar to too many others.
_LEAST = 5
#: Maximum words corrected per question; and a question with more unknown words than the second limit is probably in
#: another language.
MAX_WORDS, MAX_DOUBTFUL = 2, 4
#: Minimum words of a question whose language is guessed: a misspelt word alone is like one of another language.
_LEAST_OF_LANGUAGE = 3
_WORD = regex.compile(r"\p{L}+")


async def correct_spelling(conn: Connection, namespace_id: int, parsed: ParsedQuery) -> ParsedQuery:
    """Return the query with misspelt words replaced by words that occur in the namespace.

    A word is corrected if it is in no dictionary and occurs nowhere. For a name in a dictionary, only missing accents
    are added: Malaga becomes Málaga. Required words, phrases and prefixes are unchanged. The word lists of the
    namespace's language must be loaded. A question in another language is not corrected, because most of its words are
    in none of these lists.
    """
    config = parsed.settings.text_search_config
    if _is_in_another_language(_asked_text(parsed.query), config):
        return parsed
    doubtful = _possible_misspellings(parsed, config)
    # The cache also has memories that a restricted key may not see, so for such a key only the database is asked.
    cached = None if current_scope() else parsed.cached
    unsaid = [word for word in doubtful if not _occurs_in_messages(cached, parsed, word)]
    if unsaid:
        # `gestern` is in no English dictionary, and would become the word most like it.
        named = _words_of_times(parsed.query, config)
        unsaid = [word for word in unsaid if word not in named]
    if not 0 < len(unsaid) <= MAX_DOUBTFUL:
        return parsed
    words = unsaid[:MAX_WORDS]
    names = {word for word in words if zipf(word, config) > UNKNOWN_WORD}
    # Stemming hundreds of words that hardly ever exist takes some 20 ms.
    asked = await asyncio.to_thread(queried_words, words, config, only_marked=names)
    rows = await store.find_near_words(conn, namespace_id, asked, only_unknown=True)
    found = {
        words[place]: best for place in range(len(words)) if (best := _best(rows, place, config))
    }
    if not found:
        return parsed
    corrections = {word: row.text for word, row in found.items()}
    query = _corrected(parsed.query, corrections)
    return replace(
        parsed, query=query, analysed=analyse_query(query, config), corrections=corrections
    )


def correct(text: str, corrections: Mapping[str, str]) -> str:
    """Return a text with the words in `corrections` (keys in lower case) replaced; initial capitals stay."""
    if not corrections:
        return text

    def replaced(match: regex.Match[str]) -> str:
        word = match[0]
        other = corrections.get(word.lower(), word)
        return other.capitalize() if word[0].isupper() else other

    return _WORD.sub(replaced, text)


def _possible_misspellings(parsed: ParsedQuery, config: str) -> list[str]:
    """Return the words of a query, in lower case, that may be misspelt and are no author's name."""
    known: Collection[str] = {*parsed.names, *parsed.spellings, *parsed.analysed.ignored}
    words = {
        word.lower(): word
        for operand in _optional(parsed.query)
        for word in operand.words
        if word.lower() not in known
    }
    return [word for word, written in words.items() if _may_be_misspelt(word, written, config)]


def _words_of_times(query: QueryClauses, config: str) -> set[str]:
    """Return the words of a query, in lower case, that name times."""
    found = find_periods(_asked_text(query), datetime.now(UTC), UTC, language_of(config))
    return {word.lower() for each in found for word in _WORD.findall(each.words)}


def _asked_text(query: QueryClauses) -> str:
    return " ".join(operand.text for operand in query.wanted)


def _is_in_another_language(text: str, config: str) -> bool:
    has_words = len(_WORD.findall(text)) >= _LEAST_OF_LANGUAGE
    return language_of(config) == "en" and has_words and not is_english(text)


def _may_be_misspelt(word: str, written: str, config: str) -> bool:
    """Return whether a word is in no dictionary, or may be a name with missing accents."""
    if len(word) < _LEAST or not _WORD.fullmatch(word):
        return False
    return written[0].isupper() or zipf(word, config) <= UNKNOWN_WORD


def _occurs_in_messages(cached: CachedIndex | None, parsed: ParsedQuery, word: str) -> bool:
    """Return whether a word is known to occur, according to the cache; False if the namespace is not cached."""
    word_hash = parsed.analysed.words.get(word)
    return (
        cached is not None
        and word_hash is not None
        and len(cached.snapshot.rows_with(word_hash)) > 0
    )


def _best(rows: Iterable[NearWordRow], place: int, config: str) -> NearWordRow | None:
    """Return the most frequent variant of a word, in its most common form; None if there is none."""
    near = [row for row in rows if row.place == place]
    return max(near, key=lambda row: (row.said, zipf(row.text, config), row.text), default=None)


def _optional(query: QueryClauses) -> Iterable[Operand]:
    clauses = (clause for clause in query.clauses if clause.kind is ClauseKind.OPTIONAL)
    return (operand for clause in clauses for operand in clause.operands if not operand.prefix)


def _corrected(query: QueryClauses, corrections: Mapping[str, str]) -> QueryClauses:
    return QueryClauses(tuple(_corrected_clause(clause, corrections) for clause in query.clauses))


def _corrected_clause(clause: QueryClause, corrections: Mapping[str, str]) -> QueryClause:
    if clause.kind is not ClauseKind.OPTIONAL:
        return clause
    operands = (
        each
        if each.prefix
        else Operand(
            correct(each.text, corrections),
            tuple(corrections.get(word.lower(), word) for word in each.words),
        )
        for each in clause.operands
    )
    return replace(clause, operands=tuple(operands))
