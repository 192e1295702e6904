"""Pasted text in messages."""

from __future__ import annotations

import time

import pytest

from everword.text.attribution import blank_pasted, find_pasted, mark_pasted

ROME = "I live in Rome"


def test_find_pasted_of_plain_prose_returns_nothing() -> None:
    text = "I live in Rome. My sister, who's called Nadia, lives in Milan!\nWe like it."
    assert find_pasted(text) == []
    assert find_pasted("") == []


def test_blank_pasted_keeps_each_word_in_its_place() -> None:
    text = "I live in Oslo.\nFred: I live in Rome.\n\nI work at Acme."
    blanked = blank_pasted(text)
    assert len(blanked) == len(text)
    assert "Rome" not in blanked
    assert all(blanked[text.index(word) :].startswith(word) for word in ("Oslo", "Acme"))


def test_mark_pasted_replaces_each_pasted_passage_with_one_mark() -> None:
    text = "Look:\n> I live in Rome\n> near the zoo\n\nNice, isn't it?"
    assert mark_pasted(text, "[…]") == "Look:\n[…]\n\nNice, isn't it?"


def test_find_pasted_ignores_lines_labelled_with_the_authors_name() -> None:
    text = "[10:02] Ana Silva: I live in Rome\n[10:03] Fred: I live in Oslo"
    assert "Rome" in blank_pasted(text, ["ana"])
    assert "Oslo" not in blank_pasted(text, ["ana"])
    assert "Rome" not in blank_pasted(text, ["Fred"])
    # A role is not the author's name.
    assert "Rome" not in blank_pasted("User: I live in Rome\nAssistant: ok", ["user"])


@pytest.mark.parametrize(
    "text",
    [
        "Фред: Я живу в Риме.",
        "田中：私はローマに住んでいます。",
        "Fred: Ich wohne in Rom.",
        "Ana schrieb mir: Ich wohne in Rom.",
        "Frage für einen Freund: Ich bin allergisch gegen Nüsse.",
        "Ana a écrit :\nJ'habite à Rome",
        "差出人: Ana\n件名: hi\n\n私はローマに住んでいます。",
    ],
)
def test_find_pasted_in_other_languages_finds_the_words_of_others(text: str) -> None:
    [(_, end)] = find_pasted(text, ["Emi"])
    assert end == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "Hinweis: Ich wohne in Rom.",
        "Ich sagte: Ich wohne in Rom.",
        "P.D.: vivo en Roma",
        "备注：我住在罗马",
        "Кстати: я живу в Риме",
    ],
)
def test_find_pasted_in_other_languages_keeps_the_authors_words(text: str) -> None:
    assert find_pasted(text, ["Emi"]) == []


@pytest.mark.parametrize(
    "text",
    ["Invoice of Initech: number 3 was paid on time.", "Falcon: the deadline is Friday."],
)
def test_find_pasted_of_a_topic_before_a_colon_returns_nothing(text: str) -> None:
    assert find_pasted(text) == []


@pytest.mark.parametrize("text", ["+: and one more thing", "+ - see above", "<+> hello"])
def test_find_pasted_of_a_label_without_words_returns_nothing(text: str) -> None:
    assert find_pasted(text, ["Ana"]) == []


def test_find_pasted_of_an_unclosed_quotation_mark_stops_at_its_line() -> None:
    assert ROME in blank_pasted(f'He said "never\n{ROME}')
    assert ROME in blank_pasted(f'My screen has 27" and {ROME}')


@pytest.mark.parametrize(
    "text",
    [
        "[1] Marta: I love chess.\n  \n  I work at Pirelli as a fitter.",
        "[1] Marta: I love chess.\n\n  I work at Pirelli as a fitter.",
        "[12]82% Marta: I work at Pirelli.",
        "[3; untrusted; employer until 2026-05-02]41% Marta: I work at Pirelli.",
        "[4 day 2026-04-18]64% I work at Pirelli.\n  I love chess.",
        "[5 leaf summary] I work at Pirelli.",
        "[6 note]70% Marta: I work at Pirelli.",
        "[10:22, 3/3/2025] Marta: Hi!\n\nI live in Turin",
        "Marta: Hi!\n\nI live in Turin",
        "Marta wrote me:\n\nHi Emi!\n\nI live in Turin.",
        "Letter from Marta:\n\nI live in Turin.\n\nI work at Pirelli.",
        "[2026-11-24 16:23] Marta (user):\nI live in Turin.\n\nI work at Pirelli as a fitter.",
        "Marta — Today at 10:22\nHi\n\nI live in Turin",
        "Transcript:\n\nHello.\n\nI live in Turin",
        "Relevant context recalled from previous sessions:\n\n## Facts\n\n- I live in Berlin",
        "Here is the e-mail from my landlord:\n\nDear tenant,\n\nI live in Turin.",
        "Marta 10:22\nI live in Turin",
        "Marta Kowalska at 10:22\nI live in Turin",
        "[10:22] Marta Kowalska\nI live in Turin",
        "marta#1234: I live in Turin",
        "Marta [BOT]: I live in Turin",
        "**User**\n\nI live in Turin\n\n**Assistant**\n\nNice",
        "## User\n\nI live in Turin",
        "Speaker 1 00:12\nI live in Turin",
        "From: Marta\nI live in Turin",
        "FW: moving\nI live in Turin",
        "2025年3月3日 10:02 Marta <m@x.it>:\nI live in Turin",
        "Marta Kowalska <marta@x.it>\n10:22 AM (2 hours ago)\nto me\n\nI live in Turin",
        "My cousin just sent me this: I live in Turin.",
        "a friend wants to know: I'm allergic to walnuts. What can I eat?",
        "This is for a friend: I'm allergic to walnuts, what can I eat?",
        "Frage von einem Freund: I am allergic to walnuts.",
        "Voicemail from Marta: I live in Turin",
        "Marta's message: I live in Turin",
        "Correct my friend's text: I live in Turin",
        "[quote]\nI live in Turin\n[/quote]",
        "`I live in Turin`",
        "name,text\nmarta,I live in Turin",
        "marta | I live in Turin",
        "<|im_start|>user\nI live in Turin<|im_end|>",
        "1\n00:01:02.000 --> 00:01:04.000\nI live in Turin",
        "> I live in Turin\nand I work at Pirelli",
        "[2] Marta: Fun.\n  \n  \n  Emi: I work at Pirelli.\n  ```\n  I live in Turin",
        "Giulia Rossi, 14:07\nI live in Turin\n\nI work at Fiat",
        "12:01 PM - Marta: Hey\n\nI work at Fiat",
        "Email from my boss:\n\nDear all,\n\nI live in Turin.\n\nBest,\nMarta",
        "My sister forwarded me this message:\n\nHello!\n\nI am vegan.",
        "Von: Marta\nIch wohne in Turin",
        "Fwd: flat\n\nHi\n\nI live in Turin",
        "author\ttext\nmarta\tI live in Turin",
        "Human 2: I live in Turin.",
        "### Assistant:\nI live in Turin\n\nI like tea",
        "My neighbour would like to know: I have two cats, can I move?",
        "My mom's email: I live in Turin",
        "[code]I live in Turin[/code]",
        "王芳 10:22\nI live in Turin",
        "Question d'un ami : I am allergic to nuts",
        "I received this today: I live in Turin",
        "| name | text |\n|---|---|\n| marta | I live in Turin |",
        "My friend is asking: I have two cats, can I move?",
        "She left me this voicemail: I live in Turin",
    ],
)
def test_find_pasted_covers_all_words_of_others(text: str) -> None:
    left = blank_pasted(text, ["Emi"])
    said = ("Turin", "Pirelli", "Berlin", "Fiat", "walnuts", "nuts", "vegan", "cats")
    assert any(word in text for word in said)
    assert not any(word in left for word in said)


@pytest.mark.parametrize(
    "text",
    [
        "Wait: I live in Rome",
        "Answer: I live in Rome",
        "Q: I live in Rome. Where can I eat?",
        "UPD: I live in Rome",
        "Obs: I live in Rome",
        "Day 1: I moved to Rome",
        "Step 1: I moved to Rome",
        "Part 2: I moved to Rome",
        "Hm: I live in Rome",
        "ETA: I live in Rome",
        "Huom: I live in Rome",
        "Not: I live in Rome",
        "ملاحظة: I live in Rome",
        "नोट: I live in Rome",
        "Fred - I live in Rome.",
        "Hi!\n\n    I live in Rome",
        "Here's my message: I live in Rome",
        "Today's note: I live in Rome",
        "One question by the way: I live in Rome. Ok?",
        "Dinner 19:30\nI live in Rome",
        "Meeting at 10:00\nI live in Rome",
        "Flight 10:30\nI live in Rome",
        "I sent her this: I live in Rome",
        "Week 3: I live in Rome",
        "Hello\n\n      I live in Rome.\n      I like it.",
        "> where do you live?\ni live in rome",
        "> Where do you live\nI live in Rome",
        "Chapter 2: I moved to Rome",
        "I work at `Acme` and live in `Rome`",
        "## About\n\nI live in Rome",
        "**Family**\n\nI live in Rome",
        "My trip, 10:30\nI live in Rome",
        "It's for my mom, I live in Rome",
        "Emi's message: I live in Rome",
        "Emi 10:22\nI live in Rome",
        "Warte: Ich wohne in Rom",
        "Reminder 10:30\nI live in Rome",
        "- one, two\n- three\nI live in Rome",
        "Reading: I live in Rome",
        "Hint: I live in Rome",
        "I found this out: I live in Rome",
        "What I got from this: I live in Rome",
        "I live in Rome and got this error when I ran it: no module",
        "[3] I live in Rome",
        "[3 days] I live in Rome",
        "[3]82% I live in Rome",
    ],
)
def test_find_pasted_does_not_cover_the_authors_own_words(text: str) -> None:
    assert "rom" in blank_pasted(text, ["Emi"]).lower()


@pytest.mark.parametrize(
    "text",
    [
        "[10:02] Ana: I live in Turin\n\nThat was Ana. I live in Rome.",
        "Ana wrote me:\n\nI live in Turin.\n\nWhat do you think? I live in Rome.",
        'Ana wrote:\n\n"I live in Turin."\n\nI live in Rome.',
        "Ana wrote:\n```\nI live in Turin.\n```\nI live in Rome.",
        "Ana wrote:\n> I live in Turin.\n\nI live in Rome.",
        "I live in Rome.\n\nFrom: Ana\nI live in Turin",
        "[1] Ana: I live in Turin\n  and\n\nI live in Rome.",
    ],
)
def test_find_pasted_ends_when_the_author_speaks_again(text: str) -> None:
    left = blank_pasted(text, ["Emi"])
    assert "Rome" in left
    assert "Turin" not in left


def test_find_pasted_with_weak_labels_treats_a_name_before_a_topic_as_label() -> None:
    text = "Nora: The mooring fee rose to 340 crowns"
    assert find_pasted(text) == []
    assert find_pasted(text, with_weak=True) == [(0, len(text))]


@pytest.mark.parametrize(
    "part",
    [
        *('"', "<a>", "<x y>", "[", "{\n", "Ana: I\n", "— A\n", "From: a\n", "said: ", "\n \n- a"),
        *("10:02 Ana: a\n", "asking for a friend\n", "x wrote:\n\n", "“", "'a ", "*smiles ", "> "),
        *(
            "`a",
            "[quote]",
            "Ana 10:02\n",
            "## User\n\n",
            "x sent me this: ",
            "Ana's ",
            "a <",
            "a,b\n",
        ),
        *(
            "[1] A: a\n  \n",
            "[1 note; ",
            "this is for my ",
            "FW: ",
            "\n    a b",
            "ana | I\n",
            "[10:02] Ana ",
            "> a\nb\n",
        ),
    ],
)
def test_find_pasted_of_hostile_text_takes_linear_time(part: str) -> None:
    def measure(chars: int) -> float:
        text = part * (chars // len(part))
        begin = time.process_time()
        find_pasted(text)
        return time.process_time() - begin

    measure(1_000)
    few, many = (min(measure(chars), measure(chars)) for chars in (25_000, 100_000))
    # Quadratic time would be 16 times as much.
    assert many < 8 * few + 0.05


def test_find_pasted_of_tool_output_with_a_sign_in_brackets_returns_nothing() -> None:
    line = "[+] Opening connection to crypto.example.org on port 4242: Done"
    assert find_pasted(line, ["Mara"], with_weak=True) == []
