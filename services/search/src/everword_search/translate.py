"""Requests of SearchService and ContextService to the model, and results back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeAlias
from uuid import UUID

from everword.domain.records import MemoryRecord
from everword.index.passages import document_tag
from everword.rpc.translate import (
    fill_memory,
    from_timestamp,
    memory_to_proto,
    optional_time,
)
from everword.v1 import (
    address_pb2,
    conversation_pb2,
    graph_query_service_pb2,
    memory_pb2,
    people_service_pb2,
    profile_service_pb2,
    summary_service_pb2,
    topic_service_pb2,
)
from everword.v1 import search_service_pb2 as pb
from everword_search.addresses.tiers import Tier, chars_read, in_tier
from everword_search.answers.answer import (
    DEFAULT_ANSWER_TOKENS,
    DEFAULT_MEMORIES,
    Answered,
    AnswerRequest,
)
from everword_search.endings.translate import endings_to_proto
from everword_search.records.model import (
    ConversationFilter,
    ConversationKey,
    ExternalMessageKey,
    MemoryFilter,
    PageRequest,
)
from everword_search.retrieval.browse import Browsed, BrowseRequest
from everword_search.retrieval.model import (
    ArmReport,
    BalancedOptions,
    SearchMode,
    SearchRequest,
    SearchResponse,
    SearchResult,
)
from everword_search.stats.translate import to_duration
from everword_search.summaries.model import ExpandMode
from everword_search.summaries.translate import expansion_to_proto, to_limits

Paged: TypeAlias = (
    pb.SearchRequest
    | address_pb2.ListAddressRequest
    | pb.BrowseRequest
    | pb.ListConversationsRequest
    | pb.ListMessagesRequest
    | summary_service_pb2.ListSummariesRequest
    | summary_service_pb2.ExpandSummaryRequest
    | profile_service_pb2.ListFactsRequest
    | people_service_pb2.ListPeopleRequest
    | people_service_pb2.ListEventsRequest
    | people_service_pb2.ListStrategiesRequest
    | graph_query_service_pb2.ListNodesRequest
    | topic_service_pb2.ListTopicsRequest
)


def to_page(request: Paged) -> PageRequest:
    body = type(request).FromString(request.SerializeToString())
    body.ClearField("page_size")
    body.ClearField("page_token")
    digest = hashlib.sha256(body.SerializeToString(deterministic=True)).hexdigest()
    return PageRequest(request.page_size, request.page_token, digest)


def to_filter(message: memory_pb2.MemoryFilter) -> MemoryFilter:
    return MemoryFilter(
        kinds=list(message.kinds) or None,
        conversation_ids=[UUID(id_) for id_ in message.conversation_ids] or None,
        agents=list(message.agents) or None,
        subjects=list(message.subjects) or None,
        channels=list(message.channels) or None,
        instances=list(message.instances) or None,
        authors=list(message.authors) or None,
        roles=list(message.roles) or None,
        tags=list(message.tags) or None,
        document_tags=[document_tag(UUID(id_)) for id_ in message.document_ids] or None,
        since=optional_time(message, "start_time"),
        before=optional_time(message, "end_time"),
        include_automated=message.include_automated,
        include_superseded=message.include_superseded,
        valid_at=optional_time(message, "valid_at_time"),
        known_at=optional_time(message, "known_at_time"),
        excluded_memory_ids=[UUID(id_) for id_ in message.excluded_memory_ids] or None,
        excluded_conversation_ids=[UUID(id_) for id_ in message.excluded_conversation_ids] or None,
        excluded_authors=list(message.excluded_authors) or None,
        excluded_kinds=list(message.excluded_kinds) or None,
        as_of_message_id=UUID(message.as_of_message_id) if message.as_of_message_id else None,
    )


def to_balanced(options: pb.BalancedOptions) -> BalancedOptions:
    given = {field.name: value for field, value in options.ListFields()}
    if "half_life" in given:
        given["half_life"] = options.half_life.ToTimedelta()
    return BalancedOptions(**given)


def to_search_request(request: pb.SearchRequest) -> SearchRequest:
    return SearchRequest(
        text=request.query,
        mode=SearchMode(request.mode or SearchMode.HYBRID),
        filter=to_filter(request.filter),
        page=to_page(request),
        explain=request.explain,
        at_least_as_fresh=request.at_least_as_fresh,
        min_score=request.min_score,
        min_relevance=request.min_relevance,
        max_content_chars=chars_read(Tier(request.tier), request.max_content_chars) or 0,
        profile=request.profile or "recall",
        balanced=to_balanced(request.balanced) if request.HasField("balanced") else None,
        expand=ExpandMode(request.expand or _usual_expansion(request)),
        expansion_limits=to_limits(request.expansion_limits),
        reference_time=_reference_time(request),
    )


def _usual_expansion(request: pb.SearchRequest) -> ExpandMode:
    # Whoever asks for abstracts opens what they want.
    return ExpandMode.NONE if Tier(request.tier).is_short else ExpandMode.TOP


def to_answer_request(request: pb.AnswerRequest) -> AnswerRequest:
    return AnswerRequest(
        query=request.query,
        filter=to_filter(request.filter),
        max_memories=request.max_memories or DEFAULT_MEMORIES,
        profile=request.profile or "recall",
        max_answer_tokens=request.max_answer_tokens or DEFAULT_ANSWER_TOKENS,
        at_least_as_fresh=request.at_least_as_fresh,
        reference_time=_reference_time(request),
    )


def _reference_time(request: pb.SearchRequest | pb.AnswerRequest) -> datetime | None:
    if not request.HasField("reference_time"):
        return None
    return from_timestamp(request.reference_time, "reference_time")


def to_browse_request(request: pb.BrowseRequest) -> BrowseRequest:
    return BrowseRequest(
        filter=to_filter(request.filter),
        newest_first=is_newest_first(request.order),
        page=to_page(request),
        max_content_chars=chars_read(Tier(request.tier), request.max_content_chars) or 0,
        at_least_as_fresh=request.at_least_as_fresh,
    )


def to_conversation_filter(message: conversation_pb2.ConversationFilter) -> ConversationFilter:
    return ConversationFilter(
        agents=list(message.agents) or None,
        channels=list(message.channels) or None,
        subjects=list(message.subjects) or None,
        active=message.active if message.HasField("active") else None,
        client_session_ids=list(message.client_session_ids) or None,
    )


def to_conversation(
    request: pb.GetConversationRequest | pb.ExternalMessageKey,
) -> UUID | ConversationKey:
    """Return what a request knows a conversation by."""
    if not request.HasField("key"):
        return UUID(request.conversation_id)
    return ConversationKey(request.key.session_key, request.key.agent, request.key.channel)


def to_message(request: pb.GetMessageRequest) -> UUID | ExternalMessageKey:
    """Return what a request knows a message by."""
    if not request.HasField("external"):
        return UUID(request.message_id)
    return ExternalMessageKey(to_conversation(request.external), request.external.external_id)


def is_newest_first(order: memory_pb2.Order.ValueType) -> bool:
    return order != memory_pb2.ORDER_OLDEST_FIRST


def batch_response(
    memories: Sequence[MemoryRecord], tier: Tier, *, masks: bool
) -> pb.BatchGetMemoriesResponse:
    return pb.BatchGetMemoriesResponse(
        memories=[memory_to_proto(in_tier(memory, tier, masks=masks)) for memory in memories]
    )


def browse_response(browsed: Browsed, tier: Tier, *, masks: bool) -> pb.BrowseResponse:
    message = pb.BrowseResponse(next_page_token=browsed.next_page_token)
    for memory in browsed.memories:
        added = message.memories.add(
            superseded=endings_to_proto(browsed.endings.get(memory.id, ()))
        )
        fill_memory(added, in_tier(memory, tier, masks=masks))
    return message


def search_response(
    response: SearchResponse, explain: bool, tier: Tier, *, masks: bool
) -> pb.SearchResponse:
    message = pb.SearchResponse(
        next_page_token=response.next_page_token,
        verdict=pb.Verdict.ValueType(response.verdict),
        arms=[arm_report(report) for report in response.arms],
        calibration=pb.Calibration.ValueType(response.calibration),
        confidence=pb.Confidence.ValueType(response.confidence),
        corrections=response.corrections,
    )
    for result in response.results:
        added = message.results.add(
            score=result.hit.score,
            passage="" if tier.is_short else result.passage,
            explanation=_explanation(result) if explain else None,
            relevance=result.relevance,
            confidence=pb.Confidence.ValueType(result.confidence),
            expansion=expansion_to_proto(result.expansion) if result.expansion else None,
            needs_review=result.needs_review,
            superseded=endings_to_proto(result.endings),
            relations=result.relations,
        )
        memory = in_tier(result.memory, tier, masks=masks)
        fill_memory(added.memory, memory)
        # The part that matched may stand behind what is returned of the text.
        if added.passage not in memory.content and memory.is_suspicious_in(added.passage):
            added.memory.suspicious = True
    return message


def _explanation(result: SearchResult) -> pb.ScoreExplanation:
    return pb.ScoreExplanation(
        parts=[
            pb.ScorePart(
                arm=pb.SearchArm.ValueType(part.arm),
                raw=part.raw,
                score=part.score,
                weight=part.weight,
            )
            for part in result.hit.parts
        ],
        terms=[
            pb.TermExplanation(
                term=term.term,
                idf=term.idf,
                document_frequency=term.document_frequency,
                term_frequency=term.term_frequency,
                score=term.score,
            )
            for term in result.hit.terms
        ],
        signals=[
            pb.ScoreSignal(name=signal.name, value=signal.value, weight=signal.weight)
            for signal in result.hit.signals
        ],
        features=[
            pb.ScoreFeature(name=name, value=value) for name, value in result.hit.features.items()
        ],
        evidence=result.hit.evidence,
    )


def arm_report(report: ArmReport) -> pb.ArmReport:
    """Return a report for an answer."""
    return pb.ArmReport(
        arm=pb.SearchArm.ValueType(report.arm),
        state=pb.ArmReport.State.ValueType(report.state),
        reason=report.reason,
        duration=to_duration(timedelta(seconds=report.duration_s)),
    )


def answer_response(found: Answered) -> pb.AnswerResponse:
    return pb.AnswerResponse(
        answer=found.text,
        citations=[
            pb.Citation(number=number, memory=memory_to_proto(memory))
            for number, memory in found.citations.items()
        ],
        verdict=pb.Verdict.ValueType(found.verdict),
        model=found.model,
        unsupported=found.unsupported,
    )
