"""`python -P -m everword.embedded.fork_server MODULE…`: imports modules once, and forks processes that run them.

The four services and their workers import mostly the same modules: one process for each would import them six times,
and keep six copies in memory. Forked processes share the imported modules' memory until they change it.

Requests come on standard input and replies go to standard output, one JSON object a line (see `Request`). The server
ends when its standard input does. It has one thread and no connections, since a fork copies neither other threads nor
the state of a connection: a module that it imports must not start threads or open anything when it is imported.
"""

import atexit
import ctypes
import gc
import json
import os
import signal
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from runpy import run_module
from typing import TypedDict

#: Number of prctl(2) for the signal that a process gets when its parent ends.
_PR_SET_PDEATHSIG = 1
#: Fields of /proc/self/stat after the command's name: the start and the end of the command line in memory.
_ARG_START, _ARG_END = 45, 46


class Request(TypedDict):
    """A process to fork.

    The reply is `{"started": pid}` or `{"failed": reason}`. At its end `{"ended": pid, "status": …}` follows, in which
    a negative status is the number of the signal that killed it.
    """

    #: Modules to import before the fork, unless they are imported already.
    imports: list[str]
    #: Command line that `ps` shows: the interpreter, its options, `-m`, the module and its arguments.
    argv: list[str]
    #: The whole environment.
    environment: dict[str, str]
    #: File that standard output and standard error are appended to.
    log: str
    #: Signal that the process gets when the fork server ends.
    death_signal: int


class _Exit:
    """Ends a forked process without clearing its modules: that would copy all memory which it shares with others."""

    def __init__(self) -> None:
        #: None in the fork server, which ends in the usual way.
        self.status: int | None = None

    def run(self, argv: list[str]) -> None:
        """Run the module of a command line, and remember the exit status that the interpreter makes of its end."""
        self.status = 1
        try:
            _run(argv)
        except SystemExit as ended:
            if ended.code is None or isinstance(ended.code, int):
                self.status = ended.code or 0
            raise
        self.status = 0

    def end(self) -> None:
        """End a forked process at once. Call it after threads and other exit functions have ended."""
        if self.status is not None:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(self.status)


def main() -> None:
    ending = _Exit()
    # Exit functions run in reverse, so that the first one registered runs last.
    atexit.register(ending.end)
    # Imports leave hardly any garbage, and looking for it takes a fifth of their time.
    gc.disable()
    _import_modules(sys.argv[1:])
    request = _serve()
    if request:
        ending.run(request["argv"])


def _import_modules(names: Iterable[str]) -> None:
    for name in names:
        import_module(name)
    # The collector writes to each object that it looks at, and a forked process would get a copy of its memory page.
    gc.freeze()


def _serve() -> Request | None:
    """Fork a process for each request until standard input ends. Return the request in the forked process."""
    signal.signal(signal.SIGCHLD, lambda number, frame: _report_ended())
    _reply({"ready": os.getpid()})
    with open(0, "rb", closefd=False) as requests:
        for line in requests:
            # A process may end at once; its end must not be reported before its start.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
            request: Request = json.loads(line)
            try:
                _import_modules(request["imports"])
                pid = _fork(request)
            except (OSError, ImportError) as error:
                _reply({"failed": str(error)})
            else:
                if pid is None:
                    return request
                _reply({"started": pid})
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    return None


def _reply(reply: dict[str, object]) -> None:
    # One write of less than PIPE_BUF bytes is atomic; the supervisor may have ended.
    try:
        os.write(1, json.dumps(reply).encode() + b"\n")
    except BrokenPipeError:
        sys.exit(1)


def _report_ended() -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        _reply({"ended": pid, "status": os.waitstatus_to_exitcode(status)})


def _fork(request: Request) -> int | None:
    """Return the process id of a new process once its session and command line are set; None in the new process."""
    server = os.getpid()
    prepared, done = os.pipe()
    pid = os.fork()
    if pid == 0:
        _prepare(request, server)
        os.write(done, b"\n")
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        return None
    os.close(done)
    # Returns at the end of a process that failed before.
    os.read(prepared, 1)
    os.close(prepared)
    return pid


def _prepare(request: Request, server: int) -> None:
    """Give a forked process its own session, standard files, environment and command line."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # A shell without job control starts background commands with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    # Ctrl-C goes to the terminal's whole process group; it is for the supervisor alone.
    os.setsid()
    _end_with_parent(request["death_signal"], server)
    null = os.open(os.devnull, os.O_RDONLY)
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor, target in ((null, 0), (log, 1), (log, 2)):
        os.dup2(descriptor, target)
    os.environ.clear()
    os.environ.update(request["environment"])
    _set_command_line(request["argv"])
    gc.enable()


def _end_with_parent(number: int, parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
        # The parent may have ended before the call.
        if os.getppid() != parent:
            sys.exit(1)


def _set_command_line(argv: list[str]) -> None:
    """Write a command line over the one that the fork server was started with, which is longer."""
    if sys.platform == "linux":
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        start, end = int(fields[_ARG_START]), int(fields[_ARG_END])
        line = b"".join(os.fsencode(part) + b"\0" for part in argv)
        ctypes.memmove(start, line[: end - start].ljust(end - start, b"\0"), end - start)


def _run(argv: list[str]) -> None:
    """Run the module of a command line `python -P -m MODULE ARGUMENT…`, as the interpreter would."""
    module, *arguments = argv[argv.index("-m") + 1 :]
    # Its code runs once more, now as the main module; all that it imports is there.
    for name in (module, f"{module}.__main__"):
        if not hasattr(sys.modules.get(name), "__path__"):
            sys.modules.pop(name, None)
    sys.argv = [module, *arguments]
    run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
