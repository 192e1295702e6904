"""Passages as the cache's statements return them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import numpy as np

from everword.text.ranking_record import unpack_records
from everword_search.cache.store import Passages, PassagesRow
from everword_search.kernels.arrays import Floats

_NO_COLUMNS: Any = dict.fromkeys(field.name for field in fields(PassagesRow))
#: The statement's row for an empty namespace.
NOTHING = PassagesRow(**{**_NO_COLUMNS, "passages": 0, "last_change": 0, "now": 0.0})
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ALWAYS, NEVER = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class PassageSpec:
    """The attributes of a passage that filters and the cache use."""

    id: int
    kind: int = 3
    source_id: bytes = b""
    #: Empty for memories outside conversations, that is None.
    conversation_id: bytes | None = None
    agent: str = ""
    subject: str = ""
    channel: str = ""
    instance: str = ""
    author: str = ""
    role: int = 0
    automated: bool = False
    occurred_at: datetime = _EPOCH
    tags: tuple[str, ...] = ()
    valid_from: datetime = ALWAYS
    valid_until: datetime = NEVER
    known_from: datetime = ALWAYS
    known_until: datetime = NEVER


def passages_of(said: Sequence[PassageSpec]) -> Passages:
    """Return passages as from the database: each of a memory of its own, without words."""
    count = len(said)
    tagged = [(place, tag) for place, each in enumerate(said) for tag in each.tags]
    conversations = [each.conversation_id or bytes(16) for each in said]
    return replace(
        NOTHING.found(),
        ids=np.array([each.id for each in said], np.int64),
        kinds=np.array([each.kind for each in said], np.int16),
        source_ids=np.array([each.source_id or _source_of(each.id) for each in said], "S16"),
        parts=np.zeros(count, np.int32),
        conversation_ids=np.array(conversations, "S16"),
        seqs=np.array([-1 if each.conversation_id is None else each.id for each in said], np.int64),
        agents=[each.agent for each in said],
        subjects=[each.subject for each in said],
        channels=[each.channel for each in said],
        instances=[each.instance for each in said],
        authors=[each.author for each in said],
        roles=np.array([each.role for each in said], np.int16),
        automated=np.array([each.automated for each in said], bool),
        moments=np.array([_moment(each.occurred_at) for each in said], float),
        lengths=np.ones(count, np.int32),
        records=unpack_records([None] * count),
        stands_for=np.ones(count, np.int32),
        repeats=np.zeros(count, bool),
        tag_places=np.array([place for place, _ in tagged], np.int64),
        tags=[tag for _, tag in tagged],
    )


def limits_of(said: Sequence[PassageSpec]) -> Floats:
    """Return the valid times and the known times of passages, one row each."""
    rows = [(each.valid_from, each.valid_until, each.known_from, each.known_until) for each in said]
    infinite = {ALWAYS: -np.inf, NEVER: np.inf}
    return np.array([[infinite.get(one) or _moment(one) for one in row] for row in rows])


def _source_of(id_: int) -> bytes:
    return id_.to_bytes(15, "big") + b"s"


def _moment(when: datetime) -> float:
    """Return a time as Postgres does: a numeric, rounded to the nearest float8."""
    since = when - _EPOCH
    microseconds = (since.days * 86_400 + since.seconds) * 10**6 + since.microseconds
    return float(Decimal(microseconds).scaleb(-6))
