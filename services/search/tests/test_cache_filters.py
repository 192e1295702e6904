"""A filter allows the same rows in a cached namespace as its conditions in SQL."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, TypeVar
from uuid import UUID

import numpy as np
import pytest

from everword.v1.memory_pb2 import MEMORY_KIND_CHUNK, MEMORY_KIND_NOTE
from everword_search.cache.filters import allowed_rows
from everword_search.cache.index import NamespaceIndex
from everword_search.records.model import EVERYTHING, MemoryFilter
from support.cached_passages import PassageSpec, limits_of, passages_of

T = TypeVar("T")
NOON = datetime(2026, 4, 18, 12, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
#: Some differ only in the number of zero bytes at the end, which numpy's `S16` drops.
CONVERSATIONS = [
    b"\x01" * 16,
    b"\x01" * 15 + b"\0",
    b"\x01" * 14 + b"\0\0",
    b"\x01" + bytes(15),
    bytes(15) + b"\x01",
    b"\0\x01" * 8,
]
#: Used for agents, subjects, channels, instances, authors and tags, to show that these are not confused.
TEXTS = ["", "a", "b", "atlas", "Atlas", "ünï", "a b"]
MEMORIES = [UUID(bytes=id_.to_bytes(15, "big") + b"s") for id_ in range(1, 40)]
#: Fields of a filter that have an effect only together with another field, or that are resolved before.
NOT_ALONE = {
    "include_automated",
    "include_superseded",
    "of_subjects_ids",
    "as_of_message_id",
    "as_of_conversation_id",
    "as_of_seq",
    "task_ids",
}
LABELS = ("agent", "subject", "channel", "instance", "author")


def random_said(rng: random.Random, id_: int) -> PassageSpec:
    texts: dict[str, Any] = {name: rng.choice(TEXTS) for name in LABELS}
    spoken = rng.random() < 0.6
    return PassageSpec(
        id_,
        kind=1 if spoken else rng.randint(2, 5),
        conversation_id=rng.choice(CONVERSATIONS) if spoken else None,
        role=rng.randint(0, 4),
        automated=rng.random() < 0.2,
        occurred_at=random_moment(rng),
        tags=tuple(rng.sample(TEXTS[1:], rng.choice((0, 0, 1, 2, 5)))),
        **texts,
    )


def random_moment(rng: random.Random) -> datetime:
    days = rng.choice((0, 0, 0, -1, 1, -40_000, 40_000))
    return NOON + timedelta(days=days) + rng.randint(-3, 3) * MICROSECOND


def some(rng: random.Random, values: Sequence[T]) -> list[T] | None:
    """Return None, or a few random values, possibly with repetitions."""
    if rng.random() < 0.75:
        return None
    return [rng.choice(values) for _ in range(rng.randint(1, 3))]


def random_filter(rng: random.Random) -> MemoryFilter:
    unknown = [*TEXTS, "nobody"]
    since, before = (random_moment(rng) if rng.random() < 0.2 else None for _ in range(2))
    labels: dict[str, Any] = {f"{name}s": some(rng, unknown) for name in LABELS}
    conversations = [UUID(bytes=each) for each in (*CONVERSATIONS, b"\x02" * 16)]
    return MemoryFilter(
        kinds=some(rng, range(1, 7)),
        conversation_ids=some(rng, conversations),
        in_conversation=rng.choice((None, None, None, None, False, True)),
        included_memory_ids=some(rng, MEMORIES),
        **labels,
        of_subjects_ids=some(rng, MEMORIES),
        roles=some(rng, range(6)),
        tags=some(rng, unknown),
        document_tags=some(rng, unknown),
        document_conversation_ids=some(rng, conversations),
        # The time zone of a filter's times must not matter.
        since=since and since.astimezone(timezone(timedelta(hours=5, minutes=30))),
        before=before,
        valid_at=maybe_at(rng),
        known_at=maybe_at(rng),
        include_automated=rng.random() < 0.5,
        include_superseded=rng.random() < 0.2,
        excluded_kinds=some(rng, range(1, 7)),
        excluded_authors=some(rng, unknown),
        excluded_conversation_ids=some(rng, conversations),
        excluded_memory_ids=some(rng, MEMORIES),
        **random_as_of(rng),
    )


def random_as_of(rng: random.Random) -> dict[str, Any]:
    """Return the position of an `as_of` message, with or without a conversation; usually empty."""
    if rng.random() < 0.8:
        return {}
    conversation = rng.choice([None, *CONVERSATIONS])
    return {
        "as_of_time": random_moment(rng),
        "as_of_conversation_id": conversation and UUID(bytes=conversation),
        "as_of_seq": rng.randint(1, 250) if conversation else None,
    }


def maybe_at(rng: random.Random) -> datetime | None:
    return NOON + timedelta(hours=rng.randint(-3, 3)) if rng.random() < 0.2 else None


def is_wanted(said: PassageSpec, wanted: MemoryFilter) -> bool:

    def among(value: object, values: Sequence[object] | None) -> bool:
        return values is None or value in values

    conversation = said.conversation_id and UUID(bytes=said.conversation_id)
    return (
        (wanted.include_automated or not said.automated)
        and among(said.kind, wanted.kinds)
        and among(said.role, wanted.roles)
        and among(conversation, wanted.conversation_ids)
        and wanted.in_conversation in (None, conversation is not None)
        and among(id_of(said), wanted.included_memory_ids)
        and (among(said.subject, wanted.subjects) or id_of(said) in (wanted.of_subjects_ids or ()))
        and all(
            among(getattr(said, name), getattr(wanted, f"{name}s"))
            for name in LABELS
            if name != "subject"
        )
        and (wanted.tags is None or not set(said.tags).isdisjoint(wanted.tags))
        and (wanted.document_tags is None or not set(said.tags).isdisjoint(wanted.document_tags))
        and (
            said.kind != MEMORY_KIND_CHUNK
            or conversation is None
            or among(conversation, wanted.document_conversation_ids)
        )
        and (wanted.since is None or said.occurred_at >= wanted.since)
        and (wanted.before is None or said.occurred_at < wanted.before)
        and (wanted.valid_at is None or said.valid_from <= wanted.valid_at)
        and (wanted.include_superseded or said.valid_until > (wanted.valid_at or NOON))
        # Expired notes are never returned, not even for a `valid_at` before they expired.
        and (said.kind != MEMORY_KIND_NOTE or said.valid_until > NOON)
        and said.known_from <= (wanted.known_at or NOON) < said.known_until
        and not is_excluded(said, wanted)
    )


def id_of(said: PassageSpec) -> UUID:
    return UUID(bytes=said.id.to_bytes(15, "big") + b"s")


def is_excluded(said: PassageSpec, memory_filter: MemoryFilter) -> bool:
    conversation = said.conversation_id and UUID(bytes=said.conversation_id)
    after = False
    if memory_filter.as_of_time is not None:
        after = said.occurred_at > memory_filter.as_of_time
        if conversation is not None and conversation == memory_filter.as_of_conversation_id:
            # In these tests, a passage's id is also its position in the conversation.
            assert memory_filter.as_of_seq is not None
            after = said.id > memory_filter.as_of_seq
    return (
        after
        or said.kind in (memory_filter.excluded_kinds or ())
        or said.author in (memory_filter.excluded_authors or ())
        or (
            conversation is not None
            and conversation in (memory_filter.excluded_conversation_ids or ())
        )
        or id_of(said) in (memory_filter.excluded_memory_ids or ())
    )


def limited(rng: random.Random, said: PassageSpec) -> PassageSpec:
    """Return the passage with random limits of validity and of knowledge."""
    times = [NOON + timedelta(hours=rng.randint(-3, 3)) for _ in range(4)]
    names = ("valid_from", "valid_until", "known_from", "known_until")
    limits: dict[str, Any] = dict(zip(names, times, strict=True))
    return replace(said, **{name: limits[name] for name in names if rng.random() < 0.5})


def index_of(said: Sequence[PassageSpec], maximum: int = 40) -> NamespaceIndex:
    """Return an index to which the passages were added in batches of at most `maximum`."""
    index = NamespaceIndex(None)
    for start in range(0, len(said), maximum):
        index.add(passages_of(said[start : start + maximum]))
    return index


@pytest.mark.parametrize("seed", range(30))
def test_allowed_rows_of_random_filters_equal_a_naive_filter(seed: int) -> None:
    rng = random.Random(seed)
    said = [random_said(rng, id_) for id_ in range(1, rng.randint(1, 250))]
    index = index_of(said, rng.randint(1, 60))
    alive = np.array([rng.random() < 0.9 for _ in said], bool)
    index.remove(np.flatnonzero(~alive))
    said = [each if rng.random() < 0.7 else limited(rng, each) for each in said]
    index.limit(np.array([each.id for each in said]), limits_of(said))
    snapshot, now = index.snapshot(), NOON.timestamp()
    for requested in (EVERYTHING, *(random_filter(rng) for _ in range(60))):
        expected = [
            each.id
            for each, is_there in zip(said, alive, strict=True)
            if is_there and is_wanted(each, requested)
        ]
        assert (
            snapshot.columns["ids"][allowed_rows(snapshot, requested, now)].tolist() == expected
        ), requested


def test_random_filters_each_accept_some_rows_and_reject_some() -> None:
    """Checks the random data of the test above: every field of a filter, alone, accepts some rows and rejects some."""
    rng = random.Random(1)
    said = [limited(rng, random_said(rng, id_)) for id_ in range(1, 250)]
    shares: dict[str, list[float]] = {}
    for _ in range(600):
        found = random_filter(rng)
        for name, value in vars(found).items():
            if value is not None and name not in NOT_ALONE:
                alone = replace(EVERYTHING, include_automated=True, **{name: value})
                share = sum(is_wanted(each, alone) for each in said) / len(said)
                shares.setdefault(name, []).append(share)
    assert set(shares) == set(vars(EVERYTHING)) - NOT_ALONE
    assert all(any(0 < share < 1 for share in each) for each in shares.values())


def test_filter_applies_to_the_snapshot_of_each_search() -> None:
    """Rows added after a snapshot are not in its result, with or without the filter's tag."""
    index = index_of([PassageSpec(1, tags=("a",)), PassageSpec(2)])
    before = index.snapshot()
    index.add(passages_of([PassageSpec(3, tags=("a",))]))
    tagged = MemoryFilter(tags=["a"])
    assert allowed_rows(before, tagged, 0).tolist() == [True, False]
    assert allowed_rows(index.snapshot(), tagged, 0).tolist() == [True, False, True]


def test_row_without_conversation_does_not_match_the_zero_uuid() -> None:
    """Rows without a conversation are stored as zeros, but do not match a filter by the zero UUID."""
    index = index_of([PassageSpec(1), PassageSpec(2, kind=1, conversation_id=b"\x01" * 16)])
    of_zeros = MemoryFilter(conversation_ids=[UUID(int=0)])
    assert allowed_rows(index.snapshot(), of_zeros, 0).tolist() == [False, False]


@pytest.mark.parametrize(
    "name", ["kinds", "conversation_ids", "agents", "authors", "roles", "tags"]
)
def test_filter_with_an_empty_list_allows_no_rows(name: str) -> None:
    nothing: dict[str, Any] = {name: []}
    index = index_of([PassageSpec(1), PassageSpec(2, kind=1, conversation_id=b"\x01" * 16)])
    assert not allowed_rows(index.snapshot(), MemoryFilter(**nothing), 0).any()


def test_filter_of_an_empty_copy_returns_no_rows() -> None:
    everything = replace(EVERYTHING, tags=["a"], since=NOON, conversation_ids=[UUID(int=1)])
    assert allowed_rows(NamespaceIndex(None).snapshot(), everything, 0).tolist() == []
