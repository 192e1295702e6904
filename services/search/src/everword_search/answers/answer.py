"""Answer a question from search results only, with citations."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from everword.chat.errors import InputTooLong
from everword.chat.model import ChatAnswer
from everword.db.namespaces import get_namespace_settings
from everword.domain.caller import NamespaceScope
from everword.domain.errors import ChatNotConfigured, ChatUnavailable
from everword.domain.records import MemoryRecord
from everword.domain.trust import TrustPolicy
from everword.rpc.pages import PageRequest
from everword.text.analysis import folded_words
from everword.text.credentials import mask_credentials
from everword_search.answers.answer_model import AnswerModel
from everword_search.answers.check import check_answer
from everword_search.answers.prompt import PromptMemory, answer_request, fitting, read_citations
from everword_search.endings.read_endings import read_endings
from everword_search.passages.as_of import find_as_of
from everword_search.passages.store import Scope
from everword_search.records.model import EVERYTHING, MemoryFilter
from everword_search.retrieval.model import SearchRequest, SearchResult, Verdict
from everword_search.retrieval.reliable_results import find_reliable
from everword_search.retrieval.sources import Sources
from everword_search.summaries.model import ExpandMode, Expansion, ExpansionLimits

DEFAULT_MEMORIES = 20
DEFAULT_ANSWER_TOKENS = 2000
#: Characters of each memory; a matching passage beyond them is appended.
_CONTENT_CHARS = 4000
#: Messages below a summary that are given to the model in addition to the summary.
_SOURCES = 4
_LIMITS = ExpansionLimits(depth=3, max_children=3, max_sources=10, max_content_chars=_CONTENT_CHARS)


@dataclass(frozen=True)
class AnswerRequest:
    """A question, with the filter and limits for answering it."""

    query: str
    filter: MemoryFilter = EVERYTHING
    max_memories: int = DEFAULT_MEMORIES
    profile: str = "recall"
    max_answer_tokens: int = DEFAULT_ANSWER_TOKENS
    at_least_as_fresh: str = ""
    #: The moment at which the question is asked; None for now.
    reference_time: datetime | None = None


@dataclass(frozen=True)
class AnswerResult:
    """An answer with its citations."""

    text: str
    #: Cited memories, by the number that the answer cites them with.
    citations: dict[int, MemoryRecord]
    verdict: Verdict
    #: Name of the chat model; empty if none was asked.
    model: str
    #: Values and statements that no cited memory supports; `text` marks their sentences.
    unsupported: Sequence[str]


async def answer(
    sources: Sources,
    answer_model: AnswerModel | None,
    namespace: NamespaceScope,
    request: AnswerRequest,
) -> AnswerResult:
    """Return an answer. It is empty, and no model was asked, if no relevant memory was found.

    Raises ChatNotConfigured, BudgetExceeded, ChatUnavailable if the chat model does not answer, and the errors of a
    search.
    """
    if answer_model is None:
        raise ChatNotConfigured(setting="EVERWORD_CHAT_URL")
    found = await find_reliable(sources, namespace, _search(request))
    memories = _memories(found.results, request)
    if found.verdict is Verdict.NOTHING_RELEVANT or not memories:
        return AnswerResult("", {}, Verdict.NOTHING_RELEVANT, "", ())
    filter_ = await find_as_of(
        sources.database, namespace, request.filter, at_least_as_fresh=request.at_least_as_fresh
    )
    async with sources.database.transaction(namespace.id) as conn:
        settings = await get_namespace_settings(conn, namespace.id)
        # The search read endings of its results, but not of the messages below summaries.
        ids = [memory.id for memory in memories]
        endings = await read_endings(conn, Scope(namespace.id, filter_), ids)
    memories = await asyncio.to_thread(_without_orders, memories, settings.trust)
    if not memories:
        return AnswerResult("", {}, Verdict.NOTHING_RELEVANT, "", ())
    if settings.masks_credentials:
        memories = await asyncio.to_thread(_masked, memories)
        # The question goes to the model, too.
        query = await asyncio.to_thread(mask_credentials, request.query)
        request = replace(request, query=query)
    given = [PromptMemory(memory, endings.get(memory.id, ())) for memory in memories]
    reply, shown = await _ask(answer_model, namespace, request, given)
    text, _ = read_citations(reply.text, len(shown))
    # The first check loads a word list, and checking long memories takes time: run it in a thread.
    checked = await asyncio.to_thread(check_answer, text, request.query, shown)
    citations = {number: shown[number - 1].memory for number in sorted(checked.cited)}
    return AnswerResult(checked.text, citations, found.verdict, reply.model, checked.unsupported)


async def _ask(
    answer_model: AnswerModel,
    namespace: NamespaceScope,
    request: AnswerRequest,
    memories: Sequence[PromptMemory],
) -> tuple[ChatAnswer, Sequence[PromptMemory]]:
    """Return the model's answer and the memories that it was shown: the longest prefix that fits its context."""
    context = await answer_model.context_tokens()
    available = min(request.max_answer_tokens, context // 2)
    shown = fitting(request.query, memories, context - available) or memories[:1]
    while True:
        try:
            reply = await answer_model.ask(
                namespace, answer_request(request.query, shown, available)
            )
        except InputTooLong as error:
            # The token counts were estimates, so try again with half of the memories.
            shown = shown[: len(shown) // 2]
            if not shown:
                raise ChatUnavailable(
                    "The language model's context is too small for a single memory; use a model with a larger one."
                ) from error
        else:
            return reply, shown


def _without_orders(memories: Sequence[MemoryRecord], trust: TrustPolicy) -> list[MemoryRecord]:
    """Return memories without quarantined ones: suspicious text from channels whose trust policy leaves it out.

    Messages below a summary are judged here, because the search did not see them.
    """
    judged = [
        replace(each, untrusted=trust.is_untrusted(each.channel, each.role, each.tool_name))
        for each in memories
    ]
    return [each for each in judged if not (each.suspicious and trust.leaves_out(each.channel))]


def _masked(memories: Sequence[MemoryRecord]) -> list[MemoryRecord]:
    """Return memories with masked credentials, for the prompt and for citations."""
    return [
        replace(
            memory,
            content=mask_credentials(memory.content),
            synthesized_content=mask_credentials(memory.synthesized_content),
            document_title=mask_credentials(memory.document_title),
            headings=list(map(mask_credentials, memory.headings)),
            # Credentials may occur anywhere in the metadata.
            metadata=None,
            metadata_omitted=memory.metadata_omitted or memory.metadata is not None,
        )
        for memory in memories
    ]


def _search(request: AnswerRequest) -> SearchRequest:
    return SearchRequest(
        text=request.query,
        filter=request.filter,
        page=PageRequest(request.max_memories),
        at_least_as_fresh=request.at_least_as_fresh,
        max_content_chars=_CONTENT_CHARS,
        operators=False,
        profile=request.profile,
        expand=ExpandMode.TOP,
        expansion_limits=_LIMITS,
        reference_time=request.reference_time,
    )


def _memories(results: Sequence[SearchResult], request: AnswerRequest) -> list[MemoryRecord]:
    """Return the found memories, best first, each summary followed by the messages below it nearest to the query.

    Such messages displace the last results, since `max_memories` limits the whole list.
    """
    words = frozenset(folded_words(request.query))
    memories: dict[UUID, MemoryRecord] = {}
    for result in results:
        memories.setdefault(result.memory.id, _with_passage(result))
        if result.expansion:
            for source in _nearest(result.expansion, words):
                memories.setdefault(source.id, source)
    return list(memories.values())[: request.max_memories]


def _with_passage(result: SearchResult) -> MemoryRecord:
    """Return the memory with the passage that matched appended, unless its content already includes it."""
    memory = result.memory
    if not memory.content_truncated or result.passage in memory.content:
        return memory
    return replace(memory, content=f"{memory.content}\n[…]\n{result.passage}")


def _nearest(expansion: Expansion, words: frozenset[str]) -> list[MemoryRecord]:
    """Return up to `_SOURCES` messages below a summary that share the most words with the query, in their order.

    Messages without a shared word are left out.
    """
    messages = list(_messages(expansion))
    shared = [len(words.intersection(folded_words(message.content))) for message in messages]
    places = sorted(range(len(messages)), key=lambda place: -shared[place])[:_SOURCES]
    return [messages[place] for place in sorted(places) if shared[place]]


def _messages(expansion: Expansion) -> Iterator[MemoryRecord]:
    yield from expansion.sources
    for child in expansion.children:
        yield from _messages(child)
