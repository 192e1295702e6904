"""Namespaces: made, read, changed, listed, erased."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import grpc
import psycopg
import pytest
from google.protobuf.field_mask_pb2 import FieldMask

from everword.domain.ids import new_id
from everword.v1 import admin_service_pb2 as pb
from everword.v1 import erase_service_pb2, ingest_service_pb2, maintenance_service_pb2
from support.callers import make_namespaces, within
from support.calls import append, append_request
from support.foreign_costs import spend
from support.foreign_documents import write_documents
from support.foreign_facts import remember_request
from support.foreign_graph import graph_request
from support.foreign_lore import write_lore
from support.foreign_notes import grant_request, note_request
from support.foreign_people import learn_theirs
from support.refusals import refused
from support.stack import Stack
from support.waiting import until

NAMESPACED = (
    *("conversations", "messages", "append_requests", "memories", "memory_classes", "memory_use"),
    *("namespace_usage", "corpus_counts", "jobs", "embedding_queue", "embedding_pauses"),
    *("api_keys", "memory_vectors_1"),
    *("importance_suggestions", "author_names", "index_changes"),
    *("summaries", "summary_sources", "summary_voices", "compaction_progress", "calendar_pending"),
    *("tool_sentences", "tool_sentence_queue", "usage_ledger"),
    *("facts", "fact_intervals", "fact_evidence", "fact_changes"),
    *("people", "events", "user_models", "trajectories", "strategies", "strategy_offers"),
    *("learned_evidence", "learned_changes"),
    *("fact_disputes", "fact_edges", "sleep_sessions", "session_observations", "sleep_nights"),
    *("graph_nodes", "graph_names", "graph_node_versions", "graph_edges"),
    *("topic_changes", "topic_sources", "topic_pages"),
    *("notes", "note_versions", "advisor_grants"),
    *("erasures", "erased_external_ids", "namespace_imports"),
    *("lore_books", "lore_entries"),
    *("documents", "document_versions", "document_chunks"),
    *("retention_policies", "retention_runs"),
    *("budgets", "budget_spending", "budget_events"),
    *("checkpoints", "checkpoint_counters", "memory_changes"),
    *("patterns", "pattern_outcomes", "pattern_decisions", "pattern_thresholds", "themes"),
)


async def _make(stack: Stack, name: str, **settings: object) -> pb.Namespace:
    chosen = pb.NamespaceSettings(**settings)  # type: ignore[arg-type]
    request = pb.CreateNamespaceRequest(namespace=pb.Namespace(name=name, settings=chosen))
    return (await stack.admin.CreateNamespace(request)).namespace


async def _update(stack: Stack, name: str, *paths: str, **settings: object) -> pb.Namespace:
    request = pb.UpdateNamespaceRequest(
        namespace=pb.Namespace(name=name, settings=pb.NamespaceSettings(**settings)),  # type: ignore[arg-type]
        update_mask=FieldMask(paths=[f"settings.{path}" for path in paths]),
    )
    return (await stack.admin.UpdateNamespace(request)).namespace


def _begin_deletion(stack: Stack, name: str) -> None:
    """Do what a DeleteNamespace does that is broken off after its first step."""
    with stack.database.connect() as conn:
        conn.execute("UPDATE namespaces SET state = 'deleting' WHERE name = %s", [name])


async def test_a_namespace_without_settings_has_the_stated_defaults(stack: Stack) -> None:
    made = await _make(stack, "acme")
    assert made.settings == pb.NamespaceSettings(
        time_zone="UTC",
        day_cutoff_minutes=0,
        text_search_config="english",
        use_counting=pb.USE_COUNTING_USED,
        credentials=pb.CREDENTIAL_POLICY_MASK,
        sleep_atomicity=pb.SLEEP_ATOMICITY_SESSION,
    )
    found = await stack.admin.GetNamespace(pb.GetNamespaceRequest(name="acme"))
    assert found.namespace == made


async def test_settings_come_back_as_they_were_given(stack: Stack) -> None:
    settings = pb.NamespaceSettings(
        time_zone="Europe/Zurich",
        day_cutoff_minutes=300,
        text_search_config="german",
        use_counting=pb.USE_COUNTING_RETURNED,
        channel_policies={"discord": pb.ChannelPolicy(index=True, digest=True)},
        credentials=pb.CREDENTIAL_POLICY_KEEP,
        sleep_atomicity=pb.SLEEP_ATOMICITY_RUN,
    )
    await stack.admin.CreateNamespace(
        pb.CreateNamespaceRequest(namespace=pb.Namespace(name="acme", settings=settings))
    )
    found = await stack.admin.GetNamespace(pb.GetNamespaceRequest(name="acme"))
    assert found.namespace.settings == settings


async def test_a_name_is_taken_once(stack: Stack) -> None:
    await make_namespaces(stack, "acme")
    refusal = await refused(
        stack.admin.CreateNamespace(pb.CreateNamespaceRequest(namespace=pb.Namespace(name="acme")))
    )
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.ALREADY_EXISTS,
        "NAMESPACE_ALREADY_EXISTS",
    )
    assert refusal.metadata["namespace"] == "acme"


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../UTC", "/etc/localtime", "Europe"])
async def test_what_is_no_time_zone_is_refused(stack: Stack, zone: str) -> None:
    refusal = await refused(_make(stack, "acme", time_zone=zone))
    assert refusal.reason == "VALIDATION_FAILED"
    assert refusal.fields == {"namespace.settings.time_zone"}


async def test_an_unknown_text_search_configuration_is_refused_with_known_ones(
    stack: Stack,
) -> None:
    refusal = await refused(_make(stack, "acme", text_search_config="klingon'; --"))
    assert refusal.fields == {"namespace.settings.text_search_config"}
    assert "english, german" in refusal.violations["namespace.settings.text_search_config"]


async def test_an_update_changes_only_what_its_mask_names(stack: Stack) -> None:
    await _make(stack, "acme", time_zone="Europe/Zurich", day_cutoff_minutes=300)
    changed = await _update(
        stack, "acme", "day_cutoff_minutes", time_zone="Asia/Tokyo", day_cutoff_minutes=60
    )
    assert changed.settings.time_zone == "Europe/Zurich"
    assert changed.settings.day_cutoff_minutes == 60


async def test_a_day_begins_at_five_where_a_zone_is_set_and_no_hour(stack: Stack) -> None:
    made = await _make(stack, "zoned", time_zone="Europe/Zurich")
    assert made.settings.day_cutoff_minutes == 300
    at_midnight = await _make(stack, "early", time_zone="Europe/Zurich", day_cutoff_minutes=0)
    assert at_midnight.settings.day_cutoff_minutes == 0
    assert (await _make(stack, "later")).settings.day_cutoff_minutes == 0
    changed = await _update(stack, "later", "time_zone", time_zone="Asia/Tokyo")
    assert changed.settings.day_cutoff_minutes == 300
    for name, cutoff in (("zoned", 300), ("early", 0)):
        changed = await _update(stack, name, "time_zone", time_zone="Asia/Tokyo")
        assert changed.settings.day_cutoff_minutes == cutoff


async def test_an_update_names_a_path_that_exists(stack: Stack) -> None:
    refusal = await refused(_update(stack, "default", "name", time_zone="UTC"))
    assert refusal.code == grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.fields == {"update_mask"}
    empty = await refused(_update(stack, "default", time_zone="UTC"))
    assert empty.fields == {"update_mask"}


async def test_an_update_of_an_unknown_namespace_finds_none(stack: Stack) -> None:
    refusal = await refused(_update(stack, "nobody", "time_zone", time_zone="UTC"))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "NAMESPACE_NOT_FOUND")
    target = erase_service_pb2.ErasureTarget(author="Zed")
    preview = erase_service_pb2.PreviewErasureRequest(target=target)
    refusal = await refused(stack.erasures.PreviewErasure(preview, metadata=within("nobody")))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "NAMESPACE_NOT_FOUND")


async def test_the_text_search_configuration_changes_only_while_nothing_is_indexed(
    stack: Stack,
) -> None:
    changed = await _update(stack, "default", "text_search_config", text_search_config="german")
    assert changed.settings.text_search_config == "german"
    await append(stack, "Der Zug fährt um neun.")
    refusal = await refused(
        _update(stack, "default", "text_search_config", text_search_config="english")
    )
    assert (refusal.code, refusal.reason) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "NAMESPACE_NOT_EMPTY",
    )
    same = await _update(stack, "default", "text_search_config", text_search_config="german")
    assert same.settings.text_search_config == "german"


async def test_namespaces_are_listed_by_name_page_by_page(stack: Stack) -> None:
    names = sorted([f"n{number}" for number in range(5)] + ["default"])
    await make_namespaces(stack, *(name for name in names if name != "default"))
    seen: list[str] = []
    token = ""
    for _ in range(3):
        page = await stack.admin.ListNamespaces(
            pb.ListNamespacesRequest(page_size=2, page_token=token)
        )
        seen += [namespace.name for namespace in page.namespaces]
        token = page.next_page_token
    assert (seen, token) == (names, "")


async def test_a_deleted_namespace_leaves_no_row_and_touches_no_other(stack: Stack) -> None:
    await make_namespaces(stack, "acme")
    for namespace in ("acme", "default"):
        await append(stack, *["Words to erase."] * 50, metadata=within(namespace))
        await stack.facts.Remember(remember_request("Words to erase."), metadata=within(namespace))
        await learn_theirs(stack, namespace, str(new_id()), str(new_id()))
        await stack.graph.WriteGraph(graph_request(), metadata=within(namespace))
        await stack.notes.WriteNote(note_request("Words to erase."), metadata=within(namespace))
        await write_lore(stack, namespace)
        await stack.handoffs.CreateAdvisorGrant(grant_request(), metadata=within(namespace))
        await spend(stack, namespace)
        await write_documents(stack, namespace)
    before = _rows(stack, "default")
    erased = await stack.admin.DeleteNamespace(pb.DeleteNamespaceRequest(name="acme"))
    assert erased.rows_erased > 150
    assert _rows(stack, "default") == before
    with stack.database.connect() as conn:
        [total] = conn.execute("SELECT count(*) FROM memories").fetchall()
        assert total == (before["memories"],)


def _rows(stack: Stack, namespace: str) -> dict[str, int]:
    """Count the rows of a namespace in each table."""
    counts = {}
    with stack.database.connect() as conn:
        for table in NAMESPACED:
            query = (
                f"SELECT count(*) FROM {table} WHERE namespace_id = "
                "(SELECT id FROM namespaces WHERE name = %s)"
            )
            [(counts[table],)] = conn.execute(query.encode(), [namespace]).fetchall()
    return counts


def test_every_table_with_a_namespace_is_known_here(stack_tables: set[str]) -> None:
    assert stack_tables == set(NAMESPACED)


@pytest.fixture
def stack_tables(stack: Stack) -> set[str]:
    """The tables, without partitions, that have a namespace."""
    with stack.database.connect() as conn:
        rows = conn.execute(
            """SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
                WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind IN ('r', 'p')
                  AND NOT c.relispartition AND a.attname = 'namespace_id'"""
        ).fetchall()
    return {name for (name,) in rows}


async def test_a_deleted_name_can_be_made_again_and_is_empty(stack: Stack) -> None:
    await append(stack, "Words to erase.")
    await stack.admin.DeleteNamespace(pb.DeleteNamespaceRequest(name="default"))
    gone = await refused(stack.admin.GetNamespace(pb.GetNamespaceRequest(name="default")))
    assert gone.reason == "NAMESPACE_NOT_FOUND"
    again = await refused(stack.admin.DeleteNamespace(pb.DeleteNamespaceRequest(name="default")))
    assert again.reason == "NAMESPACE_NOT_FOUND"
    await make_namespaces(stack, "default")
    assert set(_rows(stack, "default").values()) == {0}


async def test_a_namespace_that_is_being_deleted_is_invisible(stack: Stack) -> None:
    await make_namespaces(stack, "acme")
    _begin_deletion(stack, "acme")
    for call in (
        stack.admin.GetNamespace(pb.GetNamespaceRequest(name="acme")),
        _update(stack, "acme", "time_zone", time_zone="UTC"),
        stack.admin.CreateApiKey(
            pb.CreateApiKeyRequest(api_key=pb.ApiKey(namespace="acme", role=pb.API_KEY_ROLE_READ))
        ),
        stack.admin.ListApiKeys(pb.ListApiKeysRequest(namespace="acme")),
        stack.ingest.AppendMessages(append_request("Too late."), metadata=within("acme")),
    ):
        assert (await refused(call)).reason == "NAMESPACE_NOT_FOUND"
    listed = await stack.admin.ListNamespaces(pb.ListNamespacesRequest())
    assert [namespace.name for namespace in listed.namespaces] == ["default"]
    taken = await refused(
        stack.admin.CreateNamespace(pb.CreateNamespaceRequest(namespace=pb.Namespace(name="acme")))
    )
    assert taken.reason == "NAMESPACE_ALREADY_EXISTS"
    assert "being deleted" in taken.message


async def test_a_deletion_that_was_broken_off_is_finished_by_calling_again(stack: Stack) -> None:
    await make_namespaces(stack, "acme")
    await append(stack, "Words to erase.", metadata=within("acme"))
    _begin_deletion(stack, "acme")
    erased = await stack.admin.DeleteNamespace(pb.DeleteNamespaceRequest(name="acme"))
    assert erased.rows_erased > 0
    await make_namespaces(stack, "acme")


async def test_a_write_that_was_let_in_before_a_deletion_is_refused_or_erased(
    stack: Stack,
) -> None:
    """A server knows a namespace's id for a moment longer than the namespace is there."""
    await make_namespaces(stack, "acme")
    await append(stack, "Words to erase.", metadata=within("acme"))
    await stack.admin.DeleteNamespace(pb.DeleteNamespaceRequest(name="acme"))
    late = append_request("Too late.", session_key=str(uuid4()))
    refusal = await refused(stack.ingest.AppendMessages(late, metadata=within("acme")))
    assert (refusal.code, refusal.reason) == (grpc.StatusCode.NOT_FOUND, "NAMESPACE_NOT_FOUND")


WAITING = """
SELECT count(*) > 0 FROM pg_stat_activity
 WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'everword-compactor'
"""


@pytest.mark.parametrize("call", ["Compact", "FlushConversation"])
async def test_work_that_is_asked_for_during_a_deletion_is_refused(stack: Stack, call: str) -> None:
    """The call sees the conversation, and what it writes waits for the deletion of it."""
    await make_namespaces(stack, "acme")
    appended = await append(stack, *["Words to erase."] * 3, metadata=within("acme"))
    request: Any = maintenance_service_pb2.CompactRequest()
    if call == "FlushConversation":
        request = maintenance_service_pb2.FlushConversationRequest(
            conversation_id=appended.conversation_id,
            context_size=1,
            used_tokens=1,
            notes_saved=True,
            keep_recent=0,
        )
    with stack.database.connect() as looking, stack.database.connect() as conn:
        with conn.transaction():
            row = conn.execute(
                "UPDATE namespaces SET state = 'deleting' WHERE name = 'acme' RETURNING id"
            ).fetchone()
            left = "SELECT count(*) FROM conversations WHERE namespace_id = %s"
            while conn.execute(left, row).fetchone() != (0,):
                conn.execute("SELECT erase_namespace_rows(%s, 1000)", row)
            asked = asyncio.ensure_future(
                refused(getattr(stack.maintenance, call)(request, metadata=within("acme")))
            )
            await until(lambda: looking.execute(WAITING).fetchone() == (True,))
        assert (await asked).reason == "NAMESPACE_NOT_FOUND"


async def test_a_summary_that_is_stored_during_a_deletion_is_erased_with_the_rest(
    stack: Stack,
) -> None:
    await make_namespaces(stack, "acme")
    appended = await append(stack, *["Words to erase."] * 12, metadata=within("acme"))
    request = pb.DeleteNamespaceRequest(name="acme")
    with stack.database.connect() as conn:
        with conn.transaction():
            _link_a_leaf(conn, "acme", appended)
            deletion = asyncio.ensure_future(stack.admin.DeleteNamespace(request))
            await until(lambda: _is_deletion_waiting(stack))
        erased = await deletion
    assert erased.rows_erased > 12
    assert set(_rows(stack, "default").values()) == {0}
    await make_namespaces(stack, "acme")


def _link_a_leaf(
    conn: psycopg.Connection, namespace: str, appended: ingest_service_pb2.AppendMessagesResponse
) -> None:
    """Write what a worker writes that stores a leaf over the first message."""
    conn.execute(
        """WITH leaf AS (
             INSERT INTO summaries (namespace_id, id, level, conversation_id, first_seq, last_seq, content,
                                    message_count, earliest_at, latest_at)
             SELECT id, %(leaf)s, 1, %(conversation)s, 1, 1, 'A leaf.', 1, now(), now()
               FROM namespaces WHERE name = %(namespace)s
             RETURNING namespace_id, id)
           INSERT INTO summary_sources (namespace_id, summary_id, ordinal, axis, message_id)
           SELECT namespace_id, id, 1, 1, %(message)s FROM leaf""",
        {
            "leaf": uuid4(),
            "conversation": appended.conversation_id,
            "namespace": namespace,
            "message": appended.messages[0].message_id,
        },
    )


def _is_deletion_waiting(stack: Stack) -> bool:
    """Whether a statement waits for a row that somebody else holds."""
    with stack.database.connect() as conn:
        row = conn.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        ).fetchone()
    return row is not None
