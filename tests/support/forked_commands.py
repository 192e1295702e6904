"""`python -m support.forked_commands`: imports the command `everword` once, and forks a process for each call.

A command takes 0.6 s of CPU time to import its modules; tests call it hundreds of times.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import BinaryIO

_TESTS = Path(__file__).resolve().parents[1]
#: Bytes of arguments and environment together.
_MAX_REQUEST = 1 << 20


@cache
def _control() -> socket.socket:
    """Start the server of this process, which ends with it; return the socket for requests."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        server = subprocess.Popen(
            [sys.executable, "-m", "support.forked_commands", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            # A thread of OpenBLAS would be missing in forked processes.
            env={**os.environ, "PYTHONPATH": str(_TESTS), "OPENBLAS_NUM_THREADS": "1"},
        )
    atexit.register(server.wait)
    atexit.register(ours.close)
    return ours


def run_forked(
    argv: Sequence[str], environment: Mapping[str, str], given: bytes, timeout_s: float
) -> tuple[int, bytes, bytes]:
    """Run `everword` with `given` at its standard input; return its status, output and errors.

    A negative status is the number of the signal that ended it. Raises TimeoutError; the command then goes on.
    """
    with (
        tempfile.TemporaryFile() as stdin,
        tempfile.TemporaryFile() as stdout,
        tempfile.TemporaryFile() as stderr,
    ):
        stdin.write(given)
        stdin.seek(0)
        status = _status([stdin, stdout, stderr], argv, environment, timeout_s)
        stdout.seek(0)
        stderr.seek(0)
        return status, stdout.read(), stderr.read()


def _status(
    files: list[BinaryIO], argv: Sequence[str], environment: Mapping[str, str], timeout_s: float
) -> int:
    request = {"argv": argv, "environment": dict(environment), "folder": os.getcwd()}
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            sent = [*(each.fileno() for each in files), theirs.fileno()]
            socket.send_fds(_control(), [json.dumps(request).encode()], sent)
        ours.settimeout(timeout_s)
        return int(ours.recv(16))


def main(control: socket.socket) -> None:
    """Fork a process for each request until the other end of `control` is closed."""
    import_module("everword.cli.main")
    package = import_module("everword.cli")
    for module in pkgutil.walk_packages(package.__path__, "everword.cli."):
        import_module(module.name)
    # The collector would write to, and thereby copy, the memory that forked processes share.
    gc.collect()
    gc.freeze()
    while True:
        flags = socket.MSG_CMSG_CLOEXEC
        request, descriptors, _, _ = socket.recv_fds(control, _MAX_REQUEST, 4, flags)
        if not request:
            return
        watcher = os.fork()
        if watcher == 0:
            control.close()
            _watch(json.loads(request), descriptors)
            return
        for descriptor in descriptors:
            os.close(descriptor)
        _reap()


def _watch(request: dict[str, object], descriptors: list[int]) -> None:
    """Fork the command. Return in its process; in this one, report its status and exit."""
    *files, reply = descriptors
    command = os.fork()
    if command:
        _, status = os.waitpid(command, 0)
        os.write(reply, str(os.waitstatus_to_exitcode(status)).encode())
        os._exit(0)
    for number, descriptor in enumerate(files):
        os.dup2(descriptor, number)
    for descriptor in descriptors:
        os.close(descriptor)
    environment, argv = request["environment"], request["argv"]
    assert isinstance(environment, dict)
    assert isinstance(argv, list)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(str(request["folder"]))
    sys.argv = argv
    import_module("everword.cli.main").main()


def _reap() -> None:
    """Let watchers that have ended go."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
