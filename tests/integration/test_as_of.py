"""Reads agree with a naive model at any moment, as known at any other: `make test-as-of` runs more cases."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from everword.v1 import context_service_pb2 as context
from everword.v1 import fact_query_service_pb2 as profile
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as search
from support.stack import Stack
from support.stated_facts import day, remember, say, stamp

YEARS = 3
#: Two a day: the morning and the evening.
CELLS = YEARS * 365 * 2
SUBJECTS = ("Ana", "Bo", "Cleo", "Dev")
#: Those of the second group are set right by people; of the first, messages are evidence.
SAID = ("residence", "employer", "vehicle")
RULED = ("diet", "budget", "owner")
_VALUES = ("amber", "birch", "cedar", "dune", "ember", "fjord", "grove")


@dataclass(frozen=True)
class Key:
    """What is said of whom."""

    subject: str
    attribute: str


@dataclass(frozen=True)
class Change:
    """Something that is told of a key."""

    #: `state`, `close`, `correct` or `reject`.
    kind: str
    key: Key
    value: str
    cell: int
    #: What is right instead of a value.
    right: str = ""


def moment(cell: float) -> datetime:
    return day(0) + timedelta(days=cell / 2)


@dataclass(frozen=True)
class Run:
    """Neighbouring cells that hold one value, as one interval."""

    value: str
    number: int


@dataclass
class Cells:
    """What each cell of a key holds."""

    runs: list[Run | None] = field(default_factory=lambda: [None] * CELLS)
    _count: int = 0

    def apply(self, change: Change) -> None:
        if change.kind == "state":
            self._state(change.value, change.cell)
        elif change.kind == "close":
            standing = self._standing(change.value, change.cell)
            self._paint(change.cell, standing, None)
        else:
            self._replace(change.value, change.right)

    def _state(self, value: str, cell: int) -> None:
        standing = self.runs[cell]
        if standing is not None and standing.value == value:
            return
        run = self._new(value)
        for each in range(cell, self._end(cell)):
            self.runs[each] = run
        self._join()

    def _replace(self, value: str, right: str) -> None:
        """Put what is right in the place of a value; where nothing is, what gave way to it holds on."""
        for number in sorted({run.number for run in self.runs if run and run.value == value}):
            first = next(at for at, run in enumerate(self.runs) if run and run.number == number)
            before = self.runs[first - 1] if first else None
            self._paint(first, self.runs[first], self._new(right) if right else before)
        self._join()

    def _join(self) -> None:
        """Make one run of neighbouring cells that hold one value."""
        for cell, run in enumerate(self.runs):
            before = self.runs[cell - 1] if cell else None
            if before and run and before.value == run.value:
                self.runs[cell] = before

    def _standing(self, value: str, cell: int) -> Run | None:
        run = self.runs[cell]
        return run if run and run.value == value else None

    def _end(self, cell: int) -> int:
        """Return where what a cell holds, or that it holds nothing, ends."""
        standing = self.runs[cell]
        end = cell
        while end < CELLS and self.runs[end] == standing:
            end += 1
        return end

    def _paint(self, cell: int, over: Run | None, run: Run | None) -> None:
        """Put a run in the place of another one, from a cell on."""
        if over is not None:
            for each in range(cell, CELLS):
                if self.runs[each] == over:
                    self.runs[each] = run

    def _new(self, value: str) -> Run:
        self._count += 1
        return Run(value, self._count)


class Account:
    """What is told, and what each key held after each change of it."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._cells: dict[Key, Cells] = defaultdict(Cells)
        self._known: dict[Key, list[tuple[int, list[Run | None]]]] = defaultdict(list)
        self._fresh = 0
        self.changes = 0

    def next(self) -> Change:
        """Return another change, which is known from now on."""
        key = Key(self._random.choice(SUBJECTS), self._random.choice((*SAID, *RULED)))
        change = self._draw(key)
        self.changes += 1
        cells = self._cells[key]
        cells.apply(change)
        self._known[key].append((self.changes, list(cells.runs)))
        return change

    def _draw(self, key: Key) -> Change:
        cells = self._cells[key].runs
        kind = self._random.choices(("state", "close", "correct"), (8, 1, 1))[0]
        cell = self._random.randrange(0, CELLS, 2)
        run = cells[cell]
        if kind == "correct" and key.attribute in RULED and run:
            if self._random.random() < 0.3:
                return Change("reject", key, run.value, cell)
            self._fresh += 1
            return Change("correct", key, run.value, cell, f"right {self._fresh}")
        if kind == "close" and run and cell + 1 < CELLS and cells[cell + 1] == run:
            return Change("close", key, run.value, cell + 1)
        return Change("state", key, self._random.choice(_VALUES), cell)

    def held(self, subject: str, cell: int, changes: int) -> dict[str, str]:
        """Return what held of a subject at a moment, as it was known after so many changes."""
        found = {}
        for key in [key for key in self._known if key.subject == subject]:
            run = self._runs(key, changes)[cell]
            if run is not None:
                found[key.attribute] = run.value
        return found

    def _runs(self, key: Key, changes: int) -> list[Run | None]:
        known = [runs for number, runs in self._known[key] if number <= changes]
        return known[-1] if known else [None] * CELLS

    def has_ended(self, key: Key, value: str, said: int, cell: int, changes: int) -> bool | None:
        """Tell whether what was said in one cell holds no more in another one, as it was known.

        None where it is not known of the cell itself that it held.
        """
        runs = self._runs(key, changes)
        own, then = runs[said], runs[cell]
        if own is None or own.value != value:
            return None
        if then is not None and then.value == value:
            return False
        return cell > said


_FACT = re.compile(r"(\w+) of (\w+): (.+)")
_LINE = re.compile(r"\] (\w+): (.+) \((?:suspected, )?as of [\d-]+\)$")


@dataclass
class StatedHistory:
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


async def test_as_of_reads_agree_with_naive_model(
    stack: Stack, pytestconfig: pytest.Config
) -> None:
    changes, seed = int(pytestconfig.getoption("--changes")), 20261125
    told, rng = StatedHistory(Account(seed)), random.Random(seed)
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


async def tell(stack: Stack, told: StatedHistory, change: Change) -> None:
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


def draw(told: StatedHistory, rng: random.Random) -> Point:
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


async def count_marks(stack: Stack, told: StatedHistory, point: Point) -> int:
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
