"""Filters on cached passages, with the same conditions as the SQL statements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from everword.db.arrays import Array, array_of_uuids
from everword.domain.memory_kinds import ATTACHED_KINDS, EXPIRING_KINDS
from everword_search.cache.snapshot import Snapshot
from everword_search.records.model import MemoryFilter


def allowed_rows(snapshot: Snapshot, memory_filter: MemoryFilter, now: float) -> Array:
    """Return a mask of the existing rows that pass the filter at `now`, in seconds since 1970."""
    columns = snapshot.columns
    passes: Array = columns["alive"].copy()
    if not memory_filter.include_automated:
        passes &= ~columns["automated"]
    for name, values in (("kinds", memory_filter.kinds), ("roles", memory_filter.roles)):
        if values is not None:
            passes &= np.isin(columns[name], values)
    if memory_filter.conversation_ids is not None:
        # A UUID of zeros, empty as bytes, is the id of rows outside conversations.
        ids = [id_ for id_ in array_of_uuids(memory_filter.conversation_ids).tolist() if id_]
        passes &= snapshot.mask_of("conversations", ids)
    if memory_filter.in_conversation is not None:
        passes &= snapshot.mask_of("conversations", [b""]) ^ memory_filter.in_conversation
    if memory_filter.included_memory_ids is not None:
        passes &= snapshot.of_memories(array_of_uuids(memory_filter.included_memory_ids))
    if memory_filter.subjects is not None:
        own = snapshot.of_memories(array_of_uuids(memory_filter.of_subjects_ids or ()))
        passes &= snapshot.mask_of("subjects", memory_filter.subjects) | own
    for name in ("agents", "channels", "instances", "authors"):
        texts = getattr(memory_filter, name)
        if texts is not None:
            passes &= snapshot.mask_of(name, texts)
    if memory_filter.tags is not None:
        passes &= snapshot.tagged(memory_filter.tags)
    if memory_filter.document_tags is not None:
        passes &= snapshot.tagged(memory_filter.document_tags)
    if memory_filter.document_conversation_ids is not None:
        ids = array_of_uuids(memory_filter.document_conversation_ids).tolist()
        foreign = snapshot.mask_of("conversations", [b"", *ids])
        passes &= foreign | ~_of_kinds(columns["kinds"], ATTACHED_KINDS)
    if memory_filter.since is not None:
        passes &= columns["moments"] >= memory_filter.since.timestamp()
    if memory_filter.before is not None:
        passes &= columns["moments"] < memory_filter.before.timestamp()
    _exclude_filtered(snapshot, memory_filter, passes)
    known_at = memory_filter.known_at.timestamp() if memory_filter.known_at else None
    valid_at = memory_filter.valid_at.timestamp() if memory_filter.valid_at else None
    retained = memory_filter.include_superseded
    snapshot.intervals.leave_out(passes, now, valid_at, known_at, retained)
    snapshot.intervals.exclude_ended(passes, _of_kinds(columns["kinds"], EXPIRING_KINDS), now)
    return passes


def _of_kinds(column: Array, kinds: Sequence[int]) -> Array:
    """Return a mask of the rows of a few kinds; a hundred times as fast as `np.isin`."""
    # Plain integers: numpy widens the column to compare it with an enum member.
    first, *others = map(int, kinds)
    found: Array = column == first
    for kind in others:
        found |= column == kind
    return found


def _exclude_filtered(snapshot: Snapshot, memory_filter: MemoryFilter, passes: Array) -> None:
    """Clear in `passes` the rows that the filter excludes or that come after its `as_of` message."""
    columns = snapshot.columns
    if memory_filter.excluded_kinds is not None:
        passes &= ~np.isin(columns["kinds"], memory_filter.excluded_kinds)
    if memory_filter.excluded_authors is not None:
        passes &= ~snapshot.mask_of("authors", memory_filter.excluded_authors)
    if memory_filter.excluded_conversation_ids is not None:
        ids = [
            id_ for id_ in array_of_uuids(memory_filter.excluded_conversation_ids).tolist() if id_
        ]
        passes &= ~snapshot.mask_of("conversations", ids)
    if memory_filter.excluded_memory_ids is not None:
        passes &= ~snapshot.of_memories(array_of_uuids(memory_filter.excluded_memory_ids))
    if memory_filter.as_of_time is not None:
        later = columns["moments"] > memory_filter.as_of_time.timestamp()
        if memory_filter.as_of_conversation_id is not None:
            everything = snapshot.read(slice(None))
            known = array_of_uuids([memory_filter.as_of_conversation_id]).tolist()
            alongside = snapshot.mask_of("conversations", known)
            # A memory that is no turn has a thread of its own with a negative number.
            turns = alongside & (everything["threads"] >= 0)
            later = np.where(turns, everything["seqs"] > memory_filter.as_of_seq, later)
        passes &= ~later
