"""What is measured: a world of messages and the queries that are asked in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from everword.client.transcripts import Entry

#: Categories whose queries are never in the averages: they name the turn that they twist.
TWISTED = frozenset({"adversarial"})


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
    """Return what is asked in a world: its own queries, then the answerable ones of the world after it.

    The last world gets those of the first. One foreign world each keeps the cost linear.
    """
    world, other = worlds[index], worlds[(index + 1) % len(worlds)]
    own = [Question(query, world.name, foreign=False) for query in world.queries]
    if other is world:
        return own
    strange = [
        Question(query, other.name, foreign=True) for query in other.queries if query.is_averaged
    ]
    return own + strange
