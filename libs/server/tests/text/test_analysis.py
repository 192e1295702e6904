"""Words of scripts without spaces, and of scripts with particles attached: pairs of characters, and single ones."""

from __future__ import annotations

import textwrap
from datetime import UTC, datetime

import pytest

from everword.text.analysis import is_single_character_word, words_of
from everword.text.lexemes import index_vector
from everword.text.passages import MAX_WORDS, count_words, split_passages


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我喜欢猫。", "我喜 喜欢 欢猫"),
        ("人々は東京タワーへ", "人々 々は は東 東京 京タ タワ ワー ーへ"),
        ("학교에서 공부했다", "학교 공부 부했 했다"),
        ("iPhone15を買った", "iPhone15 を買 買っ った"),
        ("PostgreSQL로 이전", "PostgreSQL 로 이전"),
        ("T細胞と2番", "T 細胞 胞と 2 番"),
        ("猫、犬", "猫 犬"),
        # Equivalent forms are equal: half width, full width, separate marks, syllables in letters.
        ("ｻｰﾊﾞｰ", "サー ーバ バー"),
        ("か\u3099き\u3099", "がぎ"),
        ("ＡＢＣ", "ABC"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", "한글"),
        ("㌀", "アパ パー ート"),
    ],
)
def test_words_of_splits_text_into_words_and_character_pairs(text: str, expected: str) -> None:
    assert words_of(text) == expected.split()


def test_index_vector_appends_the_last_character_of_each_run() -> None:
    """A lone character is asked for as the beginning of a pair, and none begins with the last one of a run."""
    vector = index_vector(
        "我喜欢猫, 우리집 犬 dog", "", datetime(2026, 5, 3, tzinfo=UTC), "english"
    )
    lexemes = [each.partition(":")[0] for each in vector.split()]
    assert " ".join(lexemes) == "3 may 2026 我喜 喜欢 欢猫 우리 리집 犬 dog 猫 집"


@pytest.mark.parametrize("character", ["猫", "ね", "ネ", "ー", "々", "집"])
def test_characters_of_unspaced_scripts_are_single_character_words(character: str) -> None:
    assert is_single_character_word(character)


@pytest.mark.parametrize("word", ["a", "1", "é", "猫犬", "u1f389"])
def test_other_words_are_not_single_character_words(word: str) -> None:
    assert not is_single_character_word(word)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("サーバーを", 5), ("人々", 2), ("T細胞", 3), ("학교에서 공부", 2), ("don't re-open", 2)],
)
def test_count_words_counts_words_without_spaces(text: str, expected: int) -> None:
    assert count_words(text) == expected


def test_split_passages_splits_long_text_with_lengthened_vowels() -> None:
    text = "サーバーのメーカーにユーザーのデータを渡した。" * 40
    passages = split_passages(text)
    assert "".join(passages) == text
    assert len(passages) > 5
    assert all(len(passage) <= MAX_WORDS for passage in passages)


def test_split_passages_ends_at_sentences_in_wrapped_prose_and_at_lines_elsewhere() -> None:
    sentence = "The keeper of the lighthouse writes down the weather of each hour in a thick book. "
    wrapped = textwrap.fill(sentence * 12, 70) + "\n\n" + textwrap.fill(sentence * 12, 70)
    passages = split_passages(wrapped)
    assert "".join(passages) == wrapped
    assert [each.rstrip()[-1] for each in passages] == ["."] * len(passages)
    lines = "\n".join(
        ["12:04 INFO the pump in cellar four was checked and its filter is clean"] * 30
    )
    assert all(each.startswith("12:04") for each in split_passages(lines))
