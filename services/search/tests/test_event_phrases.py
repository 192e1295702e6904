"""Phrases such as `after the login page`, which name no event."""

from __future__ import annotations

import pytest

from everword.text.periods import find_event
from everword_search.retrieval.query.event_phrases import names_event

EVENTS = [
    "What did I eat after the wedding?",
    "What do I eat since my surgery?",
    "How has my knee been since the marathon?",
    "What did Ana say before we left Rome?",
    "What comes the day after the launch?",
    "notes before the launch",
    "Was habe ich nach der Hochzeit gemacht?",
    "¿Qué hice después de la boda?",
]
OTHERS = [
    "What comes after the login page?",
    "Which screen did we build after the login page with the logo?",
    "What runs after the authentication proxy?",
    "Where do I turn left, before the bridge in Cowes?",
    "Was ist nach Ansicht der Ärzte zu tun?",
    "¿Qué viene después de la página de inicio?",
    # In a statement next to a question, the time is that of the statement.
    "I'm back, feeling better after the malaria. What is next for the plan?",
    "No rush. I will call you after the meeting with Tom.",
]


@pytest.mark.parametrize("question", EVENTS)
def test_event_is_searched_for(question: str) -> None:
    event = find_event(question, ())
    assert event
    assert names_event(question, event)


@pytest.mark.parametrize("question", OTHERS)
def test_phrase_that_names_no_event_costs_no_search(question: str) -> None:
    event = find_event(question, ())
    assert event
    assert not names_event(question, event)
