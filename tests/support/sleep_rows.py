"""A session with an observation, a dispute and an edge, and parameters with which statements of Sleep affect them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg

from everword.domain.ids import new_id
from everword.facts.model import value_hash
from support.fact_rows import ATTRIBUTE, BEGAN, FACT, SUBJECT

SESSION, PARKED, OBSERVATION, DISPUTE, EDGE, RIVAL = (UUID(int=number) for number in range(81, 87))
FORGOTTEN, LONG_AGO = UUID(int=87), UUID(int=88)
LATE = datetime(9000, 1, 1, tzinfo=UTC)


def insert_sleep(
    conn: psycopg.Connection,
    namespace_id: int,
    conversation_id: UUID,
    message_ids: Sequence[UUID],
    words: str,
) -> None:
    """Store a session over the first messages, whose fact is disputed with another one."""
    rival = f"hardly {words}"
    conn.execute(
        "INSERT INTO facts (namespace_id, id, subject, category, attribute, value, value_hash, several, source, state, "
        "confidence, lifetime_days, first_seen_at, last_seen_at, supporting) "
        "VALUES (%s, %s, %s, 'home', %s, %s, %s, false, 1, 1, 0.5, 1, %s, %s, 2)",
        [namespace_id, RIVAL, SUBJECT, ATTRIBUTE, rival, value_hash(rival), BEGAN, BEGAN],
    )
    conn.execute(
        "INSERT INTO facts (namespace_id, id, subject, category, attribute, value, value_hash, several, source, state, "
        "confidence, lifetime_days, first_seen_at, last_seen_at) "
        "VALUES (%s, %s, %s, 'general', 'forgotten', %s, %s, false, 1, 1, 0.5, 1, %s, %s)",
        [namespace_id, FORGOTTEN, SUBJECT, words, value_hash(words), BEGAN, BEGAN],
    )
    conn.execute(
        "INSERT INTO fact_intervals (namespace_id, id, fact_id, valid_from, known_from) VALUES (%s, %s, %s, %s, %s)",
        [namespace_id, LONG_AGO, FORGOTTEN, BEGAN, BEGAN],
    )
    conn.execute(
        "INSERT INTO fact_evidence (namespace_id, id, fact_id, message_id, contradicts, source, quote, said_at, "
        "recorded_at) VALUES (%s, %s, %s, %s, false, 1, %s, %s, %s)",
        [namespace_id, new_id(), RIVAL, message_ids[0], words, BEGAN, BEGAN],
    )
    sessions = [(SESSION, 1, 900, 1), (PARKED, 901, 950, 4)]
    for id_, first, last, state in sessions:
        conn.execute(
            "INSERT INTO sleep_sessions (namespace_id, id, conversation_id, first_seq, last_seq, subject, state, "
            "topics, started_at, ended_at, model) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, 'm')",
            [
                namespace_id,
                id_,
                conversation_id,
                first,
                last,
                SUBJECT,
                state,
                [words],
                BEGAN,
                BEGAN,
            ],
        )
    conn.execute(
        "INSERT INTO session_observations (namespace_id, id, session_id, subject, attribute, value, message_ids, seqs, "
        "quotes, said_at) VALUES (%s, %s, %s, %s, 'note', %s, %s, '{1}', %s, %s)",
        [namespace_id, OBSERVATION, SESSION, SUBJECT, words, [message_ids[0]], [words], [BEGAN]],
    )
    conn.execute(
        "INSERT INTO fact_disputes (namespace_id, id, old_fact_id, new_fact_id, opened_at) VALUES (%s, %s, %s, %s, %s)",
        [namespace_id, DISPUTE, FACT, RIVAL, BEGAN],
    )
    conn.execute(
        "INSERT INTO fact_edges (namespace_id, id, from_fact_id, to_fact_id, relation, confidence, valid_from, "
        "known_from) VALUES (%s, %s, %s, %s, 2, 0.5, %s, %s)",
        [namespace_id, EDGE, FACT, RIVAL, BEGAN, BEGAN],
    )
    conn.execute(
        "INSERT INTO usage_ledger (namespace_id, own, task, model, outcome, seconds) "
        "VALUES (%s, true, 'sleep-observe', 'm', 'ok', 9)",
        [namespace_id],
    )
    conn.execute(
        "INSERT INTO sleep_nights (namespace_id, night) VALUES (%s, '2001-02-03')", [namespace_id]
    )


#: Parameters of statements that read the results of Sleep.
_READS: dict[str, dict[str, Any]] = {
    "everword_search.facts.list_links": {"fact_id": FACT},
    "everword_search.facts.find_linked": {"fact_ids": [FACT, RIVAL], "query": "hardly"},
    "everword_search.facts.list_disputes": {"fact_id": FACT},
    "everword_search.facts.list_open_disputes": {"subjects": None, "after_id": None},
    "everword_search.people.list_sessions": {
        **dict.fromkeys(("subjects", "conversation_id", "after_id"))
    },
    "everword_search.people.read_session_observations": {"session_ids": [SESSION]},
}


def sleep_parameters(conversation_id: UUID, message_id: UUID) -> dict[str, dict[str, Any]]:
    """Return the parameters of Sleep's statements, by statement name."""
    package, writes = "everword_compactor.sleep", "everword.facts"
    asked = {
        "conversation_id": conversation_id,
        "conversation_ids": [conversation_id],
        "after": 0,
        "through": 1000,
        "subject": SUBJECT,
        "attribute": ATTRIBUTE,
        "subjects": [SUBJECT],
        "session_ids": [SESSION],
        "fact_ids": [FACT, RIVAL],
        "now": LATE,
        "since": BEGAN,
        "at_night": True,
        "around": 1,
        "idle_s": 1.0,
        "error": None,
    }
    edge = {
        "id": new_id(),
        "from_fact_id": RIVAL,
        "to_fact_id": FACT,
        "relation": 1,
        "confidence": 0.5,
        "reason": "smuggled",
        "valid_from": BEGAN,
    }
    dispute = {"dispute_id": DISPUTE, "outcome": 3, "decided_by": "rule", "reason": "smuggled"}
    names = (
        *("read_sleep_progress", "read_messages", "list_unread", "read_profile", "known_topics"),
        *("closing_subjects", "waiting_sessions", "read_observations", "touched_facts"),
        *("count_sessions", "read_evidence", "open_disputes", "read_timeline", "read_around"),
        *("expired_facts", "read_edges", "request_sleep", "finish_sessions", "find_conversation"),
        *("count_since", "read_night", "lock_vector_jobs", "resting_conversations"),
    )
    return {
        **{f"{package}.{name}": asked for name in names},
        f"{package}.sleep_backlog": {"after": UUID(int=0), "subject": None},
        f"{package}.recent_summaries": {"subjects": ["", SUBJECT], "since": BEGAN},
        f"{package}.insert_session": {**asked, **_session()},
        f"{package}.insert_observations": {**asked, **_observation(message_id)},
        f"{package}.delete_observations": {"session_id": SESSION},
        f"{package}.estimate_rereading": {**asked, "subject": None, "model": "another"},
        f"{package}.request_rereading": {**asked, "subject": None, "model": "another"},
        f"{package}.advance_sleep_progress": {**asked, "after": 0, "through": 1},
        f"{package}.insert_edge": {**asked, **edge},
        f"{package}.record_night": {"night": "2001-02-04"},
        f"{package}.count_jobs": {"subjects": None},
        **_READS,
        f"{writes}.open_disputes": {
            "ids": [new_id()],
            "old_fact_ids": [RIVAL],
            "new_fact_ids": [FACT],
            "now": BEGAN,
        },
        f"{writes}.settle_dispute": {**dispute, "now": LATE},
        f"{writes}.find_open_disputes": {"fact_id": FACT},
        f"{writes}.end_disputes": {
            "old_fact_id": FACT,
            "successor_id": None,
            "reason": "smuggled",
            "now": LATE,
        },
        f"{writes}.close_edges": {"fact_ids": [FACT], "until": [LATE], "now": LATE},
    }


def _session() -> dict[str, Any]:
    return {
        "id": new_id(),
        "first_seq": 951,
        "last_seq": 999,
        "state": 3,
        "topics": ["smuggled"],
        "started_at": BEGAN,
        "ended_at": BEGAN,
        "model": "smuggler",
        "error": None,
    }


def _observation(message_id: UUID) -> dict[str, Any]:
    return {
        "id": new_id(),
        "session_id": SESSION,
        "about": "",
        "value": "",
        "hypothesis": False,
        "message_ids": [message_id],
        "seqs": [1],
        "quotes": ["smuggled"],
        "said_at": [BEGAN],
    }
