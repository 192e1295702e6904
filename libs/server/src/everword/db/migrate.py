"""Apply the schema's migrations in order, each once.

Migration 0001 is the baseline: the files of `schema/`, one per feature, in the order of `BASELINE`. The numbered files
of `migrations/` follow. Run as the owner of the schema, never by a serving process. An advisory lock admits one runner
at a time. Each migration, and each file of the baseline, is one transaction. A file whose first line is `-- post` is a
post migration: it is applied after all others, while services run, and outside of a transaction, so that the runner can
repeat each statement after an interruption. A step that cannot get a lock within a second is retried later.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files

import psycopg
from psycopg import errors, sql

from everword.db.concurrent_index import Index, build_parts
from everword.db.distribution import distribute, ensure_distributable, is_distributed
from everword.db.roles import SCOPED_ROLES, SERVICE_ROLES
from everword.prices.price_list import shipped_prices

#: "everword" in ASCII, cut to 63 bits.
_LOCK = 0x65766572776F7264 & 0x7FFFFFFFFFFFFFFF
_FILE = re.compile(r"(\d{4})_(\w+)\.sql")
#: The files of `schema/`, in the order in which migration 0001 applies them.
BASELINE = (
    *("access", "deployment", "isolation", "rules", "namespaces", "keys", "erasure_records"),
    *("conversations", "messages", "jobs", "index", "vectors", "summaries", "facts", "sleep"),
    *("people", "graph", "topics", "patterns", "notes", "documents", "lore", "checkpoints"),
    *("costs", "legal_holds", "retention", "erasure", "erasure_preview", "transfer", "deletion"),
    "privileges",
)
_BOOTSTRAP = """
CREATE SCHEMA IF NOT EXISTS everword;
CREATE TABLE IF NOT EXISTS everword.schema_migrations (
    number integer PRIMARY KEY,
    name text NOT NULL,
    sha256 text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);
"""
#: The files of the baseline that are applied already, until all are.
_BASELINE_FILES = """
CREATE TABLE IF NOT EXISTS everword.baseline_files (name text PRIMARY KEY, sha256 text NOT NULL)
"""
_RECORD = "INSERT INTO schema_migrations (number, name, sha256) VALUES (%s, %s, %s)"
#: Set per connection: waiting longer for a lock would make all other transactions queue up behind. There is no other
#: limit, because a statement that exceeds one would fail on every try.
_SESSION = (
    "SET search_path = everword, public; SET lock_timeout = '1s'; "
    "SET statement_timeout = 0; SET transaction_timeout = 0"
)
#: An index that is made while others write.
_CONCURRENT_INDEX = re.compile(
    r"CREATE\s+(UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)\s+ON\s+(\w+)\s*(.+)",
    re.DOTALL | re.IGNORECASE,
)
#: How long a runner waits for another one between two looks, in seconds.
_TURN_S = 0.2
#: How often a migration is tried whose locks others hold, and the longest pause between, in seconds.
LOCK_ATTEMPTS = 30
LOCK_PAUSE_S = 5.0
#: Whom the schema names in its rights and policies.
SCHEMA_ROLES = (*SERVICE_ROLES, *SCOPED_ROLES, "everword_scoped")


class MigrationError(Exception):
    """The schema cannot be brought to this version; the message says why."""


@dataclass(frozen=True)
class Migration:
    """The baseline, or one numbered SQL file."""

    number: int
    name: str
    sql: str
    #: Names and texts of the baseline's files.
    files: tuple[tuple[str, str], ...] = ()

    @property
    def sha256(self) -> str:
        return _sha256(self.sql)

    @property
    def is_post(self) -> bool:
        """Return whether services work without it, so that it is applied while they run."""
        return self.sql.partition("\n")[0] == "-- post"

    @property
    def statements(self) -> list[str]:
        """The statements of a post migration, each of which ends where a line does."""
        code = re.sub(r"^\s*--.*$", "", self.sql, flags=re.MULTILINE)
        parts = re.split(r";\s*$", code, flags=re.MULTILINE)
        return [each.strip() for each in parts if each.strip()]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def load_migrations() -> list[Migration]:
    """Return the baseline and the numbered files, in order.

    Raises:
        MigrationError: a number is missing or used twice.
    """
    root = files("everword.db")
    parts = tuple(
        (name, root.joinpath("schema", f"{name}.sql").read_text(encoding="utf-8"))
        for name in BASELINE
    )
    found = [
        Migration(int(match[1]), match[2], entry.read_text(encoding="utf-8"))
        for entry in root.joinpath("migrations").iterdir()
        if (match := _FILE.fullmatch(entry.name))
    ]
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(2, len(found) + 2)):
        raise MigrationError("migrations are not numbered 0002, 0003, … without gaps")
    return [Migration(1, "baseline", "\n".join(text for _, text in parts), parts), *found]


@cache
def latest_version() -> int:
    """Return the number of the newest migration; the files do not change while this runs."""
    return load_migrations()[-1].number


@cache
def required_version() -> int:
    """Return the version of the schema that services need; post migrations may still be to come."""
    return max(migration.number for migration in load_migrations() if not migration.is_post)


def migrate(
    admin_url: str,
    partitions: int | None = None,
    to: int | None = None,
    *,
    post: bool = True,
    distributed: bool = False,
    begun: Callable[[Migration], None] = lambda migration: None,
    placing: Callable[[str], None] = lambda table: None,
) -> list[Migration]:
    """Bring the schema up to date, or to version `to`, and return the applied migrations.

    `partitions` is the hash modulus of the partitioned tables; it counts on the first run only. Post migrations come
    last, and are left out if `post` is False; `begun` is called before each migration. With `distributed`, or if the
    database is distributed already, new tables are distributed over the nodes of Citus, each with a single partition;
    `placing` is called before each of them.

    Raises:
        MigrationError: an applied file has changed since, or the database is newer than this code.
        DistributionError: the database cannot be distributed.
    """
    with psycopg.connect(admin_url, autocommit=True) as conn:
        _wait_for_turn(conn)
        distributed = distributed or is_distributed(conn)
        if distributed:
            ensure_distributable(conn)
            partitions = 1
        conn.execute(_BOOTSTRAP)
        conn.execute(_SESSION)
        if partitions is not None:
            conn.execute("SELECT set_config('everword.partitions', %s, false)", [str(partitions)])
        pending = list(_pending(conn, load_migrations()))
        requested = [migration for migration in pending if to is None or migration.number <= to]
        first = [migration for migration in requested if not migration.is_post]
        last = [migration for migration in requested if migration.is_post and post]
        for migration in first:
            begun(migration)
            _apply_baseline(conn, migration) if migration.files else _apply(conn, migration)
        if distributed:
            distribute(conn, placing)
        if to is None:
            # pgvector may have been installed since the last run.
            conn.execute("SELECT upgrade_vector_tables()")
            _load_prices(conn)
        for migration in last:
            begun(migration)
            _apply_post(conn, migration)
        return first + last


def _wait_for_turn(conn: psycopg.Connection) -> None:
    """Take the lock once no other runner has it.

    Not by a statement that waits: it would hold a snapshot, for which an index that the other one makes waits in turn.
    """
    while conn.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK]).fetchone() != (True,):
        time.sleep(_TURN_S)


def _pending(conn: psycopg.Connection, known: list[Migration]) -> Iterator[Migration]:
    rows = conn.execute("SELECT number, sha256 FROM schema_migrations").fetchall()
    applied: dict[int, str] = dict(rows)
    if max(applied, default=0) > len(known):
        raise MigrationError(
            f"the database has schema version {max(applied)} and this code knows {len(known)}; "
            "run a newer release"
        )
    for migration in known:
        if migration.number not in applied:
            yield migration
        elif applied[migration.number] != migration.sha256:
            raise MigrationError(
                f"migration {migration.number:04} has changed since it was applied; add a new one instead"
            )


def _apply(conn: psycopg.Connection, migration: Migration) -> None:
    def apply() -> None:
        with conn.transaction():
            conn.execute(migration.sql.encode())
            _record(conn, migration)

    _retried(apply)


def _apply_baseline(conn: psycopg.Connection, migration: Migration) -> None:
    """Apply the files that an interrupted run has not applied.

    One transaction for all files would need more locks than PostgreSQL has by default, if there are many partitions.
    """
    conn.execute(_BASELINE_FILES)
    applied: dict[str, str] = dict(
        conn.execute("SELECT name, sha256 FROM baseline_files").fetchall()
    )
    for name, text in migration.files:
        if name not in applied:
            _retried(partial(_apply_file, conn, name, text))
        elif applied[name] != _sha256(text):
            raise MigrationError(
                f"an interrupted run of another release applied schema/{name}.sql; the schema contains no data yet: "
                "drop it (DROP SCHEMA everword CASCADE) and run the migration again"
            )
    with conn.transaction():
        conn.execute("DROP TABLE baseline_files")
        _record(conn, migration)


def _apply_file(conn: psycopg.Connection, name: str, text: str) -> None:
    with conn.transaction():
        if name != "access":
            # Roles must exist on each node before its tables name them. The other objects follow their tables.
            conn.execute("SET LOCAL citus.enable_ddl_propagation = off")
        conn.execute(text.encode())
        conn.execute("INSERT INTO baseline_files VALUES (%s, %s)", [name, _sha256(text)])


def _apply_post(conn: psycopg.Connection, migration: Migration) -> None:
    for statement in migration.statements:
        _retried(partial(_take_step, conn, statement))
    _record(conn, migration)


def _take_step(conn: psycopg.Connection, statement: str) -> None:
    """Run a statement of a post migration, which was perhaps begun before."""
    if match := _CONCURRENT_INDEX.fullmatch(statement):
        unique, name, table, form = match.groups()
        index = Index(name, table, form, unique is not None)
        build_parts(conn, index)
        statement = index.created("IF NOT EXISTS")
    conn.execute(_SESSION)
    conn.execute(statement.encode())


def _record(conn: psycopg.Connection, migration: Migration) -> None:
    conn.execute(_RECORD, [migration.number, migration.name, migration.sha256])


def _retried(step: Callable[[], None]) -> None:
    """Repeat a step after a pause if another transaction holds a lock that it needs; writers continue meanwhile."""
    for attempt in range(1, LOCK_ATTEMPTS + 1):
        try:
            return step()
        except (errors.LockNotAvailable, errors.DeadlockDetected):
            if attempt == LOCK_ATTEMPTS:
                raise
            time.sleep(min(0.2 * attempt, LOCK_PAUSE_S))
    return None


def _load_prices(conn: psycopg.Connection) -> None:
    """Put the prices that come with this release in the place of those of the last one."""
    shipped = shipped_prices()
    rows = [
        [each.model, each.provider, each.valid_from, each.input, each.cached_input, each.output]
        for each in shipped.prices
    ]
    with conn.transaction():
        conn.execute("DELETE FROM model_prices WHERE shipped")
        conn.cursor().executemany(
            "INSERT INTO model_prices (currency, shipped, model, provider, valid_from, input_price, "
            "cached_input_price, output_price) VALUES (%s, true, %s, %s, %s, %s, %s, %s)",
            [[shipped.currency, *row] for row in rows],
        )


def create_service_login(admin_url: str, login: str, password: str) -> None:
    """Make `login` a user that may act as every service, and as nothing else; safe to repeat."""
    with psycopg.connect(admin_url, autocommit=True) as conn:
        known = conn.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [login]).fetchone()
        verb = sql.SQL("ALTER" if known else "CREATE")
        conn.execute(
            # NOINHERIT: without taking a service's role, the login can do nothing.
            sql.SQL("{} ROLE {} LOGIN NOINHERIT PASSWORD {}").format(
                verb, sql.Identifier(login), sql.Literal(password)
            )
        )
        for role in SERVICE_ROLES + SCOPED_ROLES:
            conn.execute(
                sql.SQL("GRANT {} TO {}").format(sql.Identifier(role), sql.Identifier(login))
            )
