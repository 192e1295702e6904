"""The memories block: search results within the conversation's scope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from everword.domain.caller import NamespaceScope
from everword.domain.memory_kinds import TRIGGERED_KINDS, MemoryKind
from everword.domain.records import ConversationRecord, MemoryRecord
from everword.rpc.pages import MAX_PAGE, PageRequest
from everword.text.credentials import mask_passage
from everword_search.context.item import RELEVANT, ContextItem, ItemContext
from everword_search.context.model import ContextRequest
from everword_search.context.own_first import prefer_own
from everword_search.context.relevance_floor import choose_relevant
from everword_search.context.small_talk import is_small_talk
from everword_search.context.text import Layout
from everword_search.endings.read_endings import read_evidence_messages
from everword_search.ranking.words.question_words import QuestionWords
from everword_search.records.model import MemoryFilter
from everword_search.retrieval.arms.base import ArmReport
from everword_search.retrieval.model import SearchRequest, SearchResult, Verdict
from everword_search.retrieval.reliable_results import find_reliable
from everword_search.retrieval.sources import Sources

#: Characters read of each memory; at least one passage, so that a memory of one passage is recognised as whole.
_CONTENT_CHARS = 4000
#: Characters read around the best passage for each token of the budget: about as many as the budget can hold.
CHARS_A_TOKEN = 5
#: Memories requested: a fixed number, plus one for this many tokens of the budget. Most memories cost more.
_SPARE, _SMALL_TOKENS = 10, 35
#: Workspace files for the start of a session and for heartbeats only.
_OF_A_MOMENT = ("BOOT", "HEARTBEAT")
#: A memory of at least this relevance surely answers; a lower relevance than the other is shown as 0 %.
_SURE, _SHOWN = 0.5, 0.005
#: Maximum characters of a result of a search that found nothing relevant.
UNCERTAIN_CHARS = 400
#: The profile that ranks by time and importance as well as relevance.
_COUNTS_TIME = "balanced"


#: For each item's key, the messages that state the same, with their quotes.
ToldBy = Mapping[UUID | str, tuple[tuple[UUID, str], ...]]


@dataclass(frozen=True)
class FoundMemories:
    """The search results for a context."""

    #: Best first.
    results: Mapping[UUID, SearchResult] = field(default_factory=dict)
    verdict: Verdict | None = None
    #: True if the search may have more results.
    is_cut: bool = False
    #: The messages that state each fact, with their quotes, the latest first.
    source_messages: ToldBy = field(default_factory=dict)
    #: Arms of the search that failed.
    degraded: Sequence[ArmReport] = ()
    #: Summaries of the periods that the query names, oldest first.
    periods: Sequence[SearchResult] = ()
    #: The question, by which excerpts are chosen.
    question: QuestionWords | None = None
    #: Results of a search that found nothing relevant, which are shown as short excerpts.
    uncertain: frozenset[UUID] = frozenset()

    def items(self, layout: Layout) -> list[ContextItem]:
        """Return the memories as items, best first, a fact after a message that states it.

        Credentials are not masked yet, because masking takes longer than everything else.
        """
        ordered = dict[UUID, None]()
        for id_ in self.results:
            if message_id := self._message_of(id_):
                ordered[message_id] = None
            ordered[id_] = None
        return [self.item(layout, id_, masks=False) for id_ in ordered]

    def _message_of(self, id_: UUID) -> UUID | None:
        """Return the latest message among the results that states a fact and has no outdated facts."""
        said = (self.results.get(each) for each, _ in self.source_messages.get(id_, ()))
        return next((each.memory.id for each in said if each and not each.endings), None)

    def after(self, first: Sequence[SearchResult]) -> FoundMemories:
        """Return these results preceded by others."""
        return replace(self, results={each.memory.id: each for each in first} | dict(self.results))

    def with_periods(self, summaries: Sequence[SearchResult]) -> FoundMemories:
        """Return these results with summaries of the periods that the query names.

        Whether they answer is unknown, so that the verdict is never that nothing does.
        """
        is_unknown = bool(summaries) and self.verdict is Verdict.NOTHING_RELEVANT
        return replace(self, periods=summaries, verdict=None if is_unknown else self.verdict)

    def likely(self) -> FoundMemories:
        """Return the results up to the last relevant one, without those whose relevance is shown as 0 %."""
        results = list(self.results.items())
        while results and not _is_of_relevance(results[-1][1], RELEVANT):
            results.pop()
        shown = {id_: each for id_, each in results if _is_of_relevance(each, _SHOWN)}
        return replace(self, results=shown)

    def sure(self) -> FoundMemories:
        """Return only the results that surely answer, for a question that says nothing about its topic."""
        sure = {id_: each for id_, each in self.results.items() if _is_of_relevance(each, _SURE)}
        return replace(self, results=sure, is_cut=False)

    def degraded_by(self, more: Sequence[ArmReport]) -> FoundMemories:
        """Return these results with the failed arms of another search added, each once."""
        failed = {each.arm for each in self.degraded}
        return replace(
            self, degraded=[*self.degraded, *(each for each in more if each.arm not in failed)]
        )

    def nearness(self) -> dict[UUID, float]:
        """Return the relevance of each memory relative to the most relevant one, which has 1."""
        relevance = {id_: each.relevance or 0.0 for id_, each in self.results.items()}
        best = max(relevance.values(), default=0.0)
        return {id_: each / best for id_, each in relevance.items()} if best else {}

    def only(self, id_: UUID) -> FoundMemories:
        """Return a single one of the results."""
        return replace(self, results={id_: self.results[id_]})

    def with_sources(self, source_messages: ToldBy) -> FoundMemories:
        """Return these results with the given messages as sources of facts."""
        return replace(self, source_messages=source_messages)

    def item(self, layout: Layout, id_: UUID, *, masks: bool) -> ContextItem:
        result = self.results[id_]
        full = result.full
        if full is not None and self.question is not None:
            full = full.asked(self.question)
        alongside = ItemContext(
            result.hit.score,
            result.relevance,
            result.confidence,
            result.endings,
            self.source_messages.get(id_, ()),
            full=full,
            is_uncertain=id_ in self.uncertain,
        )
        item = layout.memory(result.memory, result.passage, alongside, masks=masks)
        if item.is_uncertain and item.full:
            # Without `full`, it does not grow if tokens are left.
            return replace(layout.shown(item, UNCERTAIN_CHARS), full=None)
        return item

    def masked(self, layout: Layout, item: ContextItem) -> ContextItem:
        """Return an item of these results with its credentials masked."""
        assert item.memory_id is not None
        result = self.results[item.memory_id]
        if result.full is None and (
            mask_passage(result.passage, result.memory.content) == result.passage
        ):
            return item
        return self.item(layout, item.memory_id, masks=True)


async def search_memories(
    sources: Sources,
    namespace: NamespaceScope,
    request: ContextRequest,
    record: ConversationRecord | None,
    text: str,
    known: int,
    *,
    is_completed: bool = False,
) -> FoundMemories:
    """Return memories within the conversation's scope, best first; `known` of them may already be in the context."""
    if is_small_talk(text):
        return FoundMemories(verdict=Verdict.NOTHING_RELEVANT)
    most, counts_time = request.max_memories, request.profile == _COUNTS_TIME
    requested = request.token_budget // _SMALL_TOKENS if most is None else most
    # With `balanced`, relevant memories may rank after many recent ones. Otherwise spare results replace repetitions.
    most = MAX_PAGE if counts_time else _SPARE + requested
    size = min(MAX_PAGE, most + known)
    search = SearchRequest(
        text=text,
        filter=_without_triggered(request.filter_for(record)),
        # Memories that are already in the context take places on the page.
        page=PageRequest(size),
        at_least_as_fresh=request.at_least_as_fresh,
        min_score=request.min_score,
        min_relevance=request.min_relevance,
        max_content_chars=_CONTENT_CHARS,
        operators=bool(request.query.strip()),
        profile=request.profile,
        balanced=request.balanced,
        with_relations=False,
        section_chars=CHARS_A_TOKEN * request.token_budget,
        is_completed=is_completed,
    )
    found = await find_reliable(sources, namespace, search)
    chosen = found.results
    is_cut = request.max_memories is None and size < MAX_PAGE and len(chosen) >= size
    if not request.min_relevance:
        worth = choose_relevant(chosen, found.verdict, text)
        chosen, is_cut = worth.results, is_cut and not worth.is_complete
    shown = prefer_own(chosen, record.id, text) if record else chosen
    results = {each.memory.id: each for each in shown if not _has_its_time(each.memory)}
    facts = [id_ for id_, each in results.items() if each.memory.kind == MemoryKind.FACT]
    source_messages: ToldBy = {}
    if facts:
        async with sources.database.transaction(namespace.id) as conn:
            source_messages = await read_evidence_messages(conn, namespace.id, facts)
    # A caller with a minimum decides about relevance itself.
    is_uncertain = found.verdict is Verdict.NOTHING_RELEVANT and not request.min_relevance
    return FoundMemories(
        results,
        found.verdict,
        is_cut,
        source_messages,
        found.degraded,
        uncertain=frozenset(results if is_uncertain else ()),
    )


def _is_of_relevance(result: SearchResult, least: float) -> bool:
    return result.relevance is None or result.relevance >= least


def _has_its_time(memory: MemoryRecord) -> bool:
    """Return whether a memory belongs to a file for a particular occasion, which is never shown as a memory."""
    return memory.of_workspace and memory.document_title in _OF_A_MOMENT


def _without_triggered(memory_filter: MemoryFilter) -> MemoryFilter:
    """Return the filter without triggered memories, such as lore; these have a block of their own."""
    return replace(
        memory_filter, excluded_kinds=[*(memory_filter.excluded_kinds or ()), *TRIGGERED_KINDS]
    )
