"""Rights of each service in the database, independent of its code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest

from everword.db.pool import Database
from support.calls import append
from support.databases import DatabaseUnderTest, cloned
from support.isolation import ISOLATED, NOT_ISOLATED, SERVICES, VIEWS
from support.stack import running_stack

ROLES = [f"everword_{service}" for service in SERVICES]
#: Columns of passages that statements filter by or return.
READ = (
    *("namespace_id", "id", "lexeme_count", "kind", "source_id", "part", "content"),
    *("valid_until", "known_until"),
)
#: Prefix of every policy.
OWN_ROWS = "namespace_id = (NULLIF(current_setting('everword.namespace_id'::text, true), ''::text))::bigint"
PRIVILEGES = "SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER"


@pytest.fixture(scope="module")
def database(postgres_url: str) -> Iterator[DatabaseUnderTest]:
    """A database for all tests, which only read."""
    with cloned(postgres_url) as database:
        yield database


@pytest.fixture
def owner(database: DatabaseUnderTest) -> Iterator[psycopg.Connection]:
    with database.connect() as conn:
        yield conn


def _names(conn: psycopg.Connection, query: str, *parameters: object) -> set[str]:
    return {name for (name,) in conn.execute(query.encode(), parameters)}


def test_every_namespaced_table_with_content_has_row_level_security(
    owner: psycopg.Connection,
) -> None:
    tables = """SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
                 WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p')
                   AND NOT c.relispartition AND a.attname = 'namespace_id' AND c.relrowsecurity = """
    assert _names(owner, tables + "true") == ISOLATED - VIEWS
    assert _names(owner, tables + "false") == NOT_ISOLATED


def test_each_role_has_one_permissive_policy_per_table_restricted_to_the_namespace(
    owner: psycopg.Connection,
) -> None:
    """Several policies of a role would be combined by OR, and Citus treats restrictive ones as permissive."""
    rows = owner.execute(
        "SELECT tablename, permissive, cmd, unnest(roles)::text, qual, with_check FROM pg_policies"
    ).fetchall()
    assert {permissive for _, permissive, *_ in rows} == {"PERMISSIVE"}
    for table, _, command, role, condition, check in rows:
        assert command == ("INSERT" if condition is None else "ALL")
        for each in filter(None, (condition, check)):
            assert each.lstrip("(").startswith(OWN_ROWS), (table, role)
            assert " OR " not in _outside_parentheses(each), (table, role)
    per_role = Counter((table, role) for table, _, _, role, _, _ in rows)
    assert set(per_role.values()) == {1}
    policies = set(per_role)
    assert {role for _, role in policies} == {*ROLES, "everword_scoped"}
    for table in ISOLATED - VIEWS - {"summaries"}:
        assert {(table, role) for role in ROLES} <= policies


def _outside_parentheses(condition: str) -> str:
    """Return a condition without parts at least two parentheses deep."""
    depth, outside = 0, ""
    for character in condition:
        depth += (character == "(") - (character == ")")
        outside += character if depth < 2 else ""
    return outside


@pytest.mark.parametrize("role", ["everword_ingest", "everword_search"])
def test_scoped_role_has_the_grants_of_its_service_without_its_policies(
    owner: psycopg.Connection, role: str
) -> None:
    def rights(of: str) -> set[str]:
        return _names(
            owner,
            """SELECT a.privilege_type || ' ' || c.relname || coalesce('.' || t.attname, '')
                 FROM pg_class c LEFT JOIN pg_attribute t ON t.attrelid = c.oid AND t.attacl IS NOT NULL
                CROSS JOIN LATERAL (SELECT * FROM aclexplode(c.relacl) UNION ALL SELECT * FROM aclexplode(t.attacl)) a
                WHERE c.relnamespace = 'everword'::regnamespace AND a.grantee = %s::regrole
                UNION ALL
               SELECT a.privilege_type || ' ' || p.proname FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) a
                WHERE p.pronamespace = 'everword'::regnamespace AND a.grantee = %s::regrole""",
            of,
            of,
        )

    assert rights(f"{role}_scoped") == rights(role)
    query = "SELECT pg_has_role(%s, %s, 'MEMBER')::text"
    assert _names(owner, query, f"{role}_scoped", role) == {"false"}


def test_tables_without_row_level_security_have_no_content(owner: psycopg.Connection) -> None:
    """Ids, task names, states, counters, times; the only prose is error texts."""
    rows = owner.execute(
        """SELECT table_name || '.' || column_name FROM information_schema.columns
            WHERE table_schema = 'everword' AND table_name = ANY(%s) AND data_type IN ('text', 'jsonb')""",
        [list(NOT_ISOLATED)],
    ).fetchall()
    assert {name for (name,) in rows} == {
        *("jobs.task", "jobs.subject", "jobs.state", "jobs.trace_context", "jobs.error"),
        *("embedding_queue.state", "embedding_queue.error", "api_keys.description"),
        *("api_keys.agent", "api_keys.subject"),
        *("tool_sentence_queue.state", "tool_sentence_queue.error"),
        "namespace_locks.name",
    }


@pytest.mark.parametrize("role", ROLES)
def test_no_service_role_can_access_partitions(owner: psycopg.Connection, role: str) -> None:
    """Partitions have no policy of their own, so a role that can read one reads all namespaces."""
    reachable = _names(
        owner,
        """SELECT relname FROM pg_class
            WHERE relnamespace = 'everword'::regnamespace AND relkind IN ('r', 'p') AND relispartition
              AND (has_table_privilege(%s, oid, %s) OR has_any_column_privilege(%s, oid, 'SELECT, UPDATE'))""",
        role,
        PRIVILEGES,
        role,
    )
    assert reachable == set()


@pytest.mark.parametrize("role", ROLES)
def test_services_write_tables_behind_views_and_read_few_of_their_columns(
    owner: psycopg.Connection, role: str
) -> None:
    """They have policies. Services may select only the columns that their writes return or filter by."""
    rights = {
        (table, right)
        for table in ("memories", "memory_vectors_1")
        for right in ("INSERT", "UPDATE", "DELETE", "TRUNCATE", "SELECT")
        if owner.execute("SELECT has_table_privilege(%s, %s, %s)", [role, table, right]).fetchone()
        == (True,)
    }
    columns = _names(
        owner,
        """SELECT relname || '.' || attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            WHERE relname = ANY('{memories, memory_vectors_1}') AND relnamespace = 'everword'::regnamespace
              AND attnum > 0 AND NOT attisdropped AND has_column_privilege(%s, c.oid, attnum, 'SELECT')""",
        role,
    )
    vectors = {"memory_vectors_1.namespace_id", "memory_vectors_1.memory_id"}
    read = {f"memories.{column}" for column in READ} | vectors
    written = {("memories", "INSERT"), ("memories", "DELETE"), ("memory_vectors_1", "DELETE")}
    expected = {
        "everword_ingest": (written, read),
        "everword_compactor": (written, read),
        "everword_embedder": (
            {("memory_vectors_1", "INSERT")},
            vectors | {"memory_vectors_1.embedding"},
        ),
        "everword_search": (set(), set()),
    }
    assert (rights, columns) == expected[role]


@pytest.mark.parametrize("role", ROLES)
def test_no_service_role_can_update_or_delete_messages(
    owner: psycopg.Connection, role: str
) -> None:
    """To lock rows, some may update the column that their policy compares with the current namespace."""
    found = owner.execute(
        "SELECT has_table_privilege(%s, 'messages', 'UPDATE, DELETE, TRUNCATE')", [role]
    ).fetchone()
    assert found == (False,)
    columns = _names(
        owner,
        """SELECT attname FROM pg_attribute
            WHERE attrelid = 'messages'::regclass AND attnum > 0 AND NOT attisdropped
              AND has_column_privilege(%s, attrelid, attnum, 'UPDATE')""",
        role,
    )
    locking = {"everword_ingest", "everword_compactor"}
    assert columns == ({"namespace_id"} if role in locking else set())


def test_only_listed_roles_can_insert_messages_conversations_and_memories(
    owner: psycopg.Connection,
) -> None:
    indexers = {"everword_ingest", "everword_compactor"}
    for table, expected in (
        ("messages", {"everword_ingest"}),
        ("conversations", {"everword_ingest"}),
        # The compactor indexes summaries, and sentences of tool calls.
        ("memories", indexers),
    ):
        adding = {
            role
            for role in ROLES
            if owner.execute(
                "SELECT has_table_privilege(%s, %s, 'INSERT')", [role, table]
            ).fetchone()
            == (True,)
        }
        assert adding == expected


@pytest.mark.parametrize("role", ROLES)
def test_service_role_has_no_elevated_privileges(owner: psycopg.Connection, role: str) -> None:
    found = owner.execute(
        """SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication OR rolcanlogin
             FROM pg_roles WHERE rolname = %s""",
        [role],
    ).fetchone()
    assert found == (False,)
    owned = owner.execute(
        "SELECT count(*) FROM pg_class WHERE pg_get_userbyid(relowner) = %s", [role]
    ).fetchone()
    assert owned == (0,)


def test_login_role_can_do_nothing_without_set_role(
    database: DatabaseUnderTest,
) -> None:
    with (
        psycopg.connect(database.service_url) as conn,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        conn.execute("SELECT count(*) FROM everword.namespaces")


@pytest.mark.parametrize("role", ROLES)
def test_no_service_role_can_read_key_hashes(database: DatabaseUnderTest, role: str) -> None:
    options = f"-c role={role} -c search_path=everword"
    with (
        psycopg.connect(database.service_url, options=options) as conn,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        conn.execute("SELECT key_hash FROM api_keys")


def test_security_definer_functions_are_not_public_and_fix_their_search_path(
    owner: psycopg.Connection,
) -> None:
    rows = owner.execute(
        """SELECT proname, proconfig, has_function_privilege('public', oid, 'EXECUTE')
             FROM pg_proc WHERE pronamespace = 'everword'::regnamespace AND prosecdef"""
    ).fetchall()
    assert len(rows) >= 4
    for name, settings, public in rows:
        assert settings == ["search_path=everword, pg_temp"], name
        assert public is False, name


def test_no_function_is_leakproof_and_views_have_the_expected_options(
    owner: psycopg.Connection,
) -> None:
    leakproof = (
        "SELECT proname FROM pg_proc WHERE pronamespace = 'everword'::regnamespace AND proleakproof"
    )
    assert _names(owner, leakproof) == set()
    for view in VIEWS:
        [(options,)] = owner.execute(
            "SELECT reloptions FROM pg_class WHERE relname = %s AND relnamespace = 'everword'::regnamespace",
            [view],
        ).fetchall()
        # A view of policies shows rows with the rights of its caller.
        expected = "security_invoker=true" if view.startswith("retained") else "check_option=local"
        assert options == [expected]


async def test_connection_loses_its_namespace_after_the_transaction(
    postgres_url: str,
) -> None:
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            await append(stack, "Somebody's.")
            await _check_that_it_is_forgotten(database)


async def _check_that_it_is_forgotten(filled: DatabaseUnderTest) -> None:
    with filled.connect() as conn:
        [(id_,)] = conn.execute("SELECT id FROM namespaces").fetchall()
    database = Database(replace(filled.settings("ingest"), pool_max=1), "ingest")
    await database.open()
    try:
        async with database.transaction(id_) as conn_inside:
            cursor = await conn_inside.execute("SELECT count(*) FROM messages")
            assert await cursor.fetchone() == (1,)
        async with database.connection() as conn_after:
            for table in ("messages", "conversations", "visible_memories"):
                cursor = await conn_after.execute(f"SELECT count(*) FROM {table}".encode())
                assert await cursor.fetchone() == (0,)
    finally:
        await database.close()
