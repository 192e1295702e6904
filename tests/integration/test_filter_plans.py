"""A filter's cost depends on the rows that pass it, and all query plans return the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest

from everword.db.statements import Statement
from everword_search.passages.store import SQL, Scope
from everword_search.ranking.bm25 import K1, B
from everword_search.records.model import MemoryFilter
from support.databases import DatabaseUnderTest, migrated
from support.plans import as_search, buffers, indexes, nodes, plan_of

NAMESPACE = 1
#: All in one partition: passages of other namespaces lie between those of the namespace.
OTHERS = 20
PASSAGES = 20_000
PASSAGES_OF_OTHERS = 1_500
START = datetime(2026, 1, 1, tzinfo=UTC)
LAST_ID = UUID(int=2**128 - 1)
DIMENSIONS = 384


@dataclass(frozen=True)
class Passage:
    """A passage with all attributes of filters."""

    number: int

    @property
    def id(self) -> UUID:
        return UUID(int=self.number)

    @property
    def subject(self) -> str:
        return f"user-{self.number % 500}" if self.number % 5 else ""

    @property
    def author(self) -> str:
        return "" if self.number % 2 else f"person-{self.number % 400}"

    @property
    def agent(self) -> str:
        return "aide" if self.number % 2 else "main"

    @property
    def tags(self) -> list[str]:
        number = self.number // 10
        return [] if self.number % 10 else [f"kind-{number % 4}", f"topic-{number % 100}"]

    @property
    def occurred_at(self) -> datetime:
        return START + timedelta(minutes=self.number)


ALL = [Passage(number) for number in range(1, PASSAGES + 1)]


def at(number: int) -> datetime:
    return Passage(number).occurred_at


@dataclass(frozen=True)
class Case:
    """A filter, and its meaning in Python."""

    filter: MemoryFilter
    lets_through: Callable[[Passage], bool]

    @property
    def passages(self) -> list[Passage]:
        return [passage for passage in ALL if self.lets_through(passage)]


#: Filters that few passages pass, and the index for them.
NARROW = {
    "subject": Case(MemoryFilter(subjects=["user-7"]), lambda p: p.subject == "user-7"),
    "author": Case(MemoryFilter(authors=["person-8"]), lambda p: p.author == "person-8"),
    "tags": Case(MemoryFilter(tags=["topic-9", "none"]), lambda p: "topic-9" in p.tags),
    "occurred_at": Case(
        MemoryFilter(since=at(10_001), before=at(10_041)), lambda p: 10_001 <= p.number < 10_041
    ),
}
#: Further filters whose rows may come from any index.
OTHER_CASES = {
    "subjects": Case(
        MemoryFilter(subjects=[f"user-{n}" for n in range(100)]),
        lambda p: p.subject != "" and p.number % 500 < 100,
    ),
    "a subject, tags and a time": Case(
        MemoryFilter(subjects=["user-7", "user-20", ""], tags=["kind-2"], since=at(9_000)),
        lambda p: (
            p.subject in {"user-7", "user-20", ""} and "kind-2" in p.tags and p.number >= 9_000
        ),
    ),
    "no subject": Case(MemoryFilter(subjects=[""]), lambda p: p.subject == ""),
    "no subject or one": Case(
        MemoryFilter(subjects=["", "user-7"]), lambda p: p.subject in {"", "user-7"}
    ),
    "no author": Case(MemoryFilter(authors=[""]), lambda p: p.author == ""),
    "a subject and an author": Case(
        MemoryFilter(subjects=["user-8", "user-7"], authors=["person-8"]),
        lambda p: p.subject in {"user-8", "user-7"} and p.author == "person-8",
    ),
    "half": Case(MemoryFilter(agents=["main"]), lambda p: p.agent == "main"),
    "nothing": Case(MemoryFilter(tags=["none"]), lambda p: False),
}
CASES = NARROW | OTHER_CASES

SCORED = {
    "after_score": 2.0,
    "after_id": 0,
    "min_score": 0.0,
    "limit": PASSAGES,
    "spare": 5,
}
#: A vector that encodes the passage's number; all lie between the first two axes.
VECTOR = "[" + ",".join(["1"] + ["0"] * (DIMENSIONS - 1)) + "]"
SEMANTIC = {**SCORED, "vector": VECTOR, "floor": -1.0, "most": 10_000}
NEWEST = {"after_occurred_at": "infinity", "after_source_id": LAST_ID, "limit": PASSAGES}
OLDEST = {"after_occurred_at": "-infinity", "after_source_id": UUID(int=0), "limit": PASSAGES}


def statement(name: str) -> Statement:
    """Return a statement with its vector as text, since tests do not register pgvector's types."""
    found = SQL[name].of_generation(1)
    return replace(found, sql=found.sql.replace("%(vector)b", "%(vector)s"))


def parameters(only: MemoryFilter, **others: Any) -> dict[str, Any]:
    return {**Scope(NAMESPACE, only).parameters, **others}


@pytest.fixture(scope="module")
def database(postgres_url: str) -> Iterator[DatabaseUnderTest]:
    with migrated(postgres_url, partitions=1) as database:
        with database.connect() as conn:
            _fill(conn)
            _fill_others(conn)
            conn.execute("VACUUM ANALYZE memories, memory_vectors_1")
        yield database


def _fill(conn: psycopg.Connection) -> None:
    columns = "namespace_id, kind, source_id, subject, author, agent, tags, occurred_at, content, lexemes, lexeme_count"
    copy = f"COPY memories ({columns}, literals) FROM STDIN"
    with conn.cursor().copy(copy.encode()) as rows:
        for p in ALL:
            words = f"word{p.number % 50} {'and so on ' * 30}"
            row = (NAMESPACE, 1, p.id, p.subject, p.author, p.agent, p.tags, p.occurred_at)
            literal = None if p.number % 20 else f"build-{p.number}.log"
            rows.write_row((*row, words, f"'word{p.number % 50}':1", 1, literal))
    # The vector index is not needed here, and takes long to build.
    conn.execute("DROP INDEX memory_vectors_1_embedding_idx")
    conn.execute(
        "INSERT INTO memory_vectors_1 (namespace_id, memory_id, embedding) "
        "SELECT namespace_id, id, (ARRAY[number, 30000 - number] || array_fill(0, ARRAY[%s]))::real[]::halfvec "
        "  FROM (SELECT *, row_number() OVER (ORDER BY source_id) AS number FROM memories) AS numbered",
        [DIMENSIONS - 2],
    )


def _fill_others(conn: psycopg.Connection) -> None:
    """Give each other namespace a single user, who owns all its passages."""
    conn.execute(
        "WITH others AS (INSERT INTO namespaces (name) SELECT 'other-' || n FROM generate_series(1, %s) AS n "
        "                RETURNING id) "
        "INSERT INTO memories (namespace_id, kind, source_id, subject, author, occurred_at, content, lexemes, "
        "                      lexeme_count) "
        "SELECT id, 1, gen_random_uuid(), 'owner-' || id, 'owner-' || id, now() - n * interval '1 minute', "
        "       repeat('and so on ', 30), '', 0 "
        "  FROM others, generate_series(1, %s) AS n",
        [OTHERS, PASSAGES_OF_OTHERS],
    )


def pages(database: DatabaseUnderTest) -> int:
    """Return the number of pages of all passages in the database."""
    with database.connect() as conn:
        row = conn.execute(
            "SELECT sum(pg_relation_size(relid) / 8192)::integer FROM pg_partition_tree('memories')"
        ).fetchone()
    assert row
    return int(row[0])


@pytest.mark.parametrize("index", NARROW)
@pytest.mark.parametrize(
    ("name", "asked"),
    [("find_semantic_exact", SEMANTIC), ("browse_newest", NEWEST), ("browse_oldest", OLDEST)],
)
def test_narrow_filter_reads_only_matching_passages(
    database: DatabaseUnderTest, index: str, name: str, asked: dict[str, Any]
) -> None:
    case = NARROW[index]
    with as_search(database, NAMESPACE) as cursor:
        plan = plan_of(cursor, statement(name), parameters(case.filter, **asked))
    assert any(index in used for used in indexes(plan)), indexes(plan)
    # At worst, a passage takes a page, and its vector one page and three of an index.
    assert buffers(plan) < 50 + 6 * len(case.passages) < pages(database) / 4


def test_filter_by_tag_does_not_read_recent_passages_with_other_tags(
    database: DatabaseUnderTest,
) -> None:
    only = parameters(NARROW["tags"].filter, **NEWEST)
    setting = "SELECT set_config('everword.namespace_id', %s, true)"
    with database.connect() as conn, conn.transaction(force_rollback=True), conn.cursor() as cursor:
        cursor.execute(setting, [str(NAMESPACE)])
        before = plan_of(cursor, SQL["browse_newest"], only)
        cursor.execute(
            "INSERT INTO memories (namespace_id, kind, source_id, tags, occurred_at, content, lexemes, lexeme_count) "
            "SELECT %s, 1, gen_random_uuid(), "
            "       ARRAY(SELECT format('fresh-%%s-%%s', n, tag) FROM generate_series(1, 10) AS tag), now(), '', '', 0 "
            "  FROM generate_series(1, 4000) AS n",
            [NAMESPACE],
        )
        after = plan_of(cursor, SQL["browse_newest"], only)
    assert buffers(after) <= buffers(before) + 10


def test_wide_filter_stops_reading_once_it_is_known_to_be_wide(
    database: DatabaseUnderTest,
) -> None:
    asked = parameters(MemoryFilter(agents=["main"]), **{**SEMANTIC, "most": 500})
    with as_search(database, NAMESPACE) as cursor:
        plan = plan_of(cursor, statement("find_semantic_exact"), asked)
        cursor.execute(statement("find_semantic_exact").sql.encode(), asked)
        row = cursor.fetchone()
    assert row
    assert row[-1] is True
    # The filter passes every second passage, and the scan ends after a thousand.
    assert buffers(plan) < pages(database) / 8
    vectors = [n for n in nodes(plan) if n.get("Relation Name", "").startswith("memory_vectors")]
    assert vectors
    assert all(node["Actual Loops"] == 0 for node in vectors)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("way", ["as planned", "without an index"])
def test_every_query_plan_returns_the_same_passages(
    database: DatabaseUnderTest, case: Case, way: str
) -> None:
    expected = [passage.id for passage in case.passages]
    with as_search(database, NAMESPACE) as cursor:
        if way == "without an index":
            for kind in ("indexscan", "indexonlyscan", "bitmapscan"):
                cursor.execute(f"SET LOCAL enable_{kind} = off".encode())
            plan = plan_of(cursor, SQL["browse_oldest"], parameters(case.filter, **OLDEST))
            assert not indexes(plan)
        cursor.execute(SQL["browse_oldest"].sql.encode(), parameters(case.filter, **OLDEST))
        assert [row[0] for row in cursor.fetchall()] == expected
        cursor.execute(SQL["browse_newest"].sql.encode(), parameters(case.filter, **NEWEST))
        assert [row[0] for row in cursor.fetchall()] == expected[::-1]
        cursor.execute(
            statement("find_semantic_exact").sql.encode(), parameters(case.filter, **SEMANTIC)
        )
        row = cursor.fetchone()
    assert row
    source_ids, is_large = row[1], row[-1]
    assert is_large is False
    # Postgres' binary array format: a header, then each element after its length. The nearest has the highest number.
    found = [UUID(bytes=source_ids[at : at + 16]) for at in range(24, len(source_ids), 20)]
    assert found == expected[::-1]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize(
    ("name", "asked"),
    [
        (
            "find_lexical",
            {**SCORED, "queries": ["'word7'"], "prefixes": [None], "stems": ["word7"], "k1": K1, "b": B},
        ),
        ("find_trigram", {**SCORED, "tokens": ["build-1460.log"]}),
        (
            "find_similar_tokens",
            {**SCORED, "tokens": ["word7"], "queries": ["'word7'"], "places": [0], "likenesses": [1.0], "retold": 0.99},
        ),
        ("find_regex", {**NEWEST, "pattern": "nowhere"}),
        ("browse_newest", {**NEWEST, "limit": 50}),
    ],
)  # fmt: skip
def test_filter_makes_no_statement_slower(
    database: DatabaseUnderTest, name: str, asked: dict[str, Any], case: Case
) -> None:
    with as_search(database, NAMESPACE) as cursor:
        open_ = plan_of(cursor, SQL[name], parameters(MemoryFilter(), **asked))
        filtered = plan_of(cursor, SQL[name], parameters(case.filter, **asked))
    narrow = 50 + 2 * len(case.passages)
    assert buffers(filtered) <= max(buffers(open_) + 50, narrow if name == "browse_newest" else 0)


@pytest.mark.parametrize(
    ("name", "asked", "only"),
    [
        ("browse_oldest", {**OLDEST, "limit": 20}, MemoryFilter(since=at(15_000))),
        ("browse_newest", {**NEWEST, "limit": 20}, MemoryFilter(before=at(5_000))),
        ("find_regex", {**NEWEST, "limit": 20, "pattern": "word"}, MemoryFilter(before=at(5_000))),
    ],
)
def test_first_page_of_a_time_range_reads_only_that_range(
    database: DatabaseUnderTest, name: str, asked: dict[str, Any], only: MemoryFilter
) -> None:
    with as_search(database, NAMESPACE) as cursor:
        plan = plan_of(cursor, SQL[name], parameters(only, **asked))
    assert plan["Actual Rows"] == 20
    assert buffers(plan) < 100


@pytest.mark.parametrize(
    "only_of",
    [lambda owner: MemoryFilter(subjects=[owner]), lambda owner: MemoryFilter(authors=[owner])],
    ids=["subject", "author"],
)
def test_subject_filter_matching_the_whole_namespace_uses_the_time_index(
    database: DatabaseUnderTest, only_of: Callable[[str], MemoryFilter]
) -> None:
    """Otherwise all memories of each personal namespace would be sorted to find the newest."""
    with database.connect() as conn:
        row = conn.execute("SELECT max(id) FROM namespaces").fetchone()
    assert row
    only = only_of(f"owner-{row[0]}")
    with as_search(database, row[0]) as cursor:
        plan = plan_of(cursor, SQL["browse_newest"], parameters(only, **{**NEWEST, "limit": 50}))
    assert plan["Actual Rows"] == 50
    assert any("occurred_at" in used for used in indexes(plan)), indexes(plan)
    assert buffers(plan) < 60


def test_empty_subjects_authors_and_tags_are_not_indexed(
    database: DatabaseUnderTest,
) -> None:
    others = OTHERS * PASSAGES_OF_OTHERS
    counts = {
        "memories_subject": sum(passage.subject != "" for passage in ALL) + others,
        "memories_author": sum(passage.author != "" for passage in ALL) + others,
        "memories_tags": sum(passage.tags != [] for passage in ALL),
    }
    with database.connect() as conn:
        for index, count in counts.items():
            row = conn.execute(
                "SELECT pg_get_expr(indpred, indrelid) FROM pg_index WHERE indexrelid = %s::regclass",
                [index],
            ).fetchone()
            assert row
            held = conn.execute(f"SELECT count(*) FROM memories WHERE {row[0]}".encode())
            assert held.fetchone() == (count,), index
