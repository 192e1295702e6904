"""Address entries to protos."""

from __future__ import annotations

from everword.domain.addresses import write_address
from everword.domain.caller import NamespaceScope
from everword.rpc.translate import memory_to_proto, to_timestamp
from everword.v1 import address_pb2 as pb
from everword.v1 import memory_pb2
from everword_search.addresses.tree import AddressEntry
from everword_search.records.tiers import Tier, in_tier


def entry_to_proto(namespace: NamespaceScope, entry: AddressEntry) -> pb.AddressEntry:
    memory = entry.memory
    return pb.AddressEntry(
        address=write_address(namespace.name, entry.segments),
        name=entry.segments[-1] if entry.segments else namespace.name,
        directory=memory is None,
        abstract=entry.abstract,
        memory_id=str(memory.id) if memory else "",
        kind=memory_pb2.MemoryKind.ValueType(memory.kind if memory else 0),
        occur_time=to_timestamp(entry.occurred_at),
    )


def read_response(
    namespace: NamespaceScope, entry: AddressEntry, tier: Tier, *, masks: bool
) -> pb.ReadAddressResponse:
    memory = memory_to_proto(in_tier(entry.memory, tier, masks=masks)) if entry.memory else None
    return pb.ReadAddressResponse(entry=entry_to_proto(namespace, entry), memory=memory)
