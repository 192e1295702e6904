"""Write notes, costs, documents, erasures, people, events and sessions into another namespace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from google.protobuf import struct_pb2

from everword.domain.ids import new_id
from everword.people.model import EventMention, MessageWords, PersonMention
from everword.people.strategies import ask
from everword.people.writer import meet_people, take_events
from everword.v1 import cost_service_pb2 as cost_pb
from everword.v1 import document_pb2, note_pb2
from everword.v1 import document_service_pb2 as documents
from everword.v1 import erasure_service_pb2 as erasures
from everword.v1 import fact_query_service_pb2 as fact_queries
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import graph_query_service_pb2 as graph_queries
from everword.v1 import graph_service_pb2 as graph_writes
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import note_service_pb2 as notes
from everword.v1 import pattern_service_pb2 as patterns
from support.callers import Metadata, within
from support.calls import append
from support.costs import RUN, Accounts, budget, spent
from support.foreign_namespaces import Learned, Written
from support.graphs import edge, node
from support.learned_facts import START, day, learning_transaction
from support.stack import Stack
from support.waits import until

MEMORY = documents.WORKSPACE_FILE_NAME_MEMORY
ISSUE = notes.HandoffKey(repo="their/repo", issue="7")


def remember_request(value: str = "Berlin", **fields: Any) -> facts.RememberRequest:
    return facts.RememberRequest(subject="emi", attribute="like", value=value, **fields)


def graph_request(request_id: str = "graph") -> graph_writes.WriteGraphRequest:
    return graph_writes.WriteGraphRequest(
        nodes=[node("Theirs"), node("Thing", "thing")],
        edges=[edge("Theirs", "owns", "Thing")],
        request_id=request_id,
    )


def node_request() -> graph_writes.CreateNodeRequest:
    return graph_writes.CreateNodeRequest(node=node("Own"), request_id="node")


def pattern_request(entity: str = "Kiwi", **fields: Any) -> patterns.RecordPatternRequest:
    data = struct_pb2.Struct()
    data.update({"account": "6540"})
    return patterns.RecordPatternRequest(entity=entity, type="merchant", data=data, **fields)


def threshold_request(auto_approve: float) -> patterns.SetPatternThresholdRequest:
    return patterns.SetPatternThresholdRequest(type="merchant", auto_approve=auto_approve)


async def save_checkpoints(stack: Stack, namespace: str, conversation_id: str) -> Written:
    """Save two checkpoints under two names."""
    metadata = within(namespace)
    for name in ("plan", "draft"):
        request = ingest.SaveCheckpointRequest(
            conversation_id=conversation_id, name=name, state=b"theirs"
        )
        saved = await stack.ingest.SaveCheckpoint(request, metadata=metadata)
    listed = await stack.ingest.ListCheckpoints(
        ingest.ListCheckpointsRequest(conversation_id=conversation_id, page_size=1),
        metadata=metadata,
    )
    ids = {"checkpoint_id": saved.checkpoint_id}
    return Written(ids, {"ListCheckpoints": listed.next_page_token})


async def spend(stack: Stack, namespace: str) -> Written:
    """Set a budget, and bring it to its limit."""
    accounts = Accounts(stack, namespace)
    limited = await accounts.limit(budget(tokens=10))
    await accounts.limit(budget(RUN, tokens=10))
    await accounts.record(spent("their-model", 10, run_id="r"), spent("their-other-model", 10))
    request = cost_pb.GetCostsRequest(page_size=1, group_by=[cost_pb.COST_GROUPING_MODEL])
    page = await stack.costs.GetCosts(request, metadata=accounts.metadata)
    budgets = await stack.costs.ListBudgets(
        cost_pb.ListBudgetsRequest(page_size=1), metadata=accounts.metadata
    )
    tokens = {"GetCosts": page.next_page_token, "ListBudgets": budgets.next_page_token}
    return Written({"budget_id": limited.budget.id}, tokens)


def write_request(**fields: Any) -> documents.WriteDocumentRequest:
    document = document_pb2.NewDocument(title="Theirs")
    return documents.WriteDocumentRequest(**{"content": "Their text.", **fields}, document=document)


def upload_requests(request_id: str) -> Iterator[documents.UploadDocumentRequest]:
    header = documents.UploadHeader(
        document=document_pb2.NewDocument(title="Theirs"),
        file_name="theirs.md",
        request_id=request_id,
    )
    yield documents.UploadDocumentRequest(header=header)
    yield documents.UploadDocumentRequest(data=b"Their file.")


def file_request(**fields: Any) -> documents.WriteWorkspaceFileRequest:
    return documents.WriteWorkspaceFileRequest(
        **{"name": MEMORY, **fields}, content="Their memory."
    )


async def write_documents(stack: Stack, namespace: str) -> Written:
    """Write a document and a file in three versions each, and another of both."""
    metadata, stub = within(namespace), stack.documents
    written = await stub.WriteDocument(write_request(request_id="write"), metadata=metadata)
    more = write_request(content="Their more.", append=True, request_id="append")
    await stub.WriteDocument(more, metadata=metadata)
    await stub.UploadDocument(upload_requests("upload"), metadata=metadata)
    other = documents.WriteDocumentRequest(
        document=document_pb2.NewDocument(title="Theirs too"), content="Other text."
    )
    await stub.WriteDocument(other, metadata=metadata)
    soul = {"name": documents.WORKSPACE_FILE_NAME_SOUL, "writer": documents.WORKSPACE_WRITER_HUMAN}
    for fields in ({"request_id": "file"}, {"append": True}, soul):
        await stub.WriteWorkspaceFile(file_request(**fields), metadata=metadata)
    listed = await stub.ListDocuments(
        documents.ListDocumentsRequest(page_size=1), metadata=metadata
    )
    versions = await stub.GetDocumentHistory(
        documents.GetDocumentHistoryRequest(document_id=written.document_id, page_size=1),
        metadata=metadata,
    )
    files = await stub.ListWorkspaceFiles(
        documents.ListWorkspaceFilesRequest(page_size=1), metadata=metadata
    )
    of_file = await stub.GetWorkspaceFileHistory(
        documents.GetWorkspaceFileHistoryRequest(name=MEMORY, page_size=1), metadata=metadata
    )
    tokens = {
        "ListDocuments": listed.next_page_token,
        "GetDocumentHistory": versions.next_page_token,
        "ListWorkspaceFiles": files.next_page_token,
        "GetWorkspaceFileHistory": of_file.next_page_token,
    }
    return Written({"document_id": written.document_id}, tokens)


async def erase_two_messages(stack: Stack, namespace: str) -> Written:
    """Erase two messages of a namespace, run its retention twice, and create two legal holds."""
    metadata, stub = within(namespace), stack.erasures
    said = await append(stack, "One to go.", "Another.", session_key="erased", metadata=metadata)
    for each in said.messages:
        target = erasures.ErasureTarget(message_id=each.message_id)
        erased = await stub.Erase(erasures.EraseRequest(target=target), metadata=metadata)
    listed = await stub.ListErasures(erasures.ListErasuresRequest(page_size=1), metadata=metadata)
    policy = erasures.RetentionPolicy(kind=erasures.RETENTION_KIND_NOTES, keep_days=36500)
    await stub.SetRetentionPolicy(
        erasures.SetRetentionPolicyRequest(policy=policy), metadata=metadata
    )
    for _ in range(2):
        await stub.RunRetention(erasures.RunRetentionRequest(), metadata=metadata)
        await until(lambda: _retention_done(stack, metadata))
    runs = await stub.ListRetentionRuns(
        erasures.ListRetentionRunsRequest(page_size=1), metadata=metadata
    )
    # The same hold exists once.
    for number in range(2):
        hold = erasures.CreateLegalHoldRequest(subject="held", reason=f"Case {number}")
        created = await stub.CreateLegalHold(hold, metadata=metadata)
    holds = await stub.ListLegalHolds(
        erasures.ListLegalHoldsRequest(page_size=1), metadata=metadata
    )
    tokens = {
        "ListErasures": listed.next_page_token,
        "ListRetentionRuns": runs.next_page_token,
        "ListLegalHolds": holds.next_page_token,
    }
    return Written({"erasure_id": erased.erasure.id, "hold_id": created.hold.id}, tokens)


async def _retention_done(stack: Stack, metadata: Metadata) -> bool:
    request = erasures.ListRetentionRunsRequest()
    runs = (await stack.erasures.ListRetentionRuns(request, metadata=metadata)).runs
    return all(each.state == erasures.RETENTION_STATE_DONE for each in runs)


def note_request(content: str = "Their note.", **fields: Any) -> notes.WriteNoteRequest:
    return notes.WriteNoteRequest(note=note_pb2.NewNote(key="theirs", content=content), **fields)


def handoff_request() -> notes.WriteHandoffRequest:
    return notes.WriteHandoffRequest(key=ISSUE, content="Their task.", request_id="handoff")


def advice_request() -> notes.SaveAdvisorNoteRequest:
    return notes.SaveAdvisorNoteRequest(key=ISSUE, content="Their advice.", request_id="found")


async def write_notes(stack: Stack, namespace: str) -> Written:
    """Write two versions of a note, an entry of a log, and a handoff with all that belongs to it."""
    metadata, stub = within(namespace), stack.notes
    await stub.WriteNote(note_request(request_id="note"), metadata=metadata)
    written = await stub.WriteNote(note_request("Their newer note."), metadata=metadata)
    entry = notes.AppendDailyLogRequest(content="Their day.")
    await stub.AppendDailyLog(entry, metadata=metadata)
    await stub.WriteHandoff(handoff_request(), metadata=metadata)
    await stub.SaveAdvisorNote(advice_request(), metadata=metadata)
    granted = await stub.CreateAdvisorGrant(
        notes.CreateAdvisorGrantRequest(key=ISSUE), metadata=metadata
    )
    listed = await stub.ListNotes(notes.ListNotesRequest(page_size=1), metadata=metadata)
    versions = await stub.GetNoteHistory(
        notes.GetNoteHistoryRequest(note_id=written.note_id, page_size=1), metadata=metadata
    )
    tokens = {"ListNotes": listed.next_page_token, "GetNoteHistory": versions.next_page_token}
    return Written({"note_id": written.note_id, "grant_id": granted.grant.id}, tokens)


async def learn_theirs(
    stack: Stack, namespace: str, message_id: str, conversation_id: str
) -> Learned:
    """Learn two of each in a namespace."""
    with stack.database.connect() as conn:
        row = conn.execute("SELECT id FROM namespaces WHERE name = %s", [namespace]).fetchone()
        assert row
        for seq in (1, 2):
            conn.execute(
                "INSERT INTO sleep_sessions (namespace_id, id, conversation_id, first_seq, last_seq, state, "
                "started_at, ended_at) VALUES (%s, %s, %s, %s, %s, 3, %s, %s)",
                [row[0], new_id(), conversation_id, seq, seq, START, START],
            )
    said = MessageWords(UUID(message_id), UUID(conversation_id), "Their words.", START)
    told = [
        MessageWords(UUID(int=number), said.conversation_id, "Them.", day(number))
        for number in range(3)
    ]
    async with learning_transaction(stack.database, row[0]) as conn:
        mentions = [PersonMention(name, each) for name in ("Ana", "Bruno") for each in told]
        await meet_people(conn, row[0], "emi", mentions)
        events = [EventMention(title, "work", said, decay_days=9999) for title in ("Audit", "Move")]
        await take_events(conn, row[0], "emi", events)
        assert await ask(conn, row[0], "emi", day(1)) == 2
    metadata, stub = within(namespace), stack.fact_queries
    people = await stub.ListPeople(fact_queries.ListPeopleRequest(page_size=1), metadata=metadata)
    listed = await stub.ListEvents(fact_queries.ListEventsRequest(page_size=1), metadata=metadata)
    asked = await stub.ListStrategies(
        fact_queries.ListStrategiesRequest(page_size=1), metadata=metadata
    )
    read = await stub.ListSessions(fact_queries.ListSessionsRequest(page_size=1), metadata=metadata)
    return Learned(
        people.people[0].id,
        listed.events[0].id,
        asked.strategies[0].id,
        {
            "ListPeople": people.next_page_token,
            "ListEvents": listed.next_page_token,
            "ListStrategies": asked.next_page_token,
            "ListSessions": read.next_page_token,
        },
    )


async def write_pages(stack: Stack, namespace: str, node_ids: Sequence[str]) -> dict[str, str]:
    """Store a page about each of some nodes; returns the token of the second page of the list."""
    with stack.database.connect() as conn:
        for node_id in node_ids:
            conn.execute(
                "INSERT INTO topic_pages (namespace_id, node_id, id, title, type, content, source_ids, source_kinds) "
                "SELECT id, %s, %s, 'Theirs', 'person', 'Their page.', '{}', '{}' FROM namespaces WHERE name = %s",
                [UUID(node_id), new_id(), namespace],
            )
    listed = await stack.graph_queries.ListTopics(
        graph_queries.ListTopicsRequest(page_size=1), metadata=within(namespace)
    )
    return {"ListTopics": listed.next_page_token}
