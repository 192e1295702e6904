"""A dataset to measure with: messages and the queries that are asked in it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime

from everword.transcripts import Entry

#: Categories whose queries are never in the averages: they name the turn that they twist.
TWISTED = frozenset({"adversarial"})

#: Questions of other datasets that are asked in one.
FOREIGN_LIMIT = 200


@dataclass(frozen=True)
class Query:
    """A question, with the messages that answer it."""

    id: str
    text: str
    category: str
    #: External ids of messages of the query's dataset.
    relevant: frozenset[str]
    answerable: bool
    #: Texts of the answer, one of which a relevant message contains or is written by; empty if unknown.
    answers: tuple[str, ...] = ()
    #: Time after which messages do not count, because the question is asked before them; None if all count.
    end_time: datetime | None = None
    #: Start and end of the time that the query names; None if it names none.
    period: tuple[datetime, datetime] | None = None
    #: Session key of the conversation in which the query is asked; empty if it is asked outside.
    session: str = ""

    @property
    def is_averaged(self) -> bool:
        """Return whether the query counts in the averages of answerable queries."""
        return self.answerable and self.category not in TWISTED


@dataclass(frozen=True)
class Dataset:
    """Messages with a namespace of their own, and the queries about them."""

    name: str
    entries: tuple[Entry, ...] = field(repr=False)
    queries: tuple[Query, ...] = field(repr=False)
    #: Language code, such as `de`; empty if the file does not say.
    language: str = ""


@dataclass(frozen=True)
class Question:
    """A query as it is asked in some dataset."""

    query: Query
    #: Name of the dataset whose query it is.
    home: str
    #: True if the query belongs to another dataset, so that no message here can answer it.
    foreign: bool


def questions(datasets: tuple[Dataset, ...], index: int) -> list[Question]:
    """Return the dataset's own queries, then answerable ones of other datasets.

    At most `FOREIGN_LIMIT` foreign ones are returned, evenly sampled, so that the cost stays linear.
    """
    dataset = datasets[index]
    own = [Question(query, dataset.name, foreign=False) for query in dataset.queries]
    strange = [
        Question(query, other.name, foreign=True)
        for other in datasets
        if other is not dataset
        for query in other.queries
        if query.is_averaged
    ]
    step = max(1, math.ceil(len(strange) / FOREIGN_LIMIT))
    return own + strange[::step]
