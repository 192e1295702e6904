"""Measure extractive summaries: `python -m scripts.measure_summaries SET.json[:FROM-TO] …`; the first set is 1.

Leaves are composed of ten consecutive messages, days of the messages of a date, without a database. Every figure is an
average over the summaries, or a share over all of them:

  headings   share of the chosen lines that are a heading, a label or a greeting
  fragments  share of the chosen lines of at most three words
  dependent  share of the chosen lines that begin with a word for the sentence before, such as `it` or `that`
  code       share of the chosen lines that look like code or markup
  evidence   share of the content words of the answering sentence that are in one line of the summary. The answering
             sentence of a message is the one with the most words of the question, the longest of several
  sentences  share of these sentences with at least 70 % of their words in one line
  tags       bytes of a summary that are no word of its sources: times, names, `[chat:…]`, `[via:…]`
  length     bytes of the summaries divided by those of their sources
  coverage   the stored shares of the sources, identifiers, numbers and decisions in a summary
  incomplete share of the summaries that say too little of their sources
  ms         processor time of a summary

With `--every N`, only every N-th summary of a level is composed.

`identifiers` is the share of the numbers, amounts and dates of 330 invoices that are kept unchanged.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid5

from everword.bench.dataset import Dataset
from everword.bench.native_format import read_sets
from everword.text.analysis import folded_words
from everword.transcripts import Entry
from everword_compactor.compose.extractive.bullets import read_lines
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.model import (
    Composition,
    Draft,
    Faithfulness,
    Level,
    Source,
)

_SPACE = UUID(int=27)
_LEAF_MESSAGES = 10
_HELD = 0.7
_FRAGMENT_WORDS = 3
_DEPENDENT = re.compile(r"(?:it|that|this|they|those|these|he|she)\b", re.IGNORECASE)
_COLUMNS = (
    *("summaries", "lines", "headings", "fragments", "dependent", "code", "evidence", "sentences"),
    *("tags", "length", "sources", "identifiers", "numbers", "decisions", "incomplete", "ms"),
)
_MARKUP = re.compile(r"^\s*(?:#{1,6}\s|[-*+•>]\s|\d{1,3}[.)]\s)*")
_GREETING = re.compile(
    r"^(?:hi|hello|hey|certainly|sure|of course|great|thanks|thank you|you're welcome|absolutely|bye|good night)"
    r"\b[^.!?]{0,40}[.!?]*$",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[;{}]\s*$|^\s*(?:<[/!a-z]|import |from \w+ import|def |class |return\b|@\w+|\w+\s*=\s|[\w.]+\(.*\)$)"
)


@dataclass
class Figures:
    """Counts over the summaries of a level."""

    lines: int = 0
    headings: int = 0
    code: int = 0
    message_bytes: int = 0
    fragments: int = 0
    dependent: int = 0
    bytes: int = 0
    source_bytes: int = 0
    seconds: float = 0.0
    found: list[Faithfulness] = field(default_factory=list)
    evidence: list[float] = field(default_factory=list)

    def row(self) -> str:
        shares = [
            self.headings / max(1, self.lines),
            self.fragments / max(1, self.lines),
            self.dependent / max(1, self.lines),
            self.code / max(1, self.lines),
            _mean(self.evidence),
            _mean([float(share >= _HELD) for share in self.evidence]),
            1 - self.message_bytes / max(1, self.bytes),
            self.bytes / max(1, self.source_bytes),
            _mean([each.source_coverage for each in self.found]),
            _mean([each.identifier_coverage for each in self.found]),
            _mean([each.number_coverage for each in self.found]),
            _mean([each.decision_coverage for each in self.found]),
            _mean([float(each.incomplete) for each in self.found]),
        ]
        figures = [f"{len(self.found)}", f"{self.lines}", *(f"{share:.3f}" for share in shares)]
        return " | ".join([*figures, f"{1000 * self.seconds / max(1, len(self.found)):.1f}"])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "sets", nargs="*", help="a set of conversations, such as set.json or set.json:1-3"
    )
    parser.add_argument("--show", type=int, default=0, help="print so many summaries of each level")
    parser.add_argument("--every", type=int, default=1, help="compose every N-th summary only")
    arguments = parser.parse_args()
    print(f"| set | level | {' | '.join(_COLUMNS)} |")
    print("|---" * (2 + len(_COLUMNS)) + "|")
    for name in arguments.sets:
        datasets = _datasets(name)
        for level in (Level.LEAF, Level.DAY):
            figures = measure(datasets, level, arguments.show, arguments.every)
            print(f"| {Path(name).name} | {level.name.lower()} | {figures.row()} |", flush=True)
    if arguments.every > 1:
        return
    for level in (Level.LEAF, Level.DAY):
        print(
            f"| identifiers of 330 invoices | {level.name.lower()} | {identifier_recall(level):.3f} |"
        )


def measure(datasets: Iterable[Dataset], level: Level, show: int = 0, every: int = 1) -> Figures:
    """Return the figures of every n-th summary of a level."""
    figures = Figures()
    for dataset in datasets:
        sources = {entry.message.external_id: _source(dataset, entry) for entry in dataset.entries}
        held: dict[str, str] = {}
        for ids in _groups(dataset, level)[::every]:
            began = time.process_time()
            composed = _compose(level, [sources[id_] for id_ in ids])
            figures.seconds += time.process_time() - began
            figures.found.append(composed.faithfulness)
            content = composed.content
            if show > 0:
                print(content, end="\n\n")
                show -= 1
            _count(figures, content, [sources[id_].text for id_ in ids])
            held |= dict.fromkeys(ids, content)
        for query in dataset.queries:
            if query.is_averaged:
                for id_ in sorted(query.relevant & held.keys()):
                    share = answer_coverage(query.text, sources[id_].text, held[id_])
                    figures.evidence.append(share)
    return figures


def answer_coverage(question: str, text: str, summary: str) -> float:
    """Return the share of the answering sentence of `text` that is in one line of a summary, from 0 to 1."""
    asked = _content(question)
    sentences = [piece for piece in re.split(r"(?<=[.!?])\s+|\n+", text) if _content(piece)]
    if not sentences:
        return 1.0
    best = max(sentences, key=lambda piece: (len(asked & _content(piece)), len(_content(piece))))
    requested = _content(best)
    lines = [_content(line.text) for line in read_lines(summary)]
    return max((len(requested & line) / len(requested) for line in lines), default=0.0)


def identifier_recall(level: Level) -> float:
    """Return the share of the numbers, amounts and dates of 330 invoices that their summaries hold."""
    start = datetime(2024, 3, 1, 8, tzinfo=UTC)
    retained = requested = 0
    made = [_invoice(number) for number in range(330)]
    sources = [
        Source(
            uuid5(_SPACE, str(number)), 0, text, at := start + timedelta(minutes=2 * number), at, 1,
            conversation_id=_SPACE, agent="clerk", channel="mail", role=2, author="Ann", instance="desk",
        )
        for number, (text, _) in enumerate(made)
    ]  # fmt: skip
    step = _LEAF_MESSAGES if level is Level.LEAF else len(sources)
    for first in range(0, len(sources), step):
        content = _compose(level, sources[first : first + step]).content
        for _, values in made[first : first + step]:
            requested += len(values)
            retained += sum(value in content for value in values)
    return retained / requested


def _invoice(number: int) -> tuple[str, list[str]]:
    firm = ("ACME", "Globex", "Initech", "Umbrella", "Hooli")[number % 5]
    due = f"2024-{3 + number % 9:02}-{1 + number * 7 % 28:02}"
    amount = f"{1 + number * 37 % 9},{number * 73 % 1000:03}.{number * 31 % 100:02} EUR"
    values = [f"INV-2024-{number * 7919 % 10_000:04}", amount, due, f"PO-{88_000 + number * 13}"]
    text = f"Invoice {values[0]} over {amount} to {firm}, due {due}, order {values[3]}."
    return f"{text} {_REMARKS[number % len(_REMARKS)]}".strip(), values


_REMARKS = (
    "Please have a look at it when you find the time, and tell me whether I may send it.",
    "They asked for a few more days last time, so let us see how it goes. I can call them if that helps.",
    "Thanks!",
)


def _compose(level: Level, sources: Sequence[Source]) -> Composition:
    return ExtractiveComposer().compose(Draft(level, sources, "a title"), lambda: None)


def _count(figures: Figures, content: str, texts: Sequence[str]) -> None:
    lines = read_lines(content)
    figures.lines += len(lines)
    figures.headings += sum(_is_heading(line.text) for line in lines)
    figures.fragments += sum(len(line.text.split()) <= _FRAGMENT_WORDS for line in lines)
    figures.dependent += sum(_DEPENDENT.match(line.text) is not None for line in lines)
    figures.code += sum(_CODE.search(line.text) is not None for line in lines)
    figures.message_bytes += sum(len(line.text.encode()) for line in lines)
    figures.bytes += len(content.encode())
    figures.source_bytes += sum(len(text.encode()) for text in texts)


def _is_heading(text: str) -> bool:
    bare = _MARKUP.sub("", text).strip()
    words = bare.strip("*_: ")
    is_label = bare.endswith((":", ":**", ":*")) or (bare[:2] == "**" and bare[-2:] == "**")
    is_title = (
        len(words.split()) <= 3
        and not any(letter.isdigit() for letter in words)
        and bare[-1:] not in ".!?…"
    )
    return (
        text.lstrip().startswith("#") or is_label or is_title or _GREETING.match(bare) is not None
    )


def _groups(dataset: Dataset, level: Level) -> list[list[str]]:
    """Return the external ids of the messages of each summary."""
    grouped: dict[object, list[str]] = defaultdict(list)
    for number, entry in enumerate(dataset.entries):
        place = _moment(entry).date() if level is Level.DAY else number // _LEAF_MESSAGES
        grouped[place].append(entry.message.external_id)
    return list(grouped.values())


def _datasets(name: str) -> Sequence[Dataset]:
    """Return the conversations that an argument names."""
    path, _, span = name.partition(":")
    [read] = read_sets([Path(path)])
    first, _, last = span.partition("-")
    return read.datasets[int(first) - 1 if first else 0 : int(last) if last else None]


def _source(dataset: Dataset, entry: Entry) -> Source:
    moment, message = _moment(entry), entry.message
    return Source(
        uuid5(_SPACE, message.external_id), 0, message.content, moment, moment, 1,
        conversation_id=uuid5(_SPACE, dataset.name), agent="agent", channel="chat", role=message.role,
        author=message.author, instance="laptop",
    )  # fmt: skip


def _moment(entry: Entry) -> datetime:
    return entry.message.create_time.ToDatetime(UTC)


def _content(text: str) -> set[str]:
    """Return the words of four letters or more and the numbers of a text, by their first letters."""
    words = folded_words(text)
    return {
        word[:5] if word.isalpha() else word for word in words if len(word) > 3 or word.isdigit()
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


if __name__ == "__main__":
    main()
