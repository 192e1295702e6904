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
    query_background,
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


def test_background_is_that_of_the_model_that_embeds_the_question() -> None:
    found = query_background(MULTILINGUAL, "Wo arbeitet mein Bruder?")
    assert found is not None
    assert query_background(MULTILINGUAL, "Where does my brother work?") is None
    model = load_packaged(MULTILINGUAL)
    questions = _units(model, [f"query: {text}" for text in UNRELATED])
    passages = _units(model, [f"passage: {text}" for text in UNRELATED])
    unrelated = (questions @ passages.T)[~np.eye(len(UNRELATED), dtype=bool)]
    assert abs(unrelated.mean() - found.mean) < found.deviation
    assert unrelated.std() < 2 * found.deviation


def _units(model: LocalModel | MultilingualModel, texts: list[str]) -> np.ndarray:
    vectors = np.array([each.vector for each in model.embed(texts)], np.float32)
    units: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return units
