"""Messages without a topic, for which a context searches nothing."""

from __future__ import annotations

import pytest

from everword_search.context.small_talk import is_small_talk

SMALL_TALK = [
    *(
        "thanks!",
        "Thank you so much 🙏",
        "ok great",
        "lol",
        "Good night!",
        "Sounds good to me",
        "👍",
    ),
    *("How are you?", "Danke dir!", "Gute Nacht", "Wie geht's dir?", "gracias", "¿Qué tal?"),
    *("merci beaucoup", "grazie mille", "どうもありがとう", "好的，谢谢", "شكرا جزيلا"),
]
TOPICS = [
    *("problem", "my good friend Bob", "Ok, and the boat?", "yes, the second one", "C++", "42"),
    *(
        "Thanks, that fixed the build",
        "What is good?",
        "Danke für den Kuchen",
        "法国的首都是哪里？",
    ),
    "Explain photosynthesis to me",
]


@pytest.mark.parametrize("text", SMALL_TALK)
def test_small_talk_has_no_topic(text: str) -> None:
    assert is_small_talk(text)


@pytest.mark.parametrize("text", TOPICS)
def test_other_messages_have_a_topic(text: str) -> None:
    assert not is_small_talk(text)
