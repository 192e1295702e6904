"""Answer a question from what a search finds, and from nothing else, with citations."""

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
from everword_search.answers.asking import Asking
from everword_search.answers.check import check_answer
from everword_search.answers.prompt import PromptMemory, answer_request, fitting, read_citations
from everword_search.endings.read_endings import read_endings
from everword_search.passages.as_of import find_as_of
from everword_search.passages.store import Scope
from everword_search.records.model import EVERYTHING, MemoryFilter
from everword_search.retrieval.model import SearchRequest, SearchResult, Verdict
from everword_search.retrieval.reliable import find_reliable
from everword_search.retrieval.sources import Sources
from everword_search.summaries.model import ExpandMode, Expansion, ExpansionLimits

DEFAULT_MEMORIES = 20
DEFAULT_ANSWER_TOKENS = 2000
#: Of each memory; the part that matched is in the results beside it.
_CONTENT_CHARS = 4000
#: Messages of a summary that an answer may rest on beside the summary.
_SOURCES = 4
_LIMITS = ExpansionLimits(depth=3, max_children=3, max_sources=10, max_content_chars=_CONTENT_CHARS)


@dataclass(frozen=True)
class AnswerRequest:
    """A question to memory."""

    query: str
    filter: MemoryFilter = EVERYTHING
    max_memories: int = DEFAULT_MEMORIES
    profile: str = "recall"
    max_answer_tokens: int = DEFAULT_ANSWER_TOKENS
    at_least_as_fresh: str = ""
    #: When the question is asked; None for now.
    reference_time: datetime | None = None


@dataclass(frozen=True)
class AnswerResult:
    """An answer, and what it rests on."""

    text: str
    #: By the numbers that the answer cites them by.
    citations: dict[int, MemoryRecord]
    verdict: Verdict
    #: What wrote the answer.
    model: str
    #: What no memory that it cites bears out; the sentences that say so are marked.
    unsupported: Sequence[str]


async def answer(
    sources: Sources, asking: Asking | None, namespace: NamespaceScope, request: AnswerRequest
) -> AnswerResult:
    """Return an answer; an empty one where nothing relevant was found, without asking a model.

    Raises ChatNotConfigured, ChatUnavailable where the language model does not answer, and what a search raises.
    """
    if asking is None:
        raise ChatNotConfigured(setting="EVERWORD_CHAT_URL")
    found = await find_reliable(sources, namespace, _search(request))
    memories = _memories(found.results, request)
    if found.verdict is Verdict.NOTHING_RELEVANT or not memories:
        return AnswerResult("", {}, Verdict.NOTHING_RELEVANT, "", ())
    filter_ = await find_as_of(sources.database, namespace, request.filter)
    async with sources.database.transaction(namespace.id) as conn:
        settings = await get_namespace_settings(conn, namespace.id)
        # Also of the messages behind a summary, of which the search knows nothing.
        ids = [memory.id for memory in memories]
        endings = await read_endings(conn, Scope(namespace.id, filter_), ids)
    memories = await asyncio.to_thread(_without_orders, memories, settings.trust)
    if not memories:
        return AnswerResult("", {}, Verdict.NOTHING_RELEVANT, "", ())
    if settings.masks_credentials:
        memories = await asyncio.to_thread(_masked, memories)
        # What is asked goes to the model, too.
        query = await asyncio.to_thread(mask_credentials, request.query)
        request = replace(request, query=query)
    given = [PromptMemory(memory, endings.get(memory.id, ())) for memory in memories]
    reply, shown = await _ask(asking, namespace, request, given)
    text, numbers = read_citations(reply.text, len(shown))
    citations = {number: shown[number - 1].memory for number in sorted(numbers)}
    # The first check reads a list of words, and long memories take their time.
    checked = await asyncio.to_thread(check_answer, text, request.query, shown, numbers)
    return AnswerResult(checked.text, citations, found.verdict, reply.model, checked.unsupported)


async def _ask(
    asking: Asking,
    namespace: NamespaceScope,
    request: AnswerRequest,
    memories: Sequence[PromptMemory],
) -> tuple[ChatAnswer, Sequence[PromptMemory]]:
    """Return the model's answer, and the memories that it was shown: as many of the first ones as it can read."""
    context = await asking.context_tokens()
    room = min(request.max_answer_tokens, context // 2)
    shown = fitting(request.query, memories, context - room) or memories[:1]
    while True:
        try:
            reply = await asking.ask(namespace, answer_request(request.query, shown, room))
        except InputTooLong as error:
            # The lengths were estimated.
            shown = shown[: len(shown) // 2]
            if not shown:
                raise ChatUnavailable(
                    "The language model cannot read as much as one memory; it needs a larger context."
                ) from error
        else:
            return reply, shown


def _without_orders(memories: Sequence[MemoryRecord], trust: TrustPolicy) -> list[MemoryRecord]:
    """Return memories without those that are quarantined. Messages behind a summary are judged here too."""
    judged = [
        replace(each, untrusted=trust.is_untrusted(each.channel, each.role, each.tool_name))
        for each in memories
    ]
    return [each for each in judged if not (each.suspicious and trust.leaves_out(each.channel))]


def _masked(memories: Sequence[MemoryRecord]) -> list[MemoryRecord]:
    """Return memories without credentials, as the model is shown them and as they are cited."""
    return [
        replace(
            memory,
            content=mask_credentials(memory.content),
            synthesized_content=mask_credentials(memory.synthesized_content),
            document_title=mask_credentials(memory.document_title),
            headings=list(map(mask_credentials, memory.headings)),
            # Credentials may stand anywhere in it.
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
    """Return what was found, best first, a summary with those of its messages behind it that are nearest to the query.

    They take the places of what was found last.
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
    """Return the memory with its beginning and, where that is not all, with the part that matched."""
    memory = result.memory
    if not memory.content_truncated or result.passage in memory.content:
        return memory
    return replace(memory, content=f"{memory.content}\n[…]\n{result.passage}")


def _nearest(expansion: Expansion, words: frozenset[str]) -> list[MemoryRecord]:
    """Return the messages below a summary that share the most words with the query, as long as they share any."""
    messages = list(_messages(expansion))
    shared = [len(words.intersection(folded_words(message.content))) for message in messages]
    places = sorted(range(len(messages)), key=lambda place: -shared[place])[:_SOURCES]
    return [messages[place] for place in sorted(places) if shared[place]]


def _messages(expansion: Expansion) -> Iterator[MemoryRecord]:
    yield from expansion.sources
    for child in expansion.children:
        yield from _messages(child)
