"""Valkey as this package runs it: the real server."""

from pathlib import Path

import psutil
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from everword.embedded.ports import HOST, free_ports
from everword.embedded.valkey import EmbeddedValkey


def make(folder: Path, durable: bool) -> EmbeddedValkey:
    return EmbeddedValkey(folder, free_ports(1)[0], durable=durable)


def test_data_survives_a_restart(tmp_path: Path) -> None:
    first = make(tmp_path / "data folder", durable=True)
    with first.running(), redis.Redis.from_url(first.url) as client:
        client.set("job", "1")
    again = make(tmp_path / "data folder", durable=True)
    with again.running(), redis.Redis.from_url(again.url) as client:
        assert client.get("job") == b"1"


def test_acknowledged_data_survives_kill_9(tmp_path: Path) -> None:
    valkey = make(tmp_path, durable=True)
    with valkey.running() as process, redis.Redis.from_url(valkey.url) as client:
        client.set("job", "1")
        process.kill()
        process.wait()
    with valkey.running(), redis.Redis.from_url(valkey.url) as client:
        assert client.get("job") == b"1"


def test_ephemeral_server_keeps_no_data(tmp_path: Path) -> None:
    valkey = make(tmp_path, durable=False)
    for _ in range(2):
        with valkey.running(), redis.Redis.from_url(valkey.url) as client:
            assert client.get("job") is None
            client.set("job", "1")


def test_connection_without_the_password_is_refused(tmp_path: Path) -> None:
    valkey = make(tmp_path, durable=False)
    with (
        valkey.running() as process,
        redis.Redis(HOST, valkey.port, retry=Retry(NoBackoff(), retries=0)) as stranger,
    ):
        password = (tmp_path / "password").read_text()
        assert password in valkey.url
        assert password not in " ".join(psutil.Process(process.pid).cmdline())
        with pytest.raises(redis.AuthenticationError):
            stranger.ping()
    for name in ("password", "valkey.conf"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
