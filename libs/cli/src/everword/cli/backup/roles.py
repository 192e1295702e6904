"""The roles that act as services: they belong to the server, and not to its databases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg import sql

from everword.db.migrate import SCHEMA_ROLES

_MEMBERS = """
SELECT m.rolname, m.rolcanlogin, m.rolinherit, array_agg(r.rolname ORDER BY r.rolname)
  FROM pg_auth_members a JOIN pg_roles r ON r.oid = a.roleid JOIN pg_roles m ON m.oid = a.member
 WHERE r.rolname = ANY(%s) AND NOT m.rolsuper AND (a.set_option OR a.inherit_option) GROUP BY 1, 2, 3 ORDER BY 1
"""


def read_roles(conn: psycopg.Connection) -> list[dict[str, Any]]:
    """Return who may act as the services, with hashes of passwords where the caller may read them."""
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
    """Make the roles that are missing, and return the names of those that may log in and have no password yet."""
    known = {name for (name,) in conn.execute("SELECT rolname FROM pg_roles").fetchall()}
    for missing in sorted(set(SCHEMA_ROLES) - known):
        conn.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(missing)))
    known.update(SCHEMA_ROLES)
    without = list[str]()
    for role in roles:
        name = sql.Identifier(role["name"])
        if role["name"] not in known:
            options = (
                "LOGIN" if role["login"] else "NOLOGIN",
                "INHERIT" if role["inherit"] else "NOINHERIT",
            )
            conn.execute(sql.SQL("CREATE ROLE {} {} {}").format(name, *map(sql.SQL, options)))
            if role["password"]:
                conn.execute(
                    sql.SQL("ALTER ROLE {} PASSWORD {}").format(name, sql.Literal(role["password"]))
                )
            elif role["login"]:
                without.append(role["name"])
        # What an operator has granted already, an owner who is no superuser may not grant.
        granted = {each for (each,) in conn.execute(_GRANTED, [role["name"]]).fetchall()}
        for service in sorted(set(role["acts_as"]) - granted):
            conn.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(service), name))
    return without
