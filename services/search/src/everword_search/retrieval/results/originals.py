"""Find the original messages of pasted text, so that originals rank before pasted copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain, pairwise
from uuid import UUID

import regex

from everword.db.pool import STATEMENT_CAP_S, Connection, Database
from everword.db.statements import ask
from everword.domain.deadline import remaining
from everword.domain.memory_kinds import MemoryKind
from everword.rpc.pages import DEFAULT_CONTENT_CHARS
from everword.text.attribution import blank_pasted, find_pasted, may_have_pasted
from everword.text.attribution_forms import CONTEXT_ITEM
from everword.text.attribution_labels import find_label
from everword.text.ranking_record import stems_of
from everword.text.stemming import ANY_LANGUAGE, stop_words
from everword.v1.memory_pb2 import ROLE_USER
from everword_search.passages.ranked_memories import RankedMemories, Window
from everword_search.records.model import max_parts
from everword_search.records.store import MemoryRow, memories_statement
from everword_search.retrieval.hits import RankedHit
from everword_search.retrieval.results.hit_order import BRINGING, RankedPage
from everword_search.retrieval.runner import ArmFailed

#: Number of best ranked memories searched for originals, and maximum originals before one pasted copy.
CANDIDATES, MOST_ORIGINALS = 60, 8
#: Minimum words of an original message, and of a quoted line.
_LEAST_WORDS, _LEAST_QUOTED = 3, 4
#: The same minimum in characters, for scripts without spaces.
_LEAST_CHARS = 7
#: Up to this many messages, all are checked for pasted text.
_FEW = 20
#: Maximum characters of a message that the three caches below keep: 2,048 such messages take at most 16 MB.
_LONGEST_KEPT = 2000
_WORDS = regex.compile(r"[\p{L}\p{N}]+")
#: An introduction of memories that the author got from an assistant: "What you know about me:", "Recap - ".
_RECALL = regex.compile(
    r"\s*+[^:：\n]{0,60}(?:\b(?:memor(?:y|ies)|remember\w*|recall\w*|recap|context|(?:user|known|saved|stored) facts"
    r"|you (?:know|told|said|saved|stored|noted|mentioned)|your notes"
    r"|(?:facts|notes|info\w*) (?:about|on) (?:me|the user)"
    r"|gedächtnis\w*|erinner\w*|gemerkt|gespeichert\w*|notiert|du (?:von|über) mich|weißt du|du weißt|kontext"
    r"|mémoire|souvien\w*|souvenirs?|contexte|tu sais|memoria|recuerd\w*|contexto|sabes"
    r"|ricord\w*|contesto|sai di me|memória|lembr\w*|geheugen|herinner\w*|minne\w*)\b"
    r"|记忆|记住|记得|記憶|覚え|メモリ)[^:：\n]{0,60}?(?:[:：]|\s[-–—]\s|[—\"“„«「])",
    regex.IGNORECASE,
)
#: A recalled memory often has other function words than its original, such as "the user's locker" for "my locker". The
#: pasted text must have this share of the original's other words, and the original at least this number of them.
_LEAST_SHARE, _LEAST_CONTENT = 0.8, 4
_SENTENCE_END = regex.compile(r"[.!?;。！？]\s|[。！？\n]")
_LANGUAGES = ("english", "german", "french", "spanish", "italian", "portuguese", "dutch", "swedish")


def find_pastes(rows: Iterable[MemoryRow]) -> list[MemoryRow]:
    """Return the messages that contain pasted text."""
    messages = [row for row in rows if row.kind == MemoryKind.MESSAGE and row.role == ROLE_USER]
    possible = [row for row in messages if any(map(_may_have_pasted, _texts(row)))]
    if len(possible) > _FEW:
        # Finding pasted text takes longer than checking that a message shares no words with another one.
        runs = {row.id: _runs(row.content) for row in messages}
        counts = Counter(chain.from_iterable(runs.values()))
        possible = [row for row in possible if any(counts[each] > 1 for each in runs[row.id])]
    return [row for row in possible if _pasted(row)]


def _runs(text: str) -> set[tuple[str, ...]]:
    """Return the runs of words of a text; for scripts without spaces, its long words."""
    words = _WORDS.findall(text.casefold())
    runs = {tuple(words[at : at + _LEAST_QUOTED]) for at in range(len(words) - _LEAST_QUOTED + 1)}
    return runs | {(word,) for word in words if len(word) >= _LEAST_CHARS}


def find_originals(
    pastes: Iterable[MemoryRow], candidates: Sequence[MemoryRow]
) -> Mapping[UUID, Sequence[UUID]]:
    """Return, for each pasted copy, its earlier original messages, in the order of the candidates."""
    # Pasted text in a candidate is no original.
    messages = [
        (row, _own_words(row.content, row.author), _own_words(row.passage, row.author))
        for row in candidates
        if row.kind == MemoryKind.MESSAGE
    ]
    found = dict[UUID, Sequence[UUID]]()
    pastes = list(pastes)
    labelled = {each.id for each in pastes if not _surely_pasted(each)}
    for paste in pastes:
        pasted = _pasted(paste)
        whole = _folded("\n".join(pasted))
        statements = _statements("\n".join(_surely_pasted(paste)))
        lines = [
            words
            for words in map(_folded, _lines(pasted))
            if _has_enough_words(words, _LEAST_QUOTED)
        ]
        own = [
            row.id
            for row, content, passage in messages
            if row.id != paste.id
            and (row.occurred_at, row.id) < (paste.occurred_at, paste.id)
            and (
                _contains_text(whole, content)
                or _contains_text(whole, passage)
                # Lines of a log with the same label are no copies of each other.
                or (row.id not in labelled and _quotes(content, lines))
                or _is_reworded(content, statements)
            )
        ]
        if own:
            found[paste.id] = own[:MOST_ORIGINALS]
    return found


def _pasted(row: MemoryRow) -> list[str]:
    """Return the pasted text of a message; for a long message, only of its beginning and of the matching passage."""
    # Include labels that may be topics instead of names: only text that repeats another message has an original anyway.
    return [
        text[start:end] for text in _texts(row) for start, end in _pasted_spans(text, row.author)
    ] or _recalled(row)


def _recalled(row: MemoryRow) -> list[str]:
    """Return the text after an introduction of recalled memories."""
    return [text[found.end() :] for text in _texts(row) if (found := _RECALL.match(text))]


def _surely_pasted(row: MemoryRow) -> list[str]:
    """Return the pasted text without lines whose label may be a topic, as in logs: these resemble many others."""
    return [
        text[start:end] for text in _texts(row) for start, end in find_pasted(text, [row.author])
    ] or _recalled(row)


def _texts(row: MemoryRow) -> list[str]:
    """Return the content of a message, and the matching passage if that is elsewhere in a long message."""
    if row.passage and row.passage not in row.content:
        return [row.content, row.passage]
    return [row.content]


# Reading a message takes about .3 ms, and questions about a conversation read the same messages repeatedly. Long ones
# are not cached, because a caller may request whole contents.


def _may_have_pasted(text: str) -> bool:
    search = _search_marks if len(text) <= _LONGEST_KEPT else _search_marks.__wrapped__
    return search(text)


def _pasted_spans(text: str, author: str) -> Sequence[tuple[int, int]]:
    find = _find_spans if len(text) <= _LONGEST_KEPT else _find_spans.__wrapped__
    return find(text, author)


def _own_words(text: str, author: str) -> str:
    """Return the folded words of a message without its pasted text."""
    fold = _fold_own if len(text) <= _LONGEST_KEPT else _fold_own.__wrapped__
    return fold(text, author)


@lru_cache(maxsize=2048)
def _search_marks(text: str) -> bool:
    return may_have_pasted(text)


@lru_cache(maxsize=2048)
def _find_spans(text: str, author: str) -> Sequence[tuple[int, int]]:
    return find_pasted(text, [author], with_weak=True)


@lru_cache(maxsize=2048)
def _fold_own(text: str, author: str) -> str:
    return _folded(blank_pasted(text, [author]))


def _lines(pasted: Sequence[str]) -> Iterable[str]:
    """Yield the lines of pasted text without the names before them."""
    for line in "\n".join(pasted).splitlines():
        if item := CONTEXT_ITEM.match(line):
            yield line[item.end() :]
            continue
        label = find_label(line, ())
        yield line[label.at :] if label else line


def _quotes(content: str, lines: Sequence[str]) -> bool:
    return any(words in content for words in lines)


def _contains_text(whole: str, part: str) -> bool:
    return _has_enough_words(part, _LEAST_WORDS) and part in whole


def _statements(pasted: str) -> list[frozenset[str]]:
    """Return the words, without function words, of each pair of neighbouring sentences."""
    split = (each for each in _SENTENCE_END.split(pasted) if len(each) <= _LONGEST_KEPT)
    sentences = [_content_stems(_folded(each)) for each in split]
    sentences = [each for each in sentences if each]
    return [first | second for first, second in pairwise([*sentences, frozenset()])]


def _is_reworded(content: str, statements: Sequence[frozenset[str]]) -> bool:
    """Return whether pasted sentences have nearly all words of an original, apart from function words.

    Long originals are not compared: two sentences never have their words, and finding stems takes time.
    """
    if len(content) > _LONGEST_KEPT:
        return False
    stems = _content_stems(content)
    return len(stems) >= _LEAST_CONTENT and any(
        len(stems & each) >= _LEAST_SHARE * len(stems) for each in statements
    )


@lru_cache(maxsize=2048)
def _content_stems(folded: str) -> frozenset[str]:
    return frozenset(stems_of(folded, ANY_LANGUAGE)) - _function_stems()


@cache
def _function_stems() -> frozenset[str]:
    words = " ".join(word for language in _LANGUAGES for word in stop_words(language))
    return frozenset(stems_of(words, ANY_LANGUAGE))


def _has_enough_words(folded: str, minimum: int) -> bool:
    words = folded.split()
    return len(words) >= minimum or any(
        len(word) >= _LEAST_CHARS and not word.isascii() for word in words
    )


def _folded(text: str) -> str:
    """Return the words of a text between spaces, case-folded and without punctuation."""
    return f" {' '.join(_WORDS.findall(text.casefold()))} "


async def find_page_originals(
    conn: Connection,
    database: Database,
    ranked_page: RankedPage,
    rows: Mapping[UUID, MemoryRow],
    min_score: float,
    chars: int,
) -> Mapping[UUID, Sequence[RankedHit]]:
    """Return, for each pasted copy on a page, its original messages among the best ranked memories.

    A page without pasted copies costs no statement. The searched memories do not depend on the page, so that the order
    is the same for every page size.
    """
    if ranked_page.mode not in BRINGING:
        return {}
    # Comparing 60 whole messages of 100,000 characters would take half a minute.
    chars = min(chars, DEFAULT_CONTENT_CHARS)
    rows = {
        id_: replace(row, content=row.content[:chars]) if len(row.content) > chars else row
        for id_, row in rows.items()
    }
    if not find_pastes(rows.values()):
        return {}
    namespace_id = ranked_page.scope.namespace_id
    try:
        async with database.bound(conn, namespace_id):
            best = await _find_best(conn, ranked_page)
            hits = {hit.source_id: hit for hit in best if hit.score >= min_score}
            passages = [hit.passage_id for hit in hits.values()]
            requested = memories_statement(
                namespace_id, list(hits), passages, chars, max_parts(chars)
            )
            pending = await ask(conn, requested)
        found = {row.id: row for row in await pending.rows()}
    except ArmFailed:
        return {}
    ranked = [found[id_] for id_ in hits if id_ in found]
    # An original may itself be a pasted copy with originals.
    pastes = find_pastes({**found, **rows}.values())
    originals = find_originals(pastes, ranked)
    return {paste: [hits[id_] for id_ in ids] for paste, ids in originals.items()}


async def _find_best(conn: Connection, ranked_page: RankedPage) -> list[RankedHit]:
    """Return the best ranked memories of all pages. Raises ArmFailed."""
    if ranked_page.found.order:
        ranked = ranked_page.found.order()
        found = RankedMemories(
            ranked.passage_ids[:CANDIDATES],
            ranked.source_ids[:CANDIDATES],
            ranked.raws[:CANDIDATES],
            ranked.scores[:CANDIDATES],
        ).candidates()
    else:
        runner = ranked_page.runner
        runner.begin(conn, None)
        await runner.prepare(generic_plans=True, limit_s=remaining(STATEMENT_CAP_S))
        arm = next(iter(runner.left()), None)
        found = list(await runner.find(arm, Window(CANDIDATES))) if arm else []
    return [RankedHit(each.source_id, each.passage_id, each.score, [], ()) for each in found]
