"""Features of the profile `recall`, compared with values computed by hand; they do not depend on other candidates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest

from everword_search.ranking.features.compute import RankingQuery, describe
from everword_search.ranking.features.terms import query_terms, unknown_names, weight_of
from everword_search.ranking.words.frequencies import zipf
from support.ranking import TURNS, Passage, ask, chat, pool_of, row


def features(
    rows: Sequence[Passage], question: RankingQuery, cosines: dict[int, float] | None = None
) -> dict[str, np.ndarray]:
    pool = pool_of(rows, cosines or {})
    return dict(describe(pool, question).features)


def test_lexical_features_use_bm25_with_word_rarity() -> None:
    found = features(chat(), ask("How long has Nate had his turtles?", "nate"))
    weight = {word: weight_of(zipf(word, "english")) for word in ("long", "turtles")}
    length = len(TURNS[4].split())
    saturated = 1.9 / (1 + 0.9 * (0.6 + 0.4 * length / 60))
    expected = weight["turtles"] * saturated / (sum(weight.values()) * 1.9)
    assert found["sb"][4] == pytest.approx(expected)
    assert found["cov"][4] == pytest.approx(weight["turtles"] / sum(weight.values()))
    assert found["sb"][5] == 0


def test_turn_features_include_scores_of_neighbouring_turns() -> None:
    found = features(chat(), ask("turtles"))
    assert found["sb_p1"][2] == found["sb"][1] > 0
    assert found["sb_n1"][3] == found["sb"][4] > 0
    assert found["sb_p2"][3] == found["sb"][1]
    assert found["sb_n2"][2] == found["sb"][4]
    assert found["sb_p1"][0] == found["sb_n1"][6] == 0
    # The answer has the word together with its neighbours (`covw`), but not alone (`cov`).
    assert found["covw"][3] == 1
    assert found["cov"][3] == 0


@pytest.mark.parametrize(
    "second",
    [
        row(2, "soup", minutes=60 * 4),
        row(2, "soup", conversation=UUID(int=2)),
        row(3, "soup"),
    ],
)
def test_turns_of_other_sessions_or_conversations_are_not_neighbours(second: Passage) -> None:
    found = features([row(1, "turtles"), second], ask("turtles"))
    assert sorted(found["sb_p1"])[0] == 0
    assert found["sb_p1"][np.argmin(found["sb"])] == 0


def test_single_memory_uses_itself_as_context() -> None:
    found = features([row(1, "turtles")], ask("turtles"), {10: 2.0})
    assert found["sb_p1"][0] == found["sb_n2"][0] == pytest.approx(0.8 * found["sb"][0])
    assert found["de_n1"][0] == pytest.approx(1.6)


def test_features_do_not_depend_on_other_memories_in_the_pool() -> None:
    question = ask("How long has Nate had his turtles?", "nate")
    cosines = {number * 10: number / 7 for number in range(1, 8)}
    whole = features(chat(), question, cosines)
    # The fourth turn with the two turns on either side, on which its features depend.
    part = features(chat()[1:6], question, cosines)
    for name, values in whole.items():
        assert part[name][2] == pytest.approx(values[3], nan_ok=True), name


def test_long_memory_is_described_by_its_best_passage() -> None:
    rows = [row(1, "soup and bread"), row(1, "turtles eat turtles", part=1), row(2, "nothing")]
    question = ask("turtles")
    pool = pool_of(rows, {10: 0.5, 11: 2.0})
    described = describe(pool, question)
    assert pool.size == 2
    assert described.features["de"][0] == 2.0
    assert math.isnan(described.features["de"][1])
    assert described.features["sb"][0] > 0
    assert described.best.tolist() == [1, 2]


def test_features_mark_turns_by_a_named_author() -> None:
    found = features(chat(), ask("What did Nate adopt?", "nate"))
    assert found["m_named"].tolist() == [1, 0, 1, 0, 1, 0, 1]
    assert found["m_other"].tolist() == [0, 1, 0, 1, 0, 1, 0]
    assert found["q_names"].tolist() == [1] * 7
    nobody = features(chat(), ask("What was adopted?"))
    assert not nobody["m_named"].any()
    assert not nobody["m_other"].any()
    # A name in the text of a turn is a mention; it does not make that person the turn's author.
    assert features(chat(), ask("Did Jon come?", "jon"))["m_mention"].tolist() == [1] + [0] * 6


def test_features_mark_names_without_an_author_as_unknown() -> None:
    found = features(chat(), ask("What does Kate say about turtles?"))
    assert found["q_unk"][0] == 1
    assert found["m_unk"].tolist() == [1] * 7
    assert features(chat(), ask("What does Nate say in May?", "nate"))["q_unk"][0] == 0


def test_adjacent_query_words_count_if_close_in_the_text() -> None:
    rows = [
        row(1, "the green turtle"),
        row(2, "a turtle that is green"),
        row(3, "green is what I like, and I also have a turtle"),
    ]
    assert features(rows, ask("green turtle"))["bg"].tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("text", "time_zone", "month", "year"),
    [
        ("What happened in May 2023?", "UTC", 1, 1),
        ("What happened in June 2022?", "UTC", -1, -1),
        ("What may happen?", "UTC", 0, 0),
        ("What happened in May?", "Asia/Tokyo", 1, 0),
    ],
)
def test_date_features_compare_question_and_message(
    text: str, time_zone: str, month: int, year: int
) -> None:
    found = features(chat(TURNS[:1]), ask(text, time_zone=time_zone))
    assert (found["x_month"][0], found["x_year"][0]) == (month, year)


def test_date_features_use_the_time_zone_of_the_namespace() -> None:
    question = "What happened on 9 May?"
    assert features(chat(TURNS[:1]), ask(question))["x_day"][0] == 14
    assert features(chat(TURNS[:1]), ask(question, time_zone="Asia/Tokyo"))["x_day"][0] == 14
    late = [row(1, "late", minutes=60 * 9)]
    assert features(late, ask(question, time_zone="Asia/Tokyo"))["x_day"][0] == 15


def test_capitalised_stop_word_is_not_an_unknown_name() -> None:
    """Stop words are not indexed, so as names they would be absent everywhere."""
    terms = query_terms("So, Did Marta leave? In May?", frozenset(), frozenset({"did"}), "english")
    assert terms.strangers == ("marta",)
    assert terms.unknown.sum() == 1


@pytest.mark.parametrize(
    ("text", "config", "strangers"),
    [
        ("What did we decide on Monday, before Christmas?", "english", ()),
        ("Which French dish did your Mother cook for Kate in Paris?", "english", ("kate", "paris")),
        ("Is the Apartment near Galveston?", "english", ("galveston",)),
        (
            "Hat Jonas eine Allergie, und wo ist der Hausschlüssel von Kate?",
            "german",
            ("jonas", "kate"),
        ),
        ("In welcher Sprache schreibt man nach der Datensicherung?", "german", ()),
        ("Quel jour mange-t-on avec Oliver?", "french", ("oliver",)),
        ("Что Анна сказала про Москву?", "russian", ("анна", "москву")),
    ],
)
def test_capitalised_dictionary_word_is_not_an_unknown_name(
    text: str, config: str, strangers: tuple[str, ...]
) -> None:
    """Many capitalised words are not names, such as all German nouns; they must not lower the relevance."""
    ignored = frozenset({"und", "ist", "der", "von"})
    assert query_terms(text, frozenset(), ignored, config).strangers == strangers


def test_question_of_only_stop_words_keeps_them() -> None:
    terms = query_terms(
        "to be or not to be", frozenset(), frozenset({"to", "be", "or", "not"}), "english"
    )
    assert len(terms.hashes) == 4


def test_amount_words_are_not_topic_words_of_a_question() -> None:
    """Answers rarely repeat "much", so its absence does not count. "Crane" has over half of the remaining weight."""
    ignored = frozenset({"how", "does"})
    terms = query_terms("How much does crane 4 lift?", frozenset(), ignored, "english")
    assert terms.tells_what.tolist() == [False, True, False, True]
    only_crane = 1 << 1
    assert 0.3 < terms.share_absent(only_crane) < 0.5


def test_features_of_empty_question_and_passages_are_finite() -> None:
    found = features([row(1, ""), row(2, "…")], ask("?!"))
    assert found["sb"].tolist() == [0, 0]
    assert not np.isnan(found["covw"]).any()


# Literals


@pytest.mark.parametrize("text", ["auth.rs:42", "the ERR_9F3A-12", "linkedIn linkedIn?", "s.t"])
def test_literal_share_of_a_literal_question_is_one(text: str) -> None:
    assert ask(text).terms.literal_share == 1.0


@pytest.mark.parametrize("text", ["", "the", "How many turtles did Nate adopt?", "a - b", "?"])
def test_literal_share_of_a_question_without_literal_is_zero(text: str) -> None:
    assert ask(text).terms.literal_share == 0.0


def test_literal_share_counts_author_names_that_are_literals() -> None:
    assert ask("R2D2", "r2d2").terms.literal_share == 1.0
    assert ask("@alice_dev", "alice", "dev").terms.literal_share == 1.0
    assert 0.0 < ask("What did R2D2 repair?", "r2d2").terms.literal_share < 1.0


def test_literal_share_is_weighted_by_information() -> None:
    course = ask("Which modules are part of that LinkedIn course?").terms
    code = ask("Which modules are part of that QX77-B course?").terms
    assert 0.1 < course.literal_share < code.literal_share < 0.7
    # Repeated words count once.
    again = ask("Which modules are part of that LinkedIn course, LinkedIn?").terms
    assert again.literal_share == course.literal_share


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What did Galveston say about Müller?", ["galveston", "müller"]),
        ("Wie heißt der Satellit, der im Herbst gestartet ist?", []),
        ("Wann hat Caroline die Töpferei besucht?", ["caroline"]),
    ],
)
def test_unknown_names_are_no_german_nouns(question: str, names: list[str]) -> None:
    assert unknown_names(question, frozenset(), frozenset(), "english") == names
