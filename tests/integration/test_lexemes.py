"""Lexemes as PostgreSQL stores, hashes and matches them."""

from __future__ import annotations

from datetime import UTC, datetime

import psycopg

from everword.text.lexeme_hash import hash_lexeme
from everword.text.lexemes import analyse, index_vector
from support.databases import cloned

TEXT = r"It's C++ in a\b.py:12, ‘O'Brien’ said: naïve café, 我们学校 🎉 ฉันกินข้าว the/end 'quoted' \x"


def test_hashes_and_vectors_agree_with_postgres(postgres_url: str) -> None:
    lexemes = ["a" * length for length in range(40)] + ["é日本" * length for length in range(9)]
    with cloned(postgres_url) as database, psycopg.connect(database.admin_url) as conn:
        rows = conn.execute(
            "SELECT hashtextextended(each, 0) FROM unnest(%s::text[]) WITH ORDINALITY AS t (each, n) ORDER BY n",
            [lexemes],
        ).fetchall()
        assert [hash_lexeme(each) for each in lexemes] == [row[0] for row in rows]
        vector = index_vector(TEXT, "D'Arcy", datetime(2026, 5, 3, tzinfo=UTC), "english")
        queries = [
            analyse(each, "english").phrase for each in ("naive café", "C++", "a b py", "O'Brien")
        ]
        matches = conn.execute(
            "SELECT %s::tsvector @@ each FROM unnest(%s::tsquery[]) AS each", [vector, queries]
        ).fetchall()
        assert [row[0] for row in matches] == [False, True, True, True]
