"""Answer requests from protos, and answers to protos."""

from __future__ import annotations

from everword.domain.caller import NamespaceScope
from everword.rpc.translate import memory_to_proto
from everword.v1 import search_service_pb2 as pb
from everword_search.answers.answer import (
    DEFAULT_ANSWER_TOKENS,
    DEFAULT_MEMORIES,
    AnswerRequest,
    AnswerResult,
)
from everword_search.records.translate import to_filter
from everword_search.retrieval.profiles import profile_name
from everword_search.retrieval.translate import to_reference_time


def to_answer_request(request: pb.AnswerRequest, namespace: NamespaceScope) -> AnswerRequest:
    return AnswerRequest(
        query=request.query,
        filter=to_filter(request.filter),
        max_memories=request.max_memories or DEFAULT_MEMORIES,
        profile=profile_name(request.profile, namespace),
        max_answer_tokens=request.max_answer_tokens or DEFAULT_ANSWER_TOKENS,
        at_least_as_fresh=request.at_least_as_fresh,
        reference_time=to_reference_time(request),
    )


def answer_response(found: AnswerResult) -> pb.AnswerResponse:
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
