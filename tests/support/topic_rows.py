"""A topic page with its sources and changes, and parameters with which every statement of pages affects them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from everword.domain.ids import new_id
from everword.facts.model import value_hash
from everword.graph.labels import label_hash
from everword.text.lexemes import analyse, index_vector
from support.fact_rows import FACT

PAGE, SURE = UUID(int=101), UUID(int=102)
#: As in `graph_rows`.
NODE, OTHER = UUID(int=81), UUID(int=82)
CHANGE = UUID(int=103)
MADE = datetime(2001, 2, 4, tzinfo=UTC)
#: At least one passage must have an expiry time.
EXPIRES = datetime(2090, 2, 4, tzinfo=UTC)


def insert_topic(conn: psycopg.Connection, namespace_id: int, leaf_id: UUID, words: str) -> None:
    """Store a page about the first node of `insert_graph`, with the fact of `insert_facts` and a leaf as sources."""
    conn.execute(
        "INSERT INTO facts (namespace_id, id, subject, category, attribute, value, value_hash, several, source, state, "
        "confidence, lifetime_days, first_seen_at, last_seen_at) "
        "VALUES (%s, %s, '', 'work', 'employer', %s, %s, false, 1, 3, .6, 9, %s, %s)",
        [namespace_id, SURE, words, value_hash(words), MADE, MADE],
    )
    conn.execute(
        "INSERT INTO memories (namespace_id, kind, source_id, part, occurred_at, content, lexemes, lexeme_count, "
        "ranking, valid_until) VALUES (%s, 2, %s, 0, %s, %s, %s::tsvector, 1, '', %s)",
        [
            namespace_id,
            leaf_id,
            MADE,
            words,
            index_vector(words, "", MADE, "english"),
            EXPIRES,
        ],
    )
    conn.execute(
        "INSERT INTO topic_changes (namespace_id, id, fact_id) VALUES (%s, %s, %s)",
        [namespace_id, CHANGE, FACT],
    )
    conn.execute(
        "INSERT INTO topic_changes (namespace_id, node_id) VALUES (%s, %s)", [namespace_id, NODE]
    )
    for source_id, kind in ((FACT, 4), (leaf_id, 2)):
        conn.execute(
            "INSERT INTO topic_sources (namespace_id, node_id, source_id, kind) VALUES (%s, %s, %s, %s)",
            [namespace_id, NODE, source_id, kind],
        )
    conn.execute(
        "INSERT INTO topic_pages (namespace_id, node_id, id, title, type, content, source_ids, source_kinds, made_at) "
        "VALUES (%s, %s, %s, %s, 'thing', %s, %s, '{4}', %s)",
        [namespace_id, NODE, PAGE, words, words, [FACT], MADE],
    )


def topic_parameters(words: str, leaf_id: UUID) -> dict[str, dict[str, Any]]:
    """Return the parameters of the statements on topic pages, by statement name."""
    writes, reads = "everword_compactor.topics", "everword_search.topics"
    node = {"node_id": NODE, "node_ids": [NODE], "ids": [new_id()]}
    named = {"label_hashes": [label_hash(words)], "subject": "", "agent": ""}
    return {
        f"{writes}.find_established_facts": {"fact_ids": [SURE]},
        "everword.graph.enqueue_nodes": node,
        "everword_compactor.nodes.note_leaf": {"id": leaf_id},
        f"{writes}.next_changes": {"of_nodes": False},
        f"{writes}.delete_changes": {"ids": [CHANGE]},
        f"{writes}.changed_topics": {"parked_s": 1},
        f"{writes}.facts_of": {"fact_ids": [FACT]},
        f"{writes}.read_leaves": {"leaf_ids": [leaf_id]},
        f"{writes}.find_nodes": named,
        f"{writes}.link_sources": {"node_ids": [OTHER], "source_ids": [new_id()], "kinds": [2]},
        f"{writes}.unlink_source": {"source_id": leaf_id, "node_ids": []},
        f"{writes}.find_leaves": {**named, "label": analyse(words, "english").phrase},
        f"{writes}.read_nodes": node,
        f"{writes}.read_sources": node,
        f"{writes}.take_sources": node,
        f"{writes}.enqueue_nodes": node,
        f"{writes}.read_dated_facts": {"fact_ids": [FACT]},
        f"{writes}.read_page": node,
        f"{writes}.pages_made_at": node,
        f"{writes}.replace_page": {
            "node_id": OTHER,
            "id": new_id(),
            **dict.fromkeys(("agent", "subject", "model"), ""),
            **dict.fromkeys(("title", "type", "content"), "smuggled"),
            "sections": Jsonb([]),
            "source_ids": [FACT],
            "source_kinds": [4],
            "made_at": MADE,
            "revision": 1,
        },
        f"{writes}.latest_source": {"source_ids": [FACT]},
        f"{writes}.delete_page": node,
        f"{reads}.list_topics": {"subjects": None, "agents": None, "after_id": None},
        f"{reads}.find_topic": {"id": PAGE},
        f"{reads}.find_named": {"label_hash": label_hash(words), "subject": "", "agent": ""},
    }
