"""Runs all-MiniLM-L6-v2 in this process: one session, loaded once and shared by all threads."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from everword.processes.priority import lower_priority
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.model_files import TOKENIZER, WEIGHTS, read_verified
from everword_embedder.providers.vectors import Vector
from everword_embedder.providers.weights import (
    BATCH,
    PASSAGE_TOKENS,
    WeightChoice,
    WeightForm,
    choice_file,
    measure,
    read_choice,
    save_weight_choice,
)

log = logging.getLogger(__name__)
NAME = "all-MiniLM-L6-v2"
DIMENSIONS = 384
#: Length in tokens that the model was trained on (max_seq_length of its sentence_bert_config.json); a longer text is
#: cut.
MAX_TOKENS = 256
#: More than MAX_TOKENS words of any language; it keeps the tokenizer from reading a megabyte to use a page of it.
MAX_CHARACTERS = 32_768
#: Weights in 8 bits give .996 and more of the fp32 vectors; anything less is another model or a broken machine.
REFERENCE_COSINE = 0.99
#: Maximum ratio of the longest to the shortest text of a batch, in tokens, since padding costs as much as text.
_MAX_PADDING = 1.15
#: Maximum tokens of a batch, with padding. Batching longer texts gains nothing: each fills the caches alone.
_BATCH_TOKENS = BATCH * PASSAGE_TOKENS


@dataclass(frozen=True)
class LocalEmbedding:
    """A text's vector as the model gives it, not of length one, and the tokens it read."""

    vector: Vector
    tokens: int


class LocalModel:
    """A loaded model. Threads may share it."""

    def __init__(self, weights: bytes, tokenizer: bytes, form: WeightForm) -> None:
        # Imported here, so that an embedder with an external model server never loads them.
        import onnxruntime
        from tokenizers import Tokenizer

        from everword_embedder.providers.local_graph import (
            multiply_in_bytes,
            quantized_lookup_model,
        )

        options = onnxruntime.SessionOptions()
        # Each call has a thread of its own: on 2 cores, two calls side by side were 1.1 to 1.3 times as fast as one
        # after the other with two threads each (measured).
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # The arena keeps the largest call's memory: 150 MB, for no gain in time on texts of up to 48 tokens.
        options.enable_cpu_mem_arena = False
        prepare = multiply_in_bytes if form is WeightForm.BYTES else quantized_lookup_model
        self._session = onnxruntime.InferenceSession(
            prepare(weights), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_buffer(tokenizer)
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()
        #: The form of the weights and its speed on this processor; set after the measurement.
        self.choice: WeightChoice | None = None

    @property
    def batch(self) -> int:
        """Return how many texts of similar length are embedded in one call."""
        return self.choice.speed.batch if self.choice else 1

    def embed(self, texts: Sequence[str]) -> list[LocalEmbedding]:
        """Return the embedding of each text, in order."""
        tokens = [self._tokenizer.encode(text[:MAX_CHARACTERS]).ids for text in texts]
        embedded: dict[int, LocalEmbedding] = {}
        for places in _batches([len(each) for each in tokens], self.batch):
            hidden, mask = self._run([tokens[place] for place in places])
            sums = np.einsum("btd,bt->bd", hidden, mask.astype(np.float32))
            for place, vector, count in zip(places, sums, mask.sum(axis=1), strict=True):
                embedded[place] = LocalEmbedding(vector / np.float32(count), int(count))
        return [embedded[place] for place in range(len(texts))]

    def timed_run(self, texts: int, tokens: int) -> float:
        """Run the model on `texts` texts of `tokens` tokens each, and return the CPU seconds."""
        started = time.thread_time()
        self._run([[101, *[2000] * (tokens - 2), 102]] * texts)
        return time.thread_time() - started

    def _run(
        self, tokens: Sequence[Sequence[int]]
    ) -> tuple[np.ndarray[tuple[int, int, int], np.dtype[np.float32]], Mask]:
        """Return the last layer (texts, tokens, dimensions), and the mask of its rows that are no padding."""
        longest = max(map(len, tokens))
        ids = np.zeros((len(tokens), longest), np.int64)
        mask = np.zeros_like(ids)
        for row, each in enumerate(tokens):
            ids[row, : len(each)] = each
            mask[row, : len(each)] = 1
        [hidden] = self._session.run(
            None,
            {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)},
        )
        return hidden, mask


#: (texts, tokens): 1 for a token, 0 for padding.
Mask = np.ndarray[tuple[int, int], np.dtype[np.int64]]


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


@cache
def load_model(form: WeightForm | None = None) -> LocalModel:
    """Load, verify and test the model with a form of its weights; by default, the faster one on this processor.

    Takes about half a second, and a second more if the forms have not been measured on this processor yet. A process
    loads a form once. Raises ProviderMisconfigured.
    """
    import onnxruntime

    weights, tokenizer = read_verified(WEIGHTS), read_verified(TOKENIZER)
    file = choice_file(WEIGHTS.sha256, onnxruntime.__version__)
    choice = read_choice(file)
    models: dict[WeightForm, LocalModel] = {}
    if choice is None or (form and form not in choice.speeds):
        models = {each: LocalModel(weights, tokenizer, each) for each in WeightForm}
        choice = measure({each: model.timed_run for each, model in models.items()})
        save_weight_choice(file, choice)
        log.info("local model measured", extra={"form": choice.form, "speeds": str(choice.speeds)})
    if form:
        choice = WeightChoice(form, choice.speeds)
    model = models.get(choice.form) or LocalModel(weights, tokenizer, choice.form)
    model.choice = choice
    for text, reference in reference_vectors().items():
        [embedded] = model.embed([text])
        given = embedded.vector
        cosine = float(given @ reference / np.linalg.norm(given) / np.linalg.norm(reference))
        # Not `<`: a vector that is not a number compares as false.
        if not cosine >= REFERENCE_COSINE:
            raise ProviderMisconfigured(
                f"the local model computes wrong vectors (cosine {cosine:.4f})"
            )
    return model


def reference_vectors() -> dict[str, Vector]:
    """Return texts and the vectors that the model in full precision gives them."""
    stored = files(__package__).joinpath("reference_vectors.json").read_text("utf-8")
    return {text: np.array(vector, np.float32) for text, vector in json.loads(stored).items()}


class LocalModelHolder:
    """The process's one model and its threads, shared by all generations that use it."""

    def __init__(self, threads: int, form: WeightForm | None = None) -> None:
        self.threads = threads
        self._form = form
        # Two threads more than a backlog may take: a query starts at once, and so does a passage that was just written.
        self._pool = ThreadPoolExecutor(threads + 2, thread_name_prefix="embed")
        self._patient = ThreadPoolExecutor(threads, "embed-patient", initializer=lower_priority)
        self._loading: Future[LocalModel] | None = None

    def model(self) -> Future[LocalModel]:
        """Return the model, loaded once. Call it from the event loop's thread only."""
        if self._loading is None or (self._loading.done() and self._loading.exception()):
            self._loading = self._pool.submit(load_model, self._form)
        return self._loading

    @property
    def loaded(self) -> LocalModel | None:
        """Return the model if it is loaded."""
        loading = self._loading
        if loading is None or not loading.done() or loading.exception():
            return None
        return loading.result()

    def embed(
        self, model: LocalModel, texts: Sequence[str], urgent: bool
    ) -> Future[list[LocalEmbedding]]:
        return (self._pool if urgent else self._patient).submit(model.embed, texts)

    def close(self) -> None:
        """Drop waiting work and let running work finish."""
        for pool in (self._pool, self._patient):
            pool.shutdown(wait=False, cancel_futures=True)
