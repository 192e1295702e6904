"""Figures of trials, and the table of all systems."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from everword.bench.metrics import judge, percentile
from everword.bench.peers.trial import Trial

#: Figures by name, each with one value for each round.
Values = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class PeerRow:
    """A row of the table."""

    figure: str
    label: str
    digits: int


ROWS = (
    PeerRow("hit@10", "an answer among the first ten, share of questions", 3),
    PeerRow("recall@10", "answers among the first ten, share of answers", 3),
    PeerRow("import_per_s", "messages/s until searchable by meaning", 0),
    PeerRow("import_per_s_other", "the same, with the other form of the weights", 0),
    PeerRow("after_import_p50_ms", "new question right after the import, p50, ms", 1),
    PeerRow("after_import_p95_ms", "new question right after the import, p95, ms", 1),
    PeerRow("at_rest_p50_ms", "new question at rest, p50, ms", 1),
    PeerRow("at_rest_p95_ms", "new question at rest, p95, ms", 1),
    PeerRow("first_question_ms", "first question after a start, ms", 1),
    PeerRow("start_to_answer_s", "start of all processes to the first answer, s", 1),
    PeerRow("memory_mb", "memory of all processes (PSS), MB", 0),
)


def figures_of(trial: Trial) -> dict[str, float]:
    """Return the figures of one complete trial."""
    judged = [judge(ids, relevant)["recall@10"] for ids, relevant in trial.rankings]
    return {
        "hit@10": statistics.fmean(value > 0 for value in judged),
        "recall@10": statistics.fmean(judged),
        "import_per_s": trial.messages / trial.import_s,
        **_percentiles("after_import", trial.after_import_s),
        **_percentiles("at_rest", trial.idle_resident_s),
        "idle_time_s": trial.idle_time_s,
        "first_question_ms": trial.first_question_s * 1000,
        "start_to_answer_s": trial.start_to_answer_s,
        "memory_mb": trial.memory_mb,
    }


def _percentiles(name: str, seconds: Sequence[float]) -> dict[str, float]:
    shares = {"p50": 0.5, "p95": 0.95}
    return {
        f"{name}_{of}_ms": (percentile(seconds, share) or 0.0) * 1000
        for of, share in shares.items()
    }


def medians(values: Values) -> dict[str, float]:
    """Return the median of each figure over its rounds."""
    return {name: statistics.median(each) for name, each in values.items()}


def table(document: Mapping[str, Any]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the columns and rows of a run's table: a column for each system, a row for each figure."""
    systems = document["systems"]
    columns = ("figure", *systems)
    versions = ("version", *(each["version"] for each in systems.values()))
    rows = [
        (
            row.label.replace("the other form of the weights", f"weights as {document['other']}"),
            *(_cell(each["medians"].get(row.figure), row.digits) for each in systems.values()),
        )
        for row in ROWS
    ]
    return columns, [versions, *rows]


def markdown(document: Mapping[str, Any]) -> str:
    """Return the table and the facts that it depends on, as a page quotes them."""
    columns, rows = table(document)
    lines = [columns, ["---"] * len(columns), *rows]
    machine, data = document["machine"], document["data"]
    facts = (
        f"{document['date']}, commit {(document['commit'] or 'unknown')[:8]}; {machine['cores']} cores of "
        f"{machine['processor']} ({', '.join(machine['instructions']) or 'without AVX-512 and VNNI'}); "
        f"{data['messages']:,} messages in {data['conversations']} conversations of {data['name']}, "
        f"{data['questions']} questions; medians of {document['rounds']} rounds in alternation, weights as "
        f"{document['form']}."
    )
    return "\n".join([facts, "", *(f"| {' | '.join(each)} |" for each in lines)])


def _cell(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"
