"""Identification of people, states computed from statements, and effects of new assessments."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from everword.people.fold_events import KnownEvent, find_event, fold_event
from everword.people.fold_people import fold_person
from everword.people.mentions import event_statements, person_statements
from everword.people.model import (
    EventMention,
    EventStatus,
    MessageWords,
    PersonMention,
    RelationStatus,
    StatementEvidence,
)
from everword.people.names import KnownPerson, find_person
from everword.people.questions import (
    FactOccasion,
    clarify,
    deepen_event,
    deepen_person,
    probe,
    verify,
)
from everword.people.traits import DIMENSIONS, CurrentTrait, Effect, Trait, find_effect

START = datetime(2024, 3, 1, tzinfo=UTC)
CONVERSATION = UUID(int=9)


def day(number: int) -> datetime:
    return START + timedelta(days=number)


def said(number: int, message: int | None = None) -> MessageWords:
    return MessageWords(UUID(int=message or 100 + number), CONVERSATION, "words", day(number))


def known(*people: tuple[str, str]) -> list[KnownPerson]:
    """Return people by their names and relations, with ids from 1 on."""
    return [
        KnownPerson(UUID(int=number), names.split("|"), relation)
        for number, (names, relation) in enumerate(people, 1)
    ]


@pytest.mark.parametrize(
    ("name", "relation", "people", "expected"),
    [
        ("Muhammad", "", [("Muhhamed", "friend")], 1),
        ("Sara", "", [("Sarah", "")], 1),
        ("Dr. Katherine Smith", "", [("Catherine Smith", "")], 1),
        ("Anna", "", [("Anna Berg", "colleague")], 1),
        ("Anna Berg", "", [("Anna", "colleague")], 1),
        ("Berg", "boss", [("Anna Berg", "boss")], 1),
        ("anna", "", [("Anna|Annie", "")], 1),
        # Others.
        ("Sara", "", [("Tara", "")], None),
        ("Tom", "", [("Tim", "")], None),
        ("Anna Holt", "", [("Anna Berg", "")], None),
        # A sister is no colleague; a friend may become a wife.
        ("Anna", "sister", [("Anna", "colleague")], None),
        ("Anna", "wife", [("Anna", "friend")], 1),
        ("Anna", "mum", [("Anna", "mother")], 1),
        # The exact name comes first; the relation tells two apart; who could be either is neither.
        ("Anna", "", [("Anna Berg", ""), ("Anna", "")], 2),
        ("Anna", "boss", [("Anna Berg", "friend"), ("Anna Holt", "boss")], 2),
        ("Anna", "", [("Anna Berg", "friend"), ("Anna Holt", "boss")], None),
    ],
)
def test_find_person_matches_name_and_relation(
    name: str, relation: str, people: list[tuple[str, str]], expected: int | None
) -> None:
    found = find_person(name, relation, known(*people))
    assert found == (UUID(int=expected) if expected else None)


def evidence_of(*mentions: PersonMention | EventMention) -> list[StatementEvidence]:
    found = []
    for mention in mentions:
        statements = (
            person_statements(mention)
            if isinstance(mention, PersonMention)
            else event_statements(mention)
        )
        found += [
            StatementEvidence(each.aspect, each.value, each.said.message_id, each.said.said_at)
            for each in statements
        ]
    return found


def test_fold_person_is_independent_of_mention_order() -> None:
    mentions = [
        PersonMention("Anna", said(0), "wife"),
        PersonMention("Anna Berg", said(5), status=RelationStatus.ENDED),
        PersonMention("Ana", said(9), "wife", details=("likes tea", "is a nurse")),
    ]
    states = [fold_person(evidence_of(*order)) for order in itertools.permutations(mentions)]
    assert all(state == states[0] for state in states)
    state = states[0]
    assert (state.name, state.aliases, state.relation) == ("Anna Berg", ["Ana", "Anna"], "wife")
    # Two statements of details are of one message.
    assert (state.mention_count, state.first_seen_at, state.last_seen_at) == (3, day(0), day(9))
    assert state.status is RelationStatus.ENDED


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([("relation", "wife")], RelationStatus.ACTIVE),
        ([("relation", "wife"), ("status", "ended")], RelationStatus.ENDED),
        ([("relation", "wife"), ("relation", "ex-wife")], RelationStatus.ENDED),
        ([("relation", "ex girlfriend"), ("relation", "wife")], RelationStatus.ACTIVE),
        ([("relation", "ex-wife"), ("relation", "wife")], RelationStatus.ENDED),
        ([("status", "ended"), ("status", "active")], RelationStatus.ACTIVE),
        ([("relation", "father"), ("status", "deceased")], RelationStatus.DECEASED),
        ([("status", "deceased"), ("relation", "dad")], RelationStatus.DECEASED),
    ],
)
def test_fold_person_uses_the_latest_relation_status(
    statements: list[tuple[str, str]], expected: RelationStatus
) -> None:
    evidence = [StatementEvidence("name", "Anna", UUID(int=1), day(0))]
    evidence += [
        StatementEvidence(aspect, value, UUID(int=2 + number), day(number))
        for number, (aspect, value) in enumerate(statements)
    ]
    assert fold_person(evidence).status is expected


def test_ended_ruling_applies_until_a_newer_statement() -> None:
    friend = evidence_of(PersonMention("Anna", said(0), "friend", RelationStatus.ACTIVE))
    again = evidence_of(PersonMention("Anna", said(9), status=RelationStatus.ACTIVE))
    assert fold_person(friend, day(5)).status is RelationStatus.ENDED
    assert fold_person(friend + again, day(5)).status is RelationStatus.ACTIVE
    assert fold_person(friend + again, day(10)).status is RelationStatus.ENDED


def test_moved_event_is_matched_and_expires_after_its_new_date() -> None:
    first = EventMention("Dentist appointment", "health", said(0), day(10), day(10), 0.4, 14)
    moved = EventMention("the dentist appointment", "health", said(5), day(20), None, 0.6, 14)
    event = KnownEvent(UUID(int=1), "Dentist appointment", "health", day(10), day(0))
    assert find_event(moved, [event]) == UUID(int=1)
    for order in itertools.permutations([first, moved]):
        state = fold_event(evidence_of(*order))
        assert (state.title, state.starts_at, state.ends_at) == (
            "Dentist appointment",
            day(20),
            None,
        )
        assert (state.importance, state.mention_count) == (0.6, 2)
        assert state.expires_at == day(34)
    cancelled = EventMention(
        "Dentist appointment", "health", said(8), decay_days=14, status=EventStatus.CANCELLED
    )
    assert fold_event(evidence_of(first, moved, cancelled)).status is EventStatus.CANCELLED


@pytest.mark.parametrize(
    ("title", "category", "starts", "expected"),
    [
        ("Started a new job at Acme", "work", None, 1),
        ("new job at Acme, started", "work", 3, 1),
        ("Started a new job at Acme", "health", None, None),
        ("Started a new job at Globex Corporation", "work", None, None),
        ("Started a new job at Acme", "work", 400, None),
    ],
)
def test_find_event_matches_title_category_and_time(
    title: str, category: str, starts: int | None, expected: int | None
) -> None:
    event = KnownEvent(UUID(int=1), "Started new job at Acme", "work", day(0), day(1))
    starts_at = None if starts is None else day(starts)
    found = find_event(EventMention(title, category, said(2), starts_at), [event])
    assert found == (UUID(int=expected) if expected else None)


def trait(value: str, *numbers: int) -> Trait:
    return Trait("directness", value, [said(number) for number in numbers])


@pytest.mark.parametrize(
    ("assessed", "held", "expected"),
    [
        (trait("direct", 1, 2), None, Effect.BEGIN),
        (trait("direct", 1), None, Effect.IGNORE),
        (trait("direct", 9), "direct", Effect.SUPPORT),
        (trait("indirect", 8, 9), "direct", Effect.REPLACE),
        (trait("indirect", 9), "direct", Effect.IGNORE),
        # An assessment older than the current one.
        (trait("indirect", 1, 2), "direct", Effect.IGNORE),
        (trait("loud", 8, 9), None, Effect.IGNORE),
    ],
)
def test_find_effect_compares_an_assessed_trait_with_the_current_one(
    assessed: Trait, held: str | None, expected: Effect
) -> None:
    current = CurrentTrait(UUID(int=1), "directness", held, day(0), day(5), 2) if held else None
    assert find_effect(assessed, current) is expected


def test_each_trait_dimension_has_at_least_three_values() -> None:
    assert {"directness", "formality", "humour", "length"} <= DIMENSIONS.keys()
    assert all(len(set(values)) >= 3 for values in DIMENSIONS.values())


def test_questions_name_their_subject_in_one_line() -> None:
    fact = FactOccasion(UUID(int=1), "emi", "residence", "Lisbon", day(0), 4, "Berlin")
    assert verify(fact).text == "Is the residence of emi still Lisbon?"
    assert probe(fact).text == "What led the residence of emi to change from Berlin to Lisbon?"
    assert clarify(fact).text == "Is it right that the residence of emi is Lisbon?"
    assert "4 pieces" in clarify(fact).reason
    person = deepen_person(UUID(int=2), "", "Anna", 3, day(0))
    assert person.text == "Who is Anna to the user?"
    assert deepen_event(UUID(int=3), "the\nsurgery", "health", day(0)).text == (
        "How did it go: the surgery?"
    )
    long = FactOccasion(UUID(int=1), "emi", "note", "a long\nstory " * 90, day(0))
    assert len(verify(long).text) < 200
    assert "\n" not in verify(long).text + verify(long).topic
