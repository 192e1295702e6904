"""Searchable rows get a pending vector in the transaction that writes them."""

from __future__ import annotations

from everword.v1 import fact_service_pb2 as facts
from everword.v1 import graph_pb2, memory_pb2
from everword.v1 import graph_service_pb2 as graph
from support.calls import append
from support.notes import write
from support.stack import Stack

#: For each passage: kind, whether its vector is pending, and whether the queue entry was inserted in the same
#: transaction.
_DUE = """
SELECT m.kind, bool_and(coalesce(q.state = 'pending', false)), bool_and(coalesce(q.xmin = m.xmin, false))
  FROM memories m LEFT JOIN embedding_queue q ON q.namespace_id = m.namespace_id AND q.memory_id = m.id
 GROUP BY m.kind ORDER BY m.kind
"""


async def test_searchable_rows_are_enqueued_for_embedding_in_the_same_transaction(
    stack: Stack,
) -> None:
    await append(stack, "I live in Berlin.")
    await write(stack, "Push to the registry.", "deploy_process")
    request = facts.RememberRequest(subject="emi", attribute="residence", value="Berlin")
    await stack.facts.Remember(request)
    node = graph_pb2.NewNode(label="Ana Lima", type="person")
    await stack.graph.CreateNode(graph.CreateNodeRequest(node=node))
    with stack.database.connect() as conn:
        due = conn.execute(_DUE).fetchall()
        jobs = conn.execute("SELECT DISTINCT task FROM jobs WHERE task = 'embed'").fetchall()
    kinds = (
        memory_pb2.MEMORY_KIND_MESSAGE,
        memory_pb2.MEMORY_KIND_NOTE,
        memory_pb2.MEMORY_KIND_FACT,
        memory_pb2.MEMORY_KIND_NODE,
    )
    assert due == [(kind, True, True) for kind in kinds]
    assert jobs == [("embed",)]
