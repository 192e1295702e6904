"""`everword search`: search the memories of a namespace."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import click

from everword.cli.filters import filter_options
from everword.cli.names import find_conversation
from everword.cli.output import (
    json_option,
    line,
    note,
    print_entries,
    print_json,
    said,
    shorten,
    superseded,
    when,
)
from everword.cli.session import remote
from everword.cli.summaries import level_name, span
from everword.client import Client
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb

MODES = ("hybrid", "lexical", "semantic", "trigram", "regex")
PROFILES = ("recall", "balanced")
PASSAGE_CHARS = 400
SOURCE_CHARS = 120


@click.command()
@click.argument("query")
@click.option("--mode", type=click.Choice(MODES), default="hybrid", show_default=True)
@click.option(
    "--profile",
    type=click.Choice(PROFILES),
    default="recall",
    show_default=True,
    help="Rank hybrid results by relevance, or also by time and importance.",
)
@click.option("--limit", type=click.IntRange(1, 200), default=10, show_default=True)
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Exclude results with a lower score.",
)
@click.option(
    "--min-relevance",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Exclude results with a lower relevance.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Show how each score came about; docs/search.md explains the features.",
)
@click.option(
    "--asked-in",
    metavar="ID|KEY",
    default="",
    help="Complete a query such as “what did it cost?” with words of this conversation, an id or a session key.",
)
@json_option
@remote
@filter_options
async def search(
    client: Client,
    query: str,
    mode: str,
    profile: str,
    limit: int,
    min_score: float,
    min_relevance: float,
    explain: bool,
    asked_in: str,
    as_json: bool,
    filter: memory_pb2.MemoryFilter,
) -> None:
    """Find memories by their words and by their meaning, most relevant first.

    QUERY is a question, or uses "exact phrase", a OR b, a AND b, -not and prefix*.
    """
    response = await client.search_service.Search(
        pb.SearchRequest(
            query=query,
            mode=pb.SearchMode.Value(f"SEARCH_MODE_{mode.upper()}"),
            filter=filter,
            page_size=limit,
            explain=explain,
            min_score=min_score,
            min_relevance=min_relevance,
            profile=profile,
            conversation_id=(await find_conversation(client, asked_in)).id if asked_in else "",
        )
    )
    if as_json:
        print_json(response)
        return
    _print_search_notes(response)
    if not response.results:
        line("nothing found")
        return
    if response.verdict == pb.VERDICT_NOTHING_RELEVANT:
        line("Nothing that is remembered answers this; the nearest:")
    if response.calibration == pb.CALIBRATION_UNCALIBRATED:
        note("their relevance is unknown; `everword calibrate` makes a calibration")
    print_results(response.results)


def note_degraded(arm: pb.ArmReport) -> None:
    """Note that an arm could not answer."""
    note(f"the {_arm(arm.arm)} arm could not answer: {arm.reason}")


def _print_search_notes(response: pb.SearchResponse) -> None:
    """Print notes about degraded arms, about the reasons for an empty search, and about corrected words of
    the query.
    """
    idle = all(arm.state == pb.ArmReport.STATE_SKIPPED for arm in response.arms)
    for arm in response.arms:
        if arm.state == pb.ArmReport.STATE_DEGRADED:
            note_degraded(arm)
        elif idle:
            note(f"the {_arm(arm.arm)} arm had nothing to do: {arm.reason}")
    for word, other in sorted(response.corrections.items()):
        note(f"no memory contains “{word}”; searched for “{other}” instead")
    if response.completed_query:
        note(f"searched for “{response.completed_query}”")


def print_results(results: Iterable[pb.SearchResult]) -> None:
    """Print results with their ids, and with explanations if the response contains them."""
    rows = [
        (
            result.memory.id,
            f"{result.score:.2f}",
            f"{result.relevance:.2f}" if result.HasField("relevance") else "",
            when(result.memory.occur_time),
            said(result.memory, result.passage, PASSAGE_CHARS)
            + superseded(result.superseded)
            + "".join(_sources_of(result.expansion))
            + _explained(result),
        )
        for result in results
    ]
    print_entries(("id", "score", "relevance", "when"), rows, right="score relevance")


def _sources_of(expansion: pb.Expansion, depth: int = 1) -> Iterator[str]:
    """Yield a line for each summary and message that a summary was made from, indented by level."""
    indent = "\n" + "  " * depth
    for child in expansion.children:
        summary = child.summary
        yield f"{indent}{level_name(summary)} {span(summary)}: {shorten(summary.content, SOURCE_CHARS)}"
        yield from _sources_of(child, depth + 1)
    for source in expansion.sources:
        yield f"{indent}{when(source.occur_time)} {said(source, source.synthesized_content, SOURCE_CHARS)}"
    if expansion.omitted:
        yield f"{indent}… {expansion.omitted} more"


def _explained(result: pb.SearchResult) -> str:
    """Return lines that explain a score; empty without an explanation."""
    parts = result.explanation.parts
    # Without any weights, the score was computed from the features by a learned ranking.
    weighs = any(part.weight for part in parts)
    arms = [
        f"{_arm(part.arm)}: {part.score:.3f}"
        + (f" × {part.weight:.2f}" if weighs else "")
        + f" (raw {part.raw:.3f})"
        for part in parts
    ]
    terms = [
        f"{term.term}: {term.score:.3f} (idf {term.idf:.2f}, {term.term_frequency}× here, in "
        f"{term.document_frequency} passages)"
        for term in result.explanation.terms
    ]
    signals = [
        f"{signal.name}: {signal.value:.3f} × {signal.weight:.2f}"
        for signal in result.explanation.signals
    ]
    told = [*arms, *signals, *_learned(result.explanation), *terms]
    return "".join(f"\n  {text}" for text in told)


def _learned(explanation: pb.ScoreExplanation) -> Iterator[str]:
    """Yield the evidence behind the relevance, and the features of a learned ranking that are not zero."""
    if explanation.HasField("evidence"):
        yield f"evidence: {explanation.evidence:.3f}"
    told = [
        f"{each.name} {'unknown' if math.isnan(each.value) else f'{each.value:.3g}'}"
        for each in explanation.features
        if each.value
    ]
    if told:
        yield f"features: {', '.join(told)}"


def _arm(arm: pb.SearchArm.ValueType) -> str:
    return pb.SearchArm.Name(arm).removeprefix("SEARCH_ARM_").lower()
