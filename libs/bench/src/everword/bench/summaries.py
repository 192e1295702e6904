"""The summaries of a dataset: made, waited for, and told in terms of the messages that they namespace for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from everword.bench.answer import Places, StandsFor
from everword.bench.bench_namespace import MAX_WAIT_SECONDS, Say
from everword.client import Client
from everword.client.kinds import kind_word
from everword.client.pages import PAGE_SIZE, list_all
from everword.v1 import search_service_pb2 as pb
from everword.v1.maintenance_service_pb2 import (
    CompactRequest,
    FlushConversationRequest,
    GetCompactionStatusRequest,
    GetCompactionStatusResponse,
    RollUpRequest,
)
from everword.v1.search_service_pb2 import ExpandSummaryRequest, Expansion

#: As contexts count where the caller has no tokeniser.
BYTES_PER_TOKEN = 4
#: Seconds between two checks of the backlog.
PAUSE_S = 0.5
#: All that is below a node: ids alone are wanted.
EVERYTHING = pb.ExpansionLimits(depth=8, max_children=100, max_sources=100, max_content_chars=1)


@dataclass(frozen=True)
class SummaryFigures:
    """The summaries that the conversations of a dataset came to."""

    summaries: int
    #: Tokens of all conversations in full.
    transcript_tokens: int
    #: Tokens of the summaries, and of the messages that no summary covers.
    context_tokens: int
    #: Ids of the messages that those contexts hold or can be expanded to.
    reachable: frozenset[str]

    def as_row(self, evidence: Iterable[str]) -> dict[str, Any]:
        """Return the figures, with how many of `evidence` (external ids) can be reached."""
        requested = frozenset(evidence)
        figures = {name: value for name, value in asdict(self).items() if name != "reachable"}
        return figures | {"evidence": len(requested), "reached": len(requested & self.reachable)}


async def wait_until_compacted(
    client: Client, say: Say, max_wait_s: float = MAX_WAIT_SECONDS
) -> bool:
    """Summarise everything and wait for it, vectors included; False if progress stops."""
    await client.maintenance_service.Compact(CompactRequest())
    least: tuple[int, int, int] | None = None
    moved = time.monotonic()
    while True:
        status = await client.maintenance_service.GetCompactionStatus(GetCompactionStatusRequest())
        # Asked for again and again: weeks are ready once their days are done.
        ended = await client.maintenance_service.RollUp(RollUpRequest())
        stats = await client.search_service.GetStats(pb.GetStatsRequest())
        vectors = stats.embedding.pending - stats.embedding.failed
        left = (status.backlog.messages, ended.periods, vectors)
        if not any(left):
            return True
        say(f"summing up: {left[0]} messages, {left[1]} periods and {left[2]} vectors to go")
        if least is None or left < least:
            least, moved = left, time.monotonic()
        elif time.monotonic() - moved > max_wait_s:
            return False
        await asyncio.sleep(PAUSE_S)


class Summaries:
    """Messages below the summaries of a dataset's namespace; each summary is expanded once."""

    def __init__(self, client: Client, places: Places) -> None:
        self._client = client
        self._places = places
        self._known: dict[str, tuple[str, ...]] = {}

    async def covered_messages(self, results: Sequence[pb.SearchResult]) -> StandsFor:
        """Return the external ids of the messages below each summary that is known, those of `results` included."""
        for result in results:
            if kind_word(result.memory.kind) == "summary":
                await self._expand(result.memory.id)
        return self._known

    async def _expand(self, summary_id: str) -> tuple[str, ...]:
        if summary_id not in self._known:
            request = ExpandSummaryRequest(summary_id=summary_id, limits=EVERYTHING)
            response = await self._client.search_service.ExpandSummary(request)
            below = (self._places.get(memory_id) for memory_id in _below(response.expansion))
            found = (place.external_id for place in below if place is not None)
            self._known[summary_id] = tuple(dict.fromkeys(found))
        return self._known[summary_id]

    async def measure(self) -> SummaryFigures:
        """Return what an agent's contexts hold when all that was said is replaced by summaries."""
        status = await self._client.maintenance_service.GetCompactionStatus(
            GetCompactionStatusRequest()
        )
        tokens, context, reachable = 0, 0, set[str]()
        for conversation_id in await self._conversations():
            sizes = await self._sizes(conversation_id)
            tokens += sum(sizes.values())
            request = FlushConversationRequest(
                conversation_id=conversation_id, context_size=1, notes_saved=True, keep_recent=0
            )
            flushed = await self._client.maintenance_service.FlushConversation(request)
            for summary in flushed.summaries:
                context += _tokens(summary.content)
                reachable.update(await self._expand(summary.id))
            replaced = flushed.replaced_through_seq if flushed.summaries else 0
            retained = set(flushed.kept_message_ids)
            for message_id, size in sizes.items():
                place = self._places[message_id]
                if message_id in retained or place.seq > replaced:
                    context += size
                    reachable.add(place.external_id)
        return SummaryFigures(_count(status), tokens, context, frozenset(reachable))

    async def _conversations(self) -> list[str]:
        request = pb.ListConversationsRequest(page_size=PAGE_SIZE)
        found = await list_all(self._client.search_service.ListConversations, request)
        return [each.id for each in found.conversations]

    async def _sizes(self, conversation_id: str) -> dict[str, int]:
        messages = self._client.iter_messages(conversation_id)
        return {message.id: _tokens(message.body.content) async for message in messages}


def _below(expansion: Expansion) -> Iterator[str]:
    """Yield the ids of the messages below a node, in order."""
    for child in expansion.children:
        yield from _below(child)
    for source in expansion.sources:
        yield source.id


def _count(status: GetCompactionStatusResponse) -> int:
    return sum(level.summaries for level in status.levels)


def _tokens(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def total(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the figures of several datasets together, with the shares that come of them."""
    names = ("summaries", "transcript_tokens", "context_tokens", "evidence", "reached")
    sums: dict[str, Any] = {name: sum(row[name] for row in rows) for name in names}
    evidence, transcript = sums.pop("evidence"), sums["transcript_tokens"]
    reached = sums.pop("reached")
    return sums | {
        "context_share": sums["context_tokens"] / transcript if transcript else None,
        "evidence_reachable": reached / evidence if evidence else None,
    }
