"""Remove rows by a retention policy, in the caller's transaction; update the rows that a removal or an
erasure leaves.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar
from uuid import UUID

from everword.db.namespaces import get_namespace_settings
from everword.db.pool import WRITE_CONFLICTS, Connection
from everword.facts.weigh_facts import weigh_facts
from everword.jobs.enqueue import COMPACT, DueJob, enqueue
from everword.people.refold import refold_people_and_events
from everword.text.author_names import name_words
from everword_ingest.erasure import store
from everword_ingest.erasure.model import StepResult

T = TypeVar("T")
#: Maximum attempts of a deletion that conflicts with concurrent writes.
ATTEMPTS = 4
#: Messages that one transaction deletes: it takes some tens of milliseconds, and a broken one loses little.
BATCH = 200


async def retire(
    conn: Connection, namespace_id: int, kind: int, ids: Sequence[UUID], keep_quotes: bool
) -> dict[str, int]:
    """Remove rows by a retention policy; return the number of rows by table.

    Unlike in an erasure, facts learned from messages stay, with or without quotes, and the messages may be imported
    again. `kind` is that of the policy (`RetentionKind`). At most 5,000 at once; `BATCH` is a good number.
    """
    did = await store.retire(conn, namespace_id, kind, ids, keep_quotes)
    await follow(conn, namespace_id, did)
    return did.counts


async def follow(conn: Connection, namespace_id: int, did: StepResult) -> None:
    """Update the rows that a step left, and enqueue jobs for derived memories."""
    if did.facts_to_weigh:
        settings = await get_namespace_settings(conn, namespace_id)
        await weigh_facts(conn, settings, namespace_id, did.facts_to_weigh, did.intervals_to_open)
    await refold_people_and_events(conn, namespace_id, did.people_to_fold, did.events_to_fold)
    words = sorted(set[str]().union(*map(name_words, did.authors_gone)))
    if words:
        await store.forget_author_names(conn, namespace_id, words)
    compact = [DueJob(namespace_id, COMPACT, str(id_)) for id_ in did.conversations_to_compact]
    if compact:
        await enqueue(conn, compact)


async def repeat_on_conflict(step: Callable[[], Awaitable[T]]) -> T:
    """Run a transaction, and repeat it if it conflicts with concurrent writes. Raises WRITE_CONFLICTS."""
    for _ in range(ATTEMPTS - 1):
        with suppress(*WRITE_CONFLICTS):
            return await step()
    return await step()
