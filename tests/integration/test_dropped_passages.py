"""A counter of removed passages: together with the highest id it identifies the set of passages."""

from __future__ import annotations

import psycopg

from everword.index.writer import SQL as INDEX
from everword_ingest.housekeeping.housekeeping import SQL as INGEST
from support.callers import make_namespaces, within
from support.calls import append, message
from support.compaction import ScriptedComposer, compact_everything
from support.stack import Stack
from support.tool_calls import tool_call, write_pending_sentences


def _counted(stack: Stack, namespace_id: int = 1) -> tuple[int, int]:
    """Return the number of searchable passages, and the number of removed ones."""
    options = "-c role=everword_search -c search_path=everword"
    with psycopg.connect(stack.database.service_url, options=options) as conn:
        [(passages, dropped)] = conn.execute(
            "SELECT sum(passages), sum(dropped) FROM corpus_counts WHERE namespace_id = %s",
            [namespace_id],
        ).fetchall()
    return int(passages), int(dropped)


def _stored(stack: Stack) -> int:
    with stack.database.connect() as conn:
        [(passages,)] = conn.execute("SELECT count(*) FROM memories").fetchall()
    return int(passages)


def _rows(stack: Stack) -> int:
    with stack.database.connect() as conn:
        [(rows,)] = conn.execute("SELECT count(*) FROM corpus_counts").fetchall()
    return int(rows)


def _drop_sentences(stack: Stack, message_ids: list[str], namespace_id: int = 1) -> int:
    """Remove sentences from the index as the compactor does; return their number."""
    options = "-c role=everword_compactor -c search_path=everword"
    with psycopg.connect(stack.database.service_url, options=options) as conn:
        conn.execute("SELECT set_config('everword.namespace_id', %s, true)", [str(namespace_id)])
        statement = INDEX["remove_passages"].sql
        [(dropped,)] = conn.execute(
            statement, {"namespace_id": namespace_id, "source_ids": message_ids}
        ).fetchall()
    return int(dropped)


def _fold(stack: Stack) -> None:
    options = "-c role=everword_ingest -c search_path=everword"
    with psycopg.connect(stack.database.service_url, options=options) as conn:
        for namespace_id in (1, 2):
            parameters = {"namespace_id": namespace_id, "limit": 100}
            conn.execute(INGEST["fold_corpus_counts"].sql, parameters)


async def test_removed_passage_is_counted_once(stack: Stack) -> None:
    stored = await append(stack, tool_call("a.py"), tool_call("b.py"), message("Words."))
    ids = [entry.message_id for entry in stored.messages]
    assert _counted(stack) == (3, 0)
    await write_pending_sentences(stack)
    assert _counted(stack) == (5, 0)
    # A message with text has no sentence, and stays.
    assert _drop_sentences(stack, ids[1:]) == 1
    assert _counted(stack) == (4, 1)
    rows = _rows(stack)
    assert _drop_sentences(stack, ids[1:]) == 0
    assert (_counted(stack), _rows(stack)) == ((4, 1), rows)
    assert _drop_sentences(stack, ids) == 1
    assert _counted(stack) == (3, 2)
    assert _stored(stack) == 3


async def test_folding_counters_keeps_the_number_of_removed_passages(stack: Stack) -> None:
    await make_namespaces(stack, "theirs")
    stored = await append(stack, tool_call("a.py"), tool_call("b.py"))
    theirs = await append(stack, tool_call("c.py"), metadata=within("theirs"))
    await write_pending_sentences(stack)
    for entry in stored.messages:
        assert _drop_sentences(stack, [entry.message_id]) == 1
    assert _drop_sentences(stack, [theirs.messages[0].message_id], namespace_id=2) == 1
    before = [_counted(stack, namespace) for namespace in (1, 2)]
    assert before == [(2, 2), (1, 1)]
    assert _rows(stack) > 2
    _fold(stack)
    assert _rows(stack) == 2
    _fold(stack)
    assert [_counted(stack, namespace) for namespace in (1, 2)] == before


async def test_rewritten_summary_counts_as_removed_and_as_stored(stack: Stack) -> None:
    await append(stack, *(f"Message number {n} of many." for n in range(10)))
    await compact_everything(stack, ScriptedComposer())
    passages, dropped = _counted(stack)
    assert (passages, dropped) == (_stored(stack), 0)
    with stack.database.connect() as conn:
        summaries = "SELECT id, source_id FROM memories WHERE kind = 2 ORDER BY id"
        old = conn.execute(summaries).fetchall()
        await append(stack, "Something more.")
        await compact_everything(stack, ScriptedComposer(version=2))
        new = conn.execute(summaries).fetchall()
    assert old
    assert {source_id for _, source_id in old} < {source_id for _, source_id in new}
    assert not {id_ for id_, _ in old} & {id_ for id_, _ in new}
    assert _counted(stack) == (_stored(stack), len(old))
