"""Extractive summaries keep decisions, tasks, causes and corrections, in lines that can be read alone."""

from __future__ import annotations

import pytest

from everword_compactor.compose.cues import KINDS, kinds_in
from everword_compactor.compose.extractive.bullets import read_lines
from everword_compactor.compose.extractive.corrections import Line, correct_lines
from everword_compactor.compose.extractive.weight import is_courtesy
from everword_compactor.compose.model import Level, Source
from support.coding_talk_of_notes import NOTES, NOTES_PLANTED
from support.coding_talks import EXPORTS, EXPORTS_PLANTED, PRICES, PRICES_PLANTED, Points, Talk
from support.extractive import as_source, compose, message

ROLES = {"user": 2, "assistant": 3}
CHINESE = (
    "我们决定把服务器搬到法兰克福。因为旧的服务器每个月要六十一欧元。玛丽负责在五月十四日之前完成迁移。"
    * 3
)
ARABIC = (
    "قررنا نقل الخادم إلى فرانكفورت لأن الخادم القديم يكلف 61 يورو في الشهر. هل ستكون ماري في المكتب؟ "
    "نعم، ستنقل ماري البيانات قبل 14 مايو. "
) * 3


def conversation(talk: Talk) -> list[Source]:
    return [
        message(number, "", text, role=ROLES[role], agent="coder")
        for number, (role, text) in enumerate(talk)
    ]


def tens(sources: list[Source]) -> list[list[Source]]:
    return [sources[first : first + 10] for first in range(0, len(sources), 10)]


def kept(points: Points, texts: list[str]) -> list[tuple[str, ...]]:
    return [point for point in points if any(all(part in text for part in point) for text in texts)]


@pytest.mark.parametrize(
    ("talk", "points"),
    [(EXPORTS, EXPORTS_PLANTED), (PRICES, PRICES_PLANTED), (NOTES, NOTES_PLANTED)],
    ids=["exports", "prices", "notes"],
)
def test_leaves_keep_ten_of_thirteen_decisions_tasks_and_causes(talk: Talk, points: Points) -> None:
    sources = conversation(talk)
    leaves = [compose(Level.LEAF, part, agent="coder") for part in tens(sources)]
    texts = [line.text for leaf in leaves for line in read_lines(leaf.content)]
    found = kept(points, texts)
    assert len(found) >= 10, set(points) - set(found)
    size = sum(len(source.text.encode()) for source in sources) / 4
    assert 0.15 * size <= sum(leaf.token_count for leaf in leaves) <= 0.6 * size
    # The branch above keeps most of what its leaves kept.
    above = [
        as_source(Level.LEAF, leaf, sources, agent="coder", latest_at=sources[-1].latest_at)
        for leaf in leaves
    ]
    branch = compose(Level.BRANCH, above, agent="coder")
    texts = [line.text for line in read_lines(branch.content)]
    assert len(kept(points, texts)) >= 4
    assert branch.token_count <= 0.6 * sum(leaf.token_count for leaf in leaves) + 1


def test_greetings_headings_and_fragments_are_left_out() -> None:
    said = [
        ("Emi", "TGIF."),
        ("Tom", "Good morning, Emi! How are you?"),
        ("Emi", "Oh, true."),
        ("Tom", "## Plans\nWe moved the greenhouse party to the town hall because the roof leaks."),
        ("Emi", "Sounds great!"),
        ("Tom", "Wow, nice."),
        ("Emi", "Brilliant."),
        ("Tom", "Clara brings 40 chairs from the school."),
    ]
    leaf = compose(Level.LEAF, [message(n, *each) for n, each in enumerate(said)])
    texts = [line.text for line in read_lines(leaf.content)]
    assert "We moved the greenhouse party to the town hall because the roof leaks." in texts
    assert set(texts) <= {text.removeprefix("## Plans\n") for _, text in (said[3], said[7])}


def test_short_answer_is_shown_with_its_question() -> None:
    said = [
        ("Tom", "I want to put it into my calendar. When is the race in Porto?"),
        ("Mira", "14th of March."),
        ("Tom", "Thanks! I will book the train for the two of us this evening."),
    ]
    leaf = compose(Level.LEAF, [message(n, *each) for n, each in enumerate(said)])
    [answer] = [line for line in read_lines(leaf.content) if line.speaker == "Mira"]
    assert answer.text == "14th of March. (Tom asked: When is the race in Porto?)"
    alone = compose(
        Level.LEAF,
        [
            message(0, "Tom", "I booked the train to Porto for the two of us this evening."),
            message(1, "Mira", "14th of March."),
        ],
    )
    assert "14th" not in alone.content


def test_cause_is_kept_with_the_sentence_that_it_refers_to() -> None:
    text = (
        "I looked into the flaky test for time zones. It fails every evening because it compares local dates with UTC. "
        "The rest of the afternoon I spent on the garden, the mail, and a walk along the river with our neighbours."
    )
    leaf = compose(Level.LEAF, [message(0, "Emi", text)])
    first = read_lines(leaf.content)[0].text
    assert first.startswith("I looked into the flaky test")
    assert "because it compares" in first


RACE = "The race in Porto is on the 14th of March."
NOT_THE_14TH = "Sorry, the race is on the 21st, not the 14th."


def test_corrected_date_is_replaced_in_a_leaf_a_branch_and_a_week() -> None:
    filler = [
        f"The {plant} in bed {n} were watered by hand and look healthy again."
        for n, plant in enumerate(("leeks", "beans", "peas", "chard"))
    ]
    before = [message(n, "Tom", text) for n, text in enumerate([RACE, *filler])]
    after = [message(n + 20, "Tom", text) for n, text in enumerate([*filler, NOT_THE_14TH])]
    in_one = compose(Level.LEAF, [*before, *after])
    assert "on the 21st of March (first: 14th)" in in_one.content
    for low, high in ((Level.LEAF, Level.BRANCH), (Level.DAY, Level.WEEK)):
        parts = [as_source(low, compose(low, part), part) for part in (before, after)]
        assert "14th of March" in parts[0].text
        above = compose(high, parts)
        texts = [line.text for line in read_lines(above.content)]
        assert "The race in Porto is on the 21st of March (first: 14th)." in texts
        assert not [text for text in texts if "14th" in text and "21st" not in text]
        # The note survives the levels above.
        higher = Level.ROOT if high is Level.BRANCH else Level.MONTH
        assert "(first: 14th)" in compose(higher, [as_source(high, above, before)]).content


def corrected(*said: tuple[str, str]) -> list[str | None]:
    texts, _ = correct_lines([Line(who, text, kinds_in(text)) for who, text in said])
    return texts


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        (
            [("Tom", "The demo is on Tuesday."), ("Tom", "The demo moved from Tuesday to Friday.")],
            ["The demo is on Friday (first: Tuesday).", None],
        ),
        (
            [("Tom", "The standup is at 9:30."), ("Tom", "Sorry, I meant 10:00.")],
            ["The standup is at 10:00 (first: 9:30).", None],
        ),
        (
            [("Tom", RACE), ("Mira", "The race is on the 21st, not the 14th.")],
            [
                "The race in Porto is on the 21st of March (first: 14th).",
                "The race is on the 21st, not the 14th.",
            ],
        ),
        (
            [
                ("Tom", "Das Rennen ist am 14. März in Graz."),
                ("Tom", "Das Rennen ist nicht am 14., sondern am 21. März."),
            ],
            ["Das Rennen ist am 21. März in Graz (first: 14.).", None],
        ),
        (
            [("Tom", "The deadline is 5 May."), ("Tom", "Actually the deadline is 12 May.")],
            ["The deadline is 12 May (first: 5).", None],
        ),
        (
            [("Tom", "So Tom brings the tent."), ("Tom", "Mira brings the tent, not Tom.")],
            [None, "Mira brings the tent, not Tom."],
        ),
    ],
)
def test_later_line_corrects_an_earlier_one(
    said: list[tuple[str, str]], texts: list[str | None]
) -> None:
    assert corrected(*said) == texts


@pytest.mark.parametrize(
    "said",
    [
        # Another topic, another time, a measurement, and a choice.
        [("Tom", "The dentist is on the 14th."), ("Tom", NOT_THE_14TH)],
        [("Tom", "We met on the 14th to plan the race."), ("Tom", NOT_THE_14TH)],
        [
            ("Tom", "With 500 rows the export takes nine minutes."),
            ("Tom", "We go with 2,000 rows per batch, not 500."),
        ],
        [("Tom", "Our shop runs MySQL 5.7."), ("Tom", "The new service uses Postgres, not MySQL.")],
        [("Tom", "The release is on 12 May."), ("Tom", "Actually the deadline is 19 May.")],
        [
            ("Tom", "I'm trying to build the weather app with JavaScript."),
            ("Tom", "However, I'm not sure whether the weather app needs JavaScript."),
        ],
    ],
)
def test_line_on_another_topic_is_not_corrected(said: list[tuple[str, str]]) -> None:
    assert corrected(*said) == [text for _, text in said]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We decided on the smaller hall.", "decision"),
        ("Priya needs to add an alert.", "task"),
        ("The build failed because the disk was full.", "cause"),
        ("Never restart the database on a Friday.", "rule"),
        ("Wir haben uns für das kleine Haus entschieden.", "decision"),
        ("Jonas muss bis Freitag den Vertrag kündigen.", "task"),
        ("Der Bau ruht, weil die Genehmigung fehlt.", "cause"),
    ],
)
def test_cue_words_announce_kinds_in_english_and_german(text: str, kind: str) -> None:
    assert kind in kinds_in(text)
    assert not kinds_in(f"{text[:-1]}?")
    assert kinds_in("The roses are red and smell of rain.").isdisjoint(KINDS)


@pytest.mark.parametrize("text", [CHINESE, ARABIC])
def test_other_scripts_are_cut_into_sentences_and_kept(text: str) -> None:
    leaf = compose(Level.LEAF, [message(0, "Mei", text)])
    lines = read_lines(leaf.content)
    assert lines
    assert all(line.text in text and line.text[-1] in "。.؟" for line in lines)
    assert not is_courtesy(text)


def test_coverage_of_decisions_and_numbers_is_measured_and_low_coverage_marked() -> None:
    full = compose(Level.LEAF, conversation(EXPORTS[:10]), agent="coder")
    assert full.faithfulness.decision_coverage >= 0.6
    assert 0 < full.faithfulness.number_coverage <= 1
    assert not full.faithfulness.incomplete
    # More decisions than a day's 3,000 tokens can name.
    digits = str.maketrans("0123456789", "bdfgklmnrt")
    words = [f"{n * 7_919 % 99_991:05}".translate(digits) for n in range(2_700)]
    many = [
        message(n, "Emi", f"We decided on {' and '.join(words[n::900])} for the hall, the {n}th.")
        for n in range(900)
    ]
    day = compose(Level.DAY, many)
    assert day.faithfulness.incomplete
    assert day.faithfulness.decision_coverage < 0.3
    assert day.token_count <= 3_000
