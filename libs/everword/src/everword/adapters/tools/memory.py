"""Reading memory: search, browse, one memory whole, and how the memory is doing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import Field

from everword.adapters.tools.model import READS, Tool, ToolCaller, ToolError
from everword.adapters.tools.text import entry, heading, indented, when
from everword.client.kinds import KINDS, Kind, kind_number
from everword.v1 import memory_pb2, search_service_pb2
from everword.v1.fact_pb2 import FACT_ENDING_CORRECTED, SupersededFact
from everword.v1.stats_pb2 import Alert

_MAX_CHARS = 1_000
_MAX_FULL_CHARS = 100_000

Mode = Literal["hybrid", "lexical", "semantic", "trigram", "regex"]
Query = Annotated[
    str, Field(min_length=1, max_length=8_000, description="A question, or words to look for.")
]
Limit = Annotated[int, Field(ge=1, le=50, description="How many to return.")]
Kinds = Annotated[
    tuple[Kind, ...], Field(max_length=len(KINDS), description="Only these kinds; all if empty.")
]
Names = Annotated[
    tuple[str, ...], Field(max_length=20, description="Only of these; of all if empty.")
]
Day = Annotated[str, Field(description="A day such as 2026-04-18, or a time in ISO 8601.")]


def filter_of(
    kinds: Sequence[Kind], authors: Sequence[str], agents: Sequence[str], since: str, until: str
) -> memory_pb2.MemoryFilter:
    """Return the filter that the arguments of a tool ask for."""
    found = memory_pb2.MemoryFilter(
        kinds=[kind_number(kind) for kind in kinds],
        authors=authors,
        agents=agents,
    )
    if since:
        found.start_time.FromDatetime(_time(since, "since"))
    if until:
        found.end_time.FromDatetime(_time(until, "until"))
    return found


def _time(text: str, name: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
        # In UTC, the first day may be before the year 1, and the last one after 9999.
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ToolError(f"{name} is {text!r}; give a day such as 2026-04-18.") from None


async def memory_search(
    caller: ToolCaller,
    query: Query,
    limit: Limit = 10,
    mode: Mode = "hybrid",
    kinds: Kinds = (),
    authors: Names = (),
    agents: Names = (),
    since: Day = "",
    until: Day = "",
) -> str:
    """Search everything remembered, best first: messages, summaries, notes, facts, documents.

    Ask a question as it is, or use "exact phrase", a OR b, -not. The mode hybrid, words and meaning, is mostly right:
    trigram is for names, codes and misspellings, regex for patterns, lexical for words, semantic for meaning alone.
    """
    request = search_service_pb2.SearchRequest(
        query=query,
        mode=search_service_pb2.SearchMode.Value(f"SEARCH_MODE_{mode.upper()}"),
        filter=filter_of(kinds, authors, agents, since, until),
        page_size=limit,
        max_content_chars=_MAX_CHARS,
        at_least_as_fresh=caller.token,
    )
    response = await caller.client.search_service.Search(request, metadata=caller.metadata)
    if not response.results:
        return _no_results_text(request)
    lines = [_result(number, each) for number, each in enumerate(response.results, 1)]
    if response.verdict == search_service_pb2.VERDICT_NOTHING_RELEVANT:
        lines.insert(0, "Nothing seems to answer this. These come nearest:")
    return "\n".join(lines)


def _result(number: int, result: search_service_pb2.SearchResult) -> str:
    remarks = [_ended(each) for each in result.superseded]
    if result.needs_review:
        remarks.append("a summary that its sources do not bear out")
    if result.incomplete:
        remarks.append("a summary that leaves out much of its sources")
    remarks.extend(result.relations)
    return entry(number, result.memory, result.memory.content or result.passage, remarks)


def _ended(fact: SupersededFact) -> str:
    """Describe an outdated fact of a memory, and the current value."""
    how = "corrected on" if fact.ending == FACT_ENDING_CORRECTED else "held until"
    now = f"; now {fact.current_value}" if fact.current_value else ""
    return f"{fact.attribute} {how} {when(fact.ended_time)}{now}"


def _no_results_text(request: search_service_pb2.SearchRequest) -> str:
    """Suggest what to try after an empty result."""
    filtered = request.HasField("filter") and request.filter.ByteSize() > 0
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
    limit: Annotated[int, Field(ge=1, le=200, description="How many to return.")] = 50,
    order: Literal["newest_first", "oldest_first"] = "newest_first",
    kinds: Kinds = (),
    authors: Names = (),
    agents: Names = (),
    since: Day = "",
    until: Day = "",
    page_token: Annotated[str, Field(description="What the page before gave, for the next.")] = "",
) -> str:
    """List memories by time: to review a session, or to catch up on a day."""
    request = search_service_pb2.BrowseRequest(
        filter=filter_of(kinds, authors, agents, since, until),
        order=memory_pb2.Order.Value(f"ORDER_{order.upper()}"),
        page_size=limit,
        max_content_chars=_MAX_CHARS,
        page_token=page_token,
        at_least_as_fresh=caller.token,
    )
    response = await caller.client.search_service.Browse(request, metadata=caller.metadata)
    if not response.memories:
        return "Nothing is remembered of this time. Try other days, or leave the filters out."
    lines = [entry(number, each, each.content) for number, each in enumerate(response.memories, 1)]
    if response.next_page_token:
        lines.append(f"There is more: page_token {response.next_page_token}")
    return "\n".join(lines)


async def memory_get_full(
    caller: ToolCaller,
    id: Annotated[str, Field(description="The id of a memory, as other tools show it.")],
) -> str:
    """Read one memory whole, where another tool showed it cut short."""
    request = search_service_pb2.GetMemoryRequest(memory_id=id, at_least_as_fresh=caller.token)
    response = await caller.client.search_service.GetMemory(request, metadata=caller.metadata)
    memory = response.memory
    text = memory.content[:_MAX_FULL_CHARS]
    more = len(memory.content) - len(text)
    rest = [f"  ({more} characters more are not shown)"] if more else []
    return "\n".join([heading(memory), indented(text), *rest])


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
    return "\n".join(
        [
            *(alerts or ["All is well."]),
            f"conversations: {corpus.conversations}, messages: {corpus.messages}",
            f"vectors: {embedding.coverage:.1%} of passages, {embedding.pending} pending, "
            f"{embedding.failed} failed, by {embedding.model or 'no model'}",
            f"summaries: {summaries.summaries}, the deepest tree has {summaries.depth} levels, "
            f"{summaries.backlog.messages} messages are not summed up yet",
            *(
                f"{task.task}: {task.pending} pending, {task.running} running, {task.failed} failed"
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
