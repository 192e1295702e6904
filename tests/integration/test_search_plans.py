"""Every hot statement of search uses its index, under the service's own role."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from everword_search.cache.store import SQL as CACHED
from everword_search.passages.store import SQL as SEARCH
from everword_search.ranking.bm25 import K1, B
from everword_search.records.model import EVERYTHING
from everword_search.records.store import SQL as RECORDS
from everword_search.stats.store import SQL as STATS
from everword_search.summaries.store import SQL as SUMMARIES
from support.databases import DatabaseUnderTest, cloned
from support.plans import as_search, buffers, generic_plan_of, nodes, plan_of

PASSAGES = 20_000
NAMESPACE = 1
#: The first words are frequent and the last ones rare, as in natural language.
WORDS = [f"word{number}" for number in range(2000)]

FILTER: dict[str, Any] = {**vars(EVERYTHING), "include_automated": False, "constraint": None}
SCORED = {
    "after_score": 2.0,
    "after_id": 0,
    "min_score": 0.0,
    "limit": 11,
    "spare": 11,
}
TERMS = {
    "queries": ["'word3'", "'word40'", "'word50':*"],
    "prefixes": [None, None, "word50"],
    "stems": ["word3", "word40", "word50"],
}
SOURCE_IDS = [UUID(int=n) for n in range(1, 50)]
SQL = {**SEARCH, **RECORDS, **STATS, **SUMMARIES, **CACHED}
#: Leaves cover ten messages, branches eight leaves.
LEAVES = [UUID(int=2**64 + n) for n in range(1, 30)]
BRANCHES = [UUID(int=2**65 + n) for n in range(1, 30)]
LIST = {
    **dict.fromkeys(("conversation_id", "since", "before", "max_chars")),
    "levels": list(range(1, 9)),
    "after_latest_at": "infinity",
    "after_id": UUID(int=2**128 - 1),
    "only_needing_review": False,
    "subjects": None,
    "limit": 51,
    "max_bytes": 1_000_000,
}

#: Statement, its parameters, and the required index.
HOT: dict[str, tuple[dict[str, Any], str]] = {
    "find_lexical": ({**FILTER, **SCORED, **TERMS, "k1": K1, "b": B}, "lexemes"),
    "term_frequencies": ({**FILTER, **TERMS, "source_ids": SOURCE_IDS}, "source_id"),
    "find_trigram": ({**FILTER, **SCORED, "tokens": ["build-777.log", "v7.7"]}, "literals"),
    "find_similar_tokens": (
        {
            **FILTER,
            **SCORED,
            "tokens": ["word777", "build-777.log"],
            "queries": ["'word777'", "'word77'"],
            "places": [0, 0],
            "likenesses": [1.0, 0.86],
            "retold": 0.99,
        },
        "lexemes",
    ),
    "find_near_words": (
        {
            "words": ["wrod777", "word5"],
            "places": [0, 0, 1],
            "near": ["word777", "wrod77", "word"],
            "word_queries": ["wrod777", "word5"],
            "near_queries": ["word777", "wrod77", "word"],
            "only_unknown": True,
        },
        "lexemes",
    ),
    "score_trigram": (
        {**FILTER, "source_ids": SOURCE_IDS, "tokens": ["build-777.log"]},
        "source_id",
    ),
    "find_regex": (
        {
            **FILTER,
            "pattern": "word1[0-9]",
            "after_occurred_at": "infinity",
            "after_source_id": UUID(int=2**128 - 1),
            "limit": 11,
        },
        "occurred_at",
    ),
    "browse_newest": (
        {
            **FILTER,
            "after_occurred_at": "infinity",
            "after_source_id": UUID(int=2**128 - 1),
            "limit": 11,
        },
        "occurred_at",
    ),
    "browse_oldest": (
        {
            **FILTER,
            "after_occurred_at": "-infinity",
            "after_source_id": UUID(int=0),
            "limit": 11,
        },
        "occurred_at",
    ),
    "read_candidates": (
        {
            **FILTER,
            "source_ids": SOURCE_IDS,
            "passage_ids": [1, 2],
            "reach": 3,
            "max_parts": 12,
        },
        "conversation_id_seq",
    ),
    "find_mentions": (
        {"queries": ["word777"], "conversation_ids": [UUID(int=1)]},
        "lexemes",
    ),
    # Every search of a cached namespace asks for the latest passages.
    "read_passages": (
        {
            "after": PASSAGES - 20,
            "but": [PASSAGES - 1],
            "limit": 500,
            "since": 0,
        },
        "memories_p",
    ),
    "read_signals": ({"source_ids": SOURCE_IDS}, "source_id"),
    "read_memories": (
        {
            "source_ids": SOURCE_IDS[:10],
            "passage_ids": list(range(1, 11)),
            "max_chars": 2000,
            "chunk": 5,
            "max_parts": 52,
            "max_metadata_chars": 2000,
            "indexed_chars": 32_768,
            "message": 1,
            "summary": 2,
            "note": 3,
        },
        "source_id",
    ),
    "read_surroundings": (
        {
            "source_ids": SOURCE_IDS[:10],
            "passage_ids": list(range(1, 11)),
            "reaches": [4] * 10,
        },
        "source_id",
    ),
    # A sample of pending vectors, if there are too many to count.
    "estimate_pending": ({"samples": 10, "width": 10}, "embedding_queue_pkey"),
    "get_message": ({"message_id": UUID(int=7)}, "messages_p"),
    "find_message": ({"conversation_id": UUID(int=1), "external_id": "e7"}, "external_id"),
    "list_conversations": (
        {
            **dict.fromkeys(("agents", "channels", "subjects", "active", "task_ids")),
            "client_session_ids": ["client-777"],
            "after_id": UUID(int=2**128 - 1),
            "limit": 51,
        },
        "client_session",
    ),
    # A task of 25 conversations, and a key of one note.
    "find_task_conversations": ({"task_ids": ["task-77", "none"], "limit": 10_001}, "task_id"),
    "find_notes_by_key": (
        {"first_key": "key-77", "end_key": "key-77\U0010ffff", "limit": 10_001},
        "namespace_id_key_idx",
    ),
    "list_messages_newest": (
        {
            "conversation_id": UUID(int=1),
            "after_seq": 2**62,
            "limit": 51,
            "max_bytes": 1_000_000,
        },
        "conversation_id_seq",
    ),
    "recent_turns": (
        {"conversation_id": UUID(int=1), "limit": 20, "max_bytes": 1_000_000},
        "conversation_id_seq",
    ),
    "find_named": ({"name": "2024-W10"}, "namespace_id_name"),
    "get_summaries": ({"ids": LEAVES, "max_chars": 300}, "summaries_p"),
    "read_children": (
        {"ids": BRANCHES, "after": 0, "most": 5, "limit": 100, "max_chars": 300},
        "summary_sources_p",
    ),
    "read_sources": (
        {
            "ids": LEAVES,
            "after": 0,
            "most": 4,
            "limit": 100,
            "max_chars": 300,
            "max_metadata_chars": 2000,
        },
        "summary_sources_p",
    ),
    "read_review_flags": ({"ids": LEAVES}, "summaries_p"),
    "top_summaries": ({"conversation_id": UUID(int=1), "limit": 8}, "conversation_id_level_first"),
    "list_summaries_newest": (LIST, "level_latest_at"),
    "list_summaries_oldest": (
        {**LIST, "after_latest_at": "-infinity", "after_id": UUID(int=0)},
        "level_latest_at",
    ),
}


@pytest.fixture(scope="module")
def database(postgres_url: str) -> Iterator[DatabaseUnderTest]:
    with cloned(postgres_url) as database:
        with database.connect() as conn:
            _fill(conn)
        yield database


def _fill(conn: psycopg.Connection) -> None:
    """Insert messages and passages with a natural distribution of words, quickly."""
    rng = random.Random(7)
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    texts = [" ".join(rng.choices(WORDS, weights, k=20)) for _ in range(PASSAGES)]
    conn.execute(
        "INSERT INTO conversations (namespace_id, id, session_key) VALUES (%s, %s, 's')",
        [NAMESPACE, UUID(int=1)],
    )
    conn.execute(
        "INSERT INTO conversations (namespace_id, id, session_key, client_session_id, task_id) "
        "SELECT %s, gen_random_uuid(), 's' || n, 'client-' || n, 'task-' || n %% 200 "
        "  FROM generate_series(1, 5000) AS n",
        [NAMESPACE],
    )
    conn.execute(
        "INSERT INTO notes (namespace_id, id, key) "
        "SELECT %s, gen_random_uuid(), 'key-' || n FROM generate_series(1, 5000) AS n",
        [NAMESPACE],
    )
    conn.execute(
        "INSERT INTO messages (namespace_id, id, conversation_id, seq, role, content, external_id, occurred_at) "
        "SELECT %s, ('00000000-0000-0000-0000-' || lpad(to_hex(n), 12, '0'))::uuid, %s, n, 2, text, 'e' || n, "
        "       now() - n * interval '1 minute' "
        "  FROM unnest(%s::text[]) WITH ORDINALITY AS t (text, n)",
        [NAMESPACE, UUID(int=1), texts],
    )
    conn.execute(
        "INSERT INTO memories (namespace_id, kind, source_id, conversation_id, seq, role, occurred_at, content, "
        "                      lexemes, lexeme_count, literals) "
        "SELECT namespace_id, 1, id, conversation_id, seq, role, occurred_at, content, "
        "       to_tsvector('english', content), 20, CASE WHEN seq % 3 = 0 THEN 'build-' || seq || '.log' END "
        "  FROM messages"
    )
    conn.execute(
        "INSERT INTO corpus_counts (namespace_id, passages, lexemes) VALUES (%s, %s, %s)",
        [NAMESPACE, PASSAGES, PASSAGES * 20],
    )
    # Many small namespaces as well, since a generic plan is made for the average.
    conn.execute(
        "WITH small AS (INSERT INTO namespaces (name) SELECT 'small-' || n FROM generate_series(1, 2000) AS n "
        "               RETURNING id) "
        "INSERT INTO memories (namespace_id, kind, source_id, occurred_at, content, lexemes, lexeme_count) "
        "SELECT id, 1, gen_random_uuid(), now(), 'one word', to_tsvector('english', 'one word' || id), 2 "
        "  FROM small, generate_series(1, 3)"
    )
    for level, ids, below in ((1, LEAVES, 10), (2, BRANCHES, 8)):
        _sum_up(conn, level, ids[0], below)
    conn.execute("VACUUM ANALYZE memories")
    conn.execute("ANALYZE conversations, messages, notes, summaries, summary_sources")


def _sum_up(conn: psycopg.Connection, level: int, first: UUID, below: int) -> None:
    """Insert summaries over each `below` messages or leaves; `first` is the first one's id."""
    kinds = {1: ("message_id", PASSAGES, 1), 2: ("child_id", PASSAGES // 10, LEAVES[0].int)}
    column, count, start = kinds[level]
    nodes = [(UUID(int=first.int + n), n) for n in range(count // below)]
    conn.execute(
        "INSERT INTO summaries (namespace_id, id, level, conversation_id, first_seq, last_seq, content, message_count, "
        "                       earliest_at, latest_at) "
        "SELECT %s, id, %s, %s, n, n, repeat('word ', 100), 1, now() - n * interval '1 hour', "
        "       now() - n * interval '1 hour' FROM unnest(%s::uuid[]) WITH ORDINALITY AS t (id, n)",
        [NAMESPACE, level, UUID(int=1), [id_ for id_, _ in nodes]],
    )
    links = [
        (id_, place + 1, UUID(int=start + n * below + place))
        for id_, n in nodes
        for place in range(below)
    ]
    above, ordinals, sources = zip(*links, strict=True)
    conn.execute(
        f"INSERT INTO summary_sources (namespace_id, summary_id, ordinal, axis, {column}) "
        "SELECT %s, above, ordinal, 1, source FROM unnest(%s::uuid[], %s::integer[], %s::uuid[]) "
        "AS t (above, ordinal, source)".encode(),
        [NAMESPACE, list(above), list(ordinals), list(sources)],
    )


@pytest.mark.parametrize("name", list(HOT))
def test_a_hot_statement_uses_its_index(database: DatabaseUnderTest, name: str) -> None:
    parameters, index = HOT[name]
    with as_search(database, NAMESPACE) as cursor:
        plan = plan_of(cursor, SQL[name], parameters)
    used = [node["Index Name"] for node in nodes(plan) if "Index Name" in node]
    assert any(index in name for name in used), used
    scanned = [node for node in nodes(plan) if node["Node Type"] == "Seq Scan"]
    tables = {node["Relation Name"] for node in scanned}
    assert not {t for t in tables if t.startswith(("memories", "messages", "summar"))}, tables


#: Statements by words or ids, which use generic plans: see `use_generic_plans`.
PLANNED_ONCE = (
    "find_lexical", "find_near_words", "read_candidates", "find_mentions", "read_memories", "read_review_flags",
    "read_children", "read_sources", "read_passages", "read_surroundings"
)  # fmt: skip


@pytest.mark.parametrize("name", PLANNED_ONCE)
def test_statement_with_generic_plan_uses_its_index(database: DatabaseUnderTest, name: str) -> None:
    with as_search(database, NAMESPACE) as cursor:
        plan = generic_plan_of(cursor, SQL[name])
    with database.connect() as conn:
        row = conn.execute(
            "SELECT tableoid::regclass::text FROM memories WHERE namespace_id = %s LIMIT 1",
            [NAMESPACE],
        ).fetchone()
    assert row
    own = row[0].removeprefix("memories")
    used = [node["Index Name"] for node in nodes(plan) if "Index Name" in node]
    assert any(HOT[name][1] in index for index in used), used
    # The partition is chosen at run time, when the others are pruned.
    scanned = {n["Relation Name"] for n in nodes(plan) if n["Node Type"] == "Seq Scan"}
    assert not {table for table in scanned if table.endswith(own)}, scanned


@pytest.mark.parametrize(
    "name", ["find_lexical", "find_trigram", "find_near_words", "find_similar_tokens"]
)
def test_word_index_condition_includes_the_namespace(
    database: DatabaseUnderTest, name: str
) -> None:
    """Otherwise every search would scan the words of all namespaces in a partition."""
    with as_search(database, NAMESPACE) as cursor:
        plan = plan_of(cursor, SQL[name], HOT[name][0])
    conditions = [
        node["Index Cond"]
        for node in nodes(plan)
        if node["Node Type"] == "Bitmap Index Scan" and HOT[name][1] in node["Index Name"]
    ]
    assert conditions
    assert all("namespace_id" in condition for condition in conditions), conditions


def test_find_lexical_reads_only_the_partition_of_its_namespace(
    database: DatabaseUnderTest,
) -> None:
    with as_search(database, NAMESPACE) as cursor:
        plan = plan_of(cursor, SQL["find_lexical"], HOT["find_lexical"][0])
    relations = {node["Relation Name"] for node in nodes(plan) if "Relation Name" in node}
    assert len({name for name in relations if name.startswith("memories")}) == 1


def test_browse_page_reads_only_the_rows_it_returns(database: DatabaseUnderTest) -> None:
    with as_search(database, NAMESPACE) as cursor:
        plan = plan_of(cursor, SQL["browse_newest"], HOT["browse_newest"][0])
    assert plan["Actual Rows"] == 11
    assert buffers(plan) < 60


def test_reading_memories_that_do_not_exist_reads_no_table(database: DatabaseUnderTest) -> None:
    parameters = {**HOT["read_memories"][0], "source_ids": [uuid4()], "passage_ids": [0]}
    with as_search(database, NAMESPACE) as cursor:
        plan = plan_of(cursor, SQL["read_memories"], parameters)
    assert plan["Actual Rows"] == 0
    assert buffers(plan) < 60
