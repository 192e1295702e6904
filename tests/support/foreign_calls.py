"""Calls of every RPC that name what is in another namespace, made from the descriptors."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import fields
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import search_service_pb2 as search
from everword.v1 import stats_pb2 as stats
from everword.v1.stats_pb2 import SummaryBacklog
from support.callers import Metadata, within
from support.foreign_namespaces import (
    MODEL,
    NO_CONVERSATION,
    NO_MEMORY,
    NO_PAGE,
    NO_TOKEN,
    Call,
    Theirs,
    ensure_request,
    significant_request,
)
from support.foreign_written import (
    advice_request,
    file_request,
    graph_request,
    handoff_request,
    node_request,
    note_request,
    pattern_request,
    remember_request,
    threshold_request,
    upload_requests,
    write_request,
)
from support.kinds.lore import book_request, import_request
from support.probes import Path, least, public_methods, reaching_paths, values_for
from support.stack import Stack
from support.twins import SHARED_LISTS

#: Streams without an end: their first answer is enough.
ENDLESS = {"WatchMemories", "Sleep"}

_FIRST_MESSAGE = {
    "conversation": {"key": {"session_key": "mine"}},
    "messages": [{"content": "An answer.", "role": "ROLE_USER"}],
}
_ENDS = {"from_node": {"label": "user"}, "to_node": {"label": "user"}, "type": "knows"}
_KNOWN_PATTERN = {"entity": "Kiwi", "type": "merchant"}
_ISSUE = {"key": {"repo": "their/repo", "issue": "7"}}
_MEMORY_FILE = {"name": "WORKSPACE_FILE_NAME_MEMORY"}
#: Requests of RPCs for which the least that their rules ask for will not do; `$name` is that attribute of Theirs.
_BASES: dict[str, dict[str, Any]] = {
    "Answer": {"query": "words"},
    "AppendMessages": _FIRST_MESSAGE,
    "Backfill": {"target": "BACKFILL_TARGET_EMBEDDINGS"},
    "BatchGetMemories": {"memory_ids": ["$message_id"]},
    "BuildContext": {"query": "words"},
    "CheckBudget": {"run_id": "r"},
    "CreateEdge": {"edge": _ENDS},
    "DecidePattern": {**_KNOWN_PATTERN, "auto_approve": 0},
    "DeleteWorkspaceFile": _MEMORY_FILE,
    "EnsureConversation": {"details": {"title": "Taken over"}, "update_mask": "details.title"},
    "ExpandSummary": {"summary_id": "$summary_id"},
    "ExplainFact": {"fact_id": "$fact_id"},
    "ExplainLearned": {"person_id": "$person_id"},
    "FlushConversation": {"conversation_id": "$conversation_id", "context_size": 1},
    "GetConversation": {"conversation_id": "$conversation_id"},
    "GetCosts": {"group_by": ["COST_GROUPING_MODEL"]},
    "GetDocumentHistory": {"document_id": "$document_id"},
    "GetFactHistory": {"subject": "emi", "attribute": "like"},
    "GetHandoff": _ISSUE,
    "GetMemory": {"memory_id": "$message_id"},
    "GetNode": {"node_id": "$node_id"},
    "GetNoteHistory": {"note_id": "$note_id"},
    "GetProfile": {"subject": "emi"},
    "GetTopic": {"id": "$node_id"},
    "GetUserModel": {"subject": "emi"},
    "GetWorkspaceFile": _MEMORY_FILE,
    "GetWorkspaceFileHistory": _MEMORY_FILE,
    "ImportMessages": {"batch": _FIRST_MESSAGE},
    "ListAddress": {"address": "viking://default/notes"},
    "ListCheckpoints": {"conversation_id": "$conversation_id"},
    "ListEvents": {"include_past": True},
    "ListFacts": {"include_superseded": True},
    "ListLoreEntries": {"book_id": "$book_id"},
    "ListMessages": {"conversation_id": "$conversation_id"},
    "ListPeople": {"include_rejected": True},
    "ListStrategies": {"include_ended": True},
    "MatchLore": {"text": "theirs"},
    "MergeNodes": {"node_id": "$message_id", "merged_node_ids": ["$node_id"]},
    "ReadAddress": {"address": "viking://"},
    "RecordOutcome": {"agreed": True},
    "RecordUsage": {"usages": [{"model": "gpt-5-mini"}]},
    "Remember": {"subject": "emi", "attribute": "like", "value": "Berlin"},
    "ReviewLearned": {"ruling": "LEARNED_RULING_WRONG"},
    "SaveCheckpoint": {"conversation_id": "$conversation_id", "state": "bWluZQ=="},
    "Search": {"query": "words", "mode": "SEARCH_MODE_LEXICAL"},
    "SearchGraph": {"query": "Theirs"},
    "StreamContext": {"context": {"query": "words"}},
    "SuggestMerges": {"node_id": "$node_id"},
    "Traverse": {"node_ids": ["$node_id"]},
    "UpdateEdge": {"edge": {"label": "ours"}, "update_mask": "label"},
    "UpdateMemory": {
        "memory": {"importance_class": "IMPORTANCE_CLASS_FACT"},
        "update_mask": "importanceClass",
    },
    "UpdateNode": {"node": {"label": "Ours"}, "update_mask": "label"},
    "UploadDocument": {"header": {"document": {"title": "Theirs"}, "file_name": "theirs.md"}},
    "WaitForIndexing": {"stage": "INDEXING_STAGE_LEXICAL"},
    "WriteGraph": {"edges": [_ENDS]},
    "WriteLoreEntry": {"book_id": "$book_id", "entry": {"title": "Mine", "content": "Mine."}},
    "WriteWorkspaceFile": {**_MEMORY_FILE, "content": "Their memory."},
}
#: Reasons of refusals by the kind of the foreign value in the call.
_REASONS = {
    "book_id": "LORE_BOOK_NOT_FOUND",
    "consistency_token": NO_TOKEN,
    "entry_id": "LORE_ENTRY_NOT_FOUND",
    "hold_id": "LEGAL_HOLD_NOT_FOUND",
    "memory_id": NO_MEMORY,
    "message_id": NO_MEMORY,
    "page_token": NO_PAGE,
    "resume_token": NO_PAGE,
}
#: Reasons of refusals that another field of the request decides, or that an RPC words for itself.
_OTHER_REASONS = {
    "Erase target.learned_id": NO_MEMORY,
    "Erase target.message_id": "MESSAGE_NOT_FOUND",
    "FlushConversation protected_message_ids": NO_CONVERSATION,
    "GetCheckpoint latest.conversation_id": "CHECKPOINT_NOT_FOUND",
    "PreviewErasure target.learned_id": NO_MEMORY,
    "PreviewErasure target.message_id": "MESSAGE_NOT_FOUND",
    "SaveCheckpoint checkpoint_id": NO_CONVERSATION,
    "WriteLoreEntry entry_id": "LORE_BOOK_NOT_FOUND",
}
#: Fields, apart from filters, that match nothing if they contain an id of another namespace.
_MATCHING_NOTHING = {
    "AuditSummaries conversation_id",
    "DeleteCheckpoints checkpoint_id",
    "DeleteCheckpoints conversation_id",
    "DeleteCheckpoints name.conversation_id",
}
_MESSAGES = "viking://{namespace}/conversations/$conversation_id/messages"
#: Further requests, most of which ask by a name that something of theirs has: RPC, place, reason and request.
_NAMED: list[tuple[str, str, str, dict[str, Any]]] = [
    ("GetNote", "key", "NOTE_NOT_FOUND", {"key": {"key": "theirs"}}),
    ("GetTopic", "name", "TOPIC_NOT_FOUND", {"name": "Theirs"}),
    (
        *("GetTopic", "at_least_as_fresh", NO_TOKEN),
        {"id": "$node_id", "at_least_as_fresh": "$consistency_token"},
    ),
    ("GetWorkspaceFile", "name", "DOCUMENT_NOT_FOUND", _MEMORY_FILE),
    ("DeleteWorkspaceFile", "name", "DOCUMENT_NOT_FOUND", _MEMORY_FILE),
    ("GetConversation", "key.session_key", NO_CONVERSATION, {"key": {"session_key": "s"}}),
    ("EndConversation", "key.session_key", NO_CONVERSATION, {"key": {"session_key": "s"}}),
    (
        *("GetMemory", "memory_id, unindexed", NO_MEMORY),
        {"memory_id": "$message_id", "include_unindexed": True},
    ),
    (
        *("GetMemory", "external.key", NO_CONVERSATION),
        {"external": {"key": {"session_key": "s"}, "external_id": "external"}},
    ),
    *(
        (
            *(rpc, f"address in {namespace}", "ADDRESS_NOT_FOUND"),
            {"address": _MESSAGES.format(namespace=namespace) + end},
        )
        for rpc, end in (("ReadAddress", "/1"), ("ListAddress", ""))
        for namespace in ("theirs", "default")
    ),
]
#: RPCs whose requests need not name anything: they answer without anything of theirs.
_READS = (
    *("GetCompactionStatus", "Answer", "GetProfile", "GetFactHistory", "DecidePattern"),
    *("GetUserModel", "SearchGraph", "ExportGraph", "GetHandoff", "MatchLore", "CheckBudget"),
    *("GetCosts", "PreviewRetention", "Search", "Browse", "GetStats", "StreamContext"),
    *("BuildContext", "GetQueueStatus", "RollUp", "Compact", "RetryJobs", "Backfill"),
    *(
        "AuditSummaries",
        "ListSummaries",
        "ListFacts",
        "ListDisputes",
        "ListThemes",
        "ListPatterns",
        "ListPeople",
    ),
    *(
        "ListEvents",
        "ListSessions",
        "ListStrategies",
        "ListNodes",
        "ListNotes",
        "ListLoreBooks",
        "ListBudgets",
    ),
    *("ListRetentionPolicies", "ListTopics", "ListDocuments", "ListWorkspaceFiles"),
    *("ListConversations", "ListLegalHolds"),
)
IsEmpty = Callable[[Any], bool]
_NOTHING = search.AnswerResponse(verdict=search.VERDICT_NOTHING_RELEVANT)
_UNCOMPACTED = maintenance.GetCompactionStatusResponse(
    mode=maintenance.COMPACTION_MODE_MODEL, model=MODEL, backlog=SummaryBacklog()
)
#: Checks that an answer has nothing of the other namespace, for RPCs whose answer is then not an empty message.
_EMPTY: dict[str, IsEmpty] = {
    "Answer": lambda answer: answer == _NOTHING,
    "BuildContext": lambda answer: (answer.text, answer.omitted) == ("", 0),
    "CheckBudget": lambda answer: answer.allowed and not answer.budgets,
    "DecidePattern": lambda answer: not answer.decision.approved and not answer.HasField("pattern"),
    "GetCompactionStatus": lambda answer: answer == _UNCOMPACTED,
    "GetStats": lambda answer: (
        (answer.corpus, answer.embedding.pending, list(answer.tasks))
        == (stats.CorpusStats(), 0, [])
    ),
    "PreviewRetention": lambda answer: not any(each.count for each in answer.removed),
    "Search": lambda answer: not answer.results,
    "StreamContext": lambda answer: (answer.end.token_count, answer.end.omitted) == (0, 0),
}
_THIRD = within("third")
#: Writes that `third` and `theirs` have both made under the same id of a request: `third` gets its own answer again.
_REPLAYED: dict[str, Callable[[], Any]] = {
    "CreateNode": node_request,
    "ImportLoreBook": import_request,
    "RecordPattern": lambda: pattern_request(request_id="pattern"),
    "RecordSignificant": significant_request,
    "Remember": lambda: remember_request(request_id="fact"),
    "SaveAdvisorNote": advice_request,
    "UploadDocument": lambda: upload_requests("upload"),
    "WriteDocument": lambda: write_request(request_id="write"),
    "WriteGraph": graph_request,
    "WriteHandoff": handoff_request,
    "WriteLoreBook": book_request,
    "WriteNote": lambda: note_request(request_id="note"),
    "WriteWorkspaceFile": lambda: file_request(request_id="file"),
}


def refused_calls() -> dict[str, tuple[str, Call]]:
    """Return by RPC and field the reason of its refusal, and the call that is given theirs."""
    by_name = {method.name: method for method in public_methods()}
    calls: dict[str, tuple[str, Call]] = {
        case: (_reason(case, path), _naming(method, path))
        for case, method, path in reaching_paths()
        if not _matches_nothing(case) and method.name not in SHARED_LISTS
    }
    calls["SaveCheckpoint parent_id"] = ("CHECKPOINT_NOT_FOUND", _save_after_theirs)
    for rpc, place, reason, base in _NAMED:
        calls[f"{rpc} {place}"] = (reason, _with_base(by_name[rpc], base))
    return calls


def empty_calls() -> dict[str, tuple[Call, IsEmpty]]:
    """Return by RPC, and field if it has one, the call, and what an answer without anything of theirs is like."""
    by_name = {method.name: method for method in public_methods()}
    calls: dict[str, tuple[Call, IsEmpty]] = {
        rpc: (_with_base(by_name[rpc], _BASES.get(rpc, {})), _EMPTY.get(rpc, _is_empty))
        for rpc in _READS
    }
    for case, method, path in reaching_paths():
        if _matches_nothing(case):
            calls[case] = (_naming(method, path), _EMPTY.get(method.name, _is_empty))
    for rpc, request in _REPLAYED.items():
        calls[rpc] = (_replaying(by_name[rpc], request), lambda answer: answer.replayed)
    calls["SetPatternThreshold"] = (
        lambda s, t: s.patterns.SetPatternThreshold(threshold_request(0.5), metadata=_THIRD),
        lambda answer: answer.previous == 0.5,
    )
    calls["EnsureConversation"] = (
        lambda s, t: s.ingest.EnsureConversation(ensure_request(), metadata=_THIRD),
        lambda answer: answer.conversation.message_count == 0,
    )
    return calls


def _matches_nothing(case: str) -> bool:
    in_filter = "filter." in case and not case.endswith(".as_of_message_id")
    return in_filter or case in _MATCHING_NOTHING


def _reason(case: str, path: Path) -> str:
    kind = path.kind
    return _OTHER_REASONS.get(case) or _REASONS.get(
        kind, f"{kind.removesuffix('_id').upper()}_NOT_FOUND"
    )


def _request(method: MethodDescriptor, base: dict[str, Any], theirs: Theirs) -> Any:
    """Return a request with pages of one item; without a base, with the least that its rules ask for."""
    known = {**vars(theirs), **vars(theirs.learned), **theirs.written}

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: filled(each) for name, each in value.items()}
        if isinstance(value, list):
            return [filled(each) for each in value]
        return re.sub(r"\$(\w+)", lambda m: known[m[1]], value) if isinstance(value, str) else value

    request: Any = GetMessageClass(method.input_type)()
    json_format.ParseDict(filled(base), request) if base else least(request)
    if "page_size" in method.input_type.fields_by_name:
        request.page_size = 1
    return request


def _naming(method: MethodDescriptor, path: Path) -> Call:
    """Return a call in which one field names what is theirs."""

    def call(stack: Stack, theirs: Theirs) -> Awaitable[Any]:
        request = _request(method, _BASES.get(method.name, {}), theirs)
        named = values_for(method, path, theirs, {})
        assert named
        path.put(request, named[0])
        return _answer(stack, method, request)

    return call


def _with_base(method: MethodDescriptor, base: dict[str, Any]) -> Call:
    return lambda stack, theirs: _answer(stack, method, _request(method, base, theirs))


def _replaying(method: MethodDescriptor, request: Callable[[], Any]) -> Call:
    return lambda stack, theirs: _answer(stack, method, request(), _THIRD)


async def _save_after_theirs(stack: Stack, theirs: Theirs) -> Any:
    """Save in a conversation of the caller's own, so that nothing but the parent is theirs."""
    made = await stack.ingest.EnsureConversation(ensure_request(), metadata=_THIRD)
    request = ingest.SaveCheckpointRequest(
        conversation_id=made.conversation.id, parent_id=theirs.checkpoint_id
    )
    return await stack.ingest.SaveCheckpoint(request, metadata=_THIRD)


async def _answer(
    stack: Stack, method: MethodDescriptor, request: Any, metadata: Metadata = ()
) -> Any:
    """Return the answer of a call, or the last one of a stream; None if a stream has none."""
    service = method.containing_service
    assert service is not None
    stubs = {field.type: field.name for field in fields(stack)}
    if method.client_streaming and isinstance(request, Message):
        request = iter([request, *_rest(request)])
    call = getattr(getattr(stack, stubs[f"{service.name}Stub"]), method.name)(
        request, metadata=metadata
    )
    if not method.server_streaming:
        return await call
    answers = []
    try:
        async for answer in call:
            answers.append(answer)
            if method.name in ENDLESS:
                break
    finally:
        call.cancel()
    return answers[-1] if answers else None


def _rest(request: Any) -> list[Any]:
    """Return the rest of a stream of requests: the contents of an uploaded file."""
    return [type(request)(data=b"Their file.")] if hasattr(request, "data") else []


def _is_empty(answer: Any) -> bool:
    """Return whether an answer lists and counts nothing."""
    return answer is None or not any(
        field.is_repeated
        or field.cpp_type in (field.CPPTYPE_INT32, field.CPPTYPE_INT64)
        or field.name == "next_page_token"
        for field, _ in answer.ListFields()
    )
