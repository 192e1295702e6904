"""Effect of many foreign messages on searches: `make bench-crowd DATA="under-test.json others.json"`.

The questions of the first file are asked twice: with each conversation alone in a namespace, and with all conversations
in one namespace together with many messages made of the other files' sentences. Exact BM25 loses some quality, too; the
measures are how much more `recall` loses, and whether a message keeps its relevance to a query.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import sys
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from bench.crowd_report import (
    VARIANTS,
    Answers,
    Hit,
    QuestionRun,
    Report,
    asked_of,
    build_report,
    print_report,
)
from bench.foreign_sentences import foreign_entries
from everword.bench.answer import Place
from everword.bench.bench_namespace import Say, fill, namespace, wait_until_embedded
from everword.bench.dataset import Dataset, Query
from everword.bench.native_format import BenchSet, read_sets
from everword.bench.provenance import commit
from everword.bench.report import write_json
from everword.bench.target import own_target, running_target
from everword.bench.variants import Variant
from everword.cli.output import note, progress
from everword.client import CallError, Client, ClientSettings
from everword.domain.settings import Environment
from everword.importer import ImportSummary, import_records
from everword.transcripts import TranscriptError
from everword.v1 import search_service_pb2 as pb
from everword.v1.admin_service_pb2 import CreateNamespaceRequest, Namespace

#: Number of results that are examined.
DEEP = 200


async def ask(client: Client, dataset: Dataset, places: dict[str, Place], say: Say) -> Answers:
    """Ask a dataset's questions in every way of ranking."""
    answers: Answers = {}
    queries = asked_of(dataset)
    for number, query in enumerate(queries, start=1):
        say(f"{dataset.name}: asking {number}/{len(queries)}")
        for variant in VARIANTS:
            answers[dataset.name, query.id, variant.name] = await _ask(
                client, variant, query, places
            )
    return answers


async def _ask(
    client: Client, variant: Variant, query: Query, places: dict[str, Place]
) -> QuestionRun:
    request = variant.request(query.text)
    deep = pb.SearchRequest()
    deep.CopyFrom(request)
    deep.page_size, deep.max_content_chars = DEEP, 1
    # This search includes computing the query's vector.
    response = await client.search_service.Search(deep)
    started = time.perf_counter()
    await client.search_service.Search(request)
    took = time.perf_counter() - started
    hits = tuple(_hit(result, places) for result in response.results)
    degraded = (arm for arm in response.arms if arm.state == pb.ArmReport.STATE_DEGRADED)
    return QuestionRun(hits, took * 1000, tuple(pb.SearchArm.Name(arm.arm) for arm in degraded))


def _hit(result: pb.SearchResult, places: dict[str, Place]) -> Hit:
    id_ = result.memory.id
    message = places[id_].external_id if id_ in places else f"foreign {id_}"
    relevance = result.relevance if result.HasField("relevance") else None
    return Hit(message, result.score, relevance)


async def ask_separately(
    settings: ClientSettings, datasets: Iterable[Dataset], say: Say
) -> Answers:
    """Ask the questions of every dataset in a namespace of its own."""
    answers: Answers = {}
    for dataset in datasets:
        async with namespace(settings, f"alone-{secrets.token_hex(4)}-") as client:
            token, places = await fill(client, dataset, say)
            await embedded(client, token, say)
            answers |= await ask(client, dataset, places, say)
    return answers


async def ask_in_crowd(
    client: Client, sets: Sequence[BenchSet], messages: int, say: Say
) -> Answers:
    """Ask the questions of the first set in a namespace with all its datasets and `messages` foreign messages."""
    under_test, *sources = sets

    def imported(summary: ImportSummary) -> None:
        say(f"importing the crowd {summary.messages}/{messages}")

    places = [(await fill(client, dataset, say))[1] for dataset in under_test.datasets]
    crowd = foreign_entries(sources, under_test, messages)
    token = (await import_records(client, crowd, imported)).consistency_token
    await embedded(client, token, say)
    answers: Answers = {}
    for dataset, own in zip(under_test.datasets, places, strict=True):
        answers |= await ask(client, dataset, own, say)
    return answers


async def embedded(client: Client, token: str, say: Say) -> None:
    """Wait for the vectors of all writes covered by a token. Raises RuntimeError if no vectors are stored."""
    if not await wait_until_embedded(client, token, say):
        raise RuntimeError(
            "no vector was stored for a while: is an embedder with a worker running?"
        )


@asynccontextmanager
async def crowd_namespace(settings: ClientSettings, name: str) -> AsyncIterator[Client]:
    """Yield a client of the crowd's namespace. A named namespace is kept, so that the next run finds it filled."""
    if not name:
        async with namespace(settings, f"crowd-{secrets.token_hex(4)}-") as client:
            yield client
        return
    async with Client.connect(replace(settings, namespace=name)) as client:
        try:
            await client.admin_service.CreateNamespace(
                CreateNamespaceRequest(namespace=Namespace(name=name))
            )
        except CallError as error:
            if error.reason != "NAMESPACE_ALREADY_EXISTS":
                raise
        yield client


async def measure(sets: Sequence[BenchSet], messages: int, running: bool, kept: str) -> Report:
    environment = Environment(os.environ)
    async with AsyncExitStack() as resources:
        if running:
            target = running_target(environment)
        else:
            target = await resources.enter_async_context(own_target(environment, note))
        display = resources.enter_context(progress())
        task = display.add_task("", total=None)

        def say(text: str) -> None:
            """Show a step, with a progress bar if the text ends in done/total."""
            done, _, total = text.rpartition(" ")[2].partition("/")
            counted = done.isdecimal() and total.isdecimal()
            display.update(
                task,
                description=text,
                completed=int(done) if counted else 0,
                total=int(total) if counted else None,
            )

        datasets = sets[0].datasets
        model = await target.model()
        alone = await ask_separately(target.settings, datasets, say)
        async with crowd_namespace(target.settings, kept) as client:
            crowd = await ask_in_crowd(client, sets, messages, say)
    return build_report(
        alone,
        crowd,
        datasets,
        commit=commit(),
        model=model,
        set=sets[0].name,
        crowd_of=[each.name for each in sets[1:]],
        messages=messages,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, metavar="FILE",
                        help="the first is measured; the crowd is made of the others")  # fmt: skip
    parser.add_argument("--messages", type=int, default=100_000, help="how many the crowd has")
    parser.add_argument("--json", type=Path, dest="output", metavar="OUT")
    parser.add_argument("--running", action="store_true",
                        help="use the Everword that other commands find")  # fmt: skip
    parser.add_argument("--keep", default="", metavar="NAMESPACE",
                        help="with --running: fill this namespace, and leave it")  # fmt: skip
    given = parser.parse_args()
    if len(given.data) < 2:
        parser.error("a second file is needed: the crowd is made of other files' sentences")
    try:
        sets = read_sets(given.data)
    except TranscriptError as error:
        sys.exit(str(error))
    report = asyncio.run(measure(sets, given.messages, given.running, given.keep))
    if given.output:
        write_json(given.output, report)
    print_report(report)


if __name__ == "__main__":
    main()
