"""Fills the namespaces that calls of other namespaces must not reach."""

from __future__ import annotations

from typing import Any

from everword.v1 import address_pb2
from everword.v1 import fact_query_service_pb2 as fact_queries
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import graph_query_service_pb2 as graph_queries
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import maintenance_service_pb2 as maintenance
from everword.v1 import pattern_service_pb2 as patterns
from everword.v1 import search_service_pb2 as search
from everword.v1 import summary_pb2 as summary
from everword.v1 import watch_pb2 as watch
from support.callers import make_namespaces, within
from support.calls import append
from support.compaction import ScriptedComposer, compact_everything
from support.foreign_namespaces import (
    MODEL,
    Theirs,
    ensure_request,
    search_request,
    significant_request,
    voice_request,
)
from support.foreign_written import (
    erase_two_messages,
    graph_request,
    learn_theirs,
    node_request,
    pattern_request,
    remember_request,
    save_checkpoints,
    spend,
    threshold_request,
    write_documents,
    write_notes,
    write_pages,
)
from support.kinds import KINDS
from support.stack import Stack

THEIRS = within("theirs")


async def fill_other_namespace(stack: Stack) -> Theirs:
    """Fill `theirs`, and partly `third`; return ids and tokens of `theirs`."""
    await _fill_both(stack)
    written = [
        await write(stack, "theirs")
        for write in (write_notes, spend, erase_two_messages, write_documents)
    ]
    of_kinds = [await kind.write(stack, "theirs") for kind in KINDS]
    told = await stack.facts.Remember(remember_request("Their tea."), metadata=THEIRS)
    # Two guesses against a stated value are two disputes.
    for value in ("tea", "cocoa", "water"):
        drink = facts.RememberRequest(
            subject="emi", attribute="drink", value=value, hypothesis=value != "tea"
        )
        await stack.facts.Remember(drink, metadata=THEIRS)
    drawn = await stack.graph.WriteGraph(graph_request(), metadata=THEIRS)
    await stack.graph.CreateNode(node_request(), metadata=within("third"))
    habit = await stack.patterns.RecordPattern(pattern_request("Rema"), metadata=THEIRS)
    first = await append(stack, *["Their words."] * 3, metadata=THEIRS)
    await append(stack, "Their other words.", session_key="t", metadata=THEIRS)
    conversation_id, message_id = first.conversation_id, first.messages[0].message_id
    written.append(await save_checkpoints(stack, "theirs", conversation_id))
    used = ingest.MarkUsedRequest(memory_ids=[message_id])
    await stack.ingest.MarkUsed(used, metadata=THEIRS)
    # These nodes will not be rewritten.
    await compact_everything(stack, ScriptedComposer(MODEL, version=1000))
    listed = await stack.search.ListSummaries(
        search.ListSummariesRequest(page_size=1), metadata=THEIRS
    )
    tokens = {"ListSummaries": listed.next_page_token}
    for each in [*written, *of_kinds]:
        tokens |= each.page_tokens
    tokens |= await write_pages(stack, "theirs", [each.id for each in drawn.nodes])
    tokens |= await _page_tokens(stack, conversation_id)
    return Theirs(
        conversation_id=conversation_id,
        message_id=message_id,
        summary_id=listed.summaries[0].id,
        fact_id=told.fact.id,
        pattern_id=habit.pattern.id,
        learned=await learn_theirs(stack, "theirs", message_id, conversation_id),
        node_id=drawn.nodes[0].id,
        edge_id=drawn.edges[0].id,
        consistency_token=first.consistency_token,
        page_tokens=tokens,
        written={name: id_ for each in of_kinds for name, id_ in each.ids.items()},
        **{name: id_ for each in written for name, id_ in each.ids.items()},
    )


async def _fill_both(stack: Stack) -> None:
    await make_namespaces(stack, "theirs", "third")
    await stack.ingest.EnsureConversation(ensure_request(), metadata=within("third"))
    for name in ("third", "theirs"):
        await stack.admin.UpdateNamespace(voice_request(name))
        await stack.ingest.RecordSignificant(significant_request(), metadata=within(name))
        await stack.facts.Remember(remember_request(request_id="fact"), metadata=within(name))
        pattern = pattern_request(request_id="pattern")
        await stack.patterns.RecordPattern(pattern, metadata=within(name))
        threshold = threshold_request(0.5 if name == "third" else 0.9)
        await stack.patterns.SetPatternThreshold(threshold, metadata=within(name))
        await stack.graph.WriteGraph(graph_request(), metadata=within(name))
    await write_notes(stack, "third")
    for kind in KINDS:
        await kind.write(stack, "third")
    await write_documents(stack, "third")


async def _page_tokens(stack: Stack, conversation_id: str) -> dict[str, str]:
    """Return a token of the second page of each list, by RPC."""
    messages = f"viking://theirs/conversations/{conversation_id}/messages"
    leaves = summary.SummaryFilter(conversation_id=conversation_id)
    [leaf] = (
        await stack.search.ListSummaries(
            search.ListSummariesRequest(filter=leaves, page_size=1), metadata=THEIRS
        )
    ).summaries
    pages: tuple[tuple[Any, Any], ...] = (
        (
            stack.search.ExpandSummary,
            search.ExpandSummaryRequest(summary_id=leaf.id, page_size=1),
        ),
        (stack.maintenance.AuditSummaries, maintenance.AuditSummariesRequest(page_size=1)),
        (
            stack.search.ListAddress,
            address_pb2.ListAddressRequest(address=messages, page_size=1),
        ),
        (stack.fact_queries.ListFacts, fact_queries.ListFactsRequest(page_size=1)),
        (stack.fact_queries.ListDisputes, fact_queries.ListDisputesRequest(page_size=1)),
        (stack.patterns.ListPatterns, patterns.ListPatternsRequest(page_size=1)),
        (stack.graph_queries.ListNodes, graph_queries.ListNodesRequest(page_size=1)),
        (stack.search.Search, search_request()),
        (stack.search.Browse, search.BrowseRequest(page_size=1)),
        (stack.search.ListConversations, search.ListConversationsRequest(page_size=1)),
        (
            stack.search.ListMessages,
            search.ListMessagesRequest(conversation_id=conversation_id, page_size=1),
        ),
    )
    tokens = {}
    for call, request in pages:
        name = type(request).__name__.removesuffix("Request")
        tokens[name] = (await call(request, metadata=THEIRS)).next_page_token
    watched = stack.search.WatchMemories(watch.WatchMemoriesRequest(), metadata=THEIRS)
    async for answer in watched:
        tokens["WatchMemories"] = answer.resume_token
        break
    watched.cancel()
    return tokens
