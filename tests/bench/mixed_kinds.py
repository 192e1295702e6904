"""Effect of notes and documents on searches for messages: `make bench-mixed DATA="a.json b.json" TEXTS=folder`.

The questions of each conversation are asked twice: alone in its namespace, and with unrelated notes and chunks of
documents. The notes are paragraphs of some of a folder's texts, the documents are the others. Results of any kind take
ranks, as they do for callers without a filter by kind.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.crowd import ask, ask_separately, embedded
from bench.crowd_report import Answers, Report, build_report, print_report
from everword.bench.bench_namespace import Say, fill, namespace
from everword.bench.dataset import Dataset
from everword.bench.native_format import read_sets
from everword.bench.provenance import commit
from everword.bench.report import write_json
from everword.bench.target import own_target
from everword.cli.output import note
from everword.client import Client
from everword.domain.settings import Environment
from everword.transcripts import TranscriptError
from everword.v1 import document_pb2, note_pb2
from everword.v1 import document_service_pb2 as documents
from everword.v1 import erasure_service_pb2 as erasures
from everword.v1 import note_service_pb2 as notes

#: Shorter paragraphs have no content; longer ones are unrealistic notes.
NOTE_CHARS = (80, 800)
#: One text in this many becomes notes.
NOTES_FROM = 2
AT_ONCE = 8


def paragraphs(texts: Sequence[str]) -> Iterator[str]:
    """Yield the paragraphs that could be notes, without duplicates."""
    least, most = NOTE_CHARS
    found = (part.strip() for text in texts for part in re.split(r"\n\s*\n", text))
    yield from dict.fromkeys(part for part in found if least <= len(part) <= most)


async def write_notes(client: Client, contents: Sequence[str]) -> str:
    """Write captured notes; return the token of the last one."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(content: str) -> str:
        async with turn:
            request = notes.WriteNoteRequest(note=note_pb2.NewNote(content=content))
            return (await client.note_service.WriteNote(request)).consistency_token

    return (await asyncio.gather(*map(one, contents)))[-1]


async def write_documents(client: Client, texts: Sequence[str], chunks: int) -> tuple[str, int]:
    """Write documents until there are `chunks` chunks; return the last token and the number of chunks."""
    token, made = "", 0
    for number, text in enumerate(texts):
        document = document_pb2.NewDocument(title=f"Text {number}")
        request = documents.WriteDocumentRequest(document=document, content=text)
        written = await client.document_service.WriteDocument(request, timeout=60.0)
        token, made = written.consistency_token, made + written.chunk_count
        if made >= chunks:
            return token, made
    raise ValueError(f"the texts have {made} chunks, and {chunks} are wanted")


async def write_other_kinds(
    client: Client, texts: Sequence[str], wanted: int, say: Say
) -> dict[str, int]:
    """Write half of `wanted` as notes and half as chunks, and wait for their vectors."""
    half = wanted // 2
    say(f"writing {half} notes")
    contents = list(paragraphs(texts[::NOTES_FROM]))[:half]
    if len(contents) < half:
        raise ValueError(f"the texts have {len(contents)} paragraphs for notes")
    await embedded(client, await write_notes(client, contents), say)
    say(f"writing {half} chunks")
    token, made = await write_documents(client, texts[1::NOTES_FROM], half)
    await embedded(client, token, say)
    return {"notes": len(contents), "chunks": made}


async def ask_among_others(client: Client, dataset: Dataset, say: Say) -> Answers:
    """Ask a dataset's questions in a namespace with other memories, and erase the dataset again."""
    token, places = await fill(client, dataset, say)
    await embedded(client, token, say)
    answers = await ask(client, dataset, places, say)
    await take_out(client, dataset)
    return answers


async def take_out(client: Client, dataset: Dataset) -> None:
    """Erase a dataset's conversations."""
    keys = {entry.target.key.SerializeToString(): entry.target.key for entry in dataset.entries}
    for key in keys.values():
        target = erasures.ErasureTarget(conversation_id=(await client.get_conversation(key)).id)
        await client.erasure_service.Erase(erasures.EraseRequest(target=target), timeout=120.0)


async def measure(
    sets: Sequence[tuple[str, Sequence[Dataset]]], texts: Sequence[str], wanted: int
) -> list[Report]:
    """Return a report of each set."""
    async with own_target(Environment(os.environ), note) as target:
        model = await target.model()
        alone = [await ask_separately(target.settings, datasets, note) for _, datasets in sets]
        beside: list[Answers] = []
        async with namespace(target.settings, "mixed-") as client:
            others = await write_other_kinds(client, texts, wanted, note)
            for _, datasets in sets:
                answers: Answers = {}
                for dataset in datasets:
                    answers |= await ask_among_others(client, dataset, note)
                beside.append(answers)
    about = {"commit": commit(), "model": model, "others": others}
    return [
        build_report(before, after, datasets, set=name, **about)
        for (name, datasets), before, after in zip(sets, alone, beside, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, metavar="FILE")
    parser.add_argument("--texts", type=Path, required=True, metavar="FOLDER",
                        help="of Markdown or plain text, which the notes and documents are made of")  # fmt: skip
    parser.add_argument("--others", type=int, default=5_000, help="notes and chunks together")
    parser.add_argument("--conversations", type=int, metavar="N", help="of each file, the first N")
    parser.add_argument("--json", type=Path, dest="output", metavar="OUT")
    given = parser.parse_args()
    try:
        sets = read_sets(given.data)
    except TranscriptError as error:
        sys.exit(str(error))
    texts = [path.read_text(encoding="utf-8") for path in sorted(given.texts.iterdir())]
    of_each = [(each.name, each.datasets[: given.conversations]) for each in sets]
    reports = asyncio.run(measure(of_each, texts, given.others))
    for report in reports:
        print(f"\n{report['set']}: {report['queries']} questions, beside {report['others']}")
        print_report(report)
    if given.output:
        write_json(given.output, {"sets": reports})


if __name__ == "__main__":
    main()
