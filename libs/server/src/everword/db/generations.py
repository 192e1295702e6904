"""Embedding model generations, as the owner of the schema manages them.

A new generation is built in the background while the active one is searched. The index over its vectors is made once
they are there, the switch is one transaction, and the old table stays until the longest search that may have begun
before it has ended. Makes tables and indexes, so it is never called by a serving process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import psycopg
from psycopg.rows import class_row, scalar_row

from everword.db.concurrent_index import Index, build_parts

#: No call lasts longer than the servers' cap on deadlines.
GRACE_S = 3600.0
BACKFILL_BATCH = 10_000
LOCK_TIMEOUT = "4s"
#: "switch" in ASCII: one switch at a time.
_SWITCH = 0x737769746368

_LIST = """
SELECT g.id, g.state, g.provider, g.endpoint, g.model, g.dimensions, g.storage, g.created_at,
       g.backfilled_at, g.retired_at,
       (SELECT count(*) FROM embedding_queue q WHERE q.generation_id = g.id AND q.state = 'pending') AS pending,
       (SELECT count(*) FROM embedding_queue q WHERE q.generation_id = g.id AND q.state = 'failed') AS failed,
       (SELECT coalesce(sum(passages), 0)::bigint FROM corpus_counts) AS passages
  FROM model_generations g ORDER BY g.id
"""


class GenerationError(Exception):
    """A generation cannot be changed so; the message says why."""


@dataclass(frozen=True)
class Generation:
    """A model generation and how far it is."""

    id: int
    #: `building`, `active` or `retiring`.
    state: str
    provider: str
    endpoint: str
    model: str
    dimensions: int
    #: `halfvec` or `array`.
    storage: str
    created_at: datetime
    #: When its whole backlog had been put into the queue; None before.
    backfilled_at: datetime | None
    retired_at: datetime | None
    pending: int
    failed: int
    #: Passages in all namespaces, embedded or not.
    passages: int


@dataclass(frozen=True)
class NewGeneration:
    """A model to embed with."""

    provider: str
    model: str
    dimensions: int
    endpoint: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""
    #: True if the model's vectors may be cut to `dimensions`; otherwise it must return exactly that many.
    matryoshka: bool = False


class Generations:
    """Manages generations through the owner's URL."""

    def __init__(self, admin_url: str) -> None:
        self._url = admin_url

    def _connect(self) -> psycopg.Connection:
        options = f"-c search_path=everword,public -c timezone=UTC -c lock_timeout={LOCK_TIMEOUT}"
        return psycopg.connect(self._url, options=options)

    def list(self) -> list[Generation]:
        with self._connect() as conn, conn.cursor(row_factory=class_row(Generation)) as cursor:
            return cursor.execute(_LIST).fetchall()

    def get(self, generation_id: int) -> Generation:
        """Return one generation. Raises GenerationError if there is none with this id."""
        for generation in self.list():
            if generation.id == generation_id:
                return generation
        raise GenerationError(f"there is no model generation {generation_id}; see `models list`")

    def add(self, new: NewGeneration) -> int:
        """Begin to build a generation, and return its id."""
        with self._connect() as conn, conn.cursor(row_factory=scalar_row) as cursor:
            cursor.execute(
                "INSERT INTO model_generations (state, provider, endpoint, model, dimensions, query_prefix, "
                "passage_prefix, matryoshka) VALUES ('building', %s, %s, %s, %s, %s, %s, %s) RETURNING id",
                [
                    new.provider,
                    new.endpoint,
                    new.model,
                    new.dimensions,
                    new.query_prefix,
                    new.passage_prefix,
                    new.matryoshka,
                ],
            )
            generation_id = int(cursor.fetchone() or 0)
            cursor.execute("SELECT create_vector_table(%s, indexed => false)", [generation_id])
            return generation_id

    def backfill(self, generation_id: int) -> None:
        """Queue the backlog of a generation now; the embedder does the same in the background."""
        with self._connect() as conn:
            conn.execute("SELECT backfill_generation(%s, %s)", [generation_id, BACKFILL_BATCH])

    def switch(
        self, generation_id: int, advanced: Callable[[int, int], None] = lambda done, total: None
    ) -> None:
        """Make this generation the active one; its index is built before, while other transactions write.

        `advanced` receives the number of built parts and the total. After an interruption, another call continues.
        Raises GenerationError while the generation is incomplete, and if another process is switching.
        """
        with self._switching() as conn:
            generation = self.get(generation_id)
            self._refuse_incomplete(conn, generation)
            if generation.storage == "halfvec":
                build_parts(conn, _vector_index(generation_id), advanced)
            conn.execute(f"SET lock_timeout = '{LOCK_TIMEOUT}'")
            with conn.transaction():
                conn.execute("SELECT index_vectors(%s)", [generation_id])
                conn.execute(
                    "UPDATE model_generations SET state = 'retiring', retired_at = now() WHERE state = 'active'"
                )
                conn.execute(
                    "UPDATE model_generations SET state = 'active' WHERE id = %s", [generation_id]
                )

    @contextmanager
    def _switching(self) -> Iterator[psycopg.Connection]:
        """Connect as the only one who switches, in no transaction."""
        with self._connect() as conn:
            conn.autocommit = True
            locked = conn.execute("SELECT pg_try_advisory_lock(%s)", [_SWITCH]).fetchone()
            if locked != (True,):
                raise GenerationError("another switch is in progress: wait until it has ended")
            yield conn

    def _refuse_incomplete(self, conn: psycopg.Connection, generation: Generation) -> None:
        if generation.state != "building":
            raise GenerationError(
                f"generation {generation.id} is {generation.state}; only one that is being built can become active: "
                "add the model again"
            )
        complete = conn.execute("SELECT generation_is_complete(%s)", [generation.id]).fetchone()
        if complete != (True,):
            raise GenerationError(
                f"generation {generation.id} is not complete: {generation.pending} passages are pending; "
                "see `models progress`"
            )

    def drop(self, generation_id: int, grace_s: float = GRACE_S) -> None:
        """Remove an unused generation. Raises GenerationError for the active one, or within the grace period."""
        generation = self.get(generation_id)
        if generation.state == "active":
            raise GenerationError(f"generation {generation_id} is active; switch to another first")
        with self._connect() as conn:
            recent = conn.execute(
                "SELECT retired_at > now() - make_interval(secs => %s) FROM model_generations WHERE id = %s",
                [grace_s, generation_id],
            ).fetchone()
            if recent == (True,):
                raise GenerationError(
                    f"searches that began before the switch may still use generation {generation_id}; "
                    f"drop it {grace_s:.0f} seconds after the switch"
                )
            conn.execute("SELECT drop_vector_table(%s)", [generation_id])


def _vector_index(generation_id: int) -> Index:
    """Return the index that index_vectors makes, of the database."""
    table = f"memory_vectors_{generation_id}"
    form = "USING hnsw (embedding public.halfvec_cosine_ops)"
    return Index(f"{table}_embedding_idx", table, form)
