"""The checks: those of `checks/*.sql`, and that all references of rows exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

import psycopg

from everword.db.kind_fragments import fill_kinds

_HEADER = re.compile(r"^-- (\w+) --\n((?:--.*\n)+)", re.MULTILINE)
_FIELDS = re.compile(r"^-- (over|holds|do): ", re.MULTILINE)
DATABASE, NAMESPACE = "database", "namespace"

#: Columns of foreign keys between tables of a namespace, without that of the namespace.
_REFERENCES = """
SELECT c.conrelid::regclass::text AS child, c.confrelid::regclass::text AS parent,
       a.attname AS child_column, f.attname AS parent_column,
       (SELECT k.attname FROM pg_index i JOIN pg_attribute k ON k.attrelid = i.indrelid AND k.attnum = i.indkey[1]
         WHERE i.indrelid = c.conrelid AND i.indisprimary AND k.atttypid IN ('uuid'::regtype, 'bigint'::regtype)) AS key
  FROM pg_constraint c
  JOIN pg_class t ON t.oid = c.conrelid AND NOT t.relispartition
  JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[2]
  JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = c.confkey[2]
 WHERE c.contype = 'f' AND c.connamespace = 'everword'::regnamespace AND cardinality(c.conkey) = 2 AND c.conparentid = 0
 ORDER BY 1, 3
"""


@dataclass(frozen=True)
class Check:
    """A condition on stored data, with the statement that finds violations."""

    name: str
    #: `database`, `namespace`, or a table.
    over: str
    #: The column by which the table is walked.
    key: str
    holds: str
    #: Advice for violations.
    remedy: str
    sql: str


def load_checks() -> list[Check]:
    """Return the checks of all files, in the order of the files' names."""
    found = list[Check]()
    for entry in sorted(
        files(__package__).joinpath("checks").iterdir(), key=lambda each: each.name
    ):
        if entry.name.endswith(".sql"):
            found += _parse(entry.read_text(encoding="utf-8"))
    return found


def _parse(text: str) -> Iterator[Check]:
    headers = list(_HEADER.finditer(text))
    for header, following in zip(headers, [*headers[1:], None], strict=True):
        parts = _FIELDS.split(header[2])
        fields = {
            name: " ".join(line.removeprefix("--").strip() for line in value.splitlines())
            for name, value in zip(parts[1::2], parts[2::2], strict=True)
        }
        over, _, key = fields["over"].partition(" by ")
        body = text[header.end() : following.start() if following else len(text)]
        sql = fill_kinds(body.strip().removesuffix(";"))
        yield Check(header[1], over, key, fields["holds"], fields["do"], sql)


def reference_checks(conn: psycopg.Connection) -> list[Check]:
    """Return a check for each foreign key: a copy that was restored in part, or a broken disk, may not hold it."""
    return [_reference(*row) for row in conn.execute(_REFERENCES).fetchall()]


def _reference(child: str, parent: str, column: str, parent_column: str, key: str | None) -> Check:
    within = f"AND t.{key} > %(after)s AND t.{key} <= %(last)s" if key else ""
    return Check(
        "references",
        child if key else NAMESPACE,
        key or "",
        "The row that a foreign key refers to exists.",
        "Restore the missing row from a backup, or delete the one that refers to it.",
        f"SELECT t.{key or column}::text AS id, format('{child}.{column}: no %%s in {parent}', t.{column}) AS detail"
        f"  FROM {child} t WHERE t.namespace_id = %(namespace_id)s {within} AND t.{column} IS NOT NULL"
        f"   AND NOT EXISTS (SELECT FROM {parent} p"
        f"                    WHERE p.namespace_id = t.namespace_id AND p.{parent_column} = t.{column})",
    )
