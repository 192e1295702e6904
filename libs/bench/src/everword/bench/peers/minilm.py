"""The embedding function of all peers: Everword's own model files by ONNX Runtime, run as its embedder runs them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

Vectors = npt.NDArray[np.float32]
DIMENSIONS = 384
#: Batches that are embedded side by side.
THREADS = 2
#: Maximum ratio of the longest to the shortest text of a batch, in tokens, since padding costs as much as text.
_MAX_PADDING = 1.15


class MiniLM:
    """The loaded model."""

    def __init__(self, folder: Path, form: str) -> None:
        about = json.loads((folder / "model.json").read_text("utf-8"))
        options = onnxruntime.SessionOptions()
        # Two calls with one thread each took half the CPU time of one call with two threads, whose threads spin
        # (200 messages, Intel Xeon with AVX-512 and VNNI).
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # The arena keeps 150 MB for no gain in time.
        options.enable_cpu_mem_arena = False
        self._session = onnxruntime.InferenceSession(
            str(folder / f"{form}.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._pool = ThreadPoolExecutor(THREADS, "embed")
        self._batch = int(about["batch"][form])
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(about["max_tokens"])
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts (texts, 384), each of length one."""
        tokens = [each.ids for each in self._tokenizer.encode_batch(list(texts))]
        vectors = np.empty((len(tokens), DIMENSIONS), np.float32)
        batches = list(self._batches([len(each) for each in tokens]))
        inputs = [[tokens[place] for place in places] for places in batches]
        # A single text, such as a question, needs no other thread.
        run = self._pool.map if len(inputs) > 1 else map
        for places, rows in zip(batches, run(self._run, inputs), strict=True):
            vectors[places] = rows
        return vectors

    def _batches(self, lengths: Sequence[int]) -> Iterator[list[int]]:
        """Yield batches of texts of similar length, as indexes."""
        batch: list[int] = []
        for place in sorted(range(len(lengths)), key=lengths.__getitem__):
            if batch and (
                len(batch) == self._batch or lengths[place] > _MAX_PADDING * lengths[batch[0]]
            ):
                yield batch
                batch = []
            batch.append(place)
        if batch:
            yield batch

    def _run(self, tokens: Sequence[Sequence[int]]) -> Vectors:
        ids = np.zeros((len(tokens), max(map(len, tokens))), np.int64)
        mask = np.zeros_like(ids)
        for row, each in enumerate(tokens):
            ids[row, : len(each)] = each
            mask[row, : len(each)] = 1
        [hidden] = self._session.run(
            None,
            {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)},
        )
        sums: Vectors = np.einsum("btd,bt->bd", hidden, mask.astype(np.float32))
        sums /= np.linalg.norm(sums, axis=1, keepdims=True)
        return sums
