"""How well Search finds the section of a document that answers a question: `make bench-documents TEXTS=folder`.

The folder has texts under their names: the Markdown files of github.com/basecamp/handbook (a staff handbook) and of
src/ of github.com/rust-lang/book (a manual), and two novels of Project Gutenberg: 105.txt as persuasion.txt, and
1661.txt as sherlock-holmes.txt. Sets of questions without their texts are skipped. Nothing else is in the namespace.
The questions in documents.json were written for this bench, mostly in other words than the texts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.crowd import embedded
from everword.bench.bench_namespace import namespace
from everword.bench.provenance import commit
from everword.bench.report import write_json
from everword.bench.target import own_target
from everword.cli.output import note
from everword.client import Client
from everword.domain.settings import Environment
from everword.uploader import upload
from everword.v1 import document_pb2
from everword.v1.memory_pb2 import MEMORY_KIND_CHUNK, Memory, MemoryFilter
from everword.v1.search_service_pb2 import GetMemoryRequest, SearchMode, SearchRequest

QUESTIONS = Path(__file__).with_name("documents.json")
#: Numbers of results whose recall is reported.
DEPTHS = (1, 3, 5, 10)
PAGE = 50
MODES = ("HYBRID", "SEMANTIC", "LEXICAL")


@dataclass(frozen=True)
class Question:
    """A question, and the sections or quotations that answer it."""

    question: str
    #: The title of the document, which is the name of its file.
    document: str
    #: The innermost heading of each section.
    headings: Sequence[str] = ()
    #: Words of each passage, for texts without headings.
    quotes: Sequence[str] = ()

    def is_answered_by(self, chunk: Memory) -> bool:
        text = " ".join(chunk.content.split())
        return chunk.document_title == self.document and (
            chunk.headings[-1:] in ([heading] for heading in self.headings)
            or any(quote in text for quote in self.quotes)
        )


@dataclass(frozen=True)
class Answer:
    """The results of a question."""

    question: str
    #: Place of the first right result from 1; 0 if none of the page is right.
    rank: int
    #: The paths of the first results.
    first: Sequence[str]


async def upload_texts(client: Client, files: Sequence[Path]) -> str:
    """Upload each file; return the last consistency token."""
    token = ""
    for file in files:
        new = document_pb2.NewDocument(title=file.stem)
        token = (await upload(client, file, new)).consistency_token
    return token


async def ask(client: Client, question: Question, mode: str) -> Answer:
    request = SearchRequest(
        query=question.question,
        mode=SearchMode.Value(f"SEARCH_MODE_{mode}"),
        page_size=PAGE,
        filter=MemoryFilter(kinds=[MEMORY_KIND_CHUNK]),
    )
    found = [result.memory for result in (await client.search_service.Search(request)).results]
    if question.quotes:
        # A result has the first 2,000 characters.
        get = client.search_service.GetMemory
        whole = [await get(GetMemoryRequest(memory_id=each.id)) for each in found[: max(DEPTHS)]]
        found = [each.memory for each in whole]
    right = (place for place, each in enumerate(found, 1) if question.is_answered_by(each))
    paths = [" › ".join((each.document_title, *each.headings)) for each in found[: max(DEPTHS)]]
    return Answer(question.question, next(right, 0), paths)


def figures(answers: Sequence[Answer]) -> dict[str, float]:
    """Return recall at each depth, and the mean reciprocal rank."""
    ranks = [answer.rank for answer in answers]
    recall = {
        f"recall@{depth}": sum(0 < rank <= depth for rank in ranks) / len(ranks) for depth in DEPTHS
    }
    return {**recall, "mrr": sum(1 / rank for rank in ranks if rank) / len(ranks)}


async def measure(
    files: Sequence[Path], sets: Mapping[str, Sequence[Question]]
) -> dict[str, dict[str, list[Answer]]]:
    """Return the answers by mode and set."""
    async with (
        own_target(Environment(os.environ), note) as target,
        namespace(target.settings, "documents-") as client,
    ):
        await embedded(client, await upload_texts(client, files), note)
        return {
            mode: {
                name: [await ask(client, each, mode) for each in questions]
                for name, questions in sets.items()
            }
            for mode in MODES
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--json", type=Path, dest="output", metavar="OUT")
    given = parser.parse_args()
    read = json.loads(QUESTIONS.read_text("utf-8"))
    sets = {name: [Question(**each) for each in questions] for name, questions in read.items()}
    files = [path for path in sorted(given.texts.iterdir()) if path.suffix in {".md", ".txt"}]
    titles = {path.stem for path in files}
    sets = {
        name: of_set
        for name, of_set in sets.items()
        if titles >= {each.document for each in of_set}
    }
    if not sets:
        sys.exit(f"{given.texts} has none of the texts; the command's help names the sources")
    answers = asyncio.run(measure(files, sets))
    print(f"{'':22}" + "".join(f"{name:>11}" for name in figures([Answer("", 0, [])])))
    for mode, by_set in answers.items():
        whole = [answer for of_set in by_set.values() for answer in of_set]
        for name, of_set in {**by_set, "all": whole}.items():
            row = "".join(f"{figure:11.3f}" for figure in figures(of_set).values())
            print(f"{mode:10}{name:12}{row}")
    if given.output:
        rows = {
            mode: {name: list(map(asdict, of_set)) for name, of_set in by_set.items()}
            for mode, by_set in answers.items()
        }
        write_json(given.output, {"commit": commit(), "answers": rows})


if __name__ == "__main__":
    main()
