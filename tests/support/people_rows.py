"""People, events and other learned memories, and parameters with which every statement affects them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg

from everword.domain.ids import new_id
from everword.facts.model import value_hash
from support.fact_rows import BEGAN, FACT, SUBJECT

WHO = "Xenia of Sparta"
PERSON, NOBODY, EVENT, TRAIT, TRAJECTORY = (UUID(int=number) for number in range(181, 186))
VERIFY, DEEPEN, EXPIRED, INFERRED, EARLIER, LATER = (UUID(int=number) for number in range(186, 192))
NOW = datetime(2001, 6, 1, tzinfo=UTC)
NEVER = datetime(9000, 1, 1, tzinfo=UTC)


def insert_people(
    conn: psycopg.Connection,
    namespace_id: int,
    conversation_id: UUID,
    message_ids: Sequence[UUID],
    words: str,
) -> None:
    """Store one memory of each kind learned from the first message, and the facts that raise questions."""

    def insert(table: str, **values: Any) -> None:
        values = {"namespace_id": namespace_id, **values}
        marks = ", ".join(["%s"] * len(values))
        query = f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})"
        conn.execute(query.encode(), list(values.values()))

    _insert_learned(insert, words)
    _insert_questions(insert, words)
    for about_id in (PERSON, TRAIT):
        of_first = _evidence(conversation_id, message_ids[0], words)
        insert("learned_evidence", about_id=about_id, **of_first)
    insert("learned_evidence", about_id=NOBODY, **{**of_first, "id": new_id(), "aspect": "detail"})
    _insert_facts(insert, conversation_id, message_ids[0], words)


def _insert_learned(insert: Callable[..., None], words: str) -> None:
    seen = {"first_seen_at": BEGAN, "last_seen_at": BEGAN, "subject": WHO}
    known = {**seen, "status": 1, "mention_count": 3}
    insert("people", id=PERSON, name=words, relation="tutor", **known)
    insert("people", id=NOBODY, name="Xanthos", **known)
    insert(
        "events",
        **known,
        id=EVENT,
        title=words,
        category="music",
        starts_at=BEGAN + timedelta(days=1),
        importance=0.9,
        decay_days=9,
        expires_at=NEVER,
    )
    insert(
        "user_models",
        id=TRAIT,
        subject=WHO,
        dimension="humour",
        value="dry",
        held_from=BEGAN,
        last_seen_at=BEGAN,
        supporting=2,
    )
    insert("trajectories", **_trajectory(TRAJECTORY, words))


def _insert_questions(insert: Callable[..., None], words: str) -> None:
    asked = {"subject": WHO, "topic": words, "question": words, "reason": words, "state": 1}
    before = {"occasion": BEGAN - timedelta(days=1), "created_at": BEGAN}
    insert("strategies", id=VERIFY, kind=1, about_kind=1, about_id=FACT, **asked, **before)
    insert("strategies", id=DEEPEN, kind=4, about_kind=2, about_id=PERSON, **asked, **before)
    insert("strategy_offers", strategy_id=VERIFY, last_offered_at=BEGAN)
    insert(
        "learned_changes",
        id=new_id(),
        about_id=PERSON,
        changed_at=BEGAN,
        actor="machine",
        action="met",
    )


def _insert_facts(
    insert: Callable[..., None], conversation_id: UUID, message_id: UUID, words: str
) -> None:
    seen = {"first_seen_at": BEGAN, "last_seen_at": BEGAN, "subject": WHO}
    fact = {**seen, "category": "home", "several": False, "confidence": 0.5, "supporting": 3}
    for number, (id_, source, days) in enumerate(
        ((EXPIRED, 1, 1), (INFERRED, 2, 9999), (EARLIER, 1, 9999), (LATER, 1, 9999))
    ):
        value = f"{words} {number}"
        insert(
            "facts",
            **fact,
            id=id_,
            attribute=f"residence_{number}",
            value=value,
            value_hash=value_hash(value),
            source=source,
            state=1,
            lifetime_days=days,
        )
    held = {"valid_from": BEGAN, "known_from": BEGAN}
    insert("fact_intervals", id=new_id(), fact_id=EXPIRED, **held)
    until = BEGAN + timedelta(days=9)
    insert(
        "fact_intervals",
        id=new_id(),
        fact_id=EARLIER,
        valid_until=until,
        successor_id=LATER,
        **held,
    )
    insert(
        "fact_evidence",
        id=new_id(),
        fact_id=EXPIRED,
        message_id=message_id,
        conversation_id=conversation_id,
        contradicts=False,
        source=1,
        quote=words,
        said_at=BEGAN,
        recorded_at=BEGAN,
    )


def _evidence(conversation_id: UUID, message_id: UUID, words: str) -> dict[str, Any]:
    return {
        "id": new_id(),
        "aspect": "name",
        "value": words,
        "value_hash": value_hash(words),
        "message_id": message_id,
        "conversation_id": conversation_id,
        "quote": words,
        "said_at": BEGAN,
        "recorded_at": BEGAN,
    }


def _trajectory(id_: UUID, words: str, version: int = 1) -> dict[str, Any]:
    return {
        "id": id_,
        "subject": WHO,
        "version": version,
        **dict.fromkeys(("phase", "direction", "momentum", "summary", "model"), words),
        **{key: [words] for key in ("anchors", "volatile_areas", "predicted_shifts")},
        "stability": 1,
        "sessions": 2,
        "prompt_version": 1,
        "created_at": BEGAN,
    }


def _folded(
    seen: dict[str, Any], person: dict[str, Any], event: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return the parameters of statements that merge people and events."""
    writes = "everword.people"
    return {
        f"{writes}.find_ruled_people": {"ids": [PERSON]},
        f"{writes}.find_ruled_events": {"ids": [EVENT]},
        f"{writes}.refold_person": {**seen, **person, "id": PERSON},
        f"{writes}.refold_event": {**seen, **event, "id": EVENT},
    }


def people_parameters(conversation_id: UUID, message_id: UUID) -> dict[str, dict[str, Any]]:
    """Return the parameters of statements on learned memories, by statement name."""
    writes = "everword.people"
    who = {"subject": WHO, "now": NOW, "limit": 9}
    seen = {"first_seen_at": BEGAN, "last_seen_at": BEGAN, "status": 1, "mention_count": 1}
    new = {**who, **seen, "id": new_id()}
    trait = {"dimension": "length", "value": "brief", "held_from": BEGAN, "supporting": 2}
    asked = {"topic": "smuggled", "question": "smuggled", "reason": "smuggled"}
    question = {"kind": 2, "about_kind": 1, "about_id": EXPIRED, "occasion": NOW, **asked}
    ruled = {"ruling": 2, "status": 2, "now": NOW}
    evidence = {
        "about_id": PERSON,
        "ids": [new_id()],
        "aspects": ["name"],
        "values": ["smuggled"],
        "value_hashes": [value_hash("smuggled")],
        "message_ids": [message_id],
        "conversation_ids": [conversation_id],
        "quotes": ["smuggled"],
        "said_at": [BEGAN],
    }
    event = {
        "title": "smuggled",
        "category": "music",
        "starts_at": None,
        "ends_at": None,
        "importance": 0.5,
        "decay_days": 9,
        "expires_at": NEVER,
    }
    smuggled = {"name": "smuggled", "aliases": [], "relation": ""}
    return {
        f"{writes}.lock_subject": who,
        f"{writes}.find_people": who,
        **_folded(seen, smuggled, event),
        f"{writes}.upsert_person": {**new, **smuggled},
        f"{writes}.find_events": {**who, "since": BEGAN, "until": NOW},
        f"{writes}.upsert_event": {**new, **event},
        f"{writes}.insert_learned_evidence": evidence,
        f"{writes}.read_learned_evidence": {"about_id": PERSON},
        f"{writes}.insert_learned_change": {
            "id": new_id(),
            "about_id": PERSON,
            "reason": "",
            "actor": "machine",
            "action": "met",
        },
        f"{writes}.find_user_model": who,
        f"{writes}.insert_trait": {**new, **trait},
        f"{writes}.support_trait": {"id": TRAIT, "held_from": BEGAN, "last_seen_at": NOW},
        f"{writes}.end_trait": {"id": TRAIT, "held_until": NOW},
        f"{writes}.find_trajectory": who,
        f"{writes}.insert_trajectory": _trajectory(new_id(), "smuggled", 2),
        f"{writes}.find_expired": who,
        f"{writes}.find_inferred": {**who, "least": 3},
        f"{writes}.find_changed": {**who, "since": BEGAN},
        f"{writes}.find_unknown_people": {**who, "least": 3},
        f"{writes}.find_unsupported_events": {**who, "important": 0.7},
        f"{writes}.insert_strategy": {**new, **question},
        f"{writes}.find_fact_quotes": {"about_id": EXPIRED, "limit": 5},
        f"{writes}.find_learned_quotes": {"about_id": PERSON, "limit": 5},
        f"{writes}.answer_strategies": who,
        f"{writes}.answer_deepening": who,
        f"{writes}.rule_person": {"id": PERSON, **ruled},
        f"{writes}.rule_event": {"id": EVENT, **ruled},
        f"{writes}.end_strategy": {"id": VERIFY, "state": 4},
        **_reading_parameters(),
        **_sleep_parameters(),
    }


def _reading_parameters() -> dict[str, dict[str, Any]]:
    """Return the parameters of statements that read learned memories."""
    writes, reads = "everword.people", "everword_search.people"
    page = {"subjects": [WHO], "everything": True, "after_id": None}
    offers = {"subjects": [WHO], "max_offers": 3, "offered_before": NEVER, "limit": 9}
    return {
        f"{writes}.show_person": {"id": PERSON},
        f"{writes}.show_event": {"id": EVENT},
        f"{writes}.show_strategy": {"id": VERIFY},
        f"{writes}.list_people": page,
        f"{writes}.list_events": page,
        f"{writes}.list_strategies": page,
        f"{reads}.list_learned_evidence": {"about_ids": [PERSON]},
        f"{reads}.list_learned_changes": {"about_id": PERSON},
        f"{reads}.read_user_model": {"subject": WHO, "include_past": True},
        f"{reads}.read_trajectory": {"subject": WHO, "version": 0},
        f"{reads}.find_mentioned_people": {"subjects": [WHO], "limit": 9},
        f"{reads}.read_details": {"about_ids": [NOBODY], "limit": 2},
        f"{reads}.find_current_events": {"subjects": [WHO], "limit": 9},
        f"{reads}.find_style": {"subjects": [WHO]},
        f"{reads}.find_offers": offers,
        f"{reads}.count_offers": {"strategy_ids": [VERIFY]},
    }


def _sleep_parameters() -> dict[str, dict[str, Any]]:
    """Return the parameters of Sleep's statements on other memories than facts; the sessions are those of
    `sleep_rows`.
    """
    sleep, slept = "everword_compactor.sleep.people", {"subject": SUBJECT}
    changed = {"since": datetime(2000, 1, 1, tzinfo=UTC), "categories": ["home"]}
    return {
        f"{sleep}.read_events": {"subjects": [WHO], "limit": 9},
        f"{sleep}.read_turns": {**slept, "sessions": 9, "limit": 9},
        f"{sleep}.count_sessions": slept,
        f"{sleep}.read_trajectory": {"subject": WHO},
        f"{sleep}.has_changed": {**slept, **changed, "actions": ["remembered"]},
        f"{sleep}.read_words": {"fact_ids": [EXPIRED], "limit": 2},
    }
