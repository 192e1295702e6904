"""Events to protos."""

from __future__ import annotations

from collections.abc import Sequence

from everword.rpc.translate import memory_to_proto
from everword.v1 import watch_pb2 as pb
from everword_search.records.tiers import Tier, in_tier
from everword_search.watch.poll_events import Event


def events_to_proto(
    events: Sequence[Event], token: str, tier: Tier, *, masks: bool
) -> pb.WatchMemoriesResponse:
    return pb.WatchMemoriesResponse(
        events=[
            pb.MemoryEvent(
                type=pb.MemoryEvent.Type.ValueType(event.type),
                memory_id=str(event.memory_id),
                memory=(
                    memory_to_proto(in_tier(event.memory, tier, masks=masks))
                    if event.memory
                    else None
                ),
            )
            for event in events
        ],
        resume_token=token,
    )
