"""Repetitions in a context are recognised by their words, whatever their source."""

from __future__ import annotations

import pytest

from everword_search.context.repetition import WordsInContext
from everword_search.context.summary_lines import without_conversations, without_repeated_text

_MOVED = "The dentist appointment was moved to 21 September at 11:00."
_SISTER = "My sister Yasmine lives in Montreal. She's a vet and drives a Tesla."
_DIGEST = (
    "[2026-09-10T18:00Z] [chat:01a210ed-3f6a-72ad-a5f4-572459b519db]\n"
    f"- Nadia: {_MOVED}\n- bolt: Moved to 21 September, 11:00.\n- Nadia: {_SISTER}"
)


@pytest.mark.parametrize(
    "again",
    [
        "Good morning Bolt! The dentist appointment was moved to 21 September at 11:00.",
        "Hi, the dentist appointment was moved to 21 September at 11:00.",
        "Hello dear Yasmine, the dentist appointment was moved to 21 September at 11:00. Bye!",
    ],
)
def test_message_with_another_greeting_counts_as_repeated(again: str) -> None:
    said = WordsInContext("When does Nadia see the dentist?")
    said.add(f"Dear Tom, {_MOVED[0].lower()}{_MOVED[1:]}", "Nadia")
    assert said.repeats(again)


def test_message_with_the_same_greeting_and_a_new_value_is_no_repetition() -> None:
    said = WordsInContext("When does Nadia see the dentist?")
    said.add(f"Hi Tom, {_MOVED}", "Nadia")
    assert not said.repeats(f"Hi Tom, {_MOVED.replace('21', '28')}")
    assert not said.repeats(f"Hi Tom, {_MOVED} He takes Yasmine along.")


def test_summary_counts_as_repeated_if_all_its_messages_are_shown() -> None:
    said = WordsInContext("When does Nadia see the dentist?")
    said.add(_MOVED, "Nadia")
    assert not said.repeats(_DIGEST), "one of its messages is not there"
    said.add(_SISTER, "Nadia")
    said.add("Moved to 21 September, 11:00.", "bolt")
    assert said.repeats(_DIGEST)
    assert not said.repeats(f"{_DIGEST}\n- Nadia: and it was painless"), "that is new"


def test_summary_counts_as_repeated_if_an_equal_summary_is_shown() -> None:
    said = WordsInContext("")
    said.add(_DIGEST, "summary")
    assert said.repeats(_DIGEST.replace(" [chat:01a210ed-3f6a-72ad-a5f4-572459b519db]", ""))
    assert not said.repeats(_DIGEST.replace("Tesla", "Skoda"))


def test_summary_is_shown_without_repeated_sentences() -> None:
    said = WordsInContext("")
    said.add("I live in Kazan and work as a baker.", "Emi")
    summary = (
        "[2026-04-18T12:00Z] [via:phone]\n- Emi: I live in Kazan and work as a baker.\n"
        "[2026-04-18T15:10Z]\n- bolt: Hello!\n- Emi: I live in Kazan and work as a baker.\n"
        "  My sister Yasmine keeps two bees in her garden."
    )
    assert without_repeated_text(summary, said.repeats) == (
        "[2026-04-18T15:10Z] [via:phone]\n- bolt: Hello!\n"
        "- Emi: My sister Yasmine keeps two bees in her garden."
    )
    prose = "Emi is a baker in Kazan, the sister keeps bees, and nothing of it stands there in these words."
    assert without_repeated_text(prose, said.repeats) == prose
    assert without_repeated_text("- Emi: I live in Kazan and work as a baker.", said.repeats) == ""


def test_context_omits_conversation_ids() -> None:
    assert without_conversations(_DIGEST) == (
        f"[2026-09-10T18:00Z]\n- Nadia: {_MOVED}\n- bolt: Moved to 21 September, 11:00.\n- Nadia: {_SISTER}"
    )
    tag = " [chat:01a210ed-3f6a-72ad-a5f4-572459b519db]"
    assert without_conversations(f"{tag[1:]}{tag}\n- They met.{tag}{tag} [via:a]") == (
        "- They met. [via:a]"
    )
