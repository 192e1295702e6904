"""The conversations and questions that every system gets."""

from __future__ import annotations

from collections.abc import Sequence

from everword.bench.dataset import Dataset, Query
from everword.bench.peers.system import PeerConversation, PeerError

#: Asked at a start, right after the import and at rest: each needs one.
FEWEST_QUESTIONS = 3


def choose_conversations(
    datasets: Sequence[Dataset], conversations: int, questions: int
) -> list[PeerConversation]:
    """Return the conversations with the most messages, each with at most `questions` of its questions.

    Questions are taken evenly from all that the conversation answers. Raises PeerError.
    """
    largest = sorted(datasets, key=lambda each: len(each.entries), reverse=True)[:conversations]
    chosen = [
        PeerConversation(f"conversation-{number}", dataset, _evenly(dataset, questions))
        for number, dataset in enumerate(largest, start=1)
    ]
    if sum(len(each.questions) for each in chosen) < FEWEST_QUESTIONS:
        raise PeerError(f"--data: fewer than {FEWEST_QUESTIONS} questions have an answer in it")
    return chosen


def _evenly(dataset: Dataset, number: int) -> tuple[Query, ...]:
    answered: dict[str, Query] = {}
    for query in dataset.queries:
        # A text that is asked twice would find its vector kept.
        if query.is_averaged and query.relevant:
            answered.setdefault(query.text, query)
    queries = list(answered.values())
    if len(queries) <= number:
        return tuple(queries)
    return tuple(queries[place * len(queries) // number] for place in range(number))
