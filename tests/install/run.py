"""Runs installed services as images and units do: as an unprivileged user with a minimal environment."""

from __future__ import annotations

import ctypes
import os
import secrets
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from everword.embedded.ports import free_ports
from everword.embedded.postgres import EmbeddedPostgres
from everword.embedded.valkey import EmbeddedValkey
from everword.rpc.settings import PORTS
from everword_web.settings import ADDRESSES
from install.prefix import Prefix

NOBODY = 10001
READY_S = 60.0
STOP_S = 20.0
_NO_NEW_PRIVS, _MDWE = 38, 65


def run(folder: Path, prefixes: dict[str, Prefix]) -> None:
    """Start the installed services with a database of their own; with `cli` and all services, run `everword doctor`.

    Ends the process if a service does not start, is unhealthy, or does not stop on request.
    """
    names = (*PORTS, *ADDRESSES, "postgres", "valkey")
    ports = dict(zip(names, free_ports(len(names)), strict=True))
    postgres = EmbeddedPostgres(folder / "postgres", ports["postgres"], durable=False)
    valkey = EmbeddedValkey(folder / "valkey", ports["valkey"], durable=False)
    folder.joinpath("tmp").mkdir()
    folder.joinpath("tmp").chmod(0o1777)
    with ExitStack() as running:
        running.enter_context(postgres.running())
        running.enter_context(valkey.running())
        environment = _environment(folder, postgres.admin_url, valkey.url, ports)
        if cli := prefixes.get("cli"):
            _once(
                _migration(cli), environment | {"EVERWORD_ADMIN_DATABASE_URL": postgres.admin_url}
            )
        elif set(PORTS) & set(prefixes):
            sys.exit("services need a database: name cli too, which migrates it")
        for name, prefix in prefixes.items():
            if name != "cli":
                running.enter_context(_running(prefix, ports, environment))
        if cli and {*PORTS, "cli"} <= set(prefixes):
            asked = environment | {"EVERWORD_API_KEY": environment["EVERWORD_ADMIN_KEY"]}
            _once([cli.program("everword"), "doctor", "--write"], asked)


def _migration(cli: Prefix) -> list[str]:
    return [cli.program("everword"), "migrate", "--service-login", "everword_services"]


def _environment(folder: Path, owner: str, valkey: str, ports: dict[str, int]) -> dict[str, str]:
    password = secrets.token_hex(12)
    parts = urlsplit(owner)
    login = parts._replace(netloc=f"everword_services:{password}@127.0.0.1:{ports['postgres']}")
    return {
        "TMPDIR": str(folder / "tmp"),
        "HOME": str(folder / "tmp"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "EVERWORD_DATABASE_URL": login.geturl(),
        "EVERWORD_SERVICE_PASSWORD": password,
        "EVERWORD_REDIS_URL": valkey,
        "EVERWORD_ADMIN_KEY": secrets.token_hex(24),
        "EVERWORD_INTERNAL_TOKEN": secrets.token_hex(24),
        **{f"EVERWORD_{name.upper()}_ADDRESS": f"127.0.0.1:{ports[name]}" for name in PORTS},
    }


def _confine() -> None:
    """Drop this process's rights as images and units do: no new privileges, and no memory both writable and
    executable.
    """
    prctl = ctypes.CDLL(None).prctl
    prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    prctl(_MDWE, 1, 0, 0, 0)  # Unknown to kernels before 6.3.
    if os.getuid() == 0 and _reached_by_all(Path(sys.executable).resolve()):
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def _reached_by_all(program: Path) -> bool:
    """Return whether an unprivileged user can reach a program: Python may be in root's own folder."""
    return all(folder.stat().st_mode & 0o001 for folder in program.parents)


def _once(command: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(command, env=environment, cwd="/", preexec_fn=_confine, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: ended with status {done.returncode}")


@contextmanager
def _running(
    prefix: Prefix, ports: Mapping[str, int], environment: dict[str, str]
) -> Iterator[None]:
    """Run a service while the block lasts: wait until it is healthy, and check that it stops on request."""
    if prefix.name == "web":
        served = [f"--{name}=0.0.0.0:{ports[name]}" for name in ADDRESSES]
        command = [prefix.program("everword-web"), *served]
    else:
        environment = environment | {"EVERWORD_LISTEN": f"0.0.0.0:{ports[prefix.name]}"}
        command = [prefix.program("python"), "-P", "-m", f"everword_{prefix.name}"]
    process = subprocess.Popen(command, env=environment, cwd="/", preexec_fn=_confine)
    try:
        until = time.monotonic() + READY_S
        while not _healthy(prefix, ports, environment):
            if process.poll() is not None or time.monotonic() > until:
                sys.exit(f"{prefix.name} does not get healthy")
            time.sleep(0.5)
        yield
        process.send_signal(signal.SIGTERM)
        if status := process.wait(STOP_S):
            sys.exit(f"{prefix.name} ended with status {status}")
    finally:
        process.kill()


def _healthy(prefix: Prefix, ports: Mapping[str, int], environment: dict[str, str]) -> bool:
    """Check the health as the image does."""
    if prefix.name == "web":
        return all(_answers(ports[name]) for name in ADDRESSES)
    probe = [prefix.program("python"), "-P", "-m", "everword.rpc.probe"]
    asked = subprocess.run(probe, env=environment, cwd="/", capture_output=True, check=False)
    return asked.returncode == 0


def _answers(port: int) -> bool:
    # With an address of the cluster as the host, as a kubelet sends it; health checks do not come from browsers.
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/healthz", headers={"host": "10.1.2.3"}
    )
    try:
        with urllib.request.urlopen(request, timeout=4) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
