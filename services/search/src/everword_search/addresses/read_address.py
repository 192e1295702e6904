"""Read the memory or directory at an address."""

from __future__ import annotations

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import AddressNotFound
from everword_search.addresses.places import directory_entry, find_memory, memory_entries, within
from everword_search.addresses.tree import AddressEntry
from everword_search.records.freshness import fresh_transaction
from everword_search.records.tiers import Tier


async def read_address(
    database: Database,
    namespace: NamespaceScope,
    address: str,
    tier: Tier = Tier.FULL,
    at_least_as_fresh: str = "",
) -> AddressEntry:
    """Return the entry at an address; a memory has as much text as the tier needs. Raises AddressNotFound."""
    segments = within(namespace, address)
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        directory = await directory_entry(conn, namespace, segments)
        if directory is not None:
            return directory[1]
        memory = await find_memory(conn, namespace, segments, tier)
    if memory is None:
        raise AddressNotFound(address=address)
    [entry] = await memory_entries([memory], namespace)
    return entry
