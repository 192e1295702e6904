"""The extractive composer: whole sentences of the sources, in order, within the budget, deterministic."""

from __future__ import annotations

import itertools
import time
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from everword_compactor.compose.extractive.budget import LARGEST_SHARE
from everword_compactor.compose.extractive.bullets import (
    parse_bullet,
    read_lines,
    tagged,
)
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.extractive.graph import SentenceSimilarity, centralities
from everword_compactor.compose.extractive.sentences import split_sentences
from everword_compactor.compose.model import Composition, Draft, Level
from support.extractive import CHAT, TALK, as_source, compose, message, talk


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("  Wow! In May?  ", ["Wow! In May?"]),
        (
            "Dr. Meyer met Mrs. Ono at 5 p.m. in St. Gallen, i.e. near the U.S. embassy. It rained, e.g. hard.",
            [
                "Dr. Meyer met Mrs. Ono at 5 p.m. in St. Gallen, i.e. near the U.S. embassy.",
                "It rained, e.g. hard.",
            ],
        ),
        (
            "See https://example.org/a.b?c=d. and v1.2.3 of foo.py! Then run `a. B. c` twice. Done by J. Smith?",
            [
                "See https://example.org/a.b?c=d. and v1.2.3 of foo.py!",
                "Then run `a. B. c` twice.",
                "Done by J. Smith?",
            ],
        ),
        (
            "Wir treffen uns am 18. April um 9 Uhr z.B. im Café. Der Preis war ca. 3,50 Euro pro Stück.",
            [
                "Wir treffen uns am 18. April um 9 Uhr z.B. im Café.",
                "Der Preis war ca. 3,50 Euro pro Stück.",
            ],
        ),
        (
            "我们在学校见面。你带书来吗？他说：“好的。”" + "今天的天气真好,我们去公园散步吧。" * 3,
            ["我们在学校见面。", "你带书来吗？", "他说：“好的。”"]
            + ["今天的天气真好,我们去公园散步吧。"] * 3,
        ),
        (
            "i went home at six and slept. then i called my mother, who lives in porto. she was out",
            [
                "i went home at six and slept.",
                "then i called my mother, who lives in porto.",
                "she was out",
            ],
        ),
        (
            "I adopted two cats from the shelter in Porto 😊 They are called Miso and Nori! 🐱 Come and see them.",
            [
                "I adopted two cats from the shelter in Porto 😊",
                "They are called Miso and Nori! 🐱",
                "Come and see them.",
            ],
        ),
        (
            "Steps we agreed on:\n- Stop db-07. Wait.\n1. Restore the dump\n```\nx = 1. + y\nrun(x)\n```\nAll done.",
            [
                "Steps we agreed on:",
                "- Stop db-07.",
                "Wait.",
                "1. Restore the dump",
                "x = 1. + y",
                "run(x)",
                "All done.",
            ],
        ),
        (
            "A paragraph that somebody wrapped at a margin of sixty chars\nends only here. And this is another.",
            [
                "A paragraph that somebody wrapped at a margin of sixty chars\nends only here.",
                "And this is another.",
            ],
        ),
        ("", []),
    ],
)
def test_split_sentences_handles_abbreviations_lists_code_and_emoji(
    text: str, sentences: list[str]
) -> None:
    found = split_sentences(text)
    assert [sentence.text for sentence in found] == sentences
    for sentence in found:
        assert text[sentence.start :].startswith(sentence.text)


def test_split_sentences_cuts_long_text_without_loss() -> None:
    blob = "x1" * 10_000
    found = split_sentences(blob)
    assert "".join(sentence.text for sentence in found) == blob
    assert max(len(sentence.text) for sentence in found) <= 4000


def test_leaf_quotes_facts_verbatim_and_omits_backchannels() -> None:
    composed = compose(Level.LEAF, talk())
    assert composed.token_count <= LARGEST_SHARE * sum(len(t.encode()) / 4 + 1 for _, t in TALK)
    bullets = read_lines(composed.content)
    assert composed.content.splitlines()[0] == f"[{bullets[0].time}]"
    assert len(bullets) >= 2
    assert {bullet.tags for bullet in bullets} == {""}
    places = [
        TALK.index((bullet.speaker, whole)) for bullet in bullets for whole in [_said(bullet.text)]
    ]
    assert places == sorted(places)
    texts = [bullet.text for bullet in bullets]
    assert all("great" not in text and "Wow" not in text for text in texts)


def _said(sentence: str) -> str:
    [whole] = [text for _, text in TALK if sentence in text]
    return whole


def test_composition_is_deterministic_with_and_without_vectors() -> None:
    vectors = np.random.default_rng(1).normal(size=(len(TALK), 8))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    with_vectors = [
        message(number, *said, vectors=[vectors[number].tolist()])
        for number, said in enumerate(TALK)
    ]
    first = compose(Level.LEAF, with_vectors)
    assert first == compose(Level.LEAF, with_vectors)
    assert compose(Level.LEAF, talk()) == compose(Level.LEAF, talk())


def test_similarity_and_centrality_equal_explicit_graph() -> None:
    words = [{"a": 0.6, "b": 0.8}, {"b": 1.0}, {"c": 1.0}, {}, {"a": 0.8, "c": 0.6}]
    vectors = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [1.0, 0.0], None]
    likeness = SentenceSimilarity(words, vectors)
    graph = np.array([likeness.to(row) for row in range(5)]).T
    assert graph[0, 1] == pytest.approx((0.8 + 0.6) / 2)
    assert graph[4, 0] == pytest.approx(0.48)
    assert not graph[3].any()
    np.fill_diagonal(graph, 0)
    weights = np.array([0.1, 0.4, 0.2, 0.2, 0.1])
    assert likeness.sums(weights) == pytest.approx(graph @ weights)
    central = centralities(likeness)
    assert central.max() == 1.0
    assert central.argmin() == 3


def test_branch_selects_lines_of_its_leaves_unchanged() -> None:
    first, second = talk()[:6], talk()[4:]
    leaves = [as_source(Level.LEAF, compose(Level.LEAF, part), part) for part in (first, second)]
    lines = [(line.speaker, line.text) for leaf in leaves for line in read_lines(leaf.text)]
    branch = compose(Level.BRANCH, leaves)
    chosen = [(line.speaker, line.text) for line in read_lines(branch.content)]
    assert chosen
    assert [line for line in dict.fromkeys(lines) if line in chosen] == chosen


def test_day_has_local_times_and_source_tags() -> None:
    here = message(0, "Emi", "I bought 12 roses in Graz for Clara.", instance="phone [blue]")
    there = message(1, "", "The backup job copied 814 files to vault-3.", instance="lab", role=4)
    zone = {"time_zone": "Europe/Vienna"}
    day = compose(Level.DAY, [here, there], **zone)
    assert day.content.splitlines() == [
        f"[2026-04-18T14:00+02:00] [chat:{CHAT}] [via:phone [blue\\]]",
        f"- Emi: {here.text}",
        f"[2026-04-18T14:01+02:00] [chat:{CHAT}] [via:lab]",
        f"- tool: {there.text}",
    ]
    week = compose(Level.WEEK, [as_source(Level.DAY, day, [here, there])], **zone)
    assert week.content == day.content.replace(f" [chat:{CHAT}]", "")
    month = compose(Level.MONTH, [as_source(Level.WEEK, week, [here, there])], **zone)
    assert month.content == week.content


def test_week_sorts_lines_by_instance_and_time() -> None:
    days = []
    for instance, shift in (("lab", 0), ("phone", 1)):
        lines = [
            f"- [2026-04-18T1{hour + shift}:00+02:00 Emi] Sample {instance}-{hour} weighed {hour}7 grams."
            f" [chat:{CHAT}] [via:{instance}]"
            for hour in range(0, 8, 2)
        ]
        composed = Composition("\n".join(lines), "", 0, None, 0)  # type: ignore[arg-type]
        days.append(as_source(Level.DAY, composed, talk(), instance=instance))
    week = compose(Level.WEEK, days, time_zone="Europe/Vienna")
    said = [(bullet.tags, bullet.moment) for bullet in read_lines(week.content)]
    assert len({tags for tags, _ in said}) == 2
    assert said == sorted(said)


def test_branch_selects_sentences_of_model_written_leaf() -> None:
    written = (
        "## Move\nEmi moved to Lisbon on 3 March. She pays 940 euros a month for a flat near Rua Augusta.\n"
        "- Clara plays the cello. [chat:c] [chat:d] [via:lab]"
    )
    composed = Composition(written, "", 0, None, 0)  # type: ignore[arg-type]
    leaf = as_source(Level.LEAF, composed, talk())
    [bullet] = read_lines(compose(Level.BRANCH, [leaf]).content)
    assert bullet.text in written
    own = parse_bullet(written.splitlines()[-1])
    assert own is not None
    assert tagged(own, leaf, Level.DAY).tags == " [chat:c] [chat:d] [via:lab]"
    assert tagged(own, leaf, Level.YEAR).tags == " [via:lab]"


@pytest.mark.parametrize("text", ["ok", "👍", "...", "Wow! Great, thanks!", "word " * 3000])
def test_node_is_empty_only_if_its_sources_are_empty(text: str) -> None:
    composed = compose(Level.LEAF, [message(0, "Emi", text)])
    [bullet] = read_lines(composed.content)
    assert bullet.text in text
    assert compose(Level.LEAF, [message(0, "Emi", " \n ")]).content == ""


def test_brackets_and_line_breaks_in_author_names_are_replaced() -> None:
    told = compose(Level.LEAF, [message(0, "E]m\ni: x", "I live in Graz.")])
    assert told.content == "[2026-04-18T12:00Z]\n- E)m i x: I live in Graz."


def test_speaker_is_author_or_else_role_or_else_agent() -> None:
    speakers = []
    for author, role in (("Emi", 3), ("", 3), ("", 0)):
        told = compose(Level.LEAF, [message(0, author, "I live in Graz.", role=role)])
        speakers += [bullet.speaker for bullet in read_lines(told.content)]
    assert speakers == ["Emi", "assistant", "opus"]


def test_day_of_2000_messages_is_composed_in_time_with_heartbeats() -> None:
    said = itertools.cycle(TALK)
    sources = [
        message(number, author, f"{text} Box {number % 613} went to shelf {number % 97}.")
        for number, (author, text) in zip(range(2000), said, strict=False)
    ]
    beats: list[None] = []
    draft = Draft(Level.DAY, sources, "2026-04-18", time_zone=str(ZoneInfo("Asia/Tokyo")))
    ExtractiveComposer().compose(draft, lambda: None)
    began = time.process_time()
    composed = ExtractiveComposer().compose(draft, lambda: beats.append(None))
    assert time.process_time() - began < 30
    assert len(beats) > 5
    assert composed.token_count <= 3000
    assert not composed.needs_review


@pytest.mark.parametrize("level", [Level.LEAF, Level.DAY])
def test_tag_like_text_of_message_is_not_read_as_tag(level: Level) -> None:
    said = "I pasted this: see [chat:abc] please, about the garden fence and its old gate."
    composed = compose(level, [message(0, "Emi", said, instance="home")])
    [bullet] = read_lines(composed.content)
    assert "chat:abc" in bullet.text
    assert "chat:abc" not in bullet.tags
