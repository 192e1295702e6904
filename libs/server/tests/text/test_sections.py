"""Sections are whole sentences and lines around a passage."""

from __future__ import annotations

from everword.text.sections import find_section


def section(text: str, passage: str, chars: int) -> str:
    start = text.index(passage)
    first, last = find_section(text, start, start + len(passage), chars)
    return text[first:last]


def test_section_grows_after_and_before_the_passage_in_turn() -> None:
    text = "One is here. Two is here. Three is here. Four is here. Five is here."
    assert section(text, "Three is here. ", 15) == "Three is here. "
    assert section(text, "Three is here. ", 30) == "Three is here. Four is here. "
    assert section(text, "Three is here. ", 45) == "Two is here. Three is here. Four is here. "
    assert section(text, "Three is here. ", 100) == text


def test_section_completes_the_sentence_of_the_passage() -> None:
    text = "It rained. The red lantern hangs in the shed behind the house. It is old."
    assert "The red lantern hangs in the shed" in section(text, "lantern hangs", 60)


def test_section_of_lines_has_whole_lines() -> None:
    text = "\n".join(f"line {n} of the log" for n in range(50))
    shown = section(text, "line 25 of the log\n", 120)
    assert all(line in text.splitlines() for line in shown.splitlines())
    assert shown.endswith("\n")


def test_section_is_at_least_the_passage_and_a_long_sentence_is_not_cut() -> None:
    text = "word " * 400 + "the end. Short."
    assert section(text, "word word", 20) == "word word"


def test_section_without_a_passage_is_the_beginning() -> None:
    assert find_section("One is here. Two is here.", 0, 0, 15) == (0, 13)
    assert find_section("no sentence ends here at all", 0, 0, 15) == (0, 11)
