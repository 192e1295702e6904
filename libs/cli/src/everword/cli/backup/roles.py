"""The roles that act as services: they belong to the server, and not to its databases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg import errors, sql

from everword.cli.backup.manifest import BackupError
from everword.db.migrate import SCHEMA_ROLES

_MEMBERS = """
SELECT m.rolname, m.rolcanlogin, m.rolinherit, array_agg(r.rolname ORDER BY r.rolname)
  FROM pg_auth_members a JOIN pg_roles r ON r.oid = a.roleid JOIN pg_roles m ON m.oid = a.member
 WHERE r.rolname = ANY(%s) AND NOT m.rolsuper AND (a.set_option OR a.inherit_option) GROUP BY 1, 2, 3 ORDER BY 1
"""


def read_roles(conn: psycopg.Connection) -> list[dict[str, Any]]:
    """Return the roles that are members of the services' roles, with password hashes if the caller is a superuser."""
    hashes = dict[str, str]()
    if conn.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone() == (
        True,
    ):
        hashes = dict(conn.execute("SELECT rolname, rolpassword FROM pg_authid").fetchall())
    members = conn.execute(_MEMBERS, [list(SCHEMA_ROLES)]).fetchall()
    return [
        {
            "name": name,
            "login": login,
            "inherit": inherit,
            "password": hashes.get(name),
            "acts_as": roles,
        }
        for name, login, inherit, roles in members
    ]


_GRANTED = """
SELECT r.rolname FROM pg_auth_members a JOIN pg_roles r ON r.oid = a.roleid JOIN pg_roles m ON m.oid = a.member
 WHERE m.rolname = %s
"""


def restore_roles(conn: psycopg.Connection, roles: Sequence[dict[str, Any]]) -> list[str]:
    """Create the missing roles in one transaction; return the names of login roles that have no password.

    Raises: BackupError if the caller may not create roles; its message contains the statements for a superuser.
    """
    known = {name for (name,) in conn.execute("SELECT rolname FROM pg_roles").fetchall()}
    create, grant = sql.SQL("CREATE ROLE {} {}"), sql.SQL("GRANT {} TO {}")
    missing = sorted(set(SCHEMA_ROLES) - known)
    statements = [create.format(sql.Identifier(each), sql.SQL("NOLOGIN")) for each in missing]
    passwords = list[sql.Composed]()
    without = list[str]()
    for role in roles:
        name = sql.Identifier(role["name"])
        if role["name"] not in {*known, *SCHEMA_ROLES}:
            login = "LOGIN" if role["login"] else "NOLOGIN"
            inherit = "INHERIT" if role["inherit"] else "NOINHERIT"
            statements.append(create.format(name, sql.SQL(f"{login} {inherit}")))
            if role["password"]:
                password = sql.Literal(role["password"])
                passwords.append(sql.SQL("ALTER ROLE {} PASSWORD {}").format(name, password))
            elif role["login"]:
                without.append(role["name"])
        # An owner who is not a superuser cannot repeat grants that an operator has already made, so these are skipped.
        granted = {each for (each,) in conn.execute(_GRANTED, [role["name"]]).fetchall()}
        statements += [
            grant.format(sql.Identifier(each), name)
            for each in sorted(set(role["acts_as"]) - granted)
        ]
    try:
        with conn.transaction():
            for statement in (*statements, *passwords):
                conn.execute(statement)
    except errors.InsufficientPrivilege as error:
        words = "; ".join(each.as_string() for each in statements)
        raise BackupError(
            f"{conn.info.user} may not create or grant the services' roles: have a superuser run: {words}"
        ) from error
    return without
