"""The default model embeds English with MiniLM, and other languages with e5 in the same space."""

from __future__ import annotations

import numpy as np
import pytest

from everword.text.text_language import is_english
from everword_embedder.providers.local_model import (
    E5_CONFIGURATION,
    MULTILINGUAL,
    load_model,
    load_packaged,
    query_backgrounds,
)
from everword_embedder.providers.multilingual_model import MultilingualModel
from everword_embedder.providers.onnx_model import LocalModel
from everword_embedder.providers.space_map import read_space_map
from support.languages import PASSAGES, QUESTIONS

ENGLISH = [
    "Dr. Müller met Agnieszka and Jean-Luc in Zürich about the Übergabe of it.",
    "ok thx!!",
    "def read_rows(path: str) -> list[dict[str, int]]: return []",
    "404 12:30 2026-05-03",
    "",
]
OTHERS = [
    "Wo wohnt meine Schwester jetzt?",
    "Hvor bor søsteren min nå?",
    "¿Dónde vive mi hermana?",
    "Où habite ma sœur ?",
    "Gdzie mieszka moja siostra?",
    "Kız kardeşim nerede yaşıyor?",
    "姉はどこに住んでいますか。",
    "أين تعيش أختي؟",
    "Где живёт моя сестра?",
    "พี่สาวของฉันอาศัยอยู่ที่ไหน",
    "Em gái tôi sống ở đâu?",
]
UNRELATED = [
    "Der Aufsichtsrat hat den Haushalt für das nächste Jahr beschlossen.",
    "Meine Katze schläft am liebsten auf der Heizung.",
    "Wie viele Eier braucht man für einen Zitronenkuchen?",
    "Die Fähre zur Insel fällt wegen Nebels aus.",
    "Version 2.4 liest die alte Konfigurationsdatei nicht mehr.",
]
UNRELATED_ENGLISH = [
    "The board approved next year's budget.",
    "My cat prefers to sleep on the radiator.",
    "How many eggs does a lemon cake need?",
    "The ferry to the island is cancelled because of fog.",
    "Version 2.4 no longer reads the old configuration file.",
]
UNRELATED_CHINESE = [
    "董事会通过了明年的预算。",
    "我的猫最喜欢睡在暖气上。",
    "柠檬蛋糕要放几个鸡蛋？",
    "因为大雾，去岛上的渡轮取消了。",
    "2.4 版本不再读取旧的配置文件。",
]
UNRELATED_NORWEGIAN = [
    "Styret har vedtatt budsjettet for neste år.",
    "Katten min sover helst på radiatoren.",
    "Hvor mange egg trenger man til en sitronkake?",
    "Fergen til øya er innstilt på grunn av tåke.",
    "Versjon 2.4 leser ikke lenger den gamle konfigurasjonsfilen.",
]


@pytest.mark.parametrize("text", ENGLISH)
def test_english_names_and_code_are_english(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize("text", OTHERS)
def test_sentences_in_other_languages_are_not(text: str) -> None:
    assert not is_english(text)


def test_texts_in_english_have_the_vectors_of_minilm_and_load_nothing_else() -> None:
    def fail() -> LocalModel:
        raise AssertionError("e5 was loaded")

    prefixes = E5_CONFIGURATION.query_prefix, E5_CONFIGURATION.passage_prefix
    model = MultilingualModel(load_model(), fail, read_space_map(), prefixes)
    texts = ["The ferry was cancelled.", "Why was the ferry cancelled?"]
    given = model.embed([f"passage: {texts[0]}", f"query: {texts[1]}"])
    expected = load_model().embed(texts)
    for each, alone in zip(given, expected, strict=True):
        assert np.allclose(each.vector, alone.vector, atol=1e-5)


def test_questions_find_answers_in_other_languages() -> None:
    model = load_packaged(MULTILINGUAL)
    questions = _units(model, [f"query: {text}" for text in QUESTIONS])
    passages = _units(model, [f"passage: {text}" for text in PASSAGES])
    cosines = questions @ passages.T
    assert cosines.argmax(axis=1).tolist() == list(range(len(QUESTIONS)))


@pytest.mark.parametrize(
    ("queries", "passages"),
    [
        (UNRELATED, UNRELATED),
        (UNRELATED, UNRELATED_ENGLISH),
        (UNRELATED_ENGLISH, UNRELATED),
        (UNRELATED_CHINESE, UNRELATED_CHINESE),
        (UNRELATED_NORWEGIAN, UNRELATED_NORWEGIAN),
    ],
)
def test_backgrounds_are_those_of_unrelated_texts_in_both_languages(
    queries: list[str], passages: list[str]
) -> None:
    backgrounds = query_backgrounds(MULTILINGUAL, queries[0])
    assert backgrounds is not None
    found = backgrounds.english if is_english(passages[0]) else backgrounds.others
    assert found is not None
    model = load_packaged(MULTILINGUAL)
    asked = _units(model, [f"query: {text}" for text in queries])
    stored = _units(model, [f"passage: {text}" for text in passages])
    unrelated = (asked @ stored.T)[~np.eye(len(queries), dtype=bool)]
    assert abs(unrelated.mean() - found.mean) < found.deviation
    assert unrelated.std() < 2 * found.deviation


def _units(model: LocalModel | MultilingualModel, texts: list[str]) -> np.ndarray:
    vectors = np.array([each.vector for each in model.embed(texts)], np.float32)
    units: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return units
