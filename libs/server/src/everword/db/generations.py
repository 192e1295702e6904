"""Embedding model generations, as the owner of the schema manages them.

A new generation is built in the background while the active one is searched. The index over its vectors is made once
they are there, the switch is one transaction, and the old table stays until the longest search that may have begun
before it has ended. Makes tables and indexes, so it is never called by a serving process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime

import psycopg
from psycopg.rows import class_row, scalar_row

from everword.db.concurrent_index import Index, build_parts
from everword.db.distribution import distributed_afterwards

#: No call lasts longer than the servers' cap on deadlines.
GRACE_S = 3600.0
BACKFILL_BATCH = 10_000
LOCK_TIMEOUT = "4s"
#: "switch" in ASCII: one switch at a time.
_SWITCH = 0x737769746368

_LIST = """
SELECT g.id, g.state, g.provider, g.endpoint, g.model, g.dimensions, g.query_prefix, g.passage_prefix, g.files_sha256,
       g.pooling, g.max_tokens, g.size_bytes, g.languages, g.storage, g.created_at, g.backfilled_at, g.retired_at,
       coalesce(q.pending, 0) AS pending, coalesce(q.failed, 0) AS failed, q.error,
       (SELECT coalesce(sum(passages), 0)::bigint FROM corpus_counts) AS passages
  FROM model_generations g
  LEFT JOIN (SELECT generation_id, count(*) FILTER (WHERE state = 'pending') AS pending,
                    count(*) FILTER (WHERE state = 'failed') AS failed, max(error) AS error
               FROM embedding_queue GROUP BY generation_id) q ON q.generation_id = g.id
 ORDER BY g.id
"""
_ADD = """
INSERT INTO model_generations (state, provider, endpoint, model, dimensions, query_prefix, passage_prefix, matryoshka,
                               weights, files_sha256, pooling, max_tokens, size_bytes, languages)
VALUES ('building', %(provider)s, %(endpoint)s, %(model)s, %(dimensions)s, %(query_prefix)s, %(passage_prefix)s,
        %(matryoshka)s, %(weights)s, %(files_sha256)s, %(pooling)s, %(max_tokens)s, %(size_bytes)s, %(languages)s)
RETURNING id
"""
#: Writes of the meantime enqueued nothing for it, so its backlog is queued as that of a new one; only vectors that it
#: lacks are made.
_RESUME = """
UPDATE model_generations
   SET state = 'building', retired_at = NULL, backfilled_at = NULL, backfilled_namespace = 0, backfilled_memory = 0,
       awaited_writers = NULL
 WHERE id = %s AND state = 'retiring'
"""
#: In a transaction after the one that creates or resumes the generation: from then on, writes see it on every node.
_AWAIT_WRITERS = """
UPDATE model_generations SET awaited_writers = %(writers)s
 WHERE id = %(id)s AND state = 'building' AND awaited_writers IS NULL
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
    #: URL of a server, or folder of a local model; empty for the packaged model.
    endpoint: str
    model: str
    dimensions: int
    query_prefix: str
    passage_prefix: str
    #: SHA-256 of the files of a model in a folder; empty for other models.
    files_sha256: str
    pooling: str
    max_tokens: int | None
    #: Size of the model's files; None if unknown.
    size_bytes: int | None
    #: Languages of the model card; empty if unknown.
    languages: Sequence[str]
    #: `halfvec` or `array`.
    storage: str
    created_at: datetime
    #: When its whole backlog had been put into the queue; None before.
    backfilled_at: datetime | None
    retired_at: datetime | None
    pending: int
    failed: int
    #: An error of a pending or failed passage; None without errors.
    error: str | None
    #: Passages in all namespaces, embedded or not.
    passages: int

    @property
    def is_complete(self) -> bool:
        """Return whether no passage is pending."""
        return self.backfilled_at is not None and self.pending == 0

    @property
    def embedded(self) -> int:
        """Return the number of passages that are done."""
        return self.passages - self.pending - self.failed


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
    #: Path of the ONNX file in the model's folder, and the SHA-256 of its files; empty for models not in a folder.
    weights: str = ""
    files_sha256: str = ""
    #: `mean`, `cls`, `last` or `graph`, for models in a folder only.
    pooling: str = "mean"
    #: Longer texts are cut; None for models not in a folder.
    max_tokens: int | None = None
    size_bytes: int | None = None
    languages: Sequence[str] = ()


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

    def find(self, model: str) -> Generation:
        """Return the generation with this id, or the latest one of a model with this name. Raises GenerationError."""
        if model.isdecimal():
            return self.get(int(model))
        found = [generation for generation in self.list() if generation.model == model]
        if not found:
            raise GenerationError(f"there is no model {model}; see `models list`")
        return found[-1]

    def find_same(self, new: NewGeneration) -> Generation | None:
        """Return the latest generation that gives the same vectors as `new`; None if there is none."""
        compared = (
            *("provider", "endpoint", "model", "dimensions", "query_prefix", "passage_prefix"),
            *("files_sha256", "pooling", "max_tokens"),
        )
        same = [
            each
            for each in self.list()
            if all(getattr(each, name) == getattr(new, name) for name in compared)
        ]
        return same[-1] if same else None

    def add(self, new: NewGeneration) -> int:
        """Begin to build a generation, and return its id."""
        fields = asdict(new) | {"languages": list(new.languages)}
        with self._connect() as conn, conn.cursor(row_factory=scalar_row) as cursor:
            cursor.execute(_ADD, fields)
            generation_id = int(cursor.fetchone() or 0)
            with distributed_afterwards(conn):
                cursor.execute("SELECT create_vector_table(%s, indexed => false)", [generation_id])
            conn.commit()
            _await_writers(conn, generation_id)
            return generation_id

    def resume(self, generation_id: int) -> None:
        """Begin to build a retiring generation again; its vectors stay, and only missing ones are made."""
        with self._connect() as conn:
            conn.execute(_RESUME, [generation_id])
            conn.commit()
            _await_writers(conn, generation_id)

    def backfill(self, generation_id: int) -> None:
        """Queue the backlog of a generation now; the embedder does the same in the background."""
        with self._connect() as conn:
            # If `add` was interrupted.
            _await_writers(conn, generation_id)
            conn.commit()
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
                f"generation {generation.id} is {generation.state}; only one that is being built can become active"
            )
        complete = conn.execute("SELECT generation_is_complete(%s)", [generation.id]).fetchone()
        if complete != (True,):
            raise GenerationError(
                f"generation {generation.id} is not complete: {generation.pending} passages are pending; "
                "`models switch` waits for them"
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


def _await_writers(conn: psycopg.Connection, generation_id: int) -> None:
    """Record the transactions that the backlog of a building generation waits for, unless they are recorded."""
    row = conn.execute("SELECT passage_writers()").fetchone()
    conn.execute(_AWAIT_WRITERS, {"id": generation_id, "writers": row[0] if row else []})


def _vector_index(generation_id: int) -> Index:
    """Return the index that index_vectors makes, of the database."""
    table = f"memory_vectors_{generation_id}"
    form = "USING hnsw (embedding public.halfvec_cosine_ops)"
    return Index(f"{table}_embedding_idx", table, form)
