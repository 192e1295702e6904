"""Multiplying in bytes changes how long a text takes, and hardly its vector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime
import pytest
from tokenizers import Tokenizer

from everword_embedder.providers.local_graph import multiply_in_bytes, quantized_lookup_model
from everword_embedder.providers.local_model import PACKAGED
from everword_embedder.providers.model_files import TOKENIZER, WEIGHTS, read_verified
from support.minilm import cosine

TEXTS = [
    "",
    "a",
    "Where did I put the keys?",
    "机器学习 模型",
    "The deployment failed at 03:12 with exit code 137. " * 8,
    "A text that is far longer than the model reads. " * 200,
]


def test_multiply_in_bytes_converts_every_product_with_stored_weights() -> None:
    given = read_verified(WEIGHTS)
    before, after = (
        Counter(node.op_type for node in onnx.load_model_from_string(each).graph.node)
        for each in (given, multiply_in_bytes(given))
    )
    # Six layers: four products of attention with weights, and two behind it. The others are of two texts' numbers.
    assert after["MatMulNBits"] == 36
    assert after["MatMul"] == before["MatMul"] - 36 == 12
    # Old weights are left out.
    assert len(multiply_in_bytes(given)) < 1.1 * len(given)


@pytest.mark.parametrize("text", TEXTS)
def test_multiply_in_bytes_gives_nearly_the_same_vector(text: str) -> None:
    given = read_verified(WEIGHTS)
    assert cosine(_vector(given, text), _vector(multiply_in_bytes(given), text)) >= 0.998


@pytest.mark.parametrize("text", TEXTS)
def test_quantized_lookup_gives_the_same_vector(text: str) -> None:
    given = read_verified(WEIGHTS)
    assert np.array_equal(_vector(given, text), _vector(quantized_lookup_model(given), text))


@pytest.mark.parametrize("prepare", [quantized_lookup_model, multiply_in_bytes])
def test_quantized_lookup_gathers_rows_before_conversion_to_floats(
    prepare: Callable[[bytes], bytes],
) -> None:
    graph = onnx.load_model_from_string(prepare(read_verified(WEIGHTS))).graph
    [words] = [each.name for each in graph.initializer if list(each.dims) == [30522, 384]]
    assert [node.op_type for node in graph.node if words in node.input] == ["Gather"]


def _vector(weights: bytes, text: str) -> npt.NDArray[np.float32]:
    session = onnxruntime.InferenceSession(weights, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_buffer(read_verified(TOKENIZER))
    tokenizer.no_padding()
    tokenizer.enable_truncation(PACKAGED.max_tokens)
    ids = np.array([tokenizer.encode(text).ids], np.int64)
    [hidden] = session.run(
        None,
        {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        },
    )
    vector: npt.NDArray[np.float32] = hidden[0].mean(axis=0)
    return vector
