"""Checks of `everword doctor` on the nodes of a distributed database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import psycopg

from everword.cli.findings import Finding
from everword.cli.output import size
from everword.db.cluster import (
    ClusterNode,
    StoredShards,
    largest_namespaces,
    list_nodes,
    measure_shards,
    read_balance,
)
from everword.db.distribution import is_distributed

_LARGEST = 5
_CONNECT_TIMEOUT_S = 10


def check_cluster(admin_url: str) -> Sequence[Finding]:
    """Return findings on the nodes; none if the database is on one server."""
    try:
        with psycopg.connect(
            admin_url, autocommit=True, connect_timeout=_CONNECT_TIMEOUT_S
        ) as conn:
            return list(_findings(conn)) if is_distributed(conn) else []
    except psycopg.Error as error:
        advice = "correct EVERWORD_ADMIN_DATABASE_URL, or repair the database"
        return [Finding("database", False, str(error).strip().splitlines()[0], advice)]


def _findings(conn: psycopg.Connection) -> Iterator[Finding]:
    nodes = list_nodes(conn)
    if not all(node.is_reachable for node in nodes):
        # The sizes of its shards are unknown.
        for node in nodes:
            yield _node(node, None)
        return
    stored = {(each.host, each.port): each for each in measure_shards(conn)}
    for node in nodes:
        yield _node(node, stored.get((node.host, node.port), StoredShards("", 0, 0, 0)))
    largest = [
        f"{each.name} {size(each.bytes)} on {each.host}:{each.port}"
        for each in largest_namespaces(conn, _LARGEST)
    ]
    yield Finding("largest namespaces", True, ", ".join(largest) or "no messages are stored")
    yield _balance(conn)


def _node(node: ClusterNode, stored: StoredShards | None) -> Finding:
    check = f"node {node.host}:{node.port}"
    kind = "coordinator" if node.is_coordinator else "worker"
    if not node.is_reachable:
        advice = (
            "start its PostgreSQL, and let each node connect to it; calls for its namespaces fail "
            "with UNAVAILABLE until then"
        )
        return Finding(check, False, f"{kind}, not reachable", advice)
    if stored is None:
        return Finding(check, True, f"{kind}, reachable")
    if not node.has_shards:
        return Finding(check, True, f"{kind}, without shards")
    return Finding(check, True, f"{kind}, {stored.shards} shards, {size(stored.bytes)}")


def _balance(conn: psycopg.Connection) -> Finding:
    balance = read_balance(conn)
    if balance.is_running:
        found = f"shards are being moved, {balance.planned_moves} remain"
        return Finding("balance", True, found, "SELECT * FROM citus_rebalance_status() shows it")
    if balance.planned_moves:
        found = f"{balance.planned_moves} shards should be on another node"
        advice = "run SELECT citus_rebalance_start() as the owner; services keep running"
        return Finding("balance", False, found, advice)
    return Finding("balance", True, "nodes have equal shares")
