"""Read the sessions that Sleep has read, with topics and observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everword.db.pool import Database
from everword.domain.caller import NamespaceScope
from everword.domain.not_found import ConversationNotFound
from everword.rpc.pages import PageRequest, open_cursor
from everword.rpc.translate import to_timestamp
from everword.v1 import people_pb2 as pb
from everword_search.people import store
from everword_search.people.store import SessionFilter, SleepObservationRow, SleepSessionRow
from everword_search.records.freshness import fresh_transaction
from everword_search.records.store import get_conversation

#: Maximum observations of each session.
MOST_OBSERVATIONS = 200
_STATES = {1: "stored", 2: "processed", 3: "skipped", 4: "parked", 5: "to be read again"}


@dataclass(frozen=True)
class ObservedSession:
    """A session with its observations."""

    row: SleepSessionRow
    observations: Sequence[SleepObservationRow]


async def list_sessions(
    database: Database,
    namespace: NamespaceScope,
    session_filter: SessionFilter,
    page: PageRequest,
    at_least_as_fresh: str = "",
) -> tuple[Sequence[ObservedSession], str]:
    """Return a page of sessions and the token of the next page. Raises InvalidPageToken and ConversationNotFound."""
    cursor = await open_cursor(database, namespace, "ListSessions", page)
    async with fresh_transaction(database, namespace, at_least_as_fresh) as conn:
        rows = await store.list_sessions(
            conn, namespace.id, session_filter, cursor.after_id, cursor.limit
        )
        conversation_id = session_filter.conversation_id
        if conversation_id and not (
            rows or await get_conversation(conn, namespace.id, conversation_id)
        ):
            raise ConversationNotFound(conversation_id=conversation_id)
        ids = [row.id for row in rows]
        found = await store.read_session_observations(conn, namespace.id, ids, MOST_OBSERVATIONS)
    sessions = [
        ObservedSession(row, [each for each in found if each.session_id == row.id]) for row in rows
    ]
    return cursor.cut(sessions, lambda last: [str(last.row.id)])


def session_to_proto(session: ObservedSession) -> pb.SleepSession:
    row = session.row
    return pb.SleepSession(
        id=str(row.id),
        conversation_id=str(row.conversation_id),
        first_seq=row.first_seq,
        last_seq=row.last_seq,
        subject=row.subject,
        state=_STATES[row.state],
        error=row.error,
        topics=row.topics,
        start_time=to_timestamp(row.started_at),
        end_time=to_timestamp(row.ended_at),
        observations=[
            pb.SessionObservation(
                subject=each.subject,
                about=each.about,
                attribute=each.attribute,
                value=each.value,
                hypothesis=each.hypothesis,
                message_ids=map(str, each.message_ids),
                quotes=each.quotes,
            )
            for each in session.observations
        ],
    )
