"""Step 1: reads the known facts before the stages run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from everword.db.blocking import Connection
from everword.domain.trust import TrustPolicy
from everword.facts.spellings import find_spellings
from everword.text.credentials import mask_credentials
from everword.text.instructions import contains_model_instructions
from everword_compactor.nodes.model import NodeNamespace
from everword_compactor.sleep import store
from everword_compactor.sleep.model import (
    Profile,
    SessionMessage,
    SleepConversation,
    SleepInputs,
    SleepSession,
    Trajectory,
)
from everword_compactor.sleep.people import store as people
from everword_compactor.sleep.store import SleepProgress, StoredMessage
from everword_compactor.sleep.work import ClosingWork

#: Facts of a profile that stages read, the most recently mentioned first.
FACTS = 500
_TOPICS = 60
#: Sessions that one closing sees.
_SESSIONS = 200


def load(
    conn: Connection, namespace_id: int, subjects: Sequence[str], now: datetime, time_zone: str
) -> SleepInputs:
    """Return the profile of subjects, without superseded facts, and the trajectory of the first subject."""
    facts = store.read_profile(conn, namespace_id, subjects, now, FACTS)
    trajectory = read_trajectory(conn, namespace_id, subjects[0]) if subjects else Trajectory()
    topics = store.known_topics(conn, namespace_id, _TOPICS)
    return SleepInputs(Profile(facts), trajectory, topics, time_zone)


def read_trajectory(conn: Connection, namespace_id: int, subject: str) -> Trajectory:
    """Return where a life is going, as it was last summed up."""
    latest = people.read_trajectory(conn, namespace_id, subject)
    return Trajectory(latest.summary, latest.anchors, latest.created_at) if latest else Trajectory()


def load_closing(
    conn: Connection, namespace_id: int, subject: str, now: datetime, time_zone: str
) -> ClosingWork:
    """Return the input of the closing steps for a subject."""
    sessions = store.waiting_sessions(conn, namespace_id, subject, _SESSIONS)
    ids = [session.id for session in sessions]
    loaded = load(conn, namespace_id, [subject], now, time_zone)
    return ClosingWork(
        subject,
        sessions,
        store.read_observations(conn, namespace_id, ids) if ids else [],
        loaded,
        store.touched_facts(conn, namespace_id, ids) if ids else [],
    )


def make_session(
    id_: UUID,
    conversation: SleepProgress,
    messages: Sequence[StoredMessage],
    namespace: NodeNamespace,
) -> SleepSession:
    """Return a session without untrusted instructions, pasted text, and credentials if the namespace masks them.

    If the channel's policy forbids learning, its messages have no text.
    """
    about = SleepConversation(
        conversation.id,
        conversation.agent,
        conversation.channel,
        conversation.subject,
        namespace.trust.is_open(conversation.channel),
    )
    if not namespace.channels.learns(conversation.channel):
        return SleepSession(id_, about, [replace(message, content="") for message in messages])
    heard = [
        _without_injected_text(message, conversation.channel, namespace.trust)
        for message in messages
    ]
    masks = namespace.masks_credentials
    own = [message.own(conversation.subject) for message in heard]
    return SleepSession(id_, about, [_masked(message) if masks else message for message in own])


def _without_injected_text(
    message: SessionMessage, channel: str, trust: TrustPolicy
) -> SessionMessage:
    """Return a message without its text if it is untrusted and addresses models, so that nothing is learned from it."""
    untrusted = trust.is_untrusted(channel, message.role, message.tool_name)
    is_order = untrusted and contains_model_instructions(message.content)
    return replace(message, content="") if is_order else message


def with_spellings(conn: Connection, namespace_id: int, session: SleepSession) -> SleepSession:
    """Return the session with authors mapped to known subjects that differ only in case."""
    authors = [message.author for message in session.messages if message.author]
    return replace(session, spellings=find_spellings(conn, namespace_id, authors))


def subjects_of(session: SleepSession) -> list[str]:
    """Return the possible subjects of the session's facts, the most talkative first."""
    named = [session.subject_of(message) for message in session.said]
    return sorted(set(named), key=lambda name: (-named.count(name), name))


def _masked(message: SessionMessage) -> SessionMessage:
    content = mask_credentials(message.content)
    return message if content == message.content else replace(message, content=content)
