"""The manifest of a backup: versions, row counts, checksums of its files and of each namespace's messages."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psycopg

from everword.db.migrate import latest_version


class BackupError(Exception):
    """A backup cannot be made or restored; the message says why, and what to do."""


FORMAT = 1
MANIFEST, DUMP, ROLES = "manifest.json", "everword.dump", "roles.json"

#: Hashes the messages of a namespace in order: one hash per message, then per conversation, then over all
#: conversations. Only columns that exist in every schema version are used.
_TRANSCRIPT = """
SELECT encode(sha256(coalesce(string_agg(c.digest, '' ORDER BY c.conversation_id), '')), 'hex'),
       coalesce(sum(c.messages), 0)::bigint
  FROM (SELECT conversation_id, count(*) AS messages,
               sha256(string_agg(sha256(convert_to(jsonb_build_array(
                   id, seq, role, author, content, content_blocks, tool_name, tool_args, tool_result, metadata,
                   external_id, extract(epoch FROM occurred_at))::text, 'UTF8')), '' ORDER BY seq)) AS digest
          FROM everword.messages WHERE namespace_id = %s GROUP BY conversation_id) AS c
"""


@dataclass(frozen=True)
class Transcript:
    """The messages of a namespace."""

    namespace: str
    messages: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The contents of `manifest.json`."""

    format: int
    everword: str
    #: The number of the newest migration.
    schema: int
    #: The major version of PostgreSQL.
    postgres: int
    created_at: str
    #: SHA-256 of each other file in the backup's folder, by name.
    files: dict[str, str]
    #: Rows by table.
    rows: dict[str, int]
    transcripts: list[Transcript]


def read_transcripts(conn: psycopg.Connection) -> list[Transcript]:
    """Return how many messages each namespace has, with a checksum over them in their order."""
    names = conn.execute("SELECT id, name FROM everword.namespaces ORDER BY name").fetchall()
    found = list[Transcript]()
    for id_, name in names:
        row = conn.execute(_TRANSCRIPT.encode(), [id_]).fetchone()
        assert row is not None
        found.append(Transcript(name, row[1], row[0]))
    return found


def count_rows(conn: psycopg.Connection) -> dict[str, int]:
    """Return how many rows each table has."""
    tables = conn.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'everword'::regnamespace AND relkind IN ('r', 'p') "
        "AND NOT relispartition ORDER BY relname"
    ).fetchall()
    return {name: _count(conn, name) for (name,) in tables}


def _count(conn: psycopg.Connection, table: str) -> int:
    row = conn.execute(f'SELECT count(*) FROM everword."{table}"'.encode()).fetchone()
    return int(row[0]) if row else 0


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    fields = asdict(manifest)
    text = json.dumps({**fields, "sha256": _digest(fields)}, ensure_ascii=False, indent=2)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def _digest(fields: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a backup whose files are whole. Raises BackupError."""
    try:
        read: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if read.pop("sha256") != _digest(read):
            raise ValueError("its checksum is another")
        manifest = Manifest(
            **{**read, "transcripts": [Transcript(**each) for each in read["transcripts"]]}
        )
    except FileNotFoundError:
        raise BackupError(
            f"{folder} holds no {MANIFEST}: it is not a backup, or is incomplete"
        ) from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BackupError(
            f"{folder / MANIFEST} is damaged, {error}: take another copy of the backup"
        ) from error
    if manifest.format > FORMAT or manifest.schema > latest_version():
        raise BackupError(
            f"the backup is of Everword {manifest.everword}, schema {manifest.schema}, and this one knows "
            f"{latest_version()}: restore it with that release or a newer one"
        )
    for name, digest in manifest.files.items():
        path = folder / name
        if not path.exists():
            raise BackupError(f"{path} is missing: take another copy of the backup")
        if file_sha256(path) != digest:
            raise BackupError(
                f"{path} is damaged, its checksum is wrong: take another copy of the backup"
            )
    return manifest
