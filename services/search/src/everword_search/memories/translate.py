"""Requests for memories from protos, and memories to protos."""

from __future__ import annotations

from collections.abc import Sequence

from everword.domain.records import MemoryRecord
from everword.rpc.pages import to_page
from everword.rpc.translate import fill_memory, memory_to_proto
from everword.v1 import search_service_pb2 as pb
from everword_search.endings.translate import endings_to_proto
from everword_search.memories.browse import BrowsePage, BrowseRequest
from everword_search.records.tiers import Tier, chars_read, in_tier
from everword_search.records.translate import is_newest_first, to_filter


def to_browse_request(request: pb.BrowseRequest) -> BrowseRequest:
    return BrowseRequest(
        filter=to_filter(request.filter),
        newest_first=is_newest_first(request.order),
        page=to_page(request),
        max_content_chars=chars_read(Tier(request.tier), request.max_content_chars) or 0,
        at_least_as_fresh=request.at_least_as_fresh,
    )


def batch_response(
    memories: Sequence[MemoryRecord], tier: Tier, *, masks: bool
) -> pb.BatchGetMemoriesResponse:
    return pb.BatchGetMemoriesResponse(
        memories=[memory_to_proto(in_tier(memory, tier, masks=masks)) for memory in memories]
    )


def browse_response(browsed: BrowsePage, tier: Tier, *, masks: bool) -> pb.BrowseResponse:
    message = pb.BrowseResponse(next_page_token=browsed.next_page_token)
    for memory in browsed.memories:
        added = message.memories.add(
            superseded=endings_to_proto(browsed.endings.get(memory.id, ()))
        )
        fill_memory(added, in_tier(memory, tier, masks=masks))
    return message
