"""A database for every test, cloned from one that is migrated once per run.

A distributed database is cloned on each node of its Citus cluster; the clones find each other by their name.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from everword.db.migrate import create_service_login, migrate
from everword.db.settings import DatabaseSettings

LOGIN = "everword"
PASSWORD = "for-tests"
_numbers = count()
#: Owner's URLs of the workers by that of the coordinator, of distributed templates.
_workers: dict[str, tuple[str, ...]] = {}
_END_PROCESSES = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s"


@dataclass(frozen=True)
class DatabaseUnderTest:
    """URLs and settings of a test's database."""

    admin_url: str
    service_url: str

    def settings(self, service: str) -> DatabaseSettings:
        return DatabaseSettings(
            url=self.service_url, role=f"everword_{service}", pool_min=1, pool_max=8
        )

    def connect(self) -> psycopg.Connection:
        """Connect as the owner, who sees all rows.

        A statement waits at most 20 s for a lock: the lock's owner may need the event loop that the statement blocks.
        """
        return psycopg.connect(
            self.admin_url,
            autocommit=True,
            options="-c search_path=everword,public -c lock_timeout=20s",
        )


def prepare_template(admin_url: str) -> None:
    """Migrate the server's own database, which serves as the template."""
    _make_logins_cheap(admin_url)
    migrate(admin_url)
    create_service_login(admin_url, LOGIN, PASSWORD)


def prepare_distributed_template(coordinator: str, workers: tuple[str, ...]) -> None:
    """Migrate the empty database of a Citus cluster, which serves as the template."""
    migrate(coordinator, distributed=True)
    create_service_login(coordinator, LOGIN, PASSWORD)
    _workers[coordinator] = workers
    for url in (coordinator, *workers):
        # Otherwise each node would wait 5 s for it before the first clone.
        with _maintenance(url) as node:
            node.execute(_END_PROCESSES, [urlsplit(url).path.lstrip("/")])


def _make_logins_cheap(admin_url: str) -> None:
    """Use cheap password hashes: a stack logs in a dozen times, and each login would take 2 ms of hashing."""
    parts = urlsplit(admin_url)
    owner = sql.Identifier(parts.username or "")
    with psycopg.connect(admin_url, autocommit=True) as conn:
        conn.execute("SET scram_iterations = 1")
        conn.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(owner, parts.password or ""))
        conn.execute(sql.SQL("ALTER ROLE {} SET scram_iterations = 1").format(owner))


@contextmanager
def empty_database(server_url: str) -> Iterator[str]:
    """Yield the owner's URL of a database without a schema, and drop it."""
    with _created(server_url, template="template0") as name:
        yield urlsplit(server_url)._replace(path=f"/{name}").geturl()


@contextmanager
def weak_owner(database_url: str) -> Iterator[str]:
    """Yield the URL of a role that may only connect to a database; drop the role and its objects afterwards."""
    parts = urlsplit(database_url)
    name = f"weak_{next(_numbers)}"
    with psycopg.connect(database_url, autocommit=True) as conn:
        role = sql.Identifier(name)
        conn.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(role, sql.Literal(PASSWORD))
        )
        try:
            address = parts.netloc.rpartition("@")[2]
            yield parts._replace(netloc=f"{name}:{PASSWORD}@{address}").geturl()
        finally:
            conn.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(role))
            conn.execute(sql.SQL("DROP ROLE {}").format(role))


@contextmanager
def cloned(server_url: str) -> Iterator[DatabaseUnderTest]:
    """Clone the template, yield the clone, and drop it."""
    parts = urlsplit(server_url)
    with _created(server_url, template=parts.path.lstrip("/")) as name:
        address = parts.netloc.rpartition("@")[2]
        yield DatabaseUnderTest(
            admin_url=parts._replace(path=f"/{name}").geturl(),
            service_url=f"postgresql://{LOGIN}:{PASSWORD}@{address}/{name}",
        )


@contextmanager
def migrated(server_url: str, partitions: int) -> Iterator[DatabaseUnderTest]:
    """Yield a database with `partitions` partitions, and drop it afterwards."""
    with empty_database(server_url) as url:
        migrate(url, partitions=partitions)
        yield database_of(url)


def database_of(admin_url: str) -> DatabaseUnderTest:
    """Return a database by its owner's URL, with the usual logins of the services."""
    parts = urlsplit(admin_url)
    address = parts.netloc.rpartition("@")[2]
    return DatabaseUnderTest(admin_url, f"postgresql://{LOGIN}:{PASSWORD}@{address}{parts.path}")


@contextmanager
def _created(server_url: str, template: str) -> Iterator[str]:
    name = f"test_{next(_numbers)}"
    workers = () if template == "template0" else _workers.get(server_url, ())
    with ExitStack() as stack:
        nodes = [stack.enter_context(_maintenance(url)) for url in (server_url, *workers)]
        threads = stack.enter_context(ThreadPoolExecutor(len(nodes)))
        try:
            list(threads.map(lambda node: _clone(node, name, template), nodes))
            if workers:
                _send_settings_to_nodes(nodes[0], name)
            yield name
        finally:
            if workers:
                # Citus' process on one node would start the one of another node again.
                list(threads.map(lambda node: node.execute(_END_PROCESSES, [name]), nodes))
            list(threads.map(lambda node: _drop(node, name), nodes))


def _maintenance(server_url: str) -> psycopg.Connection:
    url = urlsplit(server_url)._replace(path="/postgres").geturl()
    return psycopg.connect(url, autocommit=True)


def _clone(node: psycopg.Connection, name: str, template: str) -> None:
    statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY")
    # A vacuum of the template was cancelled, and on a busy machine ends later than the server waits for it.
    _run_twice(node, statement.format(sql.Identifier(name), sql.Identifier(template)), template)


def _drop(node: psycopg.Connection, name: str) -> None:
    statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
    _run_twice(node, statement.format(sql.Identifier(name)), name)


def _run_twice(node: psycopg.Connection, statement: sql.Composed, used: str) -> None:
    """Run a statement again after ending all processes of database `used` if they prevented it."""
    try:
        node.execute(statement)
    except psycopg.errors.ObjectInUse:
        node.execute(_END_PROCESSES, [used])
        node.execute(statement)


def _send_settings_to_nodes(coordinator: psycopg.Connection, name: str) -> None:
    """Repeat the setting of the distributed template: a database is cloned without its settings."""
    coordinator.execute(
        sql.SQL("ALTER DATABASE {} SET citus.propagate_set_commands = 'local'").format(
            sql.Identifier(name)
        )
    )
