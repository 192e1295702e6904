"""Reads agree with a naive model at any moment, as known at any other: `make test-as-of` runs more cases."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from everword.v1 import context_service_pb2 as context
from everword.v1 import fact_query_service_pb2 as profile
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as search
from support.as_of import CELLS, SAID, SUBJECTS, Account, Change, Key, moment
from support.stack import Stack
from support.telling import remember, say, stamp

_FACT = re.compile(r"(\w+) of (\w+): (.+)")
_LINE = re.compile(r"\] (\w+): (.+) \((?:suspected, )?as of [\d-]+\)$")


@dataclass
class Told:
    """The history that was written so far."""

    account: Account
    #: Time of knowledge after each change.
    known: list[datetime] = field(default_factory=lambda: [datetime.now(UTC)])
    fact_ids: dict[tuple[Key, str], str] = field(default_factory=dict)
    #: Key, value, cell and number of changes of each message.
    said: dict[str, tuple[Key, str, int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Point:
    """A subject at a moment, as known after a number of changes."""

    subject: str
    cell: int
    changes: int
    filter: memory_pb2.MemoryFilter


async def test_reads_at_any_moment_agree_with_a_naive_account(
    stack: Stack, pytestconfig: pytest.Config
) -> None:
    changes, seed = int(pytestconfig.getoption("--changes")), 20261125
    told, rng = Told(Account(seed)), random.Random(seed)
    for _ in range(changes):
        await tell(stack, told, told.account.next())
    marked = 0
    for _ in range(changes // 4):
        point = draw(told, rng)
        expected = told.account.held(point.subject, point.cell, point.changes)
        assert await of_profile(stack, point) == expected, point
        assert await of_context(stack, point) == expected, point
        assert await of_search(stack, point) == expected, point
        marked += await count_marks(stack, told, point)
    assert marked > changes // 10


async def tell(stack: Stack, told: Told, change: Change) -> None:
    key, at = change.key, stamp(moment(change.cell))
    known = told.fact_ids.get((key, change.value), "")
    if change.kind == "state":
        evidence = []
        if key.attribute in SAID:
            text = f"{key.attribute} of {key.subject} is {change.value}"
            evidence = [await say(stack, text, change.cell / 2, subject=key.subject)]
            told.said[evidence[0]] = (key, change.value, change.cell, told.account.changes)
        named = {"subject": key.subject, "attribute": key.attribute}
        fact = await remember(stack, change.value, evidence, valid_from_time=at, **named)
        told.fact_ids[key, change.value] = fact.id
    elif change.kind == "close":
        await stack.facts.CloseFact(facts.CloseFactRequest(fact_id=known, valid_until_time=at))
    else:
        request = facts.CorrectFactRequest(fact_id=known, value=change.right)
        right = (await stack.facts.CorrectFact(request)).fact
        told.fact_ids[key, change.right] = right.id
    told.known.append(datetime.now(UTC))


def draw(told: Told, rng: random.Random) -> Point:
    changes, cell = rng.randrange(len(told.known)), rng.randrange(CELLS)
    subject = rng.choice(SUBJECTS)
    wanted = memory_pb2.MemoryFilter(
        subjects=[subject],
        # Slightly after the start of a cell.
        valid_at_time=stamp(moment(cell + 0.5)),
        known_at_time=stamp(told.known[changes]),
    )
    return Point(subject, cell, changes, wanted)


async def of_profile(stack: Stack, point: Point) -> dict[str, str]:
    request = profile.GetProfileRequest(
        subject=point.subject,
        valid_at_time=point.filter.valid_at_time,
        known_at_time=point.filter.known_at_time,
    )
    response = await stack.fact_queries.GetProfile(request)
    return {fact.attribute: fact.value for fact in response.facts}


async def of_search(stack: Stack, point: Point) -> dict[str, str]:
    """Return the facts that a search finds, by attribute."""
    request = search.SearchRequest(query=f"of {point.subject}", filter=point.filter, page_size=200)
    request.filter.kinds.append(memory_pb2.MEMORY_KIND_FACT)
    found = (await stack.search.Search(request)).results
    return _read(result.memory.content for result in found)


async def of_context(stack: Stack, point: Point) -> dict[str, str]:
    """Return the facts in a context, by attribute."""
    request = context.BuildContextRequest(query=f"of {point.subject}", filter=point.filter)
    request.filter.kinds.append(memory_pb2.MEMORY_KIND_FACT)
    blocks = (await stack.context.BuildContext(request)).blocks
    texts = [item.text for block in blocks for item in block.items]
    return _read(_LINE.sub(rf"] \1 of {point.subject}: \2", text) for text in texts)


def _read(texts: Iterable[str]) -> dict[str, str]:
    found = [_FACT.search(text) for text in texts]
    values = [(each[1].lower(), each[3]) for each in found if each]
    assert len(values) == len(found)
    # An attribute has one value.
    assert len(dict(values)) == len(values)
    return dict(values)


async def count_marks(stack: Stack, told: Told, point: Point) -> int:
    """Check that outdated messages are marked and rank behind current ones; return the number of marks."""
    request = search.SearchRequest(query=f"of {point.subject}", filter=point.filter, page_size=50)
    request.filter.excluded_kinds.append(memory_pb2.MEMORY_KIND_FACT)
    results = (await stack.search.Search(request)).results
    held = told.account.held(point.subject, point.cell, point.changes)
    seen = set[str]()
    for result in results:
        key, value, cell, number = told.said[result.memory.id]
        ended = told.account.has_ended(key, value, cell, point.cell, point.changes)
        if number > point.changes:
            assert not result.superseded, (point, result)
        elif ended is not None:
            assert bool(result.superseded) == ended, (point, result)
        for mark in result.superseded:
            assert mark.current_value in ("", held.get(mark.attribute))
            assert not mark.current_memory_id or mark.current_value in {
                told.said[each][1] for each in seen if told.said[each][0] == key
            }
        seen.add(result.memory.id)
    return sum(bool(result.superseded) for result in results)
