"""ContextService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from everword.domain.caller import current_namespace
from everword.domain.records import MemoryRecord
from everword.lore.model import Omission
from everword.rpc.interceptors.base import Context
from everword.rpc.interceptors.request_id import send_request_id
from everword.rpc.translate import fill_memory
from everword.v1 import context_service_pb2 as pb
from everword.v1.context_service_pb2_grpc import ContextServiceServicer
from everword.v1.lore_pb2 import LoreOmission
from everword.v1.search_service_pb2 import Confidence, Verdict
from everword_search.context.budgeted_block import BudgetedBlock
from everword_search.context.build_context import build_context
from everword_search.context.built_context import BuiltContext
from everword_search.context.item import ContextItem
from everword_search.context.model import (
    DEFAULT_BUDGET,
    DEFAULT_TURNS,
    ContextFormat,
    ContextRequest,
    ContextScope,
)
from everword_search.context.provenance import ContextPart
from everword_search.context.stream_context import StreamedEnd, stream_context
from everword_search.context.text import SUSPICIOUS
from everword_search.context.tokens import Tokens
from everword_search.endings.translate import endings_to_proto
from everword_search.records.model import ConversationKey
from everword_search.records.translate import to_filter
from everword_search.retrieval.profiles import profile_name
from everword_search.retrieval.sources import Sources
from everword_search.retrieval.translate import arm_report, to_balanced


class ContextServicer(ContextServiceServicer):
    """ContextService: contexts for prompts, whole or as a stream of blocks."""

    def __init__(self, sources: Sources, tokens: Tokens) -> None:
        self._sources = sources
        self._tokens = tokens

    async def BuildContext(
        self, request: pb.BuildContextRequest, context: Context
    ) -> pb.BuildContextResponse:
        counter = await self._tokens.ready()
        built = await build_context(
            self._sources, counter, current_namespace(), _to_request(request)
        )
        return _to_response(built)

    async def StreamContext(  # type: ignore[override]
        self, request: pb.StreamContextRequest, context: Context
    ) -> None:
        """Write parts to the stream as they are found.

        The interceptors around each call await a coroutine, so this writes to the context and is no async generator.
        """
        counter, requested = await self._tokens.ready(), _to_request(request.context)
        async for part in stream_context(self._sources, counter, current_namespace(), requested):
            await send_request_id(context)
            await context.write(_to_part(part))


def _to_request(request: pb.BuildContextRequest) -> ContextRequest:
    has_turns, has_memories = (
        request.HasField("max_recent_turns"),
        request.HasField("max_memories"),
    )
    key = request.conversation.key
    return ContextRequest(
        query=request.query,
        conversation_id=UUID(request.conversation_id) if request.conversation_id else None,
        conversation_key=ConversationKey(key.session_key, key.agent, key.channel)
        if request.HasField("conversation")
        else None,
        subject=request.conversation.subject,
        token_budget=request.token_budget or DEFAULT_BUDGET,
        max_recent_turns=request.max_recent_turns if has_turns else DEFAULT_TURNS,
        max_memories=request.max_memories if has_memories else None,
        filter=to_filter(request.filter),
        min_score=request.min_score,
        min_relevance=request.min_relevance,
        skip_use_count=request.skip_use_count,
        at_least_as_fresh=request.at_least_as_fresh,
        profile=profile_name(request.profile, current_namespace()),
        scope=ContextScope(request.scope or ContextScope.CONVERSATION),
        format=ContextFormat(request.format or ContextFormat.TEXT),
        automated=request.automated,
        omit_parts=frozenset(map(ContextPart, request.omit_parts)),
        balanced=to_balanced(request.balanced) if request.HasField("balanced") else None,
    )


def _to_response(built: BuiltContext) -> pb.BuildContextResponse:
    return pb.BuildContextResponse(
        blocks=[_block(block, first) for block, first in built.blocks],
        text=built.text,
        token_count=built.tokens,
        omitted=built.omitted,
        verdict=Verdict.ValueType(built.verdict or 0),
        degraded=map(arm_report, built.degraded),
        lore_omissions=map(_lore_omission, built.lore_omissions),
        shortened=built.shortened,
    )


def _to_part(part: tuple[BudgetedBlock, int] | StreamedEnd) -> pb.StreamContextResponse:
    if not isinstance(part, StreamedEnd):
        return pb.StreamContextResponse(block=_block(*part))
    end = pb.ContextEnd(
        token_count=part.tokens,
        omitted=part.omitted,
        verdict=Verdict.ValueType(part.verdict or 0),
        missing=[pb.ContextSource.ValueType(each) for each in part.missing],
        degraded=map(arm_report, part.degraded),
        lore_omissions=map(_lore_omission, part.lore_omissions),
        shortened=part.shortened,
    )
    return pb.StreamContextResponse(end=end)


def _lore_omission(omission: Omission) -> LoreOmission:
    entry = omission.entry
    return LoreOmission(
        book_id=str(omission.book_id),
        book=omission.book,
        entry_id=str(entry.id) if entry else "",
        title=entry.title if entry else "",
        pattern=omission.pattern,
        reason=omission.reason,
    )


def _block(block: BudgetedBlock, first: int) -> pb.ContextBlock:
    items = [_item(block, item, number) for number, item in enumerate(block.oldest_first(), first)]
    return pb.ContextBlock(
        source=pb.ContextSource.ValueType(block.source),
        text=block.text(first),
        token_count=block.tokens,
        items=items,
    )


def _item(block: BudgetedBlock, item: ContextItem, number: int) -> pb.ContextItem:
    message = pb.ContextItem(
        memory_id=str(item.memory_id or ""),
        text=block.layout.line(item, number),
        token_count=item.tokens,
        score=item.score,
        number=number,
        relevance=item.relevance,
        confidence=Confidence.ValueType(item.confidence),
        superseded=endings_to_proto(item.endings),
        shortened=item.is_shortened,
        uncertain=item.is_uncertain,
    )
    if item.about:
        fill_memory(message.memory, _without_long_fields(item.about))
        message.memory.suspicious = item.trust == SUSPICIOUS
    return message


def _without_long_fields(memory: MemoryRecord) -> MemoryRecord:
    """Return a memory without its potentially long fields; the item has the text."""
    has_metadata = memory.metadata_omitted or memory.metadata is not None
    return replace(
        memory,
        content="",
        content_truncated=False,
        synthesized_content="",
        metadata=None,
        metadata_omitted=has_metadata,
    )
