"""all-MiniLM-L6-v2 in this process: one session that every thread shares, loaded when it is first needed."""

from __future__ import annotations

import json
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from everword.rpc.priority import give_way
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.model_files import TOKENIZER, WEIGHTS, read_verified
from everword_embedder.providers.vectors import Vector

NAME = "all-MiniLM-L6-v2"
DIMENSIONS = 384
#: What the model was trained to read (max_seq_length of its sentence_bert_config.json); a longer text is cut.
MAX_TOKENS = 256
#: More than MAX_TOKENS words of any language; it keeps the tokenizer from reading a megabyte to use a page of it.
MAX_CHARACTERS = 32_768
#: Weights in 8 bits give .996 and more of the fp32 vectors; anything less is another model or a broken machine.
REFERENCE_COSINE = 0.99


@dataclass(frozen=True)
class Embedded:
    """A text's vector as the model gives it, not of length one, and the tokens it read."""

    vector: Vector
    tokens: int


class LocalModel:
    """A loaded model. Threads may share it."""

    def __init__(self, weights: bytes, tokenizer: bytes) -> None:
        # By the thread that loads the model, and nowhere that a server is asked instead.
        import onnxruntime
        from tokenizers import Tokenizer

        from everword_embedder.providers.local_graph import multiply_in_bytes

        options = onnxruntime.SessionOptions()
        # Each text has a thread of its own: on 2 cores, two texts side by side were 1.1 to 1.3 times as fast as one
        # after the other with two threads each (measured).
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            multiply_in_bytes(weights), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_buffer(tokenizer)
        self._tokenizer.enable_truncation(MAX_TOKENS)
        # Texts run alone, so nothing is padded; batches were not faster (measured, 1 to 64 texts).
        self._tokenizer.no_padding()

    def embed(self, text: str) -> Embedded:
        tokens = self._tokenizer.encode(text[:MAX_CHARACTERS]).ids
        ids = np.array([tokens], np.int64)
        [hidden] = self._session.run(
            None,
            {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            },
        )
        vector: Vector = hidden[0].mean(axis=0)
        return Embedded(vector, len(tokens))


def load_model() -> LocalModel:
    """Read, verify and try the model; takes about half a second. Raises ProviderMisconfigured."""
    model = LocalModel(read_verified(WEIGHTS), read_verified(TOKENIZER))
    for text, reference in reference_vectors().items():
        given = model.embed(text).vector
        cosine = float(given @ reference / np.linalg.norm(given) / np.linalg.norm(reference))
        # Not `<`: a vector that is not a number compares as false.
        if not cosine >= REFERENCE_COSINE:
            raise ProviderMisconfigured(
                f"the local model gives other vectors than it should (cosine {cosine:.4f})"
            )
    return model


def reference_vectors() -> dict[str, Vector]:
    """Return texts and the vectors that the model in full precision gives them."""
    stored = files(__package__).joinpath("reference_vectors.json").read_text("utf-8")
    return {text: np.array(vector, np.float32) for text, vector in json.loads(stored).items()}


class LocalModelHolder:
    """The process's one model and its threads, shared by all generations that use it."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        # Two threads more than a backlog may take: a query starts at once, and so does a passage that was just written.
        self._pool = ThreadPoolExecutor(threads + 2, thread_name_prefix="embed")
        self._patient = ThreadPoolExecutor(threads, "embed-patient", initializer=give_way)
        self._loading: Future[LocalModel] | None = None

    def model(self) -> Future[LocalModel]:
        """Return the model, loaded once. Call it from the event loop's thread only."""
        if self._loading is None or (self._loading.done() and self._loading.exception()):
            self._loading = self._pool.submit(load_model)
        return self._loading

    def embed(self, model: LocalModel, text: str, urgent: bool) -> Future[Embedded]:
        return (self._pool if urgent else self._patient).submit(model.embed, text)

    def close(self) -> None:
        """Drop what waits and let what runs finish."""
        for pool in (self._pool, self._patient):
            pool.shutdown(wait=False, cancel_futures=True)
