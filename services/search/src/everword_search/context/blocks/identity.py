"""The identity block: current facts about the conversation's subject, one line each.

    ## About the user
    [1] Residence: Lisbon (as of 2024-06-15)
    [2] Employer: Umbrella (suspected, as of 2024-07-02)

Facts are read for each call, so that new ones appear at once. If the conversation names no subject, the facts are those
of its latest author and of `user`, as far as they were learned in conversations without a subject.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from uuid import UUID
from zoneinfo import ZoneInfo

from everword.db.pool import Connection
from everword.domain.memory_kinds import MemoryKind
from everword.domain.times import local_time
from everword.facts.attributes import find_attribute
from everword.facts.confidence import find_weight
from everword.facts.model import FactSource, FactState
from everword_search.context.block_queue import BlockGroup
from everword_search.context.blocks.model import BlockKind, BlockRequest
from everword_search.context.model import BlockSource, ContextCandidate
from everword_search.facts.model import AsOf, KnownFilter
from everword_search.facts.store import KnownRow, find_known, find_linked
from everword_search.passages.as_of import find_as_of
from everword_search.records.model import MemoryFilter

#: Maximum facts read, and maximum supporting messages of each.
MOST_FACTS, MOST_SAID = 200, 20
#: Maximum links followed, and the bonus of a certain link to the order of facts: equal to that of a fact named by the
#: query.
_MOST, _LIFT = 20, 1.0
#: Facts that do not compete with others; their weight does not fall with age.
_WRITTEN = BlockGroup("written", 0.1)
#: Instructions, preferences and what matters to health: in every context, before memories.
_STANDING = BlockGroup("standing", 0.1, precedes=True, verbatim=True)
#: For each value of the column `relation`: the first fact's role towards the second, and the reverse.
_WORDS = {
    1: ("causes", "caused by"),
    2: ("related to", "related to"),
    3: ("supports", "supported by"),
    4: ("contradicts", "contradicts"),
    5: ("before", "after"),
    6: ("part of", "contains"),
}


async def find_profile(block_request: BlockRequest) -> Sequence[ContextCandidate]:
    """Return the current facts about the conversation's subject, most confident first."""
    requested = await find_as_of(
        block_request.sources.database, block_request.namespace, block_request.filter
    )
    known = _to_fact_filter(block_request, requested)
    if not known.subjects or not _filter_allows_facts(requested):
        return []
    async with block_request.sources.database.transaction(block_request.namespace.id) as conn:
        rows = await find_known(conn, block_request.namespace.id, known, MOST_FACTS, MOST_SAID)
        # Links have no history, so they are used only for a context as of now.
        query = block_request.text if known.as_of == AsOf() else ""
        linked = await read_linked(conn, block_request.namespace.id, rows, query)
    now = known.as_of.valid_at or datetime.now(UTC)
    zone = ZoneInfo(block_request.start.settings.time_zone)
    excluded = set(requested.excluded_memory_ids or ())
    order = sorted(rows, key=lambda row: (row.category, row.attribute, -row.confidence, row.id))
    places = {row.memory_id: place for place, row in enumerate(order)}
    several = len({row.subject for row in rows}) > 1
    shown = {
        row.id: _candidate(row, places[row.memory_id], now, zone, several)
        for row in rows
        if row.memory_id not in excluded
    }
    return [linked[id_].lift(each) if id_ in linked else each for id_, each in shown.items()]


def _to_fact_filter(block_request: BlockRequest, memory_filter: MemoryFilter) -> KnownFilter:
    named, record = block_request.request.filter.subjects, block_request.record
    unnamed = named is None and record is not None and not record.subject
    if named is not None:
        subjects = named
    elif unnamed:
        subjects = (
            block_request.start.conversation.speakers if block_request.start.conversation else []
        )
    else:
        subjects = [record.subject] if record else []
    valid_at = memory_filter.valid_at or memory_filter.as_of_time
    return KnownFilter(
        subjects,
        memory_filter.agents,
        AsOf(valid_at, memory_filter.known_at),
        memory_filter.as_of_time,
        memory_filter.since,
        memory_filter.before,
        unnamed,
    )


def _filter_allows_facts(memory_filter: MemoryFilter) -> bool:
    """Return whether a filter can admit facts, which have no conversation, channel, instance, author, role or tags."""
    of_messages = (
        memory_filter.conversation_ids,
        memory_filter.in_conversation,
        memory_filter.included_memory_ids,
        memory_filter.channels,
        memory_filter.instances,
        memory_filter.authors,
        memory_filter.roles,
        memory_filter.tags,
    )
    if any(each is not None for each in of_messages):
        return False
    return memory_filter.allows_kind(MemoryKind.FACT)


def _candidate(
    row: KnownRow, place: int, now: datetime, zone: tzinfo, names_subject: bool
) -> ContextCandidate:
    label = find_attribute(row.attribute).label
    marks = ["suspected"] if row.state == FactState.SUSPECTED else []
    if row.disputed:
        marks.append("disputed")
    if row.valid_from:
        marks.append(f"as of {local_time(row.valid_from, zone).date()}")
    group = _group_of(row)
    return ContextCandidate(
        f"{label} of {row.subject}" if names_subject else label,
        row.value,
        row.memory_id,
        place=place,
        score=row.confidence
        if group
        else find_weight(row.confidence, row.last_seen_at, row.lifetime_days, now),
        source_messages=tuple(zip(row.message_ids, row.quotes, strict=True)),
        remark=", ".join(marks),
        group=group,
    )


def _group_of(row: KnownRow) -> str:
    """Return the group of a fact whose weight does not fall with age; empty for other facts.

    These are instructions, preferences, facts that matter to health, and those that an agent or a person wrote.
    """
    attribute = find_attribute(row.attribute)
    if attribute.is_standing:
        return _STANDING.name
    is_written = row.source >= FactSource.AGENT and not row.hypothesis
    return _WRITTEN.name if is_written and not attribute.passes else ""


@dataclass(frozen=True)
class FactRelationNote:
    """The link of a fact to one that the query names."""

    remark: str
    #: Confidence of the link.
    confidence: float

    def lift(self, candidate: ContextCandidate) -> ContextCandidate:
        """Return the fact's candidate with the link as a remark, moved ahead of facts without a link."""
        remark = ", ".join(each for each in (candidate.remark, self.remark) if each)
        return replace(candidate, remark=remark, lift=_LIFT * self.confidence)


async def read_linked(
    conn: Connection, namespace_id: int, rows: Sequence[KnownRow], query: str
) -> Mapping[UUID, FactRelationNote]:
    """Return links by fact id, for the facts linked to another one that shares a word with the query."""
    if not rows or not query:
        return {}
    by_id = {row.id: row for row in rows}
    linked: dict[UUID, FactRelationNote] = {}
    for edge in await find_linked(conn, namespace_id, list(by_id), query, _MOST):
        first, second = edge.from_fact_id, edge.to_fact_id
        own, other, which = (second, first, 1) if edge.from_named else (first, second, 0)
        label = find_attribute(by_id[other].attribute).label
        remark = f"{_WORDS[edge.relation][which]}: {label}"
        linked.setdefault(own, FactRelationNote(remark, edge.confidence))
    return linked


IDENTITY = BlockKind(
    BlockSource.IDENTITY,
    0.1,
    find_profile,
    lambda present: present.facts,
    groups=(_STANDING, _WRITTEN),
)
