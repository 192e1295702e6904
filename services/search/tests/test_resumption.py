"""Questions for the end of the last conversation, and questions that have a topic."""

from __future__ import annotations

import pytest

from everword_search.context.resumption import asks_to_resume


@pytest.mark.parametrize(
    "text",
    [
        "Where were we?",
        "Good morning, Juno! Where did we stop last time?",
        "Let's continue.",
        "Hi",
        "What did we decide last time?",
        "Can you remind me where we left off yesterday?",
        "Catch me up, please.",
        "Wo waren wir stehen geblieben?",
        "Où en étions-nous ?",
        "¿Dónde nos quedamos la última vez?",
        "Dove eravamo rimasti?",
        "Waar waren we gebleven?",
    ],
)
def test_question_without_a_topic_asks_to_resume(text: str) -> None:
    assert asks_to_resume(text, ["Juno", "Nora"])


@pytest.mark.parametrize(
    "text",
    [
        "Let's continue with the boat.",
        "What did we decide about the price?",
        "What time do I start work?",
        "How old am I?",
        "What did we do last week?",
        "What about the war?",
        "Where were we in Spain?",
        "Wo wohne ich?",
        "...",
        "continue " * 20,
    ],
)
def test_question_with_a_topic_does_not_ask_to_resume(text: str) -> None:
    assert not asks_to_resume(text, ["Juno", "Nora"])
