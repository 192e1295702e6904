"""Runs an embedding model in ONNX: one session, loaded once and shared by all threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everword_embedder.providers.configuration import ModelConfiguration, Pooling
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.vectors import Vector, Vectors
from everword_embedder.providers.weights import BATCH, PASSAGE_TOKENS, WeightChoice

#: Maximum characters of a text that the tokenizer reads: more than any model uses, so that a text of a megabyte is not
#: tokenised for the sake of its first page.
MAX_CHARACTERS = 32_768
#: Maximum ratio of the longest to the shortest text of a batch, in tokens, since padding costs as much as text.
_MAX_PADDING = 1.15
#: Maximum tokens of a batch, with padding. Batching longer texts gains nothing: each fills the caches alone.
_BATCH_TOKENS = BATCH * PASSAGE_TOKENS
#: Inputs that this module can make.
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids", "position_ids"})
#: Names of the output with the vector of a text in exported graphs.
_TEXT_OUTPUTS = ("sentence_embedding", "text_embeds")
_SAMPLE = "The deployment of the new release was moved to the second week of May. "

#: (texts, tokens): 1 for a token, 0 for padding.
Mask = NDArray[np.int64]
#: Returns the ids of a text's tokens, special ones included, without those beyond the maximum that the model reads.
Tokenize = Callable[[str], list[int]]


@dataclass(frozen=True)
class LocalEmbedding:
    """A text's vector, not yet scaled to length one, and the number of tokens that the model read."""

    vector: Vector
    tokens: int


class LocalModel:
    """A loaded model. Threads may share it."""

    def __init__(
        self,
        graph: bytes | Path,
        tokenize: Tokenize,
        configuration: ModelConfiguration,
        pad_token: int = 0,
    ) -> None:
        """Load `graph`, the content or the path of an ONNX file.

        Raises ProviderMisconfigured if this module cannot make the graph's inputs or read its outputs.
        """
        # Imported here, so that an embedder with an external model server never loads it.
        import onnxruntime

        options = onnxruntime.SessionOptions()
        # Each call has a thread of its own: on 2 cores, two calls side by side were 1.1 to 1.3 times as fast as one
        # after the other with two threads each (measured).
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # The arena keeps the largest call's memory: 150 MB, for no gain in time on texts of up to 48 tokens.
        options.enable_cpu_mem_arena = False
        self._session = onnxruntime.InferenceSession(
            str(graph) if isinstance(graph, Path) else graph,
            options,
            providers=["CPUExecutionProvider"],
        )
        self._inputs = [each.name for each in self._session.get_inputs()]
        if unknown := sorted(set(self._inputs) - _INPUTS):
            raise ProviderMisconfigured(
                f"the ONNX graph has the input {unknown[0]}, which an embedding model does not need; export it for "
                "the task feature-extraction"
            )
        self._pooling = configuration.pooling
        self._output = _output_name(self._session.get_outputs(), self._pooling)
        self._tokenize = tokenize
        self._pad_token = pad_token
        #: The form of the weights and its speed on this processor; set after the measurement.
        self.choice: WeightChoice | None = None

    @property
    def batch(self) -> int:
        """Return how many texts of similar length are embedded in one call."""
        return self.choice.speed.batch if self.choice else 1

    def embed(self, texts: Sequence[str]) -> list[LocalEmbedding]:
        """Return the embedding of each text, in order."""
        tokens = [self._tokenize(text[:MAX_CHARACTERS]) for text in texts]
        embedded: dict[int, LocalEmbedding] = {}
        for places in _batches([len(each) for each in tokens], self.batch):
            output, mask = self._run([tokens[place] for place in places])
            vectors = pooled(output, mask, self._pooling)
            for place, vector, count in zip(places, vectors, mask.sum(axis=1), strict=True):
                embedded[place] = LocalEmbedding(vector, int(count))
        return [embedded[place] for place in range(len(texts))]

    def timed_run(self, texts: int, tokens: int) -> float:
        """Run the model on `texts` texts of `tokens` tokens each, and return the CPU seconds."""
        sample = self._tokenize(_SAMPLE * tokens)[:tokens]
        started = time.thread_time()
        self._run([sample] * texts)
        return time.thread_time() - started

    def _run(self, tokens: Sequence[Sequence[int]]) -> tuple[NDArray[np.float32], Mask]:
        """Return the graph's output, (texts, tokens, dimensions) or (texts, dimensions), and the mask of the tokens."""
        # A text may have no tokens if the tokenizer adds none of its own.
        longest = max(1, *map(len, tokens))
        ids = np.full((len(tokens), longest), self._pad_token, np.int64)
        mask = np.zeros_like(ids)
        for row, each in enumerate(tokens):
            ids[row, : len(each)] = each
            mask[row, : max(1, len(each))] = 1
        given: dict[str, NDArray[np.int64]] = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.broadcast_to(np.arange(longest), ids.shape),
        }
        [output] = self._session.run([self._output], {name: given[name] for name in self._inputs})
        return np.asarray(output, np.float32), mask


def json_tokenizer(content: bytes, max_tokens: int) -> Tokenize:
    """Return the tokenizer of a tokenizer.json with this content."""
    # Imported here, so that an embedder with an external model server never loads it.
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(content)
    tokenizer.enable_truncation(max_tokens)
    tokenizer.no_padding()

    def tokenize(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text).ids
        return ids

    return tokenize


def pooled(output: NDArray[np.float32], mask: Mask, pooling: Pooling) -> Vectors:
    """Return one vector for each text, (texts, dimensions). Padding comes after the tokens of a text."""
    if pooling is Pooling.GRAPH:
        return output
    counts = mask.sum(axis=1)
    vectors: Vectors
    if pooling is Pooling.CLS:
        vectors = output[:, 0]
    elif pooling is Pooling.LAST:
        vectors = output[np.arange(len(output)), counts - 1]
    else:
        sums = np.einsum("btd,bt->bd", output, mask.astype(np.float32))
        vectors = sums / counts[:, None].astype(np.float32)
    return vectors


def _output_name(outputs: Sequence[Any], pooling: Pooling) -> str:
    """Return the name of the output to read: the vectors of texts if `pooling` is `graph`, otherwise of tokens."""
    if pooling is Pooling.GRAPH:
        named = [each.name for each in outputs if each.name in _TEXT_OUTPUTS]
        wanted = "a vector for each text"
    else:
        named = [each.name for each in outputs if len(each.shape) == 3]
        wanted = "a vector for each token"
    if not named:
        given = ", ".join(each.name for each in outputs)
        raise ProviderMisconfigured(f"the ONNX graph has no output with {wanted}; it has {given}")
    return str(named[0])


def has_text_output(outputs: Sequence[Any]) -> bool:
    """Return whether a graph with these outputs pools the vectors of tokens itself."""
    return any(each.name in _TEXT_OUTPUTS for each in outputs)


def _batches(lengths: Sequence[int], size: int) -> Iterator[list[int]]:
    """Yield batches of at most `size` texts of similar length, as indexes."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (
            len(batch) == size
            or lengths[place] > _MAX_PADDING * lengths[batch[0]]
            or lengths[place] * (len(batch) + 1) > _BATCH_TOKENS
        ):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch
