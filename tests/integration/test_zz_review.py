from __future__ import annotations
import random, time
from dataclasses import replace
from uuid import UUID
import psycopg, pytest
from psycopg.types.numeric import Int8
from support.databases import cloned
from support.query_trees import prepare
from integration.test_search_plans import HOT, SQL, FILTER, SCORED  # noqa

BIG = 200_000
def fill(conn, tiny=800):
    conn.execute("INSERT INTO namespaces (id, name) OVERRIDING SYSTEM VALUE SELECT n, 'n'||n FROM generate_series(1000, 1000+%s) n", [tiny])
    conn.execute("DROP INDEX memories_literals"); conn.execute("DROP INDEX memories_lexemes")
    put = ("INSERT INTO memories (namespace_id, kind, source_id, conversation_id, seq, role, occurred_at, content, lexemes, lexeme_count) "
            "SELECT %s, 1, ('00000000-0000-0000-0000-' || lpad(to_hex(n+%s), 12, '0'))::uuid, ('00000000-0000-0000-0001-' || lpad(to_hex((n-1)/100+1), 12, '0'))::uuid, n, 2, now() - n * interval '1 minute', 'text', 'text'::tsvector, 20 FROM generate_series(1,%s) n")
    conn.execute(put, [1, 0, BIG])
    for ns in range(1000, 1000 + tiny): conn.execute(put, [ns, 10_000_000 + ns*100, 30])
    conn.execute("VACUUM ANALYZE memories")

IDS = [UUID(int=n) for n in random.Random(1).sample(range(1, BIG), 300)]
P = {**HOT["read_candidates"][0], "source_ids": IDS, "passage_ids": list(range(1, 300))}
def run(url, mode, sql, params, n=10):
    with psycopg.connect(url, options="-c role=everword_search -c search_path=everword,public", autocommit=True) as conn:
        took = []
        for i in range(n):
            with conn.transaction():
                conn.execute("SELECT set_config('everword.namespace_id', '1', true), set_config('plan_cache_mode', %s, true)", [mode])
                t = time.perf_counter()
                conn.execute(sql, {**params, "namespace_id": Int8(1)}).fetchall()
                took.append((time.perf_counter()-t)*1000)
        return f"{mode} last {sorted(took[-4:])[1]:7.1f} ms"

def test_ids(postgres_url):
    with cloned(postgres_url) as db:
        with db.connect() as conn: fill(conn)
        base = SQL["read_candidates"].sql
        old = "FROM visible_memories m\n     WHERE m.namespace_id = %(namespace_id)s AND m.source_id = ANY(%(source_ids)b) AND m.part = 0\n"
        assert old in base
        new = base.replace(old, "FROM unnest(%(source_ids)b::uuid[]) AS asked (id) CROSS JOIN LATERAL (SELECT * FROM visible_memories WHERE namespace_id = %(namespace_id)s AND source_id = asked.id AND part = 0 OFFSET 0) AS m\n")
        for label, sql in (("now", base), ("lateral", new)):
            for mode in ("force_custom_plan", "auto", "force_generic_plan"): print("IDS read_candidates", label, run(db.service_url, mode, sql, P))
        for mode in ("force_custom_plan", "auto", "force_generic_plan"): print("IDS read_signals", run(db.service_url, mode, SQL["read_signals"].sql, {"source_ids": IDS}))
        for mode in ("force_custom_plan", "auto", "force_generic_plan"):
            print("IDS browse_newest conv", run(db.service_url, mode, SQL["browse_newest"].sql, {**HOT["browse_newest"][0], "limit": 50, "conversation_ids": [UUID(int=2**64 + 1900)]}))
