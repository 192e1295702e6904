"""Recompute derived data that differs from its sources, while services read and write.

A batch is compared first, and locked only if it differs: its rows are locked, read again and written in one
transaction. A concurrent writer waits, and an earlier one is seen. After an interruption, running it again continues.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any
from uuid import UUID

import psycopg
from psycopg import errors

from everword.db import blocking
from everword.db.statements import parse_statements
from everword.domain.periods import Calendar
from everword.index.builders import Language
from everword.index.passages import IndexedPassage
from everword.index.writer import Counts, Validity, add_passages_blocking, close_passages_blocking
from everword.integrity.catalogue import load_checks
from everword.integrity.sources import (
    SOURCES,
    IndexSourceRow,
    build,
    can_be_built,
    lock_sources,
    read_source_range,
)
from everword.integrity.verify import Namespace, find_rows, stretches
from everword.jobs.enqueue import EMBED, DueJob, enqueue_blocking, shards
from everword.text.author_names import name_words

SQL = parse_statements(files(__package__).joinpath("repairs.sql").read_text(encoding="utf-8"))
#: Sources that are compared together.
BATCH = 200
#: How often a batch is tried that others hold.
ATTEMPTS = 5
_OPTIONS = (
    "-c search_path=everword,public -c timezone=UTC -c jit=off -c statement_timeout=10min -c lock_timeout=2s "
    "-c plan_cache_mode=force_custom_plan"
)


@dataclass(frozen=True)
class _Settings:
    """A namespace's settings, as texts are read by them."""

    language: Language
    calendar: Calendar


def connect(admin_url: str) -> blocking.Connection:
    """Connect as the owner, to write."""
    return psycopg.connect(
        admin_url,
        autocommit=True,
        options=_OPTIONS,
        prepare_threshold=None,
        application_name="everword-rebuild",
    )


class Rebuilder:
    """Rebuilds one namespace."""

    def __init__(self, conn: blocking.Connection, namespace: Namespace) -> None:
        self._conn = conn
        self._id = namespace.id
        self._settings = _read_settings(conn, namespace.id)
        self._checks = {each.name: each for each in load_checks()}
        self._generations = [
            row[0]
            for row in conn.execute("SELECT id FROM model_generations ORDER BY id").fetchall()
        ]
        #: Number of recomputed or removed rows, by description.
        self.done = Counter[str]()

    def rebuild(self, advanced: Callable[[int], None] = lambda rows: None) -> Counter[str]:
        """Recompute all derived data that differs, and return the number of rows by description."""
        for table in SOURCES:
            for after, last, rows in stretches(self._conn, table, "id", self._id, BATCH):
                self._rebuild_range(table, after, last)
                advanced(rows)
        self._remove_orphans(advanced)
        self._repair_vectors(advanced)
        self._date_messages()
        with self._transaction():
            self.done["counters"] += self._execute("count")
            due = [DueJob(self._id, EMBED, each) for each in shards()]
            enqueue_blocking(self._conn, due)
        return +self.done

    def _rebuild_range(self, table: str, after: UUID, last: UUID) -> None:
        rows = read_source_range(self._conn, table, self._id, after, last)
        different = self._different(rows)
        if different:
            self._retried(lambda: self._replace(table, different))

    def _replace(self, table: str, ids: Sequence[UUID]) -> None:
        """Index again the sources that differ, with their rows held."""
        with self._transaction():
            rows = lock_sources(self._conn, table, self._id, ids)
            wrong = set(self._different(rows))
            rows = [row for row in rows if row.id in wrong]
            self._execute("remove_sources", source_ids=sorted(wrong))
            for limits, alike in _by_limits(rows).items():
                passages = [each for row in alike for each in build(row, self._settings.language)]
                add_passages_blocking(self._conn, self._id, passages, Counts(), limits)
            for row in rows:
                if row.known_until is not None:
                    close_passages_blocking(
                        self._conn, self._id, [row.id], known_until=row.known_until
                    )
            names = {word for row in rows for word in name_words(row.author)}
            self._execute("name", names=sorted(names))
            self.done[table] += len(rows)

    def _different(self, rows: Sequence[IndexSourceRow]) -> list[UUID]:
        """Return the sources whose passages differ from the expected ones."""
        expected = [
            (row, passage)
            for row in rows
            if can_be_built(row)
            for passage in build(row, self._settings.language)
        ]
        if not expected:
            return []
        parameters = {
            **_columns(expected),
            "namespace_id": self._id,
        }
        found = self._conn.execute(SQL["find_different"].sql, parameters).fetchall()
        return sorted(row[0] for row in found)

    def _remove_orphans(self, advanced: Callable[[int], None]) -> None:
        """Remove passages whose source no longer exists."""
        for ids in self._found("passages_sourced", advanced):
            with self._transaction():
                scope = {"namespace_id": self._id, "ids": ids}
                found = self._conn.execute(SQL["sources_of"].sql, scope).fetchall()
                self._execute("remove_sources", source_ids=[row[0] for row in found])
                self.done["passages of nothing"] += len(ids)

    def _repair_vectors(self, advanced: Callable[[int], None]) -> None:
        """Remove vectors of nothing, and make those due that are missing."""
        for generation in self._generations:
            for check, statement, what in (
                ("vectors_sourced", "remove_vectors", "vectors of nothing"),
                ("vectors_once", "unqueue", "vectors due in vain"),
                ("vectors_due", "queue", "vectors due"),
            ):
                for ids in self._found(check, advanced, generation):
                    with self._transaction():
                        self.done[what] += self._execute(statement, generation, ids=ids)

    def _date_messages(self) -> None:
        """Make messages due for the calendar that it has missed."""
        for ids in self._found("days_missing", lambda rows: None):
            with self._transaction():
                scope = {"namespace_id": self._id, "ids": ids}
                said = self._conn.execute(SQL["read_undated"].sql, scope).fetchall()
                conversations, seqs, subjects, instances, times = zip(*said, strict=True)
                self._execute(
                    "date",
                    days=[self._settings.calendar.day_of(each) for each in times],
                    subjects=list(subjects),
                    instances=list(instances),
                    conversation_ids=list(conversations),
                    seqs=list(seqs),
                )
                self.done["messages due for their day"] += len(ids)

    def _found(
        self, check: str, advanced: Callable[[int], None], generation: int | None = None
    ) -> Iterator[list[str]]:
        """Yield the ids that a check finds, a batch at a time."""
        for rows, found in find_rows(self._conn, self._checks[check], self._id, generation):
            advanced(rows)
            if found:
                yield [id_ for id_, _ in found]

    def _execute(self, name: str, generation: int | None = None, **parameters: Any) -> int:
        statement = SQL[name] if generation is None else SQL[name].of_generation(generation)
        scope = {"namespace_id": self._id, **parameters}
        return blocking.execute(self._conn, statement, scope)

    def _transaction(self) -> Any:
        return _NamespaceTransaction(self._conn, self._id)

    def _retried(self, step: Callable[[], None]) -> None:
        """Run a step, and repeat it if another transaction holds its locks."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return step()
            except (errors.LockNotAvailable, errors.DeadlockDetected):
                if attempt == ATTEMPTS:
                    raise
                time.sleep(0.2 * attempt)
        return None


class _NamespaceTransaction:
    """A transaction that is bound to a namespace, as functions of the database want it."""

    def __init__(self, conn: blocking.Connection, namespace_id: int) -> None:
        self._conn = conn
        self._id = namespace_id
        self._transaction = conn.transaction()

    def __enter__(self) -> None:
        self._transaction.__enter__()
        self._conn.execute("SELECT set_config('everword.namespace_id', %s, true)", [str(self._id)])

    def __exit__(self, *raised: Any) -> Any:
        return self._transaction.__exit__(*raised)


def _read_settings(conn: blocking.Connection, namespace_id: int) -> _Settings:
    row = conn.execute(
        "SELECT text_search_config::text, time_zone, day_cutoff_minutes FROM namespaces WHERE id = %s",
        [namespace_id],
    ).fetchone()
    assert row is not None
    config, zone, cutoff = row
    return _Settings(Language(config, zone), Calendar(zone, cutoff))


def _by_limits(rows: Sequence[IndexSourceRow]) -> dict[Validity, list[IndexSourceRow]]:
    found = dict[Validity, list[IndexSourceRow]]()
    for row in rows:
        found.setdefault(row.limits, []).append(row)
    return found


def _columns(expected: Sequence[tuple[IndexSourceRow, IndexedPassage]]) -> dict[str, list[Any]]:
    """Return what passages are to be, as arrays."""
    of_passage = ("part", "content", "lexemes", "literals", "ranking")
    of_source = ("kind", "conversation_id", "seq", "author", "occurred_at")
    of_limits = ("valid_from", "valid_until", "known_until")
    return {
        "source_id": [row.id for row, _ in expected],
        **{name: [getattr(passage, name) for _, passage in expected] for name in of_passage},
        **{name: [getattr(row, name) for row, _ in expected] for name in (*of_source, *of_limits)},
    }
