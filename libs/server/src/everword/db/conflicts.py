"""Errors of a transaction that met a concurrent one, and succeeds when it is repeated."""

from __future__ import annotations

import psycopg

#: Statements read a row before they refer to it, and delete what refers to a row before the row. So a foreign key is
#: violated only if a concurrent transaction deleted the row, or referred to it, in between.
#: RestrictViolation is the same for keys with ON DELETE RESTRICT, from PostgreSQL 18 on.
WRITE_CONFLICTS = (
    psycopg.errors.SerializationFailure,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.ForeignKeyViolation,
    psycopg.errors.RestrictViolation,
)
