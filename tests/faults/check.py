"""Checks the final state against the history: acknowledged writes are present once and in order, or erased for good."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain
from typing import Any

import psycopg

from everword.integrity.verify import verify_everything
from faults.audit import audit
from faults.history import History, Place, Promise
from faults.traffic import ERASED
from support.erasure_checks import tables

_MESSAGES = """
    SELECT n.name, c.session_key, coalesce(nullif(m.external_id, ''), split_part(m.content, ':', 1))
      FROM messages m JOIN namespaces n ON n.id = m.namespace_id
      JOIN conversations c ON c.namespace_id = m.namespace_id AND c.id = m.conversation_id
     ORDER BY n.name, c.session_key, m.seq"""
_NOTES = """
    SELECT n.name, o.key, v.content
      FROM note_versions v JOIN namespaces n ON n.id = v.namespace_id
      JOIN notes o ON o.namespace_id = v.namespace_id AND o.id = v.note_id
     ORDER BY n.name, o.key, v.version"""
_FACTS = """
    SELECT n.name, f.subject, f.value
      FROM facts f JOIN namespaces n ON n.id = f.namespace_id
     WHERE f.attribute = 'favourite_tea' ORDER BY f.created_at"""


def check(admin_url: str, history: History) -> int:
    """Check every promise against the database; return the number of summaries."""
    with psycopg.connect(
        admin_url, autocommit=True, options="-c search_path=everword,public"
    ) as conn:
        _compare(history, history.messages, _rows(conn, _MESSAGES), in_order=True)
        _compare(history, history.notes, _rows(conn, _NOTES), in_order=True)
        _compare(history, history.facts, _rows(conn, _FACTS), in_order=False)
        for table in tables(conn):
            left = _erased_in(conn, table)
            history.hold(Promise.ERASED, not left, f"{left} rows of {table} hold what was erased")
    names = set(chain.from_iterable(history.messages.values()))
    found = audit(admin_url, names)
    words = "; ".join(found.words)
    history.hold(Promise.DERIVED, not found.lost, words)
    unsound = [f"{each.check.name}: {each.examples[:3]}" for each in verify_everything(admin_url)]
    history.hold(Promise.DERIVED, not unsound, "; ".join(unsound))
    history.hold(Promise.ONCE, not found.doubled, words)
    history.hold(Promise.ENDS, not found.stuck, words)
    return found.summaries


def _compare(
    history: History,
    told: dict[Place, list[str]],
    stored: dict[Place, list[str]],
    *,
    in_order: bool,
) -> None:
    for place, names in told.items():
        there = stored.get(place, [])
        missing = Counter(names) - Counter(there)
        more = Counter(there) - Counter(names)
        # Messages that are to be erased belong to conversations that this check does not read.
        history.hold(Promise.KEPT, not missing, f"{place} lacks {sorted(missing)[:5]}")
        history.hold(Promise.ONCE, not more, f"{place} has too often {sorted(more)[:5]}")
        if in_order:
            known = set(names)
            kept = [name for name in there if name in known]
            history.hold(Promise.ORDER, kept == names, f"{place} is out of order")


def _rows(conn: psycopg.Connection, query: str) -> dict[Place, list[str]]:
    rows: dict[Place, list[str]] = defaultdict(list)
    for namespace, key, name in conn.execute(query.encode()):
        rows[namespace, key].append(name)
    return rows


def _erased_in(conn: psycopg.Connection, table: str) -> int:
    """Return the number of rows that contain an erased word: as text, in arrays or JSON, as lexemes, or in bytes."""
    row: Any = conn.execute(
        f'SELECT count(*) FROM "{table}" AS t '
        "WHERE strpos(lower(t::text), %s) > 0 OR strpos(t::text, %s) > 0".encode(),
        [ERASED, ERASED.encode().hex()],
    ).fetchone()
    return int(row[0])
