"""A response to a search, in terms of the messages that were put in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from everword.bench.variants import PAGE_SIZE
from everword.domain.calibration import DECIDING, answer_chance
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb


@dataclass(frozen=True)
class Place:
    """Position of a message in its conversation."""

    #: Number of its conversation in the dataset, from 0.
    conversation: int
    seq: int
    external_id: str


#: Stored messages by memory id.
Places = Mapping[str, Place]
#: External ids of messages, by the id of the memory that is derived from them.
StandsFor = Mapping[str, Sequence[str]]
NOTHING: StandsFor = {}


@dataclass(frozen=True)
class BenchHit:
    """A result, as far as it was explained."""

    #: External ids of the messages that the result covers.
    messages: tuple[str, ...]
    #: None if the response has no explanation.
    evidence: float | None


@dataclass(frozen=True)
class Answer:
    """A response."""

    #: External ids of messages, best first, none twice; at most a page.
    ranked: tuple[str, ...]
    #: Score of the best result; 0 without results.
    top_score: float
    #: Probability that one of the first results is relevant, by their relevance. Without a calibration it is the best
    #: score among them, which is not a probability. 0 without results.
    chance: float
    #: Name of the verdict, such as `RELEVANT`.
    verdict: str
    #: Arms that could not answer, each with its reason.
    degraded: Mapping[str, str]
    #: The results; None if no explanations were requested.
    explained: tuple[BenchHit, ...] | None = None


def read_answer(
    response: pb.SearchResponse,
    places: Places,
    explained: bool = False,
    stands_for: StandsFor = NOTHING,
) -> Answer:
    ranked: dict[str, None] = {}
    for result in _in_order(response.results, places):
        ranked.update(dict.fromkeys(messages_of(result.memory, places, stands_for)))
    results = response.results
    return Answer(
        ranked=tuple(ranked)[:PAGE_SIZE],
        top_score=results[0].score if results else 0.0,
        chance=_chance(results[:DECIDING]),
        verdict=pb.Verdict.Name(response.verdict).removeprefix("VERDICT_"),
        degraded={
            pb.SearchArm.Name(arm.arm).removeprefix("SEARCH_ARM_").lower(): arm.reason
            for arm in response.arms
            if arm.state == pb.ArmReport.STATE_DEGRADED
        },
        explained=tuple(_found(result, places, stands_for) for result in results)
        if explained
        else None,
    )


def _chance(deciding: Sequence[pb.SearchResult]) -> float:
    if all(result.HasField("relevance") for result in deciding):
        return answer_chance(result.relevance for result in deciding)
    return max((result.score for result in deciding), default=0.0)


def relevance(result: pb.SearchResult) -> float:
    """Return the relevance of a result, from 0 to 1, on one scale for all queries.

    Without a calibration it is the score.
    """
    return result.relevance if result.HasField("relevance") else result.score


def _found(result: pb.SearchResult, places: Places, stands_for: StandsFor) -> BenchHit:
    explanation = result.explanation
    evidence = explanation.evidence if explanation.HasField("evidence") else None
    return BenchHit(tuple(messages_of(result.memory, places, stands_for)), evidence)


def messages_of(
    memory: memory_pb2.Memory, places: Places, stands_for: StandsFor = NOTHING
) -> Sequence[str]:
    """Return the external ids of the messages that a result covers, in order; a message covers itself."""
    if memory.id in places:
        return [places[memory.id].external_id]
    return stands_for.get(memory.id, ())


def _in_order(results: Iterable[pb.SearchResult], places: Places) -> Iterable[pb.SearchResult]:
    """Yield results as they are ranked, those of equal score by conversation and sequence."""

    def place(result: pb.SearchResult) -> tuple[int, int]:
        at = places.get(result.memory.id)
        return (at.conversation, at.seq) if at else (len(places), 0)

    for _, equal in groupby(results, key=lambda result: result.score):
        yield from sorted(equal, key=place)
