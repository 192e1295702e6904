"""History of a run: acknowledged operations, and promises that an answer violated at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import StrEnum

#: Namespace and session key, key of a note, or subject of a fact.
Place = tuple[str, str]


class Promise(StrEnum):
    """Guarantees under any fault, in the words of the report."""

    KEPT = "no acknowledged write is lost"
    ONCE = "none is stored twice"
    ORDER = "messages stay in their order"
    FRESH = "a read with a token sees the write"
    ERASED = "what is erased stays erased"
    EXPORTED = "an export is whole"
    ALONE = "nobody sees what is another's"
    ENDS = "work is done, or seen to have failed"
    DERIVED = "what is derived is complete"
    ERRORS = "an outage is a plain error, never INTERNAL"


@dataclass
class History:
    """Records every acknowledged operation."""

    #: The messages of each conversation, by the callers' own names, in the order of acknowledgement.
    messages: dict[Place, list[str]] = field(default_factory=lambda: defaultdict(list))
    #: Texts of each note, in order of version.
    notes: dict[Place, list[str]] = field(default_factory=lambda: defaultdict(list))
    #: The values written for each subject.
    facts: dict[Place, list[str]] = field(default_factory=lambda: defaultdict(list))
    #: Words of erased texts, by namespace; each begins with `traffic.ERASED`.
    erased: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    #: Number of checks of each promise, and a description of each violation.
    looked: Counter[Promise] = field(default_factory=Counter)
    broken: list[tuple[Promise, str]] = field(default_factory=list)
    #: Retried calls, by status.
    retried: Counter[str] = field(default_factory=Counter)

    @property
    def acknowledged(self) -> int:
        """Number of stored messages, written versions of notes and facts, and erasures."""
        kept = sum(
            len(each) for of in (self.messages, self.notes, self.facts) for each in of.values()
        )
        return kept + sum(map(len, self.erased.values()))

    def hold(self, promise: Promise, holds: bool, words: str) -> None:
        """Count a check of a promise; record the description if it is violated."""
        self.looked[promise] += 1
        if not holds:
            self.broken.append((promise, words))

    def broken_of(self, promise: Promise) -> int:
        return sum(each == promise for each, _ in self.broken)

    @property
    def line(self) -> str:
        counts = [f"{promise.name.lower()} {self.broken_of(promise)}" for promise in Promise]
        return f"acknowledged {self.acknowledged}, broken: {', '.join(counts)}"
