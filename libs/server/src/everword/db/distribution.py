"""Distribution of the tables over the nodes of a Citus cluster.

A distributed table is split into shards by `namespace_id`, and the shards of one namespace are on one node. A reference
table is copied to every node. A local table exists on the coordinator only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import psycopg
from psycopg import sql

from everword.db.roles import SCOPED_ROLES, SERVICE_ROLES

LOCAL = frozenset(
    {
        *("schema_migrations", "deployment", "calibrations", "namespace_deletions"),
        # Written often, and read by the hash of a secret before the namespace is known.
        *("api_keys", "advisor_grants"),
        # Read by functions on the coordinator, which build statements from its rows.
        "transfer_rules",
    }
)
#: Joined with distributed tables, or target of their foreign keys.
REFERENCE = frozenset(
    {"namespaces", "model_generations", "model_prices", "erasure_targets", "erasure_rules"}
)
DISTRIBUTED = frozenset(
    {
        *("append_requests", "author_names", "budget_events", "budget_spending", "budgets"),
        *("calendar_pending", "checkpoint_counters", "checkpoints", "compaction_progress"),
        *("conversations", "corpus_counts", "document_chunks", "document_versions", "documents"),
        *("embedding_pauses", "embedding_queue", "erased_external_ids", "erasures", "events"),
        *("fact_changes", "fact_disputes", "fact_edges", "fact_evidence", "fact_intervals"),
        *("facts", "graph_edges", "graph_names", "graph_node_versions", "graph_nodes"),
        *("importance_suggestions", "index_changes", "jobs", "learned_changes"),
        *("learned_evidence", "legal_holds", "lore_books", "lore_entries", "memories"),
        *("memory_changes", "memory_classes", "memory_use", "message_corrections", "messages"),
        *("namespace_imports", "namespace_usage", "note_versions", "notes"),
        *("pattern_decisions", "pattern_outcomes", "pattern_thresholds", "patterns", "people"),
        *("retention_policies", "retention_runs", "session_observations", "sleep_nights"),
        *("sleep_sessions", "strategies", "strategy_offers", "summaries", "summary_sources"),
        *("summary_voices", "themes", "tool_sentence_queue", "tool_sentences", "topic_changes"),
        *("topic_pages", "topic_sources", "trajectories", "usage_ledger", "user_models"),
        *("tenants", "namespace_locks", "change_numbers"),
    }
)
#: Vectors of a model generation, distributed as well.
_VECTORS = re.compile(r"memory_vectors_\d+")
#: Citus connects to the nodes as these roles.
_ROLES = SERVICE_ROLES + SCOPED_ROLES
#: Called by policies, views and statements on the nodes; they read no table.
NODE_FUNCTIONS = (
    *("in_scope", "is_shown", "is_passage_shown", "may_have_read", "month_of", "salted_hash"),
    *("channel_policy", "publishes_summaries", "budget_is_reached"),
)
#: Functions with the rights of the owner that run as a whole on the node of their first argument, a namespace.
#: Otherwise Citus would refuse them after a write of the caller: two roles cannot write in one transaction.
DELEGATED_FUNCTIONS = (
    *("begin_erasure", "erase_batch", "preview_erasure", "find_erasure_hold", "retire"),
    *("forget_author_names", "hidden_conversations", "hidden_authors"),
    "remove_passages",
)
#: Called by DELEGATED_FUNCTIONS.
STEPS = (
    *("merge_erased", "rule_condition", "erasure_target", "erasure_salt", "target_messages"),
    *("forget_requests", "forget_sessions", "forget_errors", "fence_jobs", "count_erased"),
    *("erase_rows", "erase_facts", "erase_memories", "finish_erasure", "retire_conversations"),
    *("withdraw_target", "withdraw_derived", "withdraw_summaries", "withdraw_nodes"),
    *("withdraw_pages", "withdraw_themes", "withdraw_facts", "withdraw_learned"),
    *("remove_messages", "remove_loose_nodes", "fact_nodes", "with_merged_nodes", "merged_node"),
    *("pages_made_of", "log_memory_changes", "log_index_change"),
    *("ids_of", "items_of", "expand_items", "count_items", "count_passages"),
    *("plan_summaries", "plan_facts", "plan_learned"),
)
#: Each node needs them, under any schema.
_EXTENSIONS = ("vector", "pg_trgm", "btree_gin")
#: Foreign keys that are removed while their tables are distributed, and not restored yet.
_REMOVED_KEYS = "CREATE TABLE IF NOT EXISTS removed_foreign_keys (restored_by text PRIMARY KEY)"
_TABLES = """
SELECT c.relname, EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)
  FROM pg_class c
 WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
 ORDER BY c.relname
"""
_PARTITIONS = """
SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
 WHERE i.inhparent = format('everword.%%I', %s::text)::regclass ORDER BY c.relname
"""
_WRITTEN_COLUMNS = """
SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
 WHERE attrelid = format('everword.%%I', %s::text)::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
"""
#: Both tables of each foreign key, and the statements that remove and restore it.
_KEYS = """
SELECT c.relname, r.relname, format('ALTER TABLE %%I DROP CONSTRAINT %%I', c.relname, k.conname),
       format('ALTER TABLE %%I ADD CONSTRAINT %%I %%s', c.relname, k.conname, pg_get_constraintdef(k.oid))
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
 WHERE k.contype = 'f' AND k.conparentid = 0 AND k.connamespace = 'everword'::regnamespace
   AND (c.relname = ANY(%(pending)s) OR r.relname = ANY(%(pending)s))
"""
#: Roles that read a view, and the tables behind it. Citus runs a view's query with the rights of the caller.
_VIEWED = """
SELECT DISTINCT t.relname, g.grantee::regrole::text
  FROM pg_rewrite w JOIN pg_class v ON v.oid = w.ev_class CROSS JOIN LATERAL aclexplode(v.relacl) g
  JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
  JOIN pg_class t ON t.oid = d.refobjid
 WHERE v.relnamespace IN ('everword'::regnamespace, 'everword_scoped'::regnamespace) AND t.relkind IN ('r', 'p')
   AND g.privilege_type = 'SELECT' AND g.grantee <> v.relowner
 ORDER BY 1, 2
"""


class DistributionError(Exception):
    """The database cannot be distributed; the message says why."""


def placement(table: str) -> str:
    """Return `local`, `reference` or `distributed`. Raises DistributionError for a table that is not listed."""
    if table in LOCAL:
        return "local"
    if table in REFERENCE:
        return "reference"
    if table in DISTRIBUTED or _VECTORS.fullmatch(table):
        return "distributed"
    raise DistributionError(f"the table everword.{table} is not of this release; drop or move it")


def is_distributed(conn: psycopg.Connection) -> bool:
    """Return whether tables of the schema are distributed, or an interrupted run began to distribute them."""
    if conn.execute("SELECT to_regclass('pg_catalog.pg_dist_partition')").fetchone() == (None,):
        return False
    row = conn.execute(
        "SELECT to_regclass('everword.removed_foreign_keys') IS NOT NULL OR EXISTS ("
        "SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('everword.namespaces'))"
    ).fetchone()
    return row == (True,)


def ensure_distributable(conn: psycopg.Connection) -> None:
    """Raise DistributionError if the database lacks Citus or nodes, or a node lacks extensions."""
    if not conn.execute("SELECT 1 FROM pg_extension WHERE extname = 'citus'").fetchone():
        raise DistributionError(
            "the database has no extension citus; add citus to shared_preload_libraries of each node, run "
            "CREATE EXTENSION citus in this database on each node, and add the nodes with citus_add_node"
        )
    if conn.execute("SELECT groupid FROM pg_dist_local_group").fetchone() != (0,):
        raise DistributionError("this is a worker of the Citus cluster; give the coordinator's URL")
    nodes = conn.execute(
        "SELECT groupid = 0, shouldhaveshards FROM pg_dist_node WHERE isactive AND noderole = 'primary'"
    ).fetchall()
    if not any(is_coordinator for is_coordinator, _ in nodes):
        raise DistributionError(
            "the workers do not know the coordinator; run SELECT citus_set_coordinator_host('HOST', PORT)"
        )
    if not any(has_shards for _, has_shards in nodes):
        raise DistributionError(
            "the Citus cluster has no worker; run SELECT citus_add_node('HOST', PORT) for each"
        )
    names = ", ".join(f"'{name}'" for name in _EXTENSIONS)
    counted = f"SELECT count(*) FROM pg_available_extensions WHERE name IN ({names})"
    rows = conn.execute(
        "SELECT n.nodename, n.nodeport, r.success, r.result FROM run_command_on_all_nodes(%s) r "
        "JOIN pg_dist_node n USING (nodeid)",
        [counted],
    ).fetchall()
    for host, port, succeeded, result in rows:
        if not succeeded:
            raise DistributionError(f"node {host}:{port} does not answer: {result}")
        if result != str(len(_EXTENSIONS)):
            raise DistributionError(
                f"node {host}:{port} lacks one of the extensions {', '.join(_EXTENSIONS)}; install them"
            )


def distribute(
    conn: psycopg.Connection, placing: Callable[[str], None] = lambda table: None
) -> None:
    """Distribute the tables that are not distributed yet, and give the services' roles the rights that nodes require.

    Tables with several partitions get a single one first, because shards take their place. `placing` is called before
    each table. An interrupted run is continued by the next one.
    """
    conn.execute("SET client_min_messages = warning")
    _allow_nodes(conn)
    pending = [
        table
        for table, is_placed in conn.execute(_TABLES).fetchall()
        if not is_placed and table != "removed_foreign_keys" and placement(table) != "local"
    ]
    _remove_foreign_keys(conn, pending)
    conn.execute("UPDATE deployment SET partitions = 1 WHERE partitions <> 1")
    # Reference tables come first, then `conversations`, with which the other tables are colocated.
    for table in sorted(pending, key=_order):
        placing(table)
        _merge_partitions(conn, table)
        _distribute_table(conn, table)
    _restore_foreign_keys(conn)
    _grant(conn)
    _send_functions(conn)


@contextmanager
def distributed_afterwards(conn: psycopg.Connection) -> Iterator[None]:
    """Distribute the tables that the block creates, if the database is distributed. Requires a transaction."""
    if not is_distributed(conn):
        yield
        return
    # Otherwise Citus would make a new table that refers to a reference table a table of one shard, with other limits.
    conn.execute("SET LOCAL citus.enable_ddl_propagation = off")
    yield
    conn.execute("SET LOCAL citus.enable_ddl_propagation = on")
    distribute(conn)


def _order(table: str) -> tuple[bool, bool, str]:
    return placement(table) != "reference", table != "conversations", table


def _allow_nodes(conn: psycopg.Connection) -> None:
    """Let transactions send their settings to nodes, and let the coordinator connect to nodes as the services."""
    database = sql.Identifier(conn.info.dbname)
    conn.execute(
        sql.SQL("ALTER DATABASE {} SET citus.propagate_set_commands = 'local'").format(database)
    )
    for role in _ROLES:
        conn.execute(sql.SQL("ALTER ROLE {} LOGIN").format(sql.Identifier(role)))


def _merge_partitions(conn: psycopg.Connection, table: str) -> None:
    """Copy the rows of a table with several partitions into a single one."""
    partitions = [name for (name,) in conn.execute(_PARTITIONS, [table]).fetchall()]
    if len(partitions) < 2:
        return
    parent = sql.Identifier(table)
    with conn.transaction():
        [(columns,)] = conn.execute(_WRITTEN_COLUMNS, [table]).fetchall()
        for number, name in enumerate(partitions):
            partition, old = sql.Identifier(name), sql.Identifier(f"merged_partition_{number}")
            conn.execute(sql.SQL("ALTER TABLE {} DETACH PARTITION {}").format(parent, partition))
            conn.execute(sql.SQL("ALTER TABLE {} RENAME TO {}").format(partition, old))
        conn.execute("SELECT create_partitions(%s)", [table])
        written = sql.SQL(", ").join(map(sql.Identifier, columns))
        for number in range(len(partitions)):
            old = sql.Identifier(f"merged_partition_{number}")
            conn.execute(
                sql.SQL("INSERT INTO {0} ({1}) OVERRIDING SYSTEM VALUE SELECT {1} FROM {2}").format(
                    parent, written, old
                )
            )
            conn.execute(sql.SQL("DROP TABLE {}").format(old))


def _distribute_table(conn: psycopg.Connection, table: str) -> None:
    """Distribute a table, or copy it to every node if it is a reference table."""
    if placement(table) == "reference":
        conn.execute("SELECT create_reference_table(%s)", [f"everword.{table}"])
        return
    colocated = "none" if table == "conversations" else "everword.conversations"
    conn.execute(
        "SELECT create_distributed_table(%s, 'namespace_id', colocate_with => %s)",
        [f"everword.{table}", colocated],
    )


def _remove_foreign_keys(conn: psycopg.Connection, pending: Sequence[str]) -> None:
    """Remove foreign keys of tables that are about to be distributed, or that refer to them, and record them.

    Citus refuses a foreign key between a distributed table and one that is not distributed yet.
    """
    with conn.transaction():
        conn.execute(_REMOVED_KEYS)
        for table, _, removal, restoration in conn.execute(_KEYS, {"pending": pending}).fetchall():
            # A local table with a foreign key to a reference table would become a table of one shard, with the limits
            # of statements on shards. These keys can be missing: deletions of a namespace delete such rows themselves.
            if placement(table) != "local":
                conn.execute("INSERT INTO removed_foreign_keys VALUES (%s)", [restoration])
            conn.execute(removal.encode())


def _restore_foreign_keys(conn: psycopg.Connection) -> None:
    for (restoration,) in conn.execute("SELECT restored_by FROM removed_foreign_keys").fetchall():
        with conn.transaction():
            conn.execute(restoration.encode())
            conn.execute("DELETE FROM removed_foreign_keys WHERE restored_by = %s", [restoration])
    conn.execute("DROP TABLE removed_foreign_keys")


def _grant(conn: psycopg.Connection) -> None:
    """Grant rights that PostgreSQL requires of the owner of a view or an identity column, and Citus of the caller."""
    for table, role in conn.execute(_VIEWED).fetchall():
        conn.execute(
            sql.SQL("GRANT SELECT ON {} TO {}").format(sql.Identifier(table), sql.Identifier(role))
        )
    granted = sql.SQL(", ").join(map(sql.Identifier, _ROLES))
    # Citus did not send the baseline's own grant on the schema: the baseline is applied with propagation off.
    conn.execute(sql.SQL("GRANT USAGE ON SCHEMA everword TO {}").format(granted))
    conn.execute(sql.SQL("GRANT USAGE ON ALL SEQUENCES IN SCHEMA everword TO {}").format(granted))


def _send_functions(conn: psycopg.Connection) -> None:
    """Send functions to the nodes, with the rights to call them."""
    path = conn.execute("SHOW search_path").fetchone() or ()
    # Otherwise Citus sends rights with unqualified types of arguments, which nodes do not find.
    conn.execute("SET search_path = pg_catalog")
    for signature in _signatures(conn, NODE_FUNCTIONS + STEPS):
        conn.execute("SELECT create_distributed_function(%s)", [signature])
    for signature in _signatures(conn, DELEGATED_FUNCTIONS):
        conn.execute(
            "SELECT create_distributed_function(%s, 'namespace', colocate_with => 'everword.conversations', "
            "force_delegation => true)",
            [signature],
        )
    # Citus sends functions of views and policies with the table. On a node, PUBLIC can call each new function.
    rows = conn.execute(
        "SELECT p.oid::regprocedure::text FROM pg_dist_object d JOIN pg_proc p ON p.oid = d.objid "
        "WHERE d.classid = 'pg_proc'::regclass AND p.pronamespace = 'everword'::regnamespace"
    ).fetchall()
    for (signature,) in rows:
        conn.execute(f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC".encode())
    conn.execute("SELECT set_config('search_path', %s, false)", path)


def _signatures(conn: psycopg.Connection, names: Sequence[str]) -> list[str]:
    rows = conn.execute(
        "SELECT oid::regprocedure::text FROM pg_proc "
        "WHERE pronamespace = 'everword'::regnamespace AND proname = ANY(%s)",
        [list(names)],
    ).fetchall()
    return [signature for (signature,) in rows]
