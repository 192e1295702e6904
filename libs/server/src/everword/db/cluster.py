"""State of the nodes of a distributed database: reachability, shards, sizes, and planned moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg.rows import class_row, scalar_row

_NODES = """
SELECT n.nodename AS host, n.nodeport AS port, n.groupid = 0 AS is_coordinator, n.shouldhaveshards AS has_shards,
       n.isactive AND coalesce(h.reached, false) AS is_reachable
  FROM pg_dist_node n
  -- Connections from a node that does not answer are NULL.
  LEFT JOIN (SELECT to_nodename, to_nodeport, bool_and(result) AS reached FROM citus_check_cluster_node_health()
              GROUP BY 1, 2) h ON h.to_nodename = n.nodename AND h.to_nodeport = n.nodeport
 WHERE n.noderole = 'primary'
 ORDER BY n.groupid
"""
#: The shards of `conversations`: all other distributed tables have a shard on the same node for each.
_SHARDS = """
SELECT nodename AS host, nodeport AS port,
       count(*) FILTER (WHERE table_name = 'everword.conversations'::regclass) AS shards,
       sum(shard_size)::bigint AS bytes
  FROM citus_shards
 WHERE citus_table_type = 'distributed'
 GROUP BY 1, 2
"""
_LARGEST = """
SELECT n.name, c.bytes, s.nodename AS host, s.nodeport AS port
  FROM (SELECT namespace_id, sum(content_bytes)::bigint AS bytes FROM everword.corpus_counts
         GROUP BY 1 ORDER BY 2 DESC LIMIT %(limit)s) c
  JOIN everword.namespaces n ON n.id = c.namespace_id
 CROSS JOIN LATERAL (SELECT p.nodename, p.nodeport FROM pg_dist_shard_placement p
                      WHERE p.shardid = get_shard_id_for_distribution_column('everword.conversations',
                                                                             c.namespace_id)) s
 ORDER BY c.bytes DESC
"""
#: Moves of shards of `conversations`: the colocated shards move with them.
_MOVES = """
SELECT count(*) FROM get_rebalance_table_shards_plan() WHERE table_name = 'everword.conversations'::regclass
"""
_REBALANCES = """
SELECT count(*) FROM pg_dist_background_job
 WHERE job_type = 'rebalance' AND state IN ('scheduled', 'running', 'failing')
"""


@dataclass(frozen=True)
class ClusterNode:
    """A server of the cluster. Nodes with `has_shards` store namespaces."""

    host: str
    port: int
    is_coordinator: bool
    has_shards: bool
    #: False if the coordinator or another node cannot connect to it.
    is_reachable: bool


@dataclass(frozen=True)
class StoredShards:
    """The shards of a node. Each has the rows of some namespaces in all tables."""

    host: str
    port: int
    shards: int
    bytes: int


@dataclass(frozen=True)
class LargestNamespace:
    """A namespace with its bytes of stored messages, and its node."""

    name: str
    bytes: int
    host: str
    port: int


@dataclass(frozen=True)
class Balance:
    """Shard moves that the rebalancer would make now, and whether it runs."""

    planned_moves: int
    is_running: bool


def list_nodes(conn: psycopg.Connection) -> list[ClusterNode]:
    with conn.cursor(row_factory=class_row(ClusterNode)) as cursor:
        return cursor.execute(_NODES).fetchall()


def measure_shards(conn: psycopg.Connection) -> Sequence[StoredShards]:
    """Return the number and sizes of shards by node. Every node must be reachable."""
    with conn.cursor(row_factory=class_row(StoredShards)) as cursor:
        return cursor.execute(_SHARDS).fetchall()


def largest_namespaces(conn: psycopg.Connection, limit: int) -> Sequence[LargestNamespace]:
    """Return the namespaces with the most stored bytes of messages, largest first."""
    with conn.cursor(row_factory=class_row(LargestNamespace)) as cursor:
        return cursor.execute(_LARGEST, {"limit": limit}).fetchall()


def read_balance(conn: psycopg.Connection) -> Balance:
    """Return how many shards the rebalancer would move. Every node must be reachable."""
    with conn.cursor(row_factory=scalar_row) as cursor:
        moves = cursor.execute(_MOVES).fetchone()
        running = cursor.execute(_REBALANCES).fetchone()
    return Balance(moves or 0, bool(running))
