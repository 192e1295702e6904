"""The topic of a request for a summary or for an order of events."""

import pytest

from everword_search.retrieval.query.topics import topic_of


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        (
            "Can you give me a clear summary of how my weather app has developed throughout our conversations?",
            "my weather app?",
        ),
        (
            "Could you walk me through the order in which I brought up different aspects of moving to Leeds? "
            "Mention only five items.",
            "moving to Leeds?",
        ),
        ("Please summarize what we discussed about the kitchen -tiles", "kitchen -tiles"),
        ("In what order did I visit the museums?", "I visit the museums?"),
        (
            "Kannst du mir eine kurze Zusammenfassung der Bauarbeiten geben?",
            "Bauarbeiten geben?",
        ),
        ("¿Puedes darme un resumen de las reuniones con Marta?", "las reuniones con Marta?"),
        ("Fais-moi un résumé des travaux de la cuisine", "travaux de la cuisine"),
        # Without a topic, or no such request.
        ("Can you summarize our conversations?", None),
        ("Can you summarize it?", None),
        ("What's the order of operations?", None),
        ("Who wrote the summary of the meeting?", None),
        ("Summarize this: " + "a long text " * 100, None),
        ("", None),
    ],
)
def test_topic_of_removes_words_around_the_topic(text: str, topic: str | None) -> None:
    assert topic_of(text) == (text if topic is None else topic)
