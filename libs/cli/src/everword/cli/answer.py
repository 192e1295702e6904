"""`everword answer`: answer a question from memories, with citations."""

from __future__ import annotations

import click

from everword.cli.filters import filter_options
from everword.cli.output import json_option, line, note, print_entries, print_json, said, when
from everword.cli.search import PROFILES
from everword.cli.session import remote
from everword.client import Client
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb

CITED_CHARS = 200


@click.command()
@click.argument("question")
@click.option("--profile", type=click.Choice(PROFILES), default="recall", show_default=True)
@click.option(
    "--memories",
    type=click.IntRange(1, 100),
    default=20,
    show_default=True,
    help="Use at most this many memories.",
)
@json_option
@remote
@filter_options
async def answer(
    client: Client,
    question: str,
    profile: str,
    memories: int,
    as_json: bool,
    filter: memory_pb2.MemoryFilter,
) -> None:
    """Answer QUESTION from memories alone, with citations.

    Needs a language model in the search service; allow a slow one more time with --timeout.
    """
    request = pb.AnswerRequest(
        query=question, profile=profile, max_memories=memories, filter=filter
    )
    response = await client.search_service.Answer(request)
    if as_json:
        print_json(response)
        return
    if response.verdict == pb.VERDICT_NOTHING_RELEVANT:
        line("Nothing that is remembered answers this.")
        return
    line(response.answer)
    if response.unsupported:
        note(f"not in what it cites: {', '.join(response.unsupported)}")
    if response.citations:
        line("")
        rows = [
            (
                f"[{each.number}]",
                each.memory.id,
                when(each.memory.occur_time),
                said(each.memory, "", CITED_CHARS),
            )
            for each in response.citations
        ]
        print_entries(("", "id", "when"), rows)
