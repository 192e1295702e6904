"""Reading memory: search, browse, one memory whole, and how the memory is doing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from everword.adapters.tools.limits import MAX_TOKENS, count_fitting
from everword.adapters.tools.model import NO_SCOPE, READS, Tool, ToolCaller, ToolError
from everword.adapters.tools.owners import (
    Address,
    Conversation,
    Subject,
    Tags,
    Task,
    When,
    filter_of,
    is_visible,
)
from everword.adapters.tools.sources import source_lines
from everword.adapters.tools.text import entry, heading, one_line, when, whole
from everword.client.kinds import KINDS, Kind
from everword.v1 import memory_pb2, search_service_pb2
from everword.v1.fact_pb2 import (
    FACT_ENDING_CORRECTED,
    FACT_ENDING_POSSIBLY_REPLACED,
    SupersededFact,
)
from everword.v1.stats_pb2 import Alert

#: Characters of each memory in results of a search, and in lists.
_FOUND_CHARS, _LISTED_CHARS = 2_000, 1_000
#: Results that are nearest to a question that nothing answers, and characters of each.
_NEAREST, _NEAREST_CHARS = 3, 200
#: Tokens of a result besides its memories.
_FRAME_TOKENS = 200

Mode = Literal["hybrid", "lexical", "semantic", "trigram", "regex"]
Query = Annotated[
    str, Field(min_length=1, max_length=8_000, description="A question, or words to look for.")
]
Limit = Annotated[int, Field(ge=1, le=50)]
Kinds = Annotated[tuple[Kind, ...], Field(max_length=len(KINDS))]
Names = Annotated[tuple[str, ...], Field(max_length=20)]
Start = Annotated[int, Field(ge=0, description="The character to begin at.")]
PageToken = Annotated[str, Field(description="From the page before.")]


async def memory_search(
    caller: ToolCaller,
    query: Query,
    limit: Limit = 10,
    mode: Mode = "hybrid",
    kinds: Kinds = (),
    authors: Names = (),
    agents: Names = (),
    since: When = "",
    until: When = "",
    subject: Subject = "",
    conversation: Conversation = "",
    tags: Tags = (),
    task: Task = "",
    address_prefix: Address = "",
    page_token: PageToken = "",
) -> str:
    """Search everything remembered, best first.

    Ask a question as it is, or use "exact phrase", a OR b, -not. The mode hybrid is mostly right: trigram is for names,
    codes and misspellings, regex for patterns, lexical for words, semantic for meaning alone.
    """
    request = search_service_pb2.SearchRequest(
        query=query,
        mode=search_service_pb2.SearchMode.Value(f"SEARCH_MODE_{mode.upper()}"),
        filter=await filter_of(
            *(caller, subject, conversation, kinds, authors, agents, since, until),
            *(tags, task, address_prefix),
        ),
        page_size=limit,
        max_content_chars=_FOUND_CHARS,
        at_least_as_fresh=caller.token,
        page_token=page_token,
    )
    response = await caller.client.search_service.Search(request, metadata=caller.metadata)
    if not response.results:
        return _no_results_text(request)
    if response.verdict == search_service_pb2.VERDICT_NOTHING_RELEVANT:
        return _nothing_relevant_text(response.results)
    lines = [_result(number, each) for number, each in enumerate(response.results, 1)]
    fitting = count_fitting(lines, MAX_TOKENS - _FRAME_TOKENS)
    if fitting < len(lines):
        # The token of a smaller page continues after the last result that is shown.
        request.page_size = fitting
        response = await caller.client.search_service.Search(request, metadata=caller.metadata)
    return "\n".join([*lines[:fitting], *_more(response.next_page_token)])


def _more(page_token: str) -> list[str]:
    return [f"There is more: page_token {page_token}"] if page_token else []


def _nothing_relevant_text(results: Sequence[search_service_pb2.SearchResult]) -> str:
    """Name the nearest results in a line each, since the verdict is an estimate."""
    lines = [
        f"[{number}] {heading(each.memory)}: {one_line(each.passage, _NEAREST_CHARS)}"
        for number, each in enumerate(results[:_NEAREST], 1)
    ]
    nothing = "Nothing that is remembered seems to answer this. The nearest, probably about something else:"
    return "\n".join([nothing, *lines])


def _result(number: int, result: search_service_pb2.SearchResult) -> str:
    remarks = [_ended(each) for each in result.superseded]
    if result.needs_review:
        remarks.append("a summary that its sources do not bear out")
    if result.incomplete:
        remarks.append("a summary that leaves out much of its sources")
    remarks.extend(result.relations)
    text = result.memory.content
    if not text or (result.memory.content_truncated and result.passage not in text):
        # The part that matched is further down than the text that is shown.
        text = result.passage
    relevance = f"{result.relevance:.0%}" if result.HasField("relevance") else ""
    found = entry(number, result.memory, text, remarks, relevance)
    return "\n".join([found, *source_lines(result.expansion)])


def _ended(fact: SupersededFact) -> str:
    """Describe an outdated fact of a memory, and the current value."""
    if fact.ending == FACT_ENDING_POSSIBLY_REPLACED:
        return f'may be outdated since {when(fact.ended_time)}: "{fact.current_text}"'
    how = "corrected on" if fact.ending == FACT_ENDING_CORRECTED else "held until"
    now = f"; now {fact.current_value}" if fact.current_value else ""
    what = fact.attribute or f'"{fact.value}"'
    return f"{what} {how} {when(fact.ended_time)}{now}"


def _no_results_text(request: search_service_pb2.SearchRequest) -> str:
    """Suggest what to try after an empty result."""
    asked = request.filter
    filtered = any(
        (
            asked.kinds,
            asked.authors,
            asked.conversation_ids,
            asked.tags,
            asked.task_ids,
            asked.address_prefix,
            asked.HasField("start_time"),
            asked.HasField("end_time"),
            # The filter of a server that is limited to an agent has memories of no agent, too.
            asked.agents and "" not in asked.agents,
        )
    )
    tries = ["search without the filters"] if filtered else []
    if request.mode != search_service_pb2.SEARCH_MODE_HYBRID:
        tries.append("search with mode hybrid")
    tries += [
        "use fewer or other words",
        "mode trigram for names and codes",
        "memory_browse for a day",
    ]
    return f"Nothing is remembered of this. Try to: {'; '.join(tries)}."


async def memory_browse(
    caller: ToolCaller,
    limit: Annotated[int, Field(ge=1, le=200)] = 50,
    order: Literal["newest_first", "oldest_first"] = "newest_first",
    kinds: Kinds = (),
    authors: Names = (),
    agents: Names = (),
    since: When = "",
    until: When = "",
    subject: Subject = "",
    conversation: Conversation = "",
    tags: Tags = (),
    task: Task = "",
    address_prefix: Address = "",
    page_token: PageToken = "",
) -> str:
    """List memories by time: to review a session, or to catch up on a day."""
    request = search_service_pb2.BrowseRequest(
        filter=await filter_of(
            *(caller, subject, conversation, kinds, authors, agents, since, until),
            *(tags, task, address_prefix),
        ),
        order=memory_pb2.Order.Value(f"ORDER_{order.upper()}"),
        page_size=limit,
        max_content_chars=_LISTED_CHARS,
        page_token=page_token,
        at_least_as_fresh=caller.token,
    )
    response = await caller.client.search_service.Browse(request, metadata=caller.metadata)
    if not response.memories:
        return "Nothing is remembered of this time. Try other days, or leave the filters out."
    lines = [entry(number, each, each.content) for number, each in enumerate(response.memories, 1)]
    fitting = count_fitting(lines, MAX_TOKENS - _FRAME_TOKENS)
    if fitting < len(lines):
        request.page_size = fitting
        response = await caller.client.search_service.Browse(request, metadata=caller.metadata)
    return "\n".join([*lines[:fitting], *_more(response.next_page_token)])


async def memory_get_full(
    caller: ToolCaller,
    id: Annotated[str, Field(description="The id of a memory, as other tools show it.")],
    start: Start = 0,
) -> str:
    """Read one memory whole, where another tool showed it cut short."""
    request = search_service_pb2.GetMemoryRequest(memory_id=id, at_least_as_fresh=caller.token)
    response = await caller.client.search_service.GetMemory(request, metadata=caller.metadata)
    memory = response.memory
    if not is_visible(caller, memory.agent, memory.subject, caller.scope.subject):
        raise ToolError(f"There is no memory {id}.")
    return whole(heading(memory), memory.content, start)


async def memory_stats(caller: ToolCaller) -> str:
    """Report the state of the memory: problems, amounts stored, and work not yet indexed or summarised."""
    stats = await caller.client.search_service.GetStats(
        search_service_pb2.GetStatsRequest(), metadata=caller.metadata
    )
    alerts = [
        f"{Alert.Severity.Name(alert.severity).removeprefix('SEVERITY_').lower()}: {alert.text}"
        for alert in stats.alerts
    ]
    corpus, embedding, summaries = stats.corpus, stats.embedding, stats.summaries
    # The server counts all users together, so a tool that is limited to one says nothing about amounts.
    amounts = f"conversations: {corpus.conversations}, messages: {corpus.messages}"
    return "\n".join(
        [
            *(alerts or ["All is well."]),
            "of all users together:" if caller.scope != NO_SCOPE else amounts,
            f"vectors: {embedding.coverage:.1%} of passages, {embedding.pending} pending, "
            f"{embedding.failed} failed, by {embedding.model or 'no model'}",
            f"summaries: {summaries.summaries}, the deepest tree has {summaries.depth} levels, "
            f"{summaries.backlog.messages} messages are not summed up yet",
            *(
                f"{task.task}: {task.pending} pending, {task.running} running, {task.scheduled} scheduled, "
                f"{task.failed} failed"
                for task in stats.tasks
            ),
        ]
    )


TOOLS = (
    Tool(memory_search, "Search memory", READS),
    Tool(memory_browse, "Browse memory by time", READS),
    Tool(memory_get_full, "Read one memory whole", READS),
    Tool(memory_stats, "How the memory is doing", READS),
)
