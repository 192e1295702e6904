"""Random histories of facts about a few people, and a naive model that knows the right answer to each as-of query.

Time is divided into cells of half a day. The model stores all cells of an attribute after each change, so a test can
ask for any valid time as known at any transaction time. Statements begin in the morning and ends come in the evening,
so no value ends at the moment at which another begins without superseding it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from support.telling import day

YEARS = 3
#: Two cells a day: morning and evening.
CELLS = YEARS * 365 * 2
SUBJECTS = ("Ana", "Bo", "Cleo", "Dev")
#: Messages are evidence for attributes in `SAID`; people correct attributes in `RULED`.
SAID = ("residence", "employer", "vehicle")
RULED = ("diet", "budget", "owner")
_VALUES = ("amber", "birch", "cedar", "dune", "ember", "fjord", "grove")


@dataclass(frozen=True)
class Key:
    """A subject and an attribute."""

    subject: str
    attribute: str


@dataclass(frozen=True)
class Change:
    """One change to the value of a key."""

    #: `state`, `close`, `correct` or `reject`.
    kind: str
    key: Key
    value: str
    cell: int
    #: The corrected value; empty unless `kind` is `correct`.
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
    """The value of a key in each cell; None if it has no value there."""

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
        """Replace a value with its correction. If there is none, restore the preceding value."""
        for number in sorted({run.number for run in self.runs if run and run.value == value}):
            first = next(at for at, run in enumerate(self.runs) if run and run.number == number)
            before = self.runs[first - 1] if first else None
            self._paint(first, self.runs[first], self._new(right) if right else before)
        self._join()

    def _join(self) -> None:
        """Merge runs of neighbouring cells with the same value."""
        for cell, run in enumerate(self.runs):
            before = self.runs[cell - 1] if cell else None
            if before and run and before.value == run.value:
                self.runs[cell] = before

    def _standing(self, value: str, cell: int) -> Run | None:
        run = self.runs[cell]
        return run if run and run.value == value else None

    def _end(self, cell: int) -> int:
        """Return the first cell after `cell` with a different value, or no value."""
        standing = self.runs[cell]
        end = cell
        while end < CELLS and self.runs[end] == standing:
            end += 1
        return end

    def _paint(self, cell: int, over: Run | None, run: Run | None) -> None:
        """Replace run `over` with `run` from a cell on."""
        if over is not None:
            for each in range(cell, CELLS):
                if self.runs[each] == over:
                    self.runs[each] = run

    def _new(self, value: str) -> Run:
        self._count += 1
        return Run(value, self._count)


class Account:
    """Generates random changes and records all values of each key after each of them."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._cells: dict[Key, Cells] = defaultdict(Cells)
        self._known: dict[Key, list[tuple[int, list[Run | None]]]] = defaultdict(list)
        self._fresh = 0
        self.changes = 0

    def next(self) -> Change:
        """Return the next change and apply it to the model."""
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
        """Return the subject's values at `cell` by attribute, as known after `changes` changes."""
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
        """Return whether a value stated in cell `said` is outdated in `cell`, as known after `changes` changes.

        None if the value was not known to be current in cell `said`.
        """
        runs = self._runs(key, changes)
        own, then = runs[said], runs[cell]
        if own is None or own.value != value:
            return None
        if then is not None and then.value == value:
            return False
        return cell > said
