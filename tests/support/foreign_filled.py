"""Fills the namespaces that calls of other namespaces must not reach."""

from __future__ import annotations

from everword.v1 import graph_service_pb2
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import summary_pb2 as summary
from everword.v1 import watch_pb2 as watch
from support.callers import make_namespaces, within
from support.calls import append
from support.compaction import ScriptedComposer, compact_everything
from support.foreign import (
    MODEL,
    Theirs,
    audit_request,
    browse_request,
    conversations_request,
    ensure_request,
    expand_request,
    list_request,
    messages_request,
    search_request,
    significant_request,
    voice_request,
)
from support.foreign_addresses import listed
from support.foreign_checkpoints import save_checkpoints
from support.foreign_costs import spend
from support.foreign_documents import write_documents
from support.foreign_erasures import erase_something
from support.foreign_facts import facts_request, remember_request
from support.foreign_filters import first_told
from support.foreign_graph import graph_request, nodes_request
from support.foreign_lore import write_lore
from support.foreign_notes import write_notes
from support.foreign_patterns import (
    pattern_request,
    patterns_request,
    threshold_request,
)
from support.foreign_people import learn_theirs
from support.foreign_topics import write_pages
from support.graphs import node
from support.stack import Stack

THEIRS = within("theirs")


async def fill_theirs(stack: Stack) -> Theirs:
    """Fill `theirs`, and partly `third`; return ids and tokens of `theirs`."""
    await _fill_both(stack)
    notes = await write_notes(stack, "theirs")
    lore = await write_lore(stack, "theirs")
    costs = await spend(stack, "theirs")
    erasures = await erase_something(stack, "theirs")
    documents = await write_documents(stack, "theirs")
    told = await stack.facts.Remember(remember_request("Their tea."), metadata=THEIRS)
    drawn = await stack.graph.WriteGraph(graph_request(), metadata=THEIRS)
    await stack.graph.CreateNode(
        graph_service_pb2.CreateNodeRequest(node=node("Own"), request_id="node"),
        metadata=within("third"),
    )
    habit = await stack.patterns.RecordPattern(pattern_request("Rema"), metadata=THEIRS)
    first = await append(stack, *["Their words."] * 3, metadata=THEIRS)
    await append(stack, "Their other words.", session_key="t", metadata=THEIRS)
    saved = await save_checkpoints(stack, "theirs", first.conversation_id)
    used = ingest.MarkUsedRequest(memory_ids=[first.messages[0].message_id])
    await stack.ingest.MarkUsed(used, metadata=THEIRS)
    # These nodes will not be rewritten.
    await compact_everything(stack, ScriptedComposer(MODEL, version=1000))
    listed = await stack.search.ListSummaries(list_request(), metadata=THEIRS)
    leaves = summary.SummaryFilter(conversation_id=first.conversation_id)
    [leaf] = (
        await stack.search.ListSummaries(list_request(filter=leaves), metadata=THEIRS)
    ).summaries
    expand = expand_request(leaf.id)
    expanded = await stack.search.ExpandSummary(expand, metadata=THEIRS)
    audited = await stack.maintenance.AuditSummaries(audit_request(), metadata=THEIRS)
    return Theirs(
        conversation_id=first.conversation_id,
        message_id=first.messages[0].message_id,
        summary_id=listed.summaries[0].id,
        fact_id=told.fact.id,
        pattern_id=habit.pattern.id,
        learned=await learn_theirs(
            stack, "theirs", first.messages[0].message_id, first.conversation_id
        ),
        node_id=drawn.nodes[0].id,
        edge_id=drawn.edges[0].id,
        note_id=notes.note_id,
        book_id=lore.book_id,
        entry_id=lore.entry_id,
        document_id=documents.document_id,
        grant_id=notes.grant_id,
        budget_id=costs.budget_id,
        erasure_id=erasures.erasure_id,
        checkpoint_id=saved.checkpoint_id,
        consistency_token=first.consistency_token,
        page_tokens={
            "ListSummaries": listed.next_page_token,
            "ExpandSummary": expanded.next_page_token,
            "AuditSummaries": audited.next_page_token,
            **notes.page_tokens,
            **lore.page_tokens,
            "GetCosts": costs.page_token,
            **erasures.page_tokens,
            **await write_pages(stack, "theirs", [each.id for each in drawn.nodes]),
            **saved.page_tokens,
            **documents.page_tokens,
            **await _page_tokens(stack, first.conversation_id),
        },
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
    await write_lore(stack, "third")
    await write_documents(stack, "third")


async def _page_tokens(stack: Stack, conversation_id: str) -> dict[str, str]:
    """Return a token of the second page of each list, by RPC."""
    return {
        "WatchMemories": (
            await first_told(stack, watch.WatchMemoriesRequest(), metadata=THEIRS)
        ).resume_token,
        "ListAddress": (
            await stack.search.ListAddress(
                listed(f"viking://theirs/conversations/{conversation_id}/messages"),
                metadata=THEIRS,
            )
        ).next_page_token,
        "ListFacts": (
            await stack.fact_queries.ListFacts(facts_request(), metadata=THEIRS)
        ).next_page_token,
        "ListPatterns": (
            await stack.patterns.ListPatterns(patterns_request(), metadata=THEIRS)
        ).next_page_token,
        "ListNodes": (
            await stack.graph_queries.ListNodes(nodes_request(), metadata=THEIRS)
        ).next_page_token,
        "Search": (await stack.search.Search(search_request(), metadata=THEIRS)).next_page_token,
        "Browse": (await stack.search.Browse(browse_request(), metadata=THEIRS)).next_page_token,
        "ListConversations": (
            await stack.search.ListConversations(conversations_request(), metadata=THEIRS)
        ).next_page_token,
        "ListMessages": (
            await stack.search.ListMessages(messages_request(conversation_id), metadata=THEIRS)
        ).next_page_token,
    }
