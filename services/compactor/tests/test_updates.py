"""Which earlier messages a message corrects or updates, and with which values."""

from __future__ import annotations

import pytest

from everword_compactor.learning.updates.detect import UpdateKind, find_updates, may_update

REPLACED, CORRECTED, RESTORED = UpdateKind

#: An earlier message, a later one, the kind of update, the outdated value and the current one.
UPDATES = [
    (
        "ugh i finally booked the dentist, its on the 14th at half nine",
        "looked at the mail again and the dentist is the 21st, not the 14th. glad i checked",
        *(CORRECTED, "14th", "21st"),
    ),
    (
        "at the airport already. flight to porto leaves from gate A7",
        "they just announced it, we got moved to gate B12, other end of course",
        *(REPLACED, "A7", "B12"),
    ),
    (
        "The deposit for the flat is 350, I will transfer it tomorrow.",
        "turns out it was 400 that he wanted, i misread the contract",
        *(CORRECTED, "350", "400"),
    ),
    (
        "the team dinner is on Friday at 8, I booked the big table",
        "guys luigi called, they have a pipe burst, so dinner is saturday instead",
        *(CORRECTED, "Friday", "saturday"),
    ),
    (
        "found a plumber, kowalski, number is 555 0142",
        "sorry typo, its 555 0177. and thats his mobile",
        *(CORRECTED, "555 0142", "555 0177"),
    ),
    (
        "the climbing course is on Tuesday",
        "forget what i said about the climbing, its back on Tuesday",
        *(RESTORED, "", "Tuesday"),
    ),
    (
        "The primary database is db-3, the replica is db-5.",
        "We moved the primary from db-3 to db-7 last night.",
        *(REPLACED, "db-3", "db-7"),
    ),
]
#: An earlier message, and a later one that does not update it.
UNRELATED = [
    ("the dentist is on the 14th", "is the dentist now on the 21st?"),
    ("the dentist is on the 14th", "maybe the dentist could move it to the 21st"),
    ("the dentist is on the 14th", "mom also has a dentist appointment now, on the 21st"),
    ("the dentist is on the 14th", "actually the plumber comes on the 21st"),
    ("Ana lives in Leeds", "Ben is in Glasgow now"),
    ("I'm going for my dreams!", "Thanks! Keep going for your dreams and don't quit!"),
    ("Long time no chat!", "No prob! Always here to help with a chat."),
    ("Invoice of Initech: number 7 was paid.", "Invoice of Initech: number 8 was paid."),
    (
        "Incident on Tuesday: the disk of the primary was full on db-3.",
        "We moved the primary from db-3 to db-7 last night.",
    ),
    (
        "The disk of the primary was full on db-3.",
        "We moved the primary from db-3 to db-7 last night.",
    ),
    (
        "We had an incident with replication lag on db-3, it lasted forty minutes.",
        "The primary has moved from db-3 to db-7 after the incident.",
    ),
    # Without a day, a time, a number or a code, an update is not certain.
    ("We decided on MongoDB for the service.", "scrap that about mongo, we go with Postgres"),
    ("sides 5 cm, 5 cm, and 8 cm", "It is a triangle with sides 7, 9, and 12 cm now."),
    ("the train costs 40 euros", "I waited 20 minutes for the train, now I am cold"),
]


@pytest.mark.parametrize(
    ("earlier", "later", "kind", "value", "current"),
    UPDATES,
    ids=[later for _, later, *_ in UPDATES],
)
def test_find_updates_returns_the_outdated_and_the_current_value(
    earlier: str, later: str, kind: UpdateKind, value: str, current: str
) -> None:
    assert may_update(later)
    [update] = find_updates(later, [earlier])
    assert (update.kind, update.value, update.current) == (kind, value, current)


@pytest.mark.parametrize(("earlier", "later"), UNRELATED, ids=[later for _, later in UNRELATED])
def test_find_updates_ignores_questions_guesses_additions_and_other_topics(
    earlier: str, later: str
) -> None:
    assert find_updates(later, [earlier]) == []


def test_find_updates_reads_a_denial_as_the_answer_to_a_question() -> None:
    earlier, later = ["driving test is on the 19th at 10"], "nope, 26th. my instructor is ill"
    [update] = find_updates(later, earlier, asked="Is the test still on the 19th?")
    assert (update.value, update.current) == ("19th", "26th")
    assert not may_update("no idea, ask my instructor", "Is the test still on the 19th?")


def test_find_updates_prefers_the_latest_message_if_the_correction_names_no_topic() -> None:
    earlier = ["the plumber's number is 555 0142", "the painter's number is 555 0198", "ok"]
    [update] = find_updates("sorry typo, its 555 0177", earlier)
    assert update.value == "555 0198"
