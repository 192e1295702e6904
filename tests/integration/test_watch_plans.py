"""The cost of finding expired memories depends on their number, not on the total number of memories."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest

from everword.db.statements import load_statements
from support.databases import DatabaseUnderTest, cloned
from support.plans import as_search, buffers, indexes, plan_of

MEMORIES, LASTING = 14_000, 10_000
STATEMENT = load_statements("everword_search.watch")["list_expired"]


@pytest.fixture(scope="module")
def database(postgres_url: str) -> Iterator[DatabaseUnderTest]:
    """A database for all tests: a tenth of the memories expires, one every minute; half of these were superseded."""
    with cloned(postgres_url) as database:
        with database.connect() as conn:
            conn.execute(
                "INSERT INTO memories (namespace_id, kind, source_id, occurred_at, content, lexemes, lexeme_count, "
                "                      valid_until, known_until) "
                "SELECT 1, 3, gen_random_uuid(), now(), 'A note.', '', 1, "
                "       CASE WHEN n > %(lasting)s THEN now() + (n - 12000) * interval '1 minute' END, "
                "       CASE WHEN n > %(lasting)s AND n %% 2 = 0 THEN now() END "
                "  FROM generate_series(1, %(memories)s) AS n",
                {"lasting": LASTING, "memories": MEMORIES},
            )
            conn.execute("ANALYZE memories")
        yield database


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
@pytest.mark.parametrize(("minutes", "expected", "pages"), [(0.02, 0, 10), (300.0, 150, 400)])
def test_expiry_statement_uses_the_valid_until_index(
    database: DatabaseUnderTest, mode: str, minutes: float, expected: int, pages: int
) -> None:
    with database.connect() as conn:
        row = conn.execute(
            "SELECT extract(epoch FROM min(valid_until))::float8 FROM memories"
        ).fetchone()
    assert row
    # Between two expiries, and over some hours of them.
    since = row[0] + 3000 * 60 - 30
    until = since + minutes * 60
    parameters = {
        "expired_at": since,
        "expired_id": UUID(int=2**128 - 1),
        "until_at": until,
        "limit": 201,
    }
    with as_search(database, 1) as cursor:
        cursor.execute("SELECT set_config('plan_cache_mode', %s, true)", [mode])
        plan = plan_of(cursor, STATEMENT, parameters)
    assert plan["Actual Rows"] == expected
    assert any("valid_until" in name for name in indexes(plan)), plan
    assert buffers(plan) <= pages
