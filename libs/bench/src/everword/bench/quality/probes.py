"""The files whose questions are asked: packaged probes, files of the user, and a folder of closed probes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from everword.bench.dataset import Dataset, Query, Question
from everword.bench.native_format import BenchSet, read_set, read_sets
from everword.transcripts import TranscriptError

#: Categories with a row of their own; questions of other categories are averaged together.
KINDS = (
    "other-words",
    "same-words",
    "period",
    "day",
    "follow-up",
    "own-statement",
    "original",
    "different-lines",
    "explained",
)
FOREIGN = "foreign"
ALL = "all"
#: Questions of other conversations of the file and language that are asked in each conversation.
FOREIGN_LIMIT = 10


def packaged_probes() -> list[Path]:
    """Return the paths of the probes that were written for this benchmark."""
    return sorted(Path(str(files("everword.bench.quality") / "data")).glob("*.json"))


def closed_probes(folder: Path) -> list[BenchSet]:
    """Return the sets in a folder, named after it and their file. Raises TranscriptError."""
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise TranscriptError(f"{folder}: it has no JSON files")
    sets = map(read_set, paths)
    return [replace(each, name=f"{folder.name}/{each.name}") for each in sets]


def sampled_sets(paths: Iterable[Path], limit: int | None) -> list[BenchSet]:
    """Return the sets of files, each with at most `limit` questions. Raises TranscriptError."""
    sets = read_sets(paths)
    return (
        sets if limit is None else [replace(each, datasets=_sample(each, limit)) for each in sets]
    )


def _sample(bench_set: BenchSet, limit: int) -> tuple[Dataset, ...]:
    """Return the first conversations that have `limit` questions to ask, and as many of these, evenly spread.

    Importing and embedding a conversation takes longer than its questions, so that few conversations save most time.
    """
    chosen: list[Dataset] = []
    asked: list[Query] = []
    for dataset in bench_set.datasets:
        if len(asked) >= limit:
            break
        chosen.append(dataset)
        asked += filter(_is_asked, dataset.queries)
    if len(asked) > limit:
        asked = [asked[at * len(asked) // limit] for at in range(limit)]
    kept = set(map(id, asked))
    return tuple(
        replace(each, queries=tuple(query for query in each.queries if id(query) in kept))
        for each in chosen
    )


def _is_asked(query: Query) -> bool:
    return query.is_averaged or query.category == FOREIGN


def questions(datasets: Sequence[Dataset], index: int) -> list[Question]:
    """Return the questions to ask in a dataset: answerable ones, foreign ones, and some of other datasets."""
    dataset = datasets[index]
    own = [
        Question(query, dataset.name, foreign=query.category == FOREIGN)
        for query in dataset.queries
        if _is_asked(query)
    ]
    strange = [
        Question(query, other.name, foreign=True)
        for other in datasets
        if other is not dataset and other.language == dataset.language
        for query in other.queries
        if query.is_averaged
    ]
    step = max(1, len(strange) // FOREIGN_LIMIT)
    return own + strange[::step][:FOREIGN_LIMIT]


def kind_of(question: Question) -> str:
    """Return the kind of a question, which has a row of its own in the table."""
    if question.foreign:
        return FOREIGN
    return question.query.category if question.query.category in KINDS else ALL
