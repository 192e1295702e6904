"""A short conversation as ranking reads it from the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from uuid import UUID

import numpy as np

from everword.db.arrays import array_of_uuids
from everword.text.ranking_record import message_traits, pack_record, unpack_records
from everword_search.passages.candidates import Candidates
from everword_search.ranking.features.compute import RankingQuery
from everword_search.ranking.features.pool import Pool, build_pool

START = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
CONVERSATION = UUID(int=1)
TURNS = (
    "Hi Jon! How are you?",
    "I adopted two turtles last week.",
    "How long have you wanted them?",
    "For three years now!",
    "Turtles are slow, and so am I.",
    "The weather is nice today.",
    "I am going to the cinema tomorrow.",
)


@dataclass(frozen=True)
class Passage:
    """A passage of a turn."""

    passage_id: int
    source_id: UUID
    part: int
    conversation_id: UUID
    seq: int
    author: str
    #: Seconds since 1970.
    moment: float
    record: bytes
    stands_for: int = 1
    repeats: bool = False


def row(
    number: int,
    text: str,
    *,
    author: str = "",
    seq: int | None = None,
    conversation: UUID = CONVERSATION,
    minutes: float | None = None,
    part: int = 0,
) -> Passage:
    moment = START + timedelta(minutes=number if minutes is None else minutes)
    record = pack_record(text, message_traits(text), "english")
    place = number if seq is None else seq
    return Passage(
        number * 10 + part,
        UUID(int=1000 + number),
        part,
        conversation,
        place,
        author or ("Nate" if number % 2 else "Jon"),
        moment.timestamp(),
        record,
    )


def chat(texts: Sequence[str] = TURNS) -> list[Passage]:
    return [row(number, text) for number, text in enumerate(texts, start=1)]


def pool_of(
    passages: Sequence[Passage],
    cosines: Mapping[int, float] = MappingProxyType({}),
    absent: Mapping[UUID | None, int] = MappingProxyType({}),
) -> Pool:
    """Return the pool of passages in arbitrary order, as the database returns them."""
    ordered = sorted(
        passages, key=lambda each: (each.conversation_id, each.seq, each.source_id, each.part)
    )
    authors = sorted({each.author for each in ordered})
    candidates = Candidates(
        passage_ids=np.array([each.passage_id for each in ordered]),
        source_ids=array_of_uuids([each.source_id for each in ordered]),
        threads=array_of_uuids([each.conversation_id for each in ordered]),
        conversation_ids=array_of_uuids([each.conversation_id for each in ordered]),
        seqs=np.array([each.seq for each in ordered]),
        authors=np.array([authors.index(each.author) for each in ordered]),
        author_names=authors,
        roles=np.full(len(ordered), 2),
        moments=np.array([each.moment for each in ordered]),
        records=unpack_records([each.record for each in ordered]),
        stands_for=np.array([each.stands_for for each in ordered]),
        repeats=np.array([each.repeats for each in ordered]),
        found=np.ones(len(ordered), bool),
        wanted=np.ones(len(ordered), bool),
    )
    return build_pool(
        candidates,
        np.array([cosines.get(each.passage_id, np.nan) for each in ordered], float),
        np.array([absent.get(each.conversation_id, 0) for each in ordered], float),
    )


def ask(text: str, *names: str, time_zone: str = "UTC") -> RankingQuery:
    ignored = frozenset({"how", "had", "has", "his", "the", "did", "a", "to", "is", "when", "in"})
    return RankingQuery.ask(text, frozenset(names), ignored, "english", time_zone)
