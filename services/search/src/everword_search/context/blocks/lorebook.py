"""The lorebook block: constant entries and those triggered by the conversation, highest priority first.

## Lorebook
[4] The Westmark: A duchy on the northern coast, at war with its neighbours since 1311.

The first entry that does not fit is shortened at the end of a sentence; entries after it are reported as omitted.
"""

from __future__ import annotations

from collections.abc import Sequence

from everword.domain.memory_kinds import MemoryKind
from everword.lore.compiled_book import CompiledBooks
from everword.lore.find_lore import MOST_ENTRIES, FoundEntry, LoreRequest, find_lore
from everword.lore.model import Omission
from everword.text.credentials import mask_credentials
from everword_search.context.blocks.model import BlockKind, BlockRequest
from everword_search.context.model import BlockSource, ContextCandidate
from everword_search.records.model import MemoryFilter
from everword_search.retrieval.full_text import FullText

SHARE = 0.1
#: Usual tokens of a short entry, and extra entries to read, so that entries that do not fit are counted as omitted.
_SHORT_TOKENS, _SPARE = 25, 10
_DOES_NOT_FIT = (
    "The entry does not fit into the token budget: raise the budget, or shorten the entry."
)
#: Filters that exclude lore: entries have no such field, and no history.
_OTHER = (
    *("channels", "instances", "authors", "roles", "tags", "since", "before"),
    *("in_conversation", "included_memory_ids"),
    *("valid_at", "known_at", "as_of_time", "as_of_conversation_id"),
)
_KEPT = CompiledBooks()


async def find_entries(block_request: BlockRequest) -> Sequence[ContextCandidate]:
    """Return constant entries, then triggered ones, highest priority first."""
    requested, record = block_request.filter, block_request.record
    if not _filter_allows_lore(requested):
        return []
    request = LoreRequest(
        agents=requested.agents,
        subjects=requested.subjects,
        conversation_id=record.id if record else None,
        text=block_request.request.query.strip(),
        automated=block_request.request.automated,
        most=min(MOST_ENTRIES, _SPARE + block_request.request.token_budget // _SHORT_TOKENS),
    )
    async with block_request.sources.database.transaction(block_request.namespace.id) as conn:
        found = await find_lore(conn, _KEPT, block_request.namespace.id, request)
    block_request.lore_omissions.extend(found.omissions)
    excluded = set(requested.excluded_memory_ids or ())
    masks = block_request.start.settings.masks_credentials
    return [
        _candidate(entry, place, masks=masks)
        for place, entry in enumerate(found.entries)
        if entry.rule.id not in excluded
    ]


def _filter_allows_lore(memory_filter: MemoryFilter) -> bool:
    if any(getattr(memory_filter, name) is not None for name in _OTHER):
        return False
    return memory_filter.allows_kind(MemoryKind.LORE)


def _candidate(entry: FoundEntry, place: int, *, masks: bool) -> ContextCandidate:
    title = mask_credentials(entry.rule.title) if masks else entry.rule.title
    return ContextCandidate(
        title,
        entry.content,
        entry.rule.id,
        place=place,
        score=-float(place),
        full=FullText.of_beginning(entry.content),
        omission=Omission(entry.rule.book_id, entry.book, _DOES_NOT_FIT, entry.rule),
    )


LOREBOOK = BlockKind(
    BlockSource.LOREBOOK, SHARE, find_entries, lambda present: present.lore, precedes=True
)
