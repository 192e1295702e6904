"""Rules of Sleep that ask no model and no database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from everword.domain.periods import Calendar, last_night
from everword.facts.confidence import find_maturity
from everword.facts.model import DisputeOutcome, FactRuling, FactSource, FactState, Key
from everword_compactor.sleep.model import (
    KnownFact,
    Observation,
    Profile,
    Quote,
    SessionMessage,
    SleepConversation,
    SleepSession,
)
from everword_compactor.sleep.prompts import find_quote, portions
from everword_compactor.sleep.runs.namespace import next_night
from everword_compactor.sleep.runs.sessions import MOST_MESSAGES, cut_sessions
from everword_compactor.sleep.stages.behaviour import read_inferences
from everword_compactor.sleep.stages.classify import ObservationRelation, read_relations
from everword_compactor.sleep.stages.consolidate import folded
from everword_compactor.sleep.stages.disputes import by_rule
from everword_compactor.sleep.stages.edges import read_edges_of
from everword_compactor.sleep.stages.name_attributes import attribute_name, topic_names
from everword_compactor.sleep.stages.reads import DisputeRow
from everword_compactor.sleep.store import StoredMessage

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ABOUT = SleepConversation(UUID(int=1), "opus", "cli", "emi")


def said(seq: int, text: str, after: timedelta = timedelta()) -> StoredMessage:
    at = NOON + after
    return StoredMessage(uuid4(), seq, 2, "Emi", text, at, recorded_at=at)


def session(*texts: str) -> SleepSession:
    messages: Sequence[SessionMessage] = [
        said(seq, text) for seq, text in enumerate(texts, start=1)
    ]
    return SleepSession(UUID(int=2), ABOUT, messages)


def known(attribute: str, value: str, **fields: Any) -> KnownFact:
    given: dict[str, Any] = {
        "id": uuid4(),
        "key": Key("emi", attribute),
        "value": value,
        "category": "general",
        "state": FactState.SUSPECTED,
        "source": FactSource.STATED,
        "confidence": 0.5,
        "mentions": 1,
        "several": False,
        "first_seen_at": NOON,
        "last_seen_at": NOON,
        "lifetime_days": 365,
        **fields,
    }
    return KnownFact(**given)


def observed(attribute: str = "", value: str = "", subject: str = "emi") -> Observation:
    quote = Quote(uuid4(), ABOUT.id, 1, NOON, "words")
    return Observation(uuid4(), subject, "", attribute, value, [quote])


def test_cut_sessions_splits_at_pauses_and_keeps_the_last_one_unfinished() -> None:
    messages = [
        said(1, "a"),
        said(2, "b", timedelta(minutes=29)),
        said(3, "c", timedelta(minutes=60)),
        # A message of an import that is older than those before it is no pause.
        said(4, "d", timedelta(days=-3)),
    ]
    soon, later = NOON + timedelta(minutes=61), NOON + timedelta(hours=3)

    def cut(now: datetime, wanted: int = 0, has_more: bool = False) -> list[tuple[list[int], bool]]:
        runs = cut_sessions(messages, wanted, now, has_more=has_more)
        return [([m.seq for m in run.messages], run.is_finished) for run in runs]

    assert cut(soon) == [([1, 2], True), ([3, 4], False)]
    assert cut(soon, wanted=4) == cut(later) == [([1, 2], True), ([3, 4], True)]
    assert cut(later, has_more=True) == [([1, 2], True), ([3, 4], False)]


def test_cut_sessions_limits_messages_per_session() -> None:
    messages = [said(seq, "x") for seq in range(1, MOST_MESSAGES + 12)]
    runs = list(cut_sessions(messages, 0, NOON, has_more=False))
    assert [(len(run.messages), run.is_finished) for run in runs] == [
        (MOST_MESSAGES, True),
        (11, False),
    ]


def test_portions_split_long_sessions_without_losing_text() -> None:
    long = "A sentence that says something. " * 300
    texts = [f"short {number} " + "word " * 80 for number in range(20)]
    shown = session(*texts[:10], long, *texts[10:])
    parts = list(portions(shown, 3_000, "UTC"))
    assert len(parts) > 4
    words: dict[int, str] = {}
    for part in parts:
        assert sum(len(record["text"]) for record in part) <= 3_000
        for record in part:
            words[record["n"]] = words.get(record["n"], "") + record["text"]
    assert list(words.values()) == [message.content for message in shown.messages]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("I live in Berlin", "I live in Berlin"),
        ("live  in\nBerlin", "live in Berlin"),
        ('"I live in Berlin, near the “zoo”"', "I live in Berlin, near the “zoo”"),
        ("I live in berlin", None),
        ("I lived in Berlin", None),
        ("", None),
    ],
)
def test_find_quote_matches_message_text_verbatim(words: str, found: str | None) -> None:
    quote = find_quote(session("Yes. I live in Berlin, near the “zoo”."), 1, words)
    assert (quote.text if quote else None) == found
    assert find_quote(session("x", "I live in Berlin"), 1, "I live in Berlin") is None


def test_attribute_and_topic_names_are_normalised() -> None:
    assert attribute_name("Home city") == attribute_name("location") == "residence"
    assert attribute_name("Favourite author!") == "favourite_author"
    assert attribute_name("...") == ""
    assert topic_names(["work", "  Music ", "music", "a", "b"], ["Work", "music"]) == [
        "Work",
        "music",
        "a",
    ]


def test_folded_ignores_case_article_and_punctuation() -> None:
    assert folded("the Beatles") == folded("Beatles.") != folded("Beetles")
    assert folded("The") == "the"


def test_read_relations_refuses_unknown_or_unsuitable_observations_and_facts() -> None:
    asked = [observed("residence", "Lisbon"), observed(), observed("pet", "cat", subject="bo")]
    facts = [known("residence", "Berlin")]

    def read(o: int, relation: str, fact: int) -> tuple[list[ObservationRelation], int]:
        answer = {"relations": [{"o": o, "relation": relation, "fact": fact}]}
        checked = read_relations(asked, facts, [{"o": 1}, {"o": 2}, {"o": 3}], answer)
        return [each.relation for each in checked.value.values()], len(checked.complaints)

    assert read(1, "contradict", 1) == ([ObservationRelation.CONTRADICT], 0)
    assert read(4, "support", 1) == ([], 1)
    assert read(1, "support", 2) == ([], 1)
    # The fact has another subject.
    assert read(3, "support", 1) == ([], 1)
    assert read(2, "against", 1) == ([ObservationRelation.AGAINST], 0)


def test_read_inferences_requires_observations_of_one_person_and_skips_repeats() -> None:
    own = [observed("tea", "oat milk"), observed(), observed(subject="bo")]
    shown = [{"o": 1}, {"o": 2}, {"o": 3}]

    def read(attribute: str, value: str, *because: int) -> tuple[int, int]:
        entry = {"attribute": attribute, "value": value, "why": "So.", "because": list(because)}
        checked = read_inferences(own, shown, {"inferences": [entry]})
        return len(checked.value), len(checked.complaints)

    assert read("sleep_rhythm", "night owl", 1, 2) == (1, 0)
    assert read("sleep_rhythm", "night owl", 9) == (0, 1)
    assert read("sleep_rhythm", "night owl", 1, 3) == (0, 1)
    assert read("sleep_rhythm", "asleep at 3:17", 1) == (0, 1)
    assert read("tea", "with milk", 1, 2) == (0, 0)


def test_read_edges_keeps_only_edges_at_a_changed_fact() -> None:
    facts = [known("drink", "tea"), known("evening", "cello"), known("pet", "cat")]

    def read(first: int, second: int, confidence: float = 0.8) -> tuple[int, int]:
        edge = {"from": first, "to": second, "relation": "causes", "reason": "So."}
        answer = {"edges": [{**edge, "confidence": confidence}]}
        checked = read_edges_of(facts, 1, answer)
        return len(checked.value), len(checked.complaints)

    assert read(1, 2) == read(3, 1) == (1, 0)
    assert read(2, 3) == read(1, 2, 0.1) == (0, 0)
    assert read(1, 1) == read(1, 4) == (0, 1)


def dispute(**fields: Any) -> DisputeRow:
    given: dict[str, Any] = {
        "id": uuid4(),
        "opened_at": NOON,
        "old_id": uuid4(),
        "new_id": uuid4(),
        "subject": "emi",
        "attribute": "residence",
        "new_attribute": "residence",
        "old_value": "Berlin",
        "new_value": "Lisbon",
        "old_mentions": 1,
        "new_mentions": 1,
        "old_last_seen_at": NOON,
        "new_first_seen_at": NOON + timedelta(days=1),
        "new_last_seen_at": NOON + timedelta(days=1),
        "old_ruling": None,
        "new_ruling": None,
        "old_state": FactState.CLOSED,
        "new_state": FactState.SUSPECTED,
        "new_hypothesis": False,
        "new_source": FactSource.STATED,
        **fields,
    }
    return DisputeRow(**given)


#: The new value is stated in another session.
AGAIN = {"new_mentions": 2, "new_last_seen_at": NOON + timedelta(days=2)}


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ({}, None),
        (AGAIN, DisputeOutcome.ACCEPT_NEW),
        # Two statements within one session are one occasion.
        ({"new_mentions": 2}, None),
        # A value first stated before the old one may be older news.
        ({**AGAIN, "new_first_seen_at": NOON}, None),
        ({**AGAIN, "new_hypothesis": True}, None),
        ({**AGAIN, "new_source": FactSource.INFERRED}, None),
        ({"opened_at": NOON - timedelta(days=91), "old_mentions": 3}, DisputeOutcome.REJECT_NEW),
        ({"opened_at": NOON - timedelta(days=91)}, DisputeOutcome.KEEP),
        ({"old_ruling": FactRuling.RIGHT, "new_mentions": 2}, DisputeOutcome.REJECT_NEW),
        ({"new_ruling": FactRuling.WRONG, "new_mentions": 2}, DisputeOutcome.REJECT_NEW),
        ({"new_ruling": FactRuling.RIGHT}, DisputeOutcome.ACCEPT_NEW),
        ({"new_state": FactState.REJECTED}, DisputeOutcome.REJECT_NEW),
        ({"old_state": FactState.REJECTED}, DisputeOutcome.ACCEPT_NEW),
    ],
)
def test_by_rule_resolves_clear_disputes(
    fields: dict[str, Any], outcome: DisputeOutcome | None
) -> None:
    settled = by_rule(dispute(**fields), NOON)
    assert (settled.outcome if settled else None) is outcome


@pytest.mark.parametrize(
    ("days", "evidence", "is_anchor", "lifetime"),
    [
        (730, 10, False, 730),
        (729, 10, False, 365),
        (730, 9, False, 365),
        (365, 6, False, 365),
        (364, 6, False, 180),
        (90, 3, False, 180),
        (89, 3, False, None),
        (90, 2, False, None),
        # Forty percent less, of the evidence rounded up: 1.8 pieces are two.
        (54, 2, True, 180),
        (54, 1, True, None),
        (53, 2, True, None),
        (219, 4, True, 365),
        (438, 6, True, 730),
    ],
)
def test_find_maturity_depends_on_age_and_evidence(
    days: int, evidence: int, is_anchor: bool, lifetime: int | None
) -> None:
    tier = find_maturity(NOON, NOON + timedelta(days=days), evidence, is_anchor)
    assert (tier.lifetime_days if tier else None) == lifetime


def test_nights_end_at_the_namespace_day_cutoff() -> None:
    zurich = Calendar("Europe/Zurich", 300)
    # At 05:00 in Zurich, 03:00 in UTC in summer.
    assert last_night(zurich, datetime(2026, 7, 2, 2, 59, tzinfo=UTC)) == date(2026, 6, 30)
    assert last_night(zurich, datetime(2026, 7, 2, 3, 0, tzinfo=UTC)) == date(2026, 7, 1)
    assert next_night(zurich, date(2026, 7, 1)) == datetime(2026, 7, 3, 3, tzinfo=UTC)
    utc = Calendar("UTC", 0)
    assert next_night(utc, date(2026, 7, 1)) == datetime(2026, 7, 3, 4, tzinfo=UTC)


def test_profile_find_ignores_case() -> None:
    profile = Profile([known("residence", "Berlin")])
    assert profile.find(Key("emi", "residence"), " berlin ") is not None
    lisbon = known("residence", "Lisbon", id=None)
    moved = profile.with_fact(lisbon, profile.facts)
    assert [fact.value for fact in moved.facts] == ["Lisbon"]
    assert moved.without_fact(lisbon).facts == []
