"""Search requests from protos, and results to protos."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from everword.domain.caller import NamespaceScope
from everword.rpc.pages import to_page
from everword.rpc.translate import fill_memory, from_timestamp, to_duration
from everword.text.sections import SECTION_CHARS
from everword.v1 import search_service_pb2 as pb
from everword_search.endings.translate import endings_to_proto
from everword_search.records.tiers import Tier, chars_read, in_tier
from everword_search.records.translate import to_filter
from everword_search.retrieval.arms.base import ArmReport
from everword_search.retrieval.model import SearchMode, SearchRequest, SearchResponse, SearchResult
from everword_search.retrieval.profiles import BalancedOptions, profile_name
from everword_search.summaries.model import ExpandMode
from everword_search.summaries.translate import expansion_to_proto, to_limits


def to_balanced(options: pb.BalancedOptions) -> BalancedOptions:
    given = {field.name: value for field, value in options.ListFields()}
    if "half_life" in given:
        given["half_life"] = options.half_life.ToTimedelta()
    return BalancedOptions(**given)


def to_search_request(request: pb.SearchRequest, namespace: NamespaceScope) -> SearchRequest:
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
        profile=profile_name(request.profile, namespace),
        balanced=to_balanced(request.balanced) if request.HasField("balanced") else None,
        expand=ExpandMode(request.expand or _usual_expansion(request)),
        expansion_limits=to_limits(request.expansion_limits),
        reference_time=to_reference_time(request),
        section_chars=SECTION_CHARS if request.with_sections else 0,
        conversation_id=UUID(request.conversation_id) if request.conversation_id else None,
    )


def _usual_expansion(request: pb.SearchRequest) -> ExpandMode:
    # Callers that ask for abstracts fetch details themselves, so summaries are not expanded.
    return ExpandMode.NONE if Tier(request.tier).is_short else ExpandMode.TOP


def to_reference_time(request: pb.SearchRequest | pb.AnswerRequest) -> datetime | None:
    if not request.HasField("reference_time"):
        return None
    return from_timestamp(request.reference_time, "reference_time")


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
        completed_query=response.completed_query,
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
            incomplete=result.incomplete,
            superseded=endings_to_proto(result.endings),
            relations=result.relations,
            section=result.full.shown(SECTION_CHARS) if result.full else "",
        )
        memory = in_tier(result.memory, tier, masks=masks)
        fill_memory(added.memory, memory)
        # The matching passage may lie beyond the returned part of the text.
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
    return pb.ArmReport(
        arm=pb.SearchArm.ValueType(report.arm),
        state=pb.ArmReport.State.ValueType(report.state),
        reason=report.reason,
        duration=to_duration(timedelta(seconds=report.duration_s)),
    )
