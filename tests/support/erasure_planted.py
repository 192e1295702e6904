"""A conversation whose first message contains a token, with all possible derived rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from everword.domain.ids import new_id
from everword.facts.model import value_hash
from everword.v1 import fact_pb2, note_pb2
from everword.v1 import fact_service_pb2 as facts
from everword.v1 import ingest_service_pb2 as ingest
from support.background import embed_everything
from support.calls import TOOL, append_request, message
from support.calls import target as conversation
from support.compaction import ScriptedComposer, compact_everything, roll_up_everything
from support.graphs import edge, node
from support.graphs import write as write_graph
from support.notes import write
from support.stack import Stack

#: Number of plain messages after the first two.
FOLLOWING = 12


@dataclass(frozen=True)
class Planted:
    """Ids of the planted memories."""

    token: str
    subject: str
    author: str
    conversation_id: str
    message_ids: list[str]
    #: A fact known from the first message alone, and one known from another message, too.
    only_fact: str
    shared_fact: str
    note_id: str
    #: A person mentioned by the second message, too.
    person: str


async def plant(stack: Stack, token: str) -> Planted:
    """Append a message with a token, and derive all that services derive from it."""
    subject, author = f"who{token[2:6]}", f"Bea {token}"
    request = append_request(
        message(
            f"The {token} likes lemon tea.", author=author, external_id=f"x-{token}", tags=[token]
        ),
        message(
            "", role=TOOL, tool_name="find_tea", tool_args=f'{{"q": "{token}"}}', author=author
        ),
        *(message(f"The tram {n} stops at the mill.", author="Cy") for n in range(FOLLOWING)),
        request_id=str(new_id()),
    )
    request.conversation.CopyFrom(conversation(f"planted {token[2:6]}", subject=subject))
    said = await stack.ingest.AppendMessages(request)
    ids = [each.message_id for each in said.messages]
    only = await _remember(stack, subject, "likes_drink", f"{token} tea", ids[:1], token)
    shared = await _remember(stack, subject, "likes_place", "the mill", [ids[0], ids[3]], token)
    related = edge(f"Dr {token}", "works_at", f"Clinic {token}", message_id=ids[0], quote=token)
    ends = node(f"Dr {token}"), node(f"Clinic {token}", "organisation")
    await write_graph(stack, *ends, related)
    scope = note_pb2.NoteScope(conversation_id=said.conversation_id)
    noted = await write(stack, f"A note on {token}.", f"k-{token}", scope=scope, author=author)
    await stack.ingest.MarkUsed(ingest.MarkUsedRequest(memory_ids=ids[:1]))
    await _sum_up(stack)
    person = _insert_learned(stack, token, subject, said.conversation_id, ids)
    return Planted(
        token, subject, author, said.conversation_id, ids, only, shared, noted.note_id, person
    )


async def _sum_up(stack: Stack) -> None:
    await compact_everything(stack, ScriptedComposer())
    later = datetime.now(UTC) + timedelta(days=400)
    await roll_up_everything(stack, ScriptedComposer(), later)
    await embed_everything(stack)


async def _remember(
    stack: Stack, subject: str, attribute: str, value: str, said: list[str], token: str
) -> str:
    evidence = [
        fact_pb2.NewEvidence(message_id=each, reason=f"{token} says so") for each in said[:1]
    ]
    evidence += [fact_pb2.NewEvidence(message_id=each) for each in said[1:]]
    request = facts.RememberRequest(
        subject=subject, attribute=attribute, value=value, evidence=evidence, lifetime_days=36500
    )
    return (await stack.facts.Remember(request)).fact.id


def _insert_learned(
    stack: Stack, token: str, subject: str, conversation_id: str, ids: list[str]
) -> str:
    """Store facts, people and other memories of Sleep for the first message; return a person of the fourth message,
    too.
    """
    now = datetime.now(UTC)
    with stack.database.connect() as conn:

        def insert(table: str, **values: Any) -> UUID:
            values = {"namespace_id": 1, "id": new_id(), **values}
            marks = ", ".join(["%s"] * len(values))
            conn.execute(
                f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})".encode(),
                list(values.values()),
            )
            return UUID(str(values["id"]))

        known = _insert_known(insert, token, subject, now)
        told = {"conversation_id": conversation_id, "said_at": now, "recorded_at": now}
        for about_id in known:
            for number, name in (
                (0, f"Ivo {token}"),
                *(((3, "Ivo"),) if about_id == known[0] else ()),
            ):
                for aspect in ("name", "title", "importance", "decay_days"):
                    value = {"importance": "0.5", "decay_days": "9"}.get(aspect, name)
                    insert(
                        "learned_evidence",
                        about_id=about_id,
                        aspect=aspect,
                        value=value,
                        value_hash=value_hash(value),
                        message_id=ids[number],
                        quote=name,
                        **told,
                    )
        _insert_session(insert, token, conversation_id, ids[0], now)
        _fail_job(conn, token, conversation_id)
    return str(known[0])


def _insert_known(
    insert: Callable[..., UUID], token: str, subject: str, now: datetime
) -> list[UUID]:
    seen = {
        "subject": subject,
        "first_seen_at": now,
        "last_seen_at": now,
        "mention_count": 2,
        "status": 1,
    }
    person = insert("people", name=f"Ivo {token}", aliases=[token], **seen)
    event = insert(
        "events",
        title=f"Fair {token}",
        category="life",
        importance=0.5,
        decay_days=9,
        expires_at=now,
        **seen,
    )
    trait = insert(
        "user_models",
        subject=subject,
        dimension="humour",
        value=f"dry {token}",
        held_from=now,
        last_seen_at=now,
        supporting=1,
    )
    trajectory = insert(
        "trajectories",
        subject=subject,
        version=1,
        phase=token,
        direction=token,
        stability=1,
        anchors=[token],
        volatile_areas=[token],
        momentum=token,
        predicted_shifts=[token],
        summary=token,
        sessions=1,
        model="m",
        prompt_version=1,
        created_at=now,
    )
    question = insert(
        "strategies",
        subject=subject,
        kind=1,
        about_kind=2,
        about_id=person,
        occasion=now,
        topic=token,
        question=f"{token}?",
        reason=token,
        state=1,
        created_at=now,
    )
    insert(
        "learned_changes",
        about_id=person,
        changed_at=now,
        actor="machine",
        action="met",
        reason=f"{token} → Ivo",
    )
    return [person, event, trait, trajectory, question]


def _insert_session(
    insert: Callable[..., UUID], token: str, conversation_id: str, message_id: str, now: datetime
) -> None:
    session = insert(
        "sleep_sessions",
        conversation_id=conversation_id,
        first_seq=1,
        last_seq=9,
        state=1,
        subject="",
        topics=[token],
        started_at=now,
        ended_at=now,
    )
    insert(
        "session_observations",
        session_id=session,
        subject="emi",
        attribute="note",
        value=token,
        message_ids=[UUID(message_id)],
        seqs=[1],
        quotes=[token],
        said_at=[now],
    )
    insert(
        "themes",
        place=sum(map(ord, token)) % 9999,
        label=token,
        words=[token],
        size=1,
        sampled=1,
        source_ids=[UUID(message_id)],
        generation_id=1,
    )


def _fail_job(conn: psycopg.Connection, token: str, conversation_id: str) -> None:
    conn.execute(
        "INSERT INTO jobs (namespace_id, task, subject, state, error, trace_context) "
        "VALUES (1, 'compact', %s, 'failed', %s, %s) "
        "ON CONFLICT (namespace_id, task, subject) DO UPDATE SET error = excluded.error",
        [conversation_id, f"ValueError: {token}", Jsonb({})],
    )
