"""What is measured: a world of messages and the queries that are asked in it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from everword.transcripts import Entry

#: Categories whose queries are never in the averages: they name the turn that they twist.
TWISTED = frozenset({"adversarial"})

#: Questions of other worlds that are asked in one.
FOREIGN_LIMIT = 200


@dataclass(frozen=True)
class Query:
    """A question, with the messages that answer it."""

    id: str
    text: str
    category: str
    #: External ids of messages of the query's world.
    relevant: frozenset[str]
    answerable: bool

    @property
    def is_averaged(self) -> bool:
        """Whether it counts as one that the world answers."""
        return self.answerable and self.category not in TWISTED


@dataclass(frozen=True)
class World:
    """Messages that have a namespace to themselves, and what is asked of them."""

    name: str
    entries: tuple[Entry, ...] = field(repr=False)
    queries: tuple[Query, ...] = field(repr=False)


@dataclass(frozen=True)
class Question:
    """A query as it is asked in some world."""

    query: Query
    #: Name of the world whose query it is.
    home: str
    #: Whether it is asked in another world, where nothing can answer it.
    foreign: bool


def questions(worlds: tuple[World, ...], index: int) -> list[Question]:
    """Return what is asked in a world: its own queries, then answerable ones of the other worlds.

    Of those, at most `FOREIGN_LIMIT` are asked, evenly taken from all: the cost stays linear.
    """
    world = worlds[index]
    own = [Question(query, world.name, foreign=False) for query in world.queries]
    strange = [
        Question(query, other.name, foreign=True)
        for other in worlds
        if other is not world
        for query in other.queries
        if query.is_averaged
    ]
    step = max(1, math.ceil(len(strange) / FOREIGN_LIMIT))
    return own + strange[::step]
