"""Two nodes with a relation, and parameters with which every statement of the graph affects them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg

from everword.domain.ids import new_id
from everword.graph.labels import label_hash
from support.fact_rows import FACT
from support.topic_rows import topic_parameters

NODE, OTHER, VERSION, OTHER_VERSION, EDGE_ROW, EDGE = (UUID(int=number) for number in range(81, 87))
BEGAN = datetime(2001, 2, 3, tzinfo=UTC)


def insert_graph(conn: psycopg.Connection, namespace_id: int, message_id: UUID, words: str) -> None:
    """Store two nodes with a relation that has a message as evidence and is valid as long as the fact of
    `insert_facts`.
    """
    for node, version in ((NODE, VERSION), (OTHER, OTHER_VERSION)):
        conn.execute(
            "INSERT INTO graph_nodes (namespace_id, id, first_seen_at, last_seen_at) VALUES (%s, %s, %s, %s)",
            [namespace_id, node, BEGAN, BEGAN],
        )
        conn.execute(
            "INSERT INTO graph_node_versions (namespace_id, id, node_id, label, type, confidence, source, known_from) "
            "VALUES (%s, %s, %s, %s, 'thing', .5, 1, %s)",
            [namespace_id, version, node, f"{words} {node.int}", BEGAN],
        )
    conn.execute(
        "INSERT INTO graph_names (namespace_id, label_hash, type, agent, subject, node_id) "
        "VALUES (%s, %s, 'thing', '', '', %s)",
        [namespace_id, label_hash(words), NODE],
    )
    conn.execute(
        "INSERT INTO graph_edges (namespace_id, id, edge_id, from_id, to_id, type, confidence, source, fact_id, "
        "message_id, valid_from, known_from) VALUES (%s, %s, %s, %s, %s, 'related_to', .5, 1, %s, %s, %s, %s)",
        [namespace_id, EDGE_ROW, EDGE, NODE, OTHER, FACT, message_id, BEGAN, BEGAN],
    )


def graph_parameters(words: str, leaf_id: UUID) -> dict[str, dict[str, Any]]:
    """Return the parameters of the graph statements, by statement name."""
    writes, reads = "everword.graph", "everword_search.graph"
    end = {"now": BEGAN, "source": 1, "reason": ""}
    name = {
        "label_hashes": [label_hash("smuggled")],
        "types": ["thing"],
        "agents": [""],
        "subjects": [""],
        "node_ids": [NODE],
    }
    view = {"agents": None, "subjects": None, "types": None, "node_ids": [NODE], "after_id": None}
    return {
        **topic_parameters(words, leaf_id),
        f"{writes}.claim_names": name,
        f"{writes}.find_names": {"label_hashes": [label_hash(words)]},
        f"{writes}.repoint_names": {"node_ids": [NODE], "node_id": OTHER},
        f"{writes}.insert_nodes": {**name, "node_ids": [new_id()], "anchors": [None]},
        f"{writes}.lock_nodes": name,
        f"{writes}.touch_nodes": {"node_ids": [NODE], **end},
        f"{writes}.set_merged_into": {"node_ids": [NODE], "node_id": OTHER},
        f"{writes}.find_versions": name,
        f"{writes}.insert_versions": {**_version(), **end},
        f"{writes}.end_versions": {"ids": [VERSION], **end},
        f"{writes}.find_edges": {"from_ids": [NODE], "to_ids": [OTHER], "types": ["related_to"]},
        f"{writes}.find_edge": {"edge_id": EDGE},
        f"{writes}.insert_edges": {**_edge(), **end},
        f"{writes}.end_edges": {"ids": [EDGE_ROW], **end},
        f"{writes}.end_edges_of_node": {"node_id": NODE, **end},
        f"{writes}.lock_edges_of_nodes": {"node_ids": [NODE]},
        "everword.facts.lock_edges": {"fact_ids": [FACT]},
        "everword.facts.end_edges": {"ids": [EDGE_ROW], "now": BEGAN},
        "everword.facts.copy_edges": {
            "ids": [new_id()],
            "copied_ids": [EDGE_ROW],
            "valid_from": [BEGAN],
            "valid_until": [None],
            "now": BEGAN,
        },
        f"{writes}.show_nodes": name,
        f"{writes}.show_edges": {"edge_ids": [EDGE]},
        f"{reads}.has_graph": {},
        "everword_search.passages.find_related": {"source_ids": [VERSION], "fan_out": 5},
        f"{reads}.find_named": {**view, "label_hashes": [label_hash(words)]},
        f"{reads}.find_versions": {"memory_ids": [VERSION]},
        f"{reads}.read_nodes": view,
        f"{reads}.list_versions": {"node_id": NODE},
        f"{reads}.list_nodes": view,
        f"{reads}.follow_edges": {**view, "fan_out": 5, "examined": 5},
        f"{reads}.list_edges": {**view, "include_ended": True},
    }


def _version() -> dict[str, Any]:
    return {
        "ids": [new_id()],
        "node_ids": [NODE],
        "labels": ["smuggled"],
        "types": ["thing"],
        "descriptions": [""],
        "aliases": ["{}"],
        "confidences": [0.5],
        "sources": [1],
    }


def _edge() -> dict[str, Any]:
    return {
        "ids": [new_id()],
        "edge_ids": [new_id()],
        "from_ids": [NODE],
        "to_ids": [OTHER],
        "types": ["smuggled"],
        "labels": [""],
        "confidences": [0.5],
        "sources": [1],
        "message_ids": [None],
        "quotes": [""],
        "fact_ids": [None],
        "valid_from": [None],
        "valid_until": [None],
    }
